// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: with other addresses than the process's, and changed while peers
 * have their keys.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem.h"

#define WRITE	IBV_WR_RDMA_WRITE
#define READ	IBV_WR_RDMA_READ
#define HALF	(PAIR_BUF_LEN / 2)
/* No address of a process; the offset within a page is the same. */
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
	if (tap_ok(*mr, "%s: reg_mr_iova succeeds", name))
		return true;
	pair_destroy(p);
	return false;
}

static void region_end(struct pair *p, struct ibv_mr *mr, const char *name)
{
	tap_ok(!ibv_dereg_mr(mr), "%s: dereg_mr succeeds", name);
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

/* Access by addresses other than the process's, at both ends of the region. */
static void other_iova(const char *name, uint64_t iova, uint64_t base,
		       int access)
{
	struct ibv_mr *mr;
	char label[96];
	struct pair p;

	if (!region_pair(&p, &mr, name, iova, HALF, access))
		return;
	expect_access(&p, WRITE, base, mr->rkey, IBV_WC_SUCCESS, name);
	snprintf(label, sizeof(label), "%s: WRITE to the end", name);
	expect_access(&p, WRITE, base + HALF - MSG_LEN, mr->rkey,
		      IBV_WC_SUCCESS, label);
	tap_ok(filled(p.b.buf, 'a') && p.b.buf[MSG_LEN] == 'b' &&
	       p.b.buf[HALF - MSG_LEN - 1] == 'b' &&
	       filled(p.b.buf + HALF - MSG_LEN, 'a') && p.b.buf[HALF] == 'b',
	       "%s: only the written bytes have changed", name);
	snprintf(label, sizeof(label), "%s: WRITE beyond the end", name);
	expect_access(&p, WRITE, base + HALF - MSG_LEN + 1, mr->rkey,
		      IBV_WC_REM_ACCESS_ERR, label);
	region_end(&p, mr, name);
}

static void process_address(void)
{
	const char *name = "WRITE by the process's address to a region with an IOVA";
	struct ibv_mr *mr;
	struct pair p;

	if (!region_pair(&p, &mr, name, IOVA, HALF, RC_ACCESS_ALL))
		return;
	expect_access(&p, WRITE, (uintptr_t)p.b.buf, mr->rkey,
		      IBV_WC_REM_ACCESS_ERR, name);
	region_end(&p, mr, name);
}

static bool rereg(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
		  size_t len, int access, const char *name)
{
	uint32_t rkey = mr->rkey;
	int ret = ibv_rereg_mr(mr, flags, pd, addr, len, access);

	return tap_ok(!ret && mr->rkey == rkey,
		      "%s: rereg_mr succeeds, the R_Key stays", name);
}

static void rereg_memory(void)
{
	const char *name = "region changed to other memory";
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
		tap_ok(filled(to, 'a'), "%s: a WRITE changes the new memory",
		       name);
		expect_access(&p, WRITE, (uintptr_t)to - MSG_LEN, mr->rkey,
			      IBV_WC_REM_ACCESS_ERR,
			      "WRITE to the former memory of a changed region");
	}
	region_end(&p, mr, name);
}

static void rereg_access(void)
{
	const char *name = "region changed to other access";
	const int reads = IBV_ACCESS_REMOTE_READ;
	struct ibv_mr *mr;
	struct pair p;

	if (!region_pair(&p, &mr, name, 0, HALF, reads))
		return;
	expect_access(&p, READ, (uintptr_t)p.b.buf, mr->rkey, IBV_WC_SUCCESS,
		      "READ of a region before its access is changed to WRITE");
	memset(p.a.buf, 'a', MSG_LEN);
	if (rereg(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
		  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE, name)) {
		expect_access(&p, WRITE, (uintptr_t)p.b.buf, mr->rkey,
			      IBV_WC_SUCCESS,
			      "WRITE to a region changed from READ to WRITE");
		tap_ok(filled(p.b.buf, 'a'),
		       "%s: a WRITE changes the process's memory", name);
		expect_access(&p, READ, (uintptr_t)p.b.buf, mr->rkey,
			      IBV_WC_REM_ACCESS_ERR,
			      "READ of a region changed from READ to WRITE");
	}
	region_end(&p, mr, name);
}

