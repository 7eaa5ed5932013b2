// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * READ and ATOMIC, with all responses checked: the bytes that READs return are those
 * of the peer's memory, FETCH_ADDs return each value of the counter once, and the
 * counter's final value is the number of additions.
 *
 * Both sides are in this process, whose CPU adds to the counter, too.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"
#include "tap.h"

#define QPS_MAX		32
/* As many READs as a device lets be in flight, each into memory of its own. */
#define DEPTH		64
#define SLOT_LEN	4096
#define BUF_LEN		(DEPTH * SLOT_LEN)
/* The counter, the word for CMP_SWAP, and then the bytes for READs. */
#define CONST_AT	64
#define SGES		3

static struct pair pairs[QPS_MAX];
static uint32_t n_pairs = 4;
static uint32_t n_ops = 500;

static const char usage_text[] =
"Usage: mrc_rd_atomic [OPTION]...\n"
"READ and ATOMIC between two devices, all responses checked.\n"
PAIR_ARGS_USAGE
"  -q N     queue pairs (default 4)\n"
"  -n N     operations of each kind per queue pair (default 500)\n";

static uint64_t *counter(void)
{
	return (uint64_t *)pairs[0].b.buf;
}

/* Work requests in flight of one QP. */
typedef void (*make_fn)(struct pair *p, uint32_t i, struct ibv_send_wr *wr,
			struct ibv_sge *sge);
typedef bool (*check_fn)(struct pair *p, uint32_t i);

/**
 * struct job - work requests of one kind over all queue pairs
 * @make: fills in work request @i
 * @check: checks the response to work request @i
 * @opcode: opcode of completions
 */
struct job {
	make_fn make;
	check_fn check;
	enum ibv_wc_opcode opcode;
};

static bool post_one(struct pair *p, const struct job *job, uint32_t i)
{
	struct ibv_sge sge[SGES];
	struct ibv_send_wr wr = {
		.wr_id = i,
		.sg_list = sge,
		.num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED,
	};

	job->make(p, i, &wr, sge);
	return !end_post(&p->a, &wr);
}

static bool complete_one(struct pair *p, const struct job *job, uint32_t i)
{
	struct ibv_wc wc;

	if (!wait_wc(p->a.scq, &wc) || wc.status != IBV_WC_SUCCESS ||
	    wc.wr_id != i || wc.opcode != job->opcode) {
		tap_note("completion %u: %s, wr_id %u, opcode %u", i,
			 ibv_wc_status_str(wc.status), (uint32_t)wc.wr_id,
			 wc.opcode);
		return false;
	}
	return job->check(p, i);
}

/* Keeps all send queues full; completions come in order of posting. */
static bool run_job(const struct job *job)
{
	uint32_t i, q;

	for (i = 0; i < n_ops + DEPTH; i++) {
		for (q = 0; q < n_pairs; q++) {
			if (i >= DEPTH && !complete_one(&pairs[q], job,
							i - DEPTH))
				return false;
			if (i < n_ops && !post_one(&pairs[q], job, i))
				return false;
		}
	}
	return true;
}

/* READ. */

static char octet(uint32_t at)
{
	return (at * 2654435761u) >> 13;
}

static uint32_t read_len(uint32_t i)
{
	static const uint32_t lens[] = { 1, 8, 4095, 4096, 0, 3500, 2 };

	return lens[i % 7];
}

static uint32_t read_from(uint32_t i)
{
	return CONST_AT + i * 977 % (BUF_LEN - CONST_AT - 4097);
}

static char *read_to(struct pair *p, uint32_t i)
{
	return p->a.buf + i % DEPTH * SLOT_LEN;
}

/* Into several elements of uneven length. */
static void make_read(struct pair *p, uint32_t i, struct ibv_send_wr *wr,
		      struct ibv_sge *sge)
{
	uint32_t len = read_len(i);
	char *to = read_to(p, i);
	uint32_t part;
	int n;

	memset(to, 0x55, SLOT_LEN);
	for (n = 0; n < SGES; n++, to += part, len -= part) {
		part = n == SGES - 1 ? len : len / 3;
		sge[n] = (struct ibv_sge){
			.addr = (uintptr_t)to,
			.length = part,
			.lkey = p->a.mr->lkey,
		};
	}
	wr->num_sge = SGES;
	wr->opcode = IBV_WR_RDMA_READ;
	wr->wr.rdma.remote_addr = (uintptr_t)p->b.buf + read_from(i);
	wr->wr.rdma.rkey = p->b.mr->rkey;
}

static bool check_read(struct pair *p, uint32_t i)
{
	uint32_t at, len = read_len(i);
	const char *to = read_to(p, i);

	for (at = 0; at < SLOT_LEN; at++) {
		char want = at < len ? octet(read_from(i) + at) : 0x55;

		if (to[at] == want)
			continue;
		tap_note("READ %u of %u bytes: byte %u differs", i, len, at);
		return false;
	}
	return true;
}

