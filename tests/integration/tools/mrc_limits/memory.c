// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory that the kernel allocates for a process: as many connected queue pairs as it
 * grants, one line for each number that is a power of two, or that is the last.
 *
 * A process over the limit of its memory cgroup is refused memory or killed, so the
 * lines are printed at once, and the script reads them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "limit.h"
#include "pair.h"
#include "tap.h"

/* Many more than a cgroup of the test grants; a queue pair takes some 80 KiB. */
#define QPS_MAX	1024

static void print_number(int n)
{
	tap_note("%d queue pairs", n);
	fflush(stdout);
}

/*
 * Near the limit the kernel would otherwise take the pages of this program from it,
 * which have to be read again for each instruction: that would take hours.
 */
static void keep_program(void)
{
	if (mlockall(MCL_CURRENT))
		tap_note("mlockall: %s", strerror(errno));
}

static struct ibv_qp *connected_qp(struct ibv_cq *cq)
{
	struct rc_dev *dev = &pair_dev[0];
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap.max_send_wr = 1,
		.cap.max_recv_wr = 1,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(dev->pd, &init);
	struct rc_addr addr;

	if (!qp)
		return NULL;
	/* To itself: what counts is memory, not traffic. */
	rc_address(dev, qp, &rc_defaults, &addr);
	if (rc_init(dev, qp, &rc_defaults) ||
	    rc_connect(dev, qp, &rc_defaults, &addr, &addr)) {
		ibv_destroy_qp(qp);
		return NULL;
	}
	return qp;
}

/**
 * limit_memory - tests: connected queue pairs until memory is refused
 */
void limit_memory(void)
{
	static struct ibv_qp *qps[QPS_MAX];
	struct ibv_cq *cq;
	int n = 0, i;

	cq = ibv_create_cq(pair_dev[0].ctx, 1, NULL, NULL, 0);
	if (!tap_ok(cq, "create_cq"))
		return;
	keep_program();
	errno = 0;
	while (n < QPS_MAX) {
		qps[n] = connected_qp(cq);
		if (!qps[n])
			break;
		n++;
		if (!(n & (n - 1)))
			print_number(n);
	}
	print_number(n);
	tap_ok(n < QPS_MAX && errno == ENOMEM,
	       "queue pair %d of %d is refused: %s", n + 1, QPS_MAX,
	       strerror(errno));
	for (i = 0; i < n; i++)
		ibv_destroy_qp(qps[i]);
	ibv_destroy_cq(cq);
}
