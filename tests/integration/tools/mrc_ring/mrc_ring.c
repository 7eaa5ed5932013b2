// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A hostile process: invalid content of the rings ends the QP that they belong to,
 * at most; another QP of the process continues, with the right bytes.
 */
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pattern.h"
#include "ringview.h"
#include "tap.h"

#define MSG_LEN		4096
#define FUZZ_PAIRS	20
#define FUZZ_REQUESTS	40
#define RACE_ROUNDS	10
#define RACE_POSTS	50

/* The QP that the attacks must not affect. */
static struct {
	struct pair pair;
	pthread_t thread;
	atomic_bool stop;
	atomic_bool failed;
	atomic_uint_fast64_t rounds;
} victim;

static uint64_t random_state;

/* xorshift64*: the run can be repeated from its seed. */
static uint64_t rng(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dull;
}

static bool victim_round(uint64_t n)
{
	uint64_t base = pattern_base(1, 2, n);
	struct pair *p = &victim.pair;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;

	pattern_fill(p->a.buf, 2 * MSG_LEN, base);
	if (end_recv(&p->b, n, MSG_LEN, MSG_LEN))
		return false;
	end_wr(p, IBV_WR_RDMA_WRITE, MSG_LEN, &wr, &sge);
	if (end_post(&p->a, &wr) || !wait_wc(p->a.scq, &wc) || wc.status)
		return false;
	end_wr(p, IBV_WR_SEND, MSG_LEN, &wr, &sge);
	sge.addr += MSG_LEN;
	if (end_post(&p->a, &wr) || !wait_wc(p->a.scq, &wc) || wc.status)
		return false;
	if (!wait_wc(p->b.rcq, &wc) || wc.status || wc.wr_id != n)
		return false;
	return pattern_check(p->b.buf, 2 * MSG_LEN, base) == 2 * MSG_LEN;
}

static void *victim_main(void *arg)
{
	uint64_t n = 0;

	while (!atomic_load(&victim.stop)) {
		if (!victim_round(n++)) {
			atomic_store(&victim.failed, true);
			break;
		}
		atomic_fetch_add(&victim.rounds, 1);
	}
	return NULL;
}

/* Wait for two complete rounds: the second began after the attack. */
static void check_victim(const char *name)
{
	uint64_t goal = atomic_load(&victim.rounds) + 2;

	while (!atomic_load(&victim.failed) &&
	       atomic_load(&victim.rounds) < goal)
		usleep(1000);
	tap_ok(!atomic_load(&victim.failed), "%s: the other QP continues",
	       name);
}

static void ring_advance(struct ringview *r, uint32_t by)
{
	__atomic_store_n(&r->hdr->prod, r->hdr->prod + by, __ATOMIC_SEQ_CST);
}

static struct mrc_sge *sqe_sge(struct mrc_sqe *sqe)
{
	return (struct mrc_sge *)(sqe + 1);
}

static void sqe_many_sges(struct mrc_sqe *sqe)
{
	sqe->num_sge = 255;
}

static void sqe_inline_huge(struct mrc_sqe *sqe)
{
	sqe->flags |= MRC_SQE_INLINE;
	sqe->num_sge = 0;
	sqe->inline_len = UINT32_MAX;
}

static void sqe_inline_page(struct mrc_sqe *sqe)
{
	sqe->flags |= MRC_SQE_INLINE;
	sqe->num_sge = 0;
	sqe->inline_len = 65536;
}

static void sqe_inline_and_sges(struct mrc_sqe *sqe)
{
	sqe->flags |= MRC_SQE_INLINE;
	sqe->inline_len = 8;
}

static void sqe_inline_len_only(struct mrc_sqe *sqe)
{
	sqe->inline_len = 8;
}

static void sqe_unknown_flags(struct mrc_sqe *sqe)
{
	sqe->flags = 0xffff & ~MRC_SQE_INLINE;
}

static void sqe_opcode_read(struct mrc_sqe *sqe)
{
	sqe->opcode = IBV_WR_RDMA_READ;
}