/* One READ of many packets: the whole buffer. */
static bool long_read(struct pair *p)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;

	memset(p->a.buf, 0, BUF_LEN);
	end_wr(p, IBV_WR_RDMA_READ, BUF_LEN, &wr, &sge);
	return !end_post(&p->a, &wr) && wait_wc(p->a.scq, &wc) &&
	       wc.status == IBV_WC_SUCCESS && wc.byte_len == BUF_LEN &&
	       !memcmp(p->a.buf, p->b.buf, BUF_LEN);
}

static bool long_reads(void)
{
	uint32_t q;

	for (q = 0; q < n_pairs; q++)
		if (!long_read(&pairs[q]))
			return false;
	return true;
}

/* ATOMIC. */

static uint8_t *seen;

static void make_fetch_add(struct pair *p, uint32_t i, struct ibv_send_wr *wr,
			   struct ibv_sge *sge)
{
	sge[0] = (struct ibv_sge){
		.addr = (uintptr_t)read_to(p, i),
		.length = sizeof(uint64_t),
		.lkey = p->a.mr->lkey,
	};
	wr->opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	wr->wr.atomic.remote_addr = (uintptr_t)counter();
	wr->wr.atomic.rkey = pairs[0].b.mr->rkey;
	wr->wr.atomic.compare_add = 1;
}

static uint32_t total(void)
{
	/* The CPU adds as often as one QP. */
	return (n_pairs + 1) * n_ops;
}

static bool record_value(uint64_t value)
{
	if (value >= total() || __atomic_exchange_n(&seen[value], 1,
						    __ATOMIC_RELAXED)) {
		tap_note("value %llu is out of range or was returned twice",
			 (unsigned long long)value);
		return false;
	}
	return true;
}

static bool check_fetch_add(struct pair *p, uint32_t i)
{
	return record_value(*(uint64_t *)read_to(p, i));
}

static void *cpu_adds(void *arg)
{
	uint32_t i;

	for (i = 0; i < n_ops; i++)
		if (!record_value(__atomic_fetch_add(counter(), 1,
						     __ATOMIC_RELAXED)))
			return arg;
	return NULL;
}

static void fetch_adds(void)
{
	static const struct job job = {
		make_fetch_add, check_fetch_add, IBV_WC_FETCH_ADD,
	};
	pthread_t thread;
	static bool mark;
	void *failed = &mark;
	bool ok;

	*counter() = 0;
	seen = calloc(total(), 1);
	if (!seen || pthread_create(&thread, NULL, cpu_adds, &mark)) {
		tap_ok(false, "setup of FETCH_ADD: memory and thread");
		return;
	}
	ok = run_job(&job);
	pthread_join(thread, &failed);
	tap_ok(ok && !failed,
	       "%u x %u FETCH_ADD and the CPU: no value is returned twice",
	       n_pairs, n_ops);
	tap_ok(*counter() == total(),
	       "the counter's final value is the number of additions");
	tap_note("counter %llu, additions %u", (unsigned long long)*counter(),
		 total());
	free(seen);
}

/* Each CMP_SWAP increments its pair's word if all earlier ones did. */
static void make_cmp_swap(struct pair *p, uint32_t i, struct ibv_send_wr *wr,
			  struct ibv_sge *sge)
{
	make_fetch_add(p, i, wr, sge);
	wr->opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr->wr.atomic.remote_addr = (uintptr_t)p->b.buf + 8;
	wr->wr.atomic.rkey = p->b.mr->rkey;
	wr->wr.atomic.compare_add = i;
	wr->wr.atomic.swap = i + 1;
}

static bool check_cmp_swap(struct pair *p, uint32_t i)
{
	return *(uint64_t *)read_to(p, i) == i;
}

static void cmp_swaps(void)
{
	static const struct job job = {
		make_cmp_swap, check_cmp_swap, IBV_WC_COMP_SWAP,
	};
	bool ok;
	uint32_t q;

	for (q = 0; q < n_pairs; q++)
		((uint64_t *)pairs[q].b.buf)[1] = 0;
	ok = run_job(&job);
	for (q = 0; ok && q < n_pairs; q++)
		ok = ((uint64_t *)pairs[q].b.buf)[1] == n_ops;
	tap_ok(ok, "%u x %u CMP_SWAP are executed in order", n_pairs,
	       n_ops);
}

static void reads(void)
{
	static const struct job job = {
		make_read, check_read, IBV_WC_RDMA_READ,
	};

	tap_ok(run_job(&job),
	       "%u x %u READs return the bytes of the peer's memory", n_pairs,
	       n_ops);
	tap_ok(long_reads(), "%u READs of %u bytes return the whole buffer",
	       n_pairs, BUF_LEN);
}

