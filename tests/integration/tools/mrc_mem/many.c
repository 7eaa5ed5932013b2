// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects that are destroyed one after the other, as MPI jobs do. The time that it
 * takes is printed, not checked.
 */
#include <stdlib.h>
#include <time.h>

#include "mem.h"

#define REGIONS		4000
#define QPS		1000
#define FIRST		1000

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void deregister(void)
{
	static char mem[4096];
	struct ibv_mr **mr = calloc(REGIONS, sizeof(*mr));
	int made = 0, gone = 0;
	double start, first = 0;

	while (made < REGIONS) {
		mr[made] = ibv_reg_mr(pair_dev[0].pd, mem, sizeof(mem),
				      RC_ACCESS_ALL);
		if (!mr[made])
			break;
		made++;
	}
	start = now();
	while (gone < made && !ibv_dereg_mr(mr[gone])) {
		gone++;
		if (gone == FIRST)
			first = now() - start;
	}
	tap_ok(gone == REGIONS, "%d regions are created and deregistered",
	       REGIONS);
	tap_note("ibv_dereg_mr: the first %d in %.3f s, all in %.3f s", FIRST,
		 first,
		 now() - start);
	free(mr);
}

static void destroy(void)
{
	struct ibv_qp **qp = calloc(QPS, sizeof(*qp));
	struct ibv_qp_init_attr attr = {
		.cap = { 1, 1, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
	};
	int made = 0, gone = 0;
	double start;

	attr.send_cq = ibv_create_cq(pair_dev[0].ctx, 1, NULL, NULL, 0);
	attr.recv_cq = attr.send_cq;
	while (attr.send_cq && made < QPS) {
		qp[made] = ibv_create_qp(pair_dev[0].pd, &attr);
		if (!qp[made])
			break;
		made++;
	}
	start = now();
	while (gone < made && !ibv_destroy_qp(qp[gone]))
		gone++;
	tap_ok(gone == QPS, "%d QPs are created and destroyed", QPS);
	tap_note("ibv_destroy_qp: all in %.3f s", now() - start);
	if (attr.send_cq)
		ibv_destroy_cq(attr.send_cq);
	free(qp);
}

/**
 * mem_many - tests: destruction of thousands of objects, one after the other
 */
void mem_many(void)
{
	destroy();
	deregister();
}