static void sqe_opcode_bind(struct mrc_sqe *sqe)
{
	sqe->opcode = IBV_WR_BIND_MW;
}

/* Registration is for kernel users only: it names kernel pages. */
static void sqe_opcode_reg(struct mrc_sqe *sqe)
{
	sqe->opcode = 0x20;
	sqe->num_sge = 0;
}

static void sqe_opcode_last(struct mrc_sqe *sqe)
{
	sqe->opcode = 255;
}

static void sqe_lkey_zero(struct mrc_sqe *sqe)
{
	sqe_sge(sqe)->lkey = 0;
}

static void sqe_lkey_ones(struct mrc_sqe *sqe)
{
	sqe_sge(sqe)->lkey = UINT32_MAX;
}

static void sqe_addr_ones(struct mrc_sqe *sqe)
{
	sqe_sge(sqe)->addr = UINT64_MAX;
}

static void sqe_addr_kernel(struct mrc_sqe *sqe)
{
	sqe_sge(sqe)->addr = 0xffff888000000000ull;
}

static void sqe_length_beyond(struct mrc_sqe *sqe)
{
	sqe_sge(sqe)->length = PAIR_BUF_LEN + 1;
}

static void sqe_rkey_ones(struct mrc_sqe *sqe)
{
	sqe->rkey = UINT32_MAX;
}

static void sqe_remote_ones(struct mrc_sqe *sqe)
{
	sqe->remote_addr = UINT64_MAX;
}

struct sqe_attack {
	const char *name;
	void (*spoil)(struct mrc_sqe *sqe);
	enum ibv_wc_status status;
};

static const struct sqe_attack sqe_attacks[] = {
	{ "255 elements", sqe_many_sges, IBV_WC_LOC_QP_OP_ERR },
	{ "2^32 - 1 bytes of inline data", sqe_inline_huge,
	  IBV_WC_LOC_QP_OP_ERR },
	{ "64 KiB of inline data", sqe_inline_page, IBV_WC_LOC_QP_OP_ERR },
	{ "inline data and elements", sqe_inline_and_sges,
	  IBV_WC_LOC_QP_OP_ERR },
	{ "length of inline data without the flag", sqe_inline_len_only,
	  IBV_WC_LOC_QP_OP_ERR },
	{ "unknown flags", sqe_unknown_flags, IBV_WC_LOC_QP_OP_ERR },
	{ "opcode BIND_MW", sqe_opcode_bind, IBV_WC_LOC_QP_OP_ERR },
	{ "opcode REG_MR", sqe_opcode_reg, IBV_WC_LOC_QP_OP_ERR },
	{ "opcode 255", sqe_opcode_last, IBV_WC_LOC_QP_OP_ERR },
	{ "L_Key 0", sqe_lkey_zero, IBV_WC_LOC_PROT_ERR },
	{ "L_Key 0xffffffff", sqe_lkey_ones, IBV_WC_LOC_PROT_ERR },
	{ "address 2^64 - 1", sqe_addr_ones, IBV_WC_LOC_PROT_ERR },
	{ "kernel address", sqe_addr_kernel, IBV_WC_LOC_PROT_ERR },
	{ "length beyond the region", sqe_length_beyond, IBV_WC_LOC_PROT_ERR },
	{ "R_Key 0xffffffff", sqe_rkey_ones, IBV_WC_REM_ACCESS_ERR },
	{ "remote address 2^64 - 1", sqe_remote_ones, IBV_WC_REM_ACCESS_ERR },
};

static bool start(struct pair *p, struct endview *v, const char *name)
{
	if (!ringview_pair(p, v))
		return true;
	pair_destroy(p);
	tap_ok(false, "%s: two connected QPs", name);
	return false;
}