/* A fenced WRITE is executed after the READ of the same memory. */
static void write_after_read(void)
{
	struct pair *p = &pairs[0];
	struct ibv_send_wr read, write;
	struct ibv_sge to, from;
	uint64_t *theirs = (uint64_t *)p->b.buf + 2, *ours = (uint64_t *)p->a.buf;
	uint32_t i, good = 0;
	struct ibv_wc wc;

	*theirs = 0;
	for (i = 0; i < n_ops / 10; i++) {
		end_wr(p, IBV_WR_RDMA_READ, 8, &read, &to);
		end_wr(p, IBV_WR_RDMA_WRITE, 8, &write, &from);
		read.wr.rdma.remote_addr = (uintptr_t)theirs;
		write.wr.rdma.remote_addr = (uintptr_t)theirs;
		from.addr += 8;
		ours[1] = i + 1;
		write.send_flags |= IBV_SEND_FENCE;
		read.next = &write;
		if (end_post(&p->a, &read) || !wait_wc(p->a.scq, &wc) ||
		    wc.status || !wait_wc(p->a.scq, &wc) || wc.status)
			break;
		good += ours[0] == i && *theirs == i + 1;
	}
	tap_ok(good == n_ops / 10,
	       "%u fenced WRITEs do not overwrite what READs before them return",
	       n_ops / 10);
}

/* READs whose responder is destroyed: successes, then one error, then flushes. */
static bool all_complete(struct pair *p, uint32_t n)
{
	enum ibv_wc_status last = IBV_WC_SUCCESS;
	struct ibv_wc wc;
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (!wait_wc(p->a.scq, &wc) || wc.wr_id != i)
			return false;
		if (last != IBV_WC_SUCCESS && wc.status != IBV_WC_WR_FLUSH_ERR)
			return false;
		last = wc.status;
	}
	return true;
}

/* The requester's or the responder's QP is destroyed while READs are outstanding. */
static void qp_destroyed(bool ours)
{
	const char *whose = ours ? "requester" : "responder";
	struct rc_params params = rc_defaults;
	struct pair_opts opts = {
		.params = &params, .depth = DEPTH, .buf_len = BUF_LEN,
	};
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct end *e;
	struct pair p;
	uint32_t i;

	params.rd_atomic = DEPTH;
	params.timeout = 10;
	params.retry_cnt = 4;
	if (!tap_ok(!pair_create(&p, &opts),
		    "two connected QPs to destroy the %s", whose))
		return;
	for (i = 0; i < DEPTH; i++) {
		end_wr(&p, IBV_WR_RDMA_READ, BUF_LEN, &wr, &sge);
		wr.wr_id = i;
		end_post(&p.a, &wr);
	}
	e = ours ? &p.a : &p.b;
	tap_ok(!ibv_destroy_qp(e->qp),
	       "the QP of the %s is destroyed during READs", whose);
	e->qp = NULL;
	if (!ours)
		tap_ok(all_complete(&p, DEPTH),
		       "all READs complete after the responder is destroyed");
	pair_destroy(&p);
}

static int create_pairs(void)
{
	struct rc_params params = rc_defaults;
	struct pair_opts opts = {
		.params = &params, .depth = DEPTH, .buf_len = BUF_LEN,
	};
	uint32_t q, at;
	int ret;

	params.rd_atomic = DEPTH;
	for (q = 0; q < n_pairs; q++) {
		ret = pair_create(&pairs[q], &opts);
		if (ret)
			return ret;
		for (at = CONST_AT; at < BUF_LEN; at++)
			pairs[q].b.buf[at] = octet(at);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct pair_args args = PAIR_ARGS_DEFAULT;
	int c;
	uint32_t q;

	while ((c = getopt(argc, argv, PAIR_ARGS "q:n:")) != -1) {
		switch (c) {
		case 'q':
			n_pairs = atoi(optarg);
			break;
		case 'n':
			n_ops = atoi(optarg);
			break;
		default:
			if (pair_arg(&args, c, optarg))
				break;
			fputs(usage_text, c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (!n_pairs || n_pairs > QPS_MAX || n_ops < DEPTH) {
		fputs(usage_text, stderr);
		return 2;
	}
	if (pair_open_devices(&args))
		return 2;
	if (tap_ok(!create_pairs(), "%u pairs of connected QPs", n_pairs)) {
		reads();
		fetch_adds();
		cmp_swaps();
		write_after_read();
		qp_destroyed(true);
		qp_destroyed(false);
	}
	for (q = 0; q < n_pairs; q++)
		pair_destroy(&pairs[q]);
	pair_close_devices();
	return tap_done();
}
