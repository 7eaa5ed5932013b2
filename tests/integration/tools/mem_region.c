// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: other addresses than the process's, and changes while others
 * know their keys.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem.h"

#define WRITE	IBV_WR_RDMA_WRITE
#define READ	IBV_WR_RDMA_READ
#define HALF	(PAIR_BUF_LEN / 2)
/* Differs from any address of a process, not in the place within a page. */
#define IOVA	0x1000000000000ULL

/* With @iova 0 addresses are those of the process. */
static bool region_pair(struct pair *p, struct ibv_mr **mr, const char *name,
			uint64_t iova, size_t len, int access)
{
	*mr = NULL;
	if (!pair_ready(p, name, NULL))
		return false;
	*mr = ibv_reg_mr_iova(p->b.dev->pd, p->b.buf, len,
			      iova ? iova : (uintptr_t)p->b.buf, access);
	if (tap_ok(*mr, "%s: region", name))
		return true;
	pair_destroy(p);
	return false;
}

static void region_end(struct pair *p, struct ibv_mr *mr)
{
	tap_ok(!ibv_dereg_mr(mr), "the region goes");
	pair_destroy(p);
}

static bool filled(const char *at, char c)
{
	size_t i;

	for (i = 0; i < MSG_LEN; i++)
		if (at[i] != c)
			return false;
	return true;
}

/* The same bytes by another address; at both ends of it. */
static void other_address(const char *name, uint64_t iova, uint64_t base,
			  int access)
{
	struct ibv_mr *mr;
	struct pair p;

	if (!region_pair(&p, &mr, name, iova, HALF, access))
		return;
	expect_access(&p, WRITE, base, mr->rkey, IBV_WC_SUCCESS, name);
	expect_access(&p, WRITE, base + HALF - MSG_LEN, mr->rkey,
		      IBV_WC_SUCCESS, "its end");
	tap_ok(filled(p.b.buf, 'a') && p.b.buf[MSG_LEN] == 'b' &&
	       p.b.buf[HALF - MSG_LEN - 1] == 'b' &&
	       filled(p.b.buf + HALF - MSG_LEN, 'a') && p.b.buf[HALF] == 'b',
	       "%s: the right bytes", name);
	expect_access(&p, WRITE, base + HALF - MSG_LEN + 1, mr->rkey,
		      IBV_WC_REM_ACCESS_ERR, "beyond its end");
	region_end(&p, mr);
}

static void own_address(void)
{
	const char *name = "the process's address where there is another";
	struct ibv_mr *mr;
	struct pair p;

	if (!region_pair(&p, &mr, name, IOVA, HALF, RC_ACCESS_ALL))
		return;
	expect_access(&p, WRITE, (uintptr_t)p.b.buf, mr->rkey,
		      IBV_WC_REM_ACCESS_ERR, name);
	region_end(&p, mr);
}

static bool rereg(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
		  size_t len, int access, const char *name)
{
	uint32_t rkey = mr->rkey;
	int ret = ibv_rereg_mr(mr, flags, pd, addr, len, access);

	return tap_ok(!ret && mr->rkey == rkey, "%s: ibv_rereg_mr", name);
}

static void other_memory(void)
{
	const char *name = "region with other memory";
	struct ibv_mr *mr;
	struct pair p;
	char *to;

	if (!region_pair(&p, &mr, name, 0, HALF,
			 RC_ACCESS_ALL))
		return;
	to = p.b.buf + HALF;
	if (rereg(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, to, HALF, 0,
		  name)) {
		expect_access(&p, WRITE, (uintptr_t)to, mr->rkey,
			      IBV_WC_SUCCESS, name);
		tap_ok(filled(to, 'a'), "%s: the right bytes", name);
		expect_access(&p, WRITE, (uintptr_t)to - MSG_LEN, mr->rkey,
			      IBV_WC_REM_ACCESS_ERR, "what it had before");
	}
	region_end(&p, mr);
}

static void other_access(void)
{
	const char *name = "region with other access";
	const int reads = IBV_ACCESS_REMOTE_READ;
	struct ibv_mr *mr;
	struct pair p;

	if (!region_pair(&p, &mr, name, 0, HALF, reads))
		return;
	expect_access(&p, READ, (uintptr_t)p.b.buf, mr->rkey, IBV_WC_SUCCESS,
		      "READ before");
	memset(p.a.buf, 'a', MSG_LEN);
	if (rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
		  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE, name)) {
		expect_access(&p, WRITE, (uintptr_t)p.b.buf, mr->rkey,
			      IBV_WC_SUCCESS, "WRITE afterwards");
		tap_ok(filled(p.b.buf, 'a'), "%s: the process sees it", name);
		expect_access(&p, READ, (uintptr_t)p.b.buf, mr->rkey,
			      IBV_WC_REM_ACCESS_ERR, "READ afterwards");
	}
	region_end(&p, mr);
}