static void invalid_request(const struct sqe_attack *attack)
{
	const char *name = attack->name;
	struct endview v;
	struct ibv_wc wc;
	struct pair p;

	if (!start(&p, &v, name))
		return;
	attack->spoil(ringview_write(&p, &v.sq, MSG_LEN));
	ring_advance(&v.sq, 1);
	ringview_doorbell(p.a.qp, true);
	wait_wc(p.a.scq, &wc);
	if (!tap_ok(wc.status == attack->status, "%s: %s", name,
		    ibv_wc_status_str(attack->status)))
		tap_note("completion status %d", wc.status);
	tap_ok(wait_state(p.a.qp, IBV_QPS_ERR), "%s: the QP is in error", name);
	check_victim(name);
	pair_destroy(&p);
}

static void invalid_requests(void)
{
	size_t i;

	for (i = 0; i < sizeof(sqe_attacks) / sizeof(*sqe_attacks); i++)
		invalid_request(&sqe_attacks[i]);
}

/* A process that has guessed local_dma_lkey cannot use it. */
static uint32_t kernel_key;

static void sqe_kernel_key(struct mrc_sqe *sqe)
{
	sqe_addr_kernel(sqe);
	sqe_sge(sqe)->lkey = kernel_key;
}

static const struct sqe_attack kernel_attack = {
	"local_dma_lkey of the kernel", sqe_kernel_key, IBV_WC_LOC_PROT_ERR,
};

/* A READ with the fields of a WRITE is valid. */
static void read_opcode(void)
{
	struct endview v;
	struct ibv_wc wc;
	struct pair p;

	if (!start(&p, &v, "opcode READ"))
		return;
	sqe_opcode_read(ringview_write(&p, &v.sq, MSG_LEN));
	ring_advance(&v.sq, 1);
	ringview_doorbell(p.a.qp, true);
	tap_ok(wait_wc(p.a.scq, &wc),
	       "opcode READ in a request made for WRITE: a completion");
	check_victim("opcode READ");
	pair_destroy(&p);
}

/* @by: increment of prod; 0: one more than the ring has entries */
static void index_attack(const char *name, bool send, uint32_t by)
{
	struct ringview *ring;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct endview v;
	struct pair p;
	int i;

	if (!start(&p, &v, name))
		return;
	ring = send ? &v.sq : &v.rq;
	ring_advance(ring, by ? by : ring->entries + 1);
	ringview_doorbell(p.a.qp, send);
	if (!send) {
		/* The kernel reads the receive queue when a message arrives. */
		for (i = 0; i < 2; i++) {
			end_wr(&p, IBV_WR_SEND, 64, &wr, &sge);
			sge.addr = (uintptr_t)p.b.buf;
			sge.lkey = p.b.mr->lkey;
			end_post(&p.b, &wr);
		}
	}
	tap_ok(wait_state(p.a.qp, IBV_QPS_ERR), "%s: the QP is in error", name);
	check_victim(name);
	pair_destroy(&p);
}

/* The kernel does not read the fields that it writes. */
static void kernel_fields(void)
{
	const char *name = "cons and flags overwritten";
	struct endview v;
	struct ibv_wc wc;
	struct pair p;
	int i;

	if (!start(&p, &v, name))
		return;
	for (i = 0; i < 8; i++) {
		v.sq.hdr->cons = rng();
		v.sq.hdr->flags = i & 1 ? UINT32_MAX : 0;
		v.rq.hdr->cons = rng();
		ringview_write(&p, &v.sq, MSG_LEN);
		ring_advance(&v.sq, 1);
		ringview_doorbell(p.a.qp, true);
		if (!wait_wc(p.a.scq, &wc) || wc.status)
			break;
	}
	tap_ok(i == 8, "%s: 8 requests are executed nevertheless", name);
	check_victim(name);
	pair_destroy(&p);
}

static void cq_attack(const char *name, uint32_t cons)
{
	struct endview v;
	struct pair p;

	if (!start(&p, &v, name))
		return;
	v.scq.hdr->cons = cons;
	ringview_write(&p, &v.sq, MSG_LEN);
	ring_advance(&v.sq, 1);
	ringview_doorbell(p.a.qp, true);
	tap_ok(wait_async(p.a.dev, IBV_EVENT_CQ_ERR),
	       "%s: event IBV_EVENT_CQ_ERR", name);
	tap_ok(wait_state(p.a.qp, IBV_QPS_ERR), "%s: the QP is in error", name);
	check_victim(name);
	pair_destroy(&p);
}

