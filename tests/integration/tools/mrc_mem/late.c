// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory that a program uses again after the completion of a WRITE, while copies of
 * its packets are still on their way: the script delays them, and captures them.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"

/* What is sent, and what the program writes there after the completion. */
#define FIRST	'f'
#define OLD	'o'
#define NEW	'n'
/* Longer than the script delays packets. */
#define WAIT_S	2

static bool write_all(struct pair *p, char fill)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	memset(p->a.buf, fill, PAIR_BUF_LEN);
	end_wr(p, IBV_WR_RDMA_WRITE, PAIR_BUF_LEN, &wr, &sge);
	return !end_post(&p->a, &wr) &&
	       expect_wc(p->a.scq, IBV_WC_SUCCESS, "WRITE");
}

/**
 * mem_late - tests: a WRITE completes, and its memory is used again at once
 *
 * Until the devices have agreed to leave out the ICRC, packets carry copies: so a
 * first WRITE precedes, and the script delays packets then, before it ends the
 * standard input.
 */
void mem_late(void)
{
	struct pair p;
	bool ok;

	if (!pair_ready(&p, "late packets", NULL))
		return;
	ok = write_all(&p, FIRST);
	sleep(WAIT_S);
	tap_note("late packets: ready");
	while (getchar() != EOF)
		;
	ok &= write_all(&p, OLD);
	tap_ok(ok, "late packets: a WRITE completes");
	memset(p.a.buf, NEW, PAIR_BUF_LEN);
	sleep(WAIT_S);
	tap_ok(end_filled_with(&p.b, OLD),
	       "late packets: the peer has what was sent, not what was written there later");
	pair_destroy(&p);
}