static void rereg_domain(void)
{
	const char *name = "region changed to another protection domain";
	struct ibv_pd *pd = ibv_alloc_pd(pair_dev[1].ctx);
	struct ibv_mr *mr;
	struct pair p;

	if (!region_pair(&p, &mr, name, 0, HALF,
			 RC_ACCESS_ALL))
		return;
	if (rereg(mr, IBV_REREG_MR_CHANGE_PD, pd, NULL, 0, 0, name) &&
	    rereg(mr, IBV_REREG_MR_CHANGE_PD, p.b.dev->pd, NULL, 0, 0,
		  "region changed back to its protection domain"))
		expect_access(&p, WRITE, (uintptr_t)p.b.buf, mr->rkey,
			      IBV_WC_SUCCESS,
			      "WRITE to a region back in its protection domain");
	if (rereg(mr, IBV_REREG_MR_CHANGE_PD, pd, NULL, 0, 0, name))
		expect_access(&p, WRITE, (uintptr_t)p.b.buf, mr->rkey,
			      IBV_WC_REM_ACCESS_ERR, name);
	region_end(&p, mr, name);
	tap_ok(!ibv_dealloc_pd(pd), "%s: dealloc_pd succeeds afterwards", name);
}

/* A refused change leaves the region unchanged. */
static void rereg_refused(void)
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
			    4096, 0),
	       "rereg_mr to memory that cannot be pinned is refused");
	tap_ok(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			    IBV_ACCESS_REMOTE_WRITE),
	       "rereg_mr to remote write without local write is refused");
	expect_access(&p, WRITE, (uintptr_t)p.b.buf, mr->rkey, IBV_WC_SUCCESS,
		      name);
	region_end(&p, mr, name);
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
		       errno == EBUSY, "%s: rereg_mr: EBUSY", name);
		expect_access(&r.p, WRITE, rig_addr(&r, WIN_AT), r.mw->rkey,
			      IBV_WC_SUCCESS,
			      "WRITE to a window after a refused rereg_mr");
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
	tap_ok(mr, "reg_mr with relaxed ordering succeeds");
	if (mr)
		ibv_dereg_mr(mr);
	errno = 0;
	mr = ibv_reg_mr(pd, buf, 4096, RC_ACCESS_ALL | IBV_ACCESS_ON_DEMAND);
	tap_ok(!mr && (errno == EOPNOTSUPP || errno == EINVAL),
	       "reg_mr with on-demand paging is refused");
	if (mr)
		ibv_dereg_mr(mr);
	free(buf);
}

/* After fork() the child gets copies; registered pages stay with the parent. */
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
	/* Copy on write must not give the parent new pages here. */
	p.b.buf[HALF - 1] = 'p';
	expect_access(&p, WRITE, (uintptr_t)p.b.buf, mr->rkey, IBV_WC_SUCCESS,
		      name);
	tap_ok(filled(p.b.buf, 'a') && p.b.buf[HALF - 1] == 'p',
	       "%s: the parent sees the peer's WRITE", name);
	waitpid(child, NULL, 0);
	region_end(&p, mr, name);
}

/**
 * mem_region - tests: memory regions, and changes of them
 */
void mem_region(void)
{
	other_iova("region with another address", IOVA, IOVA,
		   RC_ACCESS_ALL);
	other_iova("region with addresses from 0", IOVA, 0,
		   RC_ACCESS_ALL | IBV_ACCESS_ZERO_BASED);
	process_address();
	rereg_memory();
	rereg_access();
	rereg_domain();
	rereg_refused();
	rereg_bound();
	flags();
	fork_safe();
}