/* The kernel keeps its own copy of prod. */
static void cq_prod(void)
{
	const char *name = "prod of the CQ overwritten";
	struct endview v;
	uint64_t end;
	struct pair p;

	if (!start(&p, &v, name))
		return;
	v.scq.hdr->prod = 0x12345678;
	ringview_write(&p, &v.sq, MSG_LEN);
	ring_advance(&v.sq, 1);
	ringview_doorbell(p.a.qp, true);
	end = rc_now_ns() + PAIR_WAIT_MS * NS_PER_MS;
	while (__atomic_load_n(&v.scq.hdr->prod, __ATOMIC_ACQUIRE) != 1 &&
	       rc_now_ns() < end)
		usleep(500);
	tap_ok(v.scq.hdr->prod == 1, "%s: the kernel writes its own value",
	       name);
	check_victim(name);
	pair_destroy(&p);
}

static void rqe_attack(const char *name, uint32_t num_sge, uint32_t lkey,
		       uint32_t length)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct endview v;
	struct mrc_rqe *rqe;
	struct mrc_sge *rsge;
	struct pair p;

	if (!start(&p, &v, name))
		return;
	rqe = ringview_slot(&v.rq, v.rq.hdr->prod);
	rsge = (struct mrc_sge *)(rqe + 1);
	*rqe = (struct mrc_rqe){ .wr_id = 1, .num_sge = num_sge };
	*rsge = (struct mrc_sge){ (uintptr_t)p.a.buf, length, lkey };
	ring_advance(&v.rq, 1);
	end_wr(&p, IBV_WR_SEND, MSG_LEN, &wr, &sge);
	sge.addr = (uintptr_t)p.b.buf;
	sge.lkey = p.b.mr->lkey;
	end_post(&p.b, &wr);
	tap_ok(wait_state(p.a.qp, IBV_QPS_ERR), "%s: the QP is in error", name);
	tap_ok(wait_state(p.b.qp, IBV_QPS_ERR),
	       "%s: the sender's QP is in error", name);
	check_victim(name);
	pair_destroy(&p);
}

static void overwrite_random(void *at, size_t len)
{
	uint64_t word;
	size_t i;

	for (i = 0; i + sizeof(word) <= len; i += sizeof(word)) {
		word = rng();
		memcpy((char *)at + i, &word, sizeof(word));
	}
}

/* Mostly valid requests with some bytes that are not. */
static void fuzz_request(const struct pair *p, struct endview *v)
{
	struct mrc_sqe *sqe = ringview_write(p, &v->sq, MSG_LEN);
	unsigned int i, n = rng() % 4;

	if (rng() % 8 == 0)
		overwrite_random(sqe, v->sq.stride);
	/* Any wr_id is valid, so the damage is in the bytes after it. */
	for (i = 0; i < n; i++)
		((char *)sqe)[8 + rng() % (v->sq.stride - 8)] = rng();
	ring_advance(&v->sq, 1);
	ringview_doorbell(p->a.qp, true);
}

static void fuzz(void)
{
	struct endview v;
	struct ibv_wc wc;
	struct pair p;
	int i, n, done = 0;

	for (i = 0; i < FUZZ_PAIRS; i++) {
		if (!start(&p, &v, "random requests"))
			return;
		for (n = 0; n < FUZZ_REQUESTS; n++) {
			fuzz_request(&p, &v);
			/* Unsignaled requests have no completion: limit the rate. */
			usleep(200);
			while (ibv_poll_cq(p.a.scq, 1, &wc) > 0)
				done++;
			if (qp_state(p.a.qp) != IBV_QPS_RTS)
				break;
		}
		pair_destroy(&p);
	}
	tap_note("%d completions of random requests", done);
	check_victim("random requests");
}

static struct {
	struct ringview *ring;
	atomic_bool stop;
} racer;