static void other_domain(void)
{
	const char *name = "region in another domain";
	struct ibv_pd *pd = ibv_alloc_pd(pair_dev[1].ctx);
	struct ibv_mr *mr;
	struct pair p;

	if (!region_pair(&p, &mr, name, 0, HALF,
			 RC_ACCESS_ALL))
		return;
	if (rereg(mr, IBV_REREG_MR_CHANGE_PD, pd, NULL, 0, 0, name) &&
	    rereg(mr, IBV_REREG_MR_CHANGE_PD, p.b.dev->pd, NULL, 0, 0, "back"))
		expect_access(&p, WRITE, (uintptr_t)p.b.buf, mr->rkey,
			      IBV_WC_SUCCESS, "region back in its domain");
	if (rereg(mr, IBV_REREG_MR_CHANGE_PD, pd, NULL, 0, 0, name))
		expect_access(&p, WRITE, (uintptr_t)p.b.buf, mr->rkey,
			      IBV_WC_REM_ACCESS_ERR, name);
	region_end(&p, mr);
	tap_ok(!ibv_dealloc_pd(pd), "%s: it can go", name);
}

/* What is refused leaves the region as it was. */
static void refused(void)
{
	const char *name = "region after a change that failed";
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	struct ibv_mr *mr;
	struct pair p;

	if (!region_pair(&p, &mr, name, 0, HALF,
			 RC_ACCESS_ALL))
		return;
	tap_ok(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, hole,
			    4096, 0), "memory that cannot be had");
	tap_ok(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			    IBV_ACCESS_REMOTE_WRITE),
	       "remote write without local write");
	expect_access(&p, WRITE, (uintptr_t)p.b.buf, mr->rkey, IBV_WC_SUCCESS,
		      name);
	region_end(&p, mr);
	munmap(hole, 4096);
}

static void rereg_bound(void)
{
	const char *name = "change of a region that a window is bound to";
	struct rig r;

	if (!rig_create(&r, name, IBV_MW_TYPE_2))
		return;
	if (rig_bind(&r, name)) {
		tap_ok(ibv_rereg_mr(r.mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
				    r.p.b.buf, HALF, 0) &&
		       errno == EBUSY, "%s: EBUSY", name);
		expect_access(&r.p, WRITE, rig_addr(&r, WIN_AT), r.mw->rkey,
			      IBV_WC_SUCCESS, "and the window works");
	}
	rig_destroy(&r);
}

static void flags(void)
{
	struct ibv_pd *pd = pair_dev[0].pd;
	char *buf = aligned_alloc(4096, 4096);
	struct ibv_mr *mr;

	mr = ibv_reg_mr(pd, buf, 4096, RC_ACCESS_ALL |
			IBV_ACCESS_RELAXED_ORDERING);
	tap_ok(mr, "relaxed ordering is accepted");
	if (mr)
		ibv_dereg_mr(mr);
	errno = 0;
	mr = ibv_reg_mr(pd, buf, 4096, RC_ACCESS_ALL | IBV_ACCESS_ON_DEMAND);
	tap_ok(!mr && (errno == EOPNOTSUPP || errno == EINVAL),
	       "on-demand paging is refused");
	if (mr)
		ibv_dereg_mr(mr);
	free(buf);
}

/* A child takes its copy; what is registered stays with the parent. */
static void fork_safe(void)
{
	const char *name = "region of a process that forks";
	struct ibv_mr *mr;
	struct pair p;
	pid_t child;

	if (!region_pair(&p, &mr, name, 0, HALF,
			 RC_ACCESS_ALL))
		return;
	child = fork();
	if (!child)
		_exit(p.b.buf[0] != 'b');
	/* Without care the parent would get new pages now. */
	p.b.buf[HALF - 1] = 'p';
	expect_access(&p, WRITE, (uintptr_t)p.b.buf, mr->rkey, IBV_WC_SUCCESS,
		      name);
	tap_ok(filled(p.b.buf, 'a') && p.b.buf[HALF - 1] == 'p',
	       "%s: it sees what is written", name);
	waitpid(child, NULL, 0);
	region_end(&p, mr);
}

/**
 * mem_region - what regions are and can become
 */
void mem_region(void)
{
	other_address("region with another address", IOVA, IOVA,
		      RC_ACCESS_ALL);
	other_address("region with addresses from 0", IOVA, 0,
		      RC_ACCESS_ALL | IBV_ACCESS_ZERO_BASED);
	own_address();
	other_memory();
	other_access();
	other_domain();
	refused();
	rereg_bound();
	flags();
	fork_safe();
}