/* Change requests while the kernel reads them. */
static void *racer_main(void *arg)
{
	struct ringview *r = racer.ring;
	size_t len = (size_t)r->entries * r->stride;
	uint64_t x = 88172645463325252ull;

	while (!atomic_load(&racer.stop)) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		((volatile char *)(r->hdr + 1))[x % len] = x >> 32;
	}
	return NULL;
}

static void race_round(struct pair *p, struct endview *v)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;
	int i;

	for (i = 0; i < RACE_POSTS; i++) {
		end_wr(p, IBV_WR_RDMA_WRITE, MSG_LEN, &wr, &sge);
		end_post(&p->a, &wr);
		ringview_doorbell(p->a.qp, true);
		while (ibv_poll_cq(p->a.scq, 1, &wc) > 0)
			continue;
		if (qp_state(p->a.qp) != IBV_QPS_RTS)
			break;
	}
}

static void race(void)
{
	const char *name = "requests that change while they are read";
	struct endview v;
	pthread_t thread;
	struct pair p;
	int i;

	for (i = 0; i < RACE_ROUNDS; i++) {
		if (!start(&p, &v, name))
			return;
		racer.ring = &v.sq;
		atomic_store(&racer.stop, false);
		if (pthread_create(&thread, NULL, racer_main, NULL)) {
			tap_ok(false, "%s: pthread_create", name);
			pair_destroy(&p);
			return;
		}
		race_round(&p, &v);
		atomic_store(&racer.stop, true);
		pthread_join(thread, NULL);
		pair_destroy(&p);
	}
	check_victim(name);
}

static void run_all(void)
{
	invalid_requests();
	read_opcode();
	index_attack("send index beyond the ring", true, 0);
	index_attack("send index half the number range ahead", true, 1u << 31);
	index_attack("send index backwards", true, -1);
	index_attack("receive index beyond the ring", false, 0);
	index_attack("receive index backwards", false, -1);
	kernel_fields();
	cq_attack("cons of the CQ far before prod", 0x80000000);
	cq_attack("cons of the CQ after prod", 1);
	cq_prod();
	rqe_attack("receive of 2^32 - 1 elements", UINT32_MAX, 0, MSG_LEN);
	rqe_attack("receive with L_Key 0", 1, 0, MSG_LEN);
	rqe_attack("receive with L_Key 0xffffffff", 1, UINT32_MAX, UINT32_MAX);
	fuzz();
	race();
}

static int victim_start(void)
{
	if (pair_create(&victim.pair, NULL)) {
		pair_destroy(&victim.pair);
		return -1;
	}
	return pthread_create(&victim.thread, NULL, victim_main, NULL);
}

static void victim_end(void)
{
	atomic_store(&victim.stop, true);
	pthread_join(victim.thread, NULL);
	tap_ok(!atomic_load(&victim.failed),
	       "the other QP has verified all bytes in %" PRIuFAST64 " rounds",
	       atomic_load(&victim.rounds));
	pair_destroy(&victim.pair);
}

static const char usage_text[] =
"Usage: mrc_ring [OPTION]...\n"
"Attack the shared rings of one QP while another QP carries data.\n"
PAIR_ARGS_USAGE
"  -s SEED  seed of the random attacks (default: the time)\n"
"  -k KEY   only test this L_Key, the local_dma_lkey of the kernel\n";

int main(int argc, char **argv)
{
	struct pair_args args = PAIR_ARGS_DEFAULT;
	int c;

	random_state = time(NULL);
	while ((c = getopt(argc, argv, PAIR_ARGS "s:k:")) != -1) {
		switch (c) {
		case 's':
			random_state = strtoull(optarg, NULL, 0);
			break;
		case 'k':
			kernel_key = strtoul(optarg, NULL, 0);
			break;
		default:
			if (pair_arg(&args, c, optarg))
				break;
			fputs(usage_text, c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (!random_state)
		random_state = 1;
	tap_note("seed %" PRIu64, random_state);
	if (pair_open_devices(&args) || ringview_init() ||
	    victim_start())
		return 2;
	if (kernel_key)
		invalid_request(&kernel_attack);
	else
		run_all();
	victim_end();
	pair_close_devices();
	return tap_done();
}
