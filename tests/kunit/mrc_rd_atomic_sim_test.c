// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * READs and ATOMICs between two QPs, over networks with and without loss: READs
 * return the right bytes, each ATOMIC is executed once and in order.
 */
#include <kunit/test.h>
#include <linux/stddef.h>

#include "mrc_rd_atomic_sim.h"

#define RUN_NS	(60000 * RDA_MS)
#define SEEDS	100

#define AT(_member)	(offsetof(struct rda_side, _member) - \
			 offsetof(struct rda_side, constant))

static const struct rda_cfg lossless;
static const struct rda_cfg lossy = {
	.loss = 5 * RDA_PERCENT,
	.ctl_loss = 5 * RDA_PERCENT,
	.dup = 3 * RDA_PERCENT,
	.trim = 2 * RDA_PERCENT,
	.jitter = 30 * RDA_US,
};

static void add_read(struct rda_sim *sim, u8 side)
{
	u32 len = mrc_rnd_below(&sim->rnd, RDA_LEN_MAX);
	u32 at = mrc_rnd_below(&sim->rnd, RDA_CONST - len);

	if (!mrc_rnd_below(&sim->rnd, 4))
		len %= 9;
	rda_sim_op(sim, side, MRC_MSG_READ, at, len);
}

static void check_read(struct rda_sim *sim, u8 side, const struct rda_op *op)
{
	u32 i;

	if (op->raddr >= RDA_CONST)
		return;
	for (i = 0; i < op->length; i++)
		if (op->buf[i] != rda_octet(!side, op->raddr + i))
			break;
	KUNIT_EXPECT_EQ_MSG(sim->test, i, op->length, "at %u", op->raddr);
}

static void add_fetch_add(struct rda_sim *sim, u8 side)
{
	u32 i = mrc_rnd_below(&sim->rnd, RDA_COUNTERS);
	struct rda_op *op = rda_sim_op(sim, side, MRC_MSG_ATOMIC,
				       AT(counter[0]) + 8 * i, 8);

	op->swap = mrc_rnd_below(&sim->rnd, 1000);
}

/* WRITE, READ, and a WRITE with fence: the READ returns the first value. */
static void add_cell(struct rda_sim *sim, u8 side, u32 i)
{
	u32 at = AT(cell[0]) + 8 * i;
	u64 v = 0x1122334455660000ULL + i, w = ~v;

	memcpy(rda_sim_op(sim, side, 0, at, 8)->buf, &v, 8);
	rda_sim_op(sim, side, MRC_MSG_READ, at, 8);
	memcpy(rda_sim_op(sim, side, MRC_MSG_FENCE, at, 8)->buf, &w, 8);
}

static void check_cell(struct rda_sim *sim, u8 side, const struct rda_op *op)
{
	u32 i = (op->raddr - AT(cell[0])) / 8;
	u64 v = 0x1122334455660000ULL + i;

	KUNIT_EXPECT_MEMEQ(sim->test, op->buf, &v, 8);
	KUNIT_EXPECT_EQ(sim->test, sim->side[!side].cell[i], ~v);
}

/*
 * A CmpSwap compares with the value that the one before it stores: all succeed
 * only if they are executed in order.
 */
static void add_chain(struct rda_sim *sim, u8 side, u32 cell, u64 step)
{
	struct rda_op *op = rda_sim_op(sim, side,
				       MRC_MSG_ATOMIC | MRC_MSG_CMP_SWAP,
				       AT(cell[0]) + 8 * cell, 8);

	op->compare = step;
	op->swap = step + 1;
}

static void add_scratch(struct rda_sim *sim, u8 side)
{
	u32 len = mrc_rnd_below(&sim->rnd, RDA_LEN_MAX);

	rda_sim_op(sim, side, mrc_rnd_below(&sim->rnd, 2) ? MRC_MSG_SEND : 0,
		   AT(scratch), len);
}

#define CHAIN_CELL	(RDA_CELLS - 1)

static void add_ops(struct rda_sim *sim, u8 side)
{
	u32 n, cell = 0, chain = 0;

	for (n = 0; n < RDA_OPS - 2; n = sim->side[side].n_ops) {
		switch (mrc_rnd_below(&sim->rnd, 6)) {
		case 0:
			add_read(sim, side);
			break;
		case 1:
			add_cell(sim, side, cell++);
			break;
		case 2:
			add_chain(sim, side, CHAIN_CELL, chain++);
			break;
		case 3:
			add_scratch(sim, side);
			break;
		default:
			add_fetch_add(sim, side);
			break;
		}
	}
}

static void check_op(struct rda_sim *sim, u8 side, const struct rda_op *op)
{
	KUNIT_EXPECT_EQ(sim->test, op->status, MRC_OK);
	if (op->flags & MRC_MSG_CMP_SWAP)
		KUNIT_EXPECT_EQ(sim->test, op->orig, op->compare);
	if (!(op->flags & MRC_MSG_READ))
		return;
	if (op->raddr < RDA_CONST)
		check_read(sim, side, op);
	else
		check_cell(sim, side, op);
}

/* Original values, sums, and the number of executed ATOMICs. */
static void check_counters(struct rda_sim *sim, u8 side)
{
	struct rda_side *s = &sim->side[side], *peer = &sim->side[!side];
	u64 sum[RDA_COUNTERS] = {};
	u32 i, atomics = 0;

	for (i = 0; i < s->n_ops; i++) {
		struct rda_op *op = &s->op[i];
		u32 at = (op->raddr - AT(counter[0])) / 8;

		if (!(op->flags & MRC_MSG_ATOMIC))
			continue;
		atomics++;
		if (op->flags & MRC_MSG_CMP_SWAP)
			continue;
		/* Only this side adds to the counter of the peer. */
		KUNIT_EXPECT_EQ(sim->test, op->orig, sum[at]);
		sum[at] += op->swap;
	}
	KUNIT_EXPECT_MEMEQ(sim->test, sum, peer->counter, sizeof(sum));
	KUNIT_EXPECT_EQ(sim->test, peer->executed, atomics);
}

static void run(struct kunit *test, const struct rda_cfg *cfg, u64 seed)
{
	struct rda_sim *sim = test->priv;
	u32 i;
	u8 side;

	rda_sim_init(sim, cfg, seed);
	add_ops(sim, 0);
	if (seed & 1)
		add_ops(sim, 1);
	rda_sim_run(sim, RUN_NS);
	KUNIT_EXPECT_TRUE_MSG(test, rda_sim_over(sim), "seed %llu: %u of %u",
			      seed, sim->side[0].n_done, sim->side[0].n_ops);
	for (side = 0; side < 2; side++) {
		for (i = 0; i < sim->side[side].n_ops; i++)
			check_op(sim, side, &sim->side[side].op[i]);
		check_counters(sim, side);
		KUNIT_EXPECT_LE(test, sim->side[side].max_pending,
				sim->cfg.max_rd_atomic);
	}
	rda_sim_free(sim);
}

static void run_seeds(struct kunit *test, const struct rda_cfg *cfg)
{
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++)
		run(test, cfg, seed);
}

static void mrc_rda_sim_lossless(struct kunit *test)
{
	run_seeds(test, &lossless);
}

static void mrc_rda_sim_lossy(struct kunit *test)
{
	run_seeds(test, &lossy);
}

/* Losses, with as many requests outstanding as may be, and never more. */
static void run_outstanding(struct kunit *test, u32 max)
{
	struct rda_cfg cfg = lossy;

	cfg.max_rd_atomic = max;
	run_seeds(test, &cfg);
	KUNIT_EXPECT_EQ(test, max,
			((struct rda_sim *)test->priv)->side[0].max_pending);
}

static void mrc_rda_sim_one_outstanding(struct kunit *test)
{
	run_outstanding(test, 1);
}

/* Rings have a power of two of slots, which need not be what a peer may request. */
static void mrc_rda_sim_five_outstanding(struct kunit *test)
{
	run_outstanding(test, 5);
}

/* Request numbers have 16 bits. */
static void mrc_rda_sim_request_numbers_wrap(struct kunit *test)
{
	struct rda_cfg cfg = lossy;

	cfg.first = 0xfff0;
	run_seeds(test, &cfg);
}

/* A request beyond the responder resources gets NAK Invalid Request. */
static void mrc_rda_sim_beyond_resources_refused(struct kunit *test)
{
	const struct rda_cfg cfg = { .max_rd_atomic = 4, .max_dest_rd_atomic = 2 };
	struct rda_sim *sim = test->priv;
	u32 i;

	rda_sim_init(sim, &cfg, 1);
	sim->side[1].idle = true;
	for (i = 0; i < 4; i++)
		rda_sim_op(sim, 0, MRC_MSG_READ, 0, 100);
	rda_sim_run(sim, RUN_NS);
	KUNIT_EXPECT_TRUE(test, rda_sim_over(sim));
	KUNIT_EXPECT_EQ(test, sim->side[0].op[0].status, MRC_ERR_REM_INV_REQ);
	KUNIT_EXPECT_EQ(test, sim->side[0].op[3].status, MRC_ERR_FLUSH);
	rda_sim_free(sim);
}

/* A NAK ends a request that has been acknowledged before. */
static void mrc_rda_sim_nak_ends_request(struct kunit *test)
{
	static const struct {
		u8 syndrome;
		u8 status;
	} naks[] = {
		{ MRC_SYN_NAK_REM_ACCESS, MRC_ERR_REM_ACCESS },
		{ MRC_SYN_NAK_INV_REQ, MRC_ERR_REM_INV_REQ },
		{ MRC_SYN_NAK_REM_OP, MRC_ERR_REM_OP },
	};
	struct rda_sim *sim = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(naks); i++) {
		rda_sim_init(sim, &lossy, i + 1);
		sim->side[1].idle = true;
		rda_sim_op(sim, 0, 0, AT(scratch), 1000);
		rda_sim_op(sim, 0, MRC_MSG_READ, 0, 1000);
		rda_sim_op(sim, 0, 0, AT(scratch), 1000);
		rda_sim_run(sim, 1000 * RDA_MS);
		KUNIT_EXPECT_EQ(test, sim->side[0].req.ack_psn,
				sim->side[0].req.nxt);
		sim->side[1].nak = naks[i].syndrome;
		sim->side[1].idle = false;
		rda_sim_run(sim, RUN_NS);
		KUNIT_EXPECT_TRUE(test, rda_sim_over(sim));
		KUNIT_EXPECT_EQ(test, sim->side[0].op[0].status, MRC_OK);
		KUNIT_EXPECT_EQ(test, sim->side[0].op[1].status,
				naks[i].status);
		KUNIT_EXPECT_EQ(test, sim->side[0].op[2].status,
				MRC_ERR_FLUSH);
		rda_sim_free(sim);
	}
}

/* While the peer acknowledges probes there is no timeout for a response. */
static void mrc_rda_sim_slow_response_no_timeout(struct kunit *test)
{
	struct rda_sim *sim = test->priv;

	rda_sim_init(sim, &lossy, 1);
	sim->side[1].idle = true;
	rda_sim_op(sim, 0, MRC_MSG_READ, 0, 1000);
	rda_sim_run(sim, RUN_NS);
	KUNIT_EXPECT_FALSE(test, rda_sim_over(sim));
	KUNIT_EXPECT_EQ(test, sim->side[0].req.status, MRC_OK);
	/* Probes are sent, but with increasing spacing. */
	KUNIT_EXPECT_GT(test, sim->side[0].req.stats.probes, 10);
	KUNIT_EXPECT_LT(test, sim->side[0].req.stats.probes, 4000);

	sim->side[1].idle = false;
	rda_sim_run(sim, RUN_NS);
	KUNIT_EXPECT_TRUE(test, rda_sim_over(sim));
	check_op(sim, 0, &sim->side[0].op[0]);
	rda_sim_free(sim);
}

/* The peer fails after it has acknowledged the request: RETRY_EXC. */
static void mrc_rda_sim_dead_peer_retry_exceeded(struct kunit *test)
{
	struct rda_sim *sim = test->priv;

	rda_sim_init(sim, &lossless, 1);
	sim->side[1].idle = true;
	rda_sim_op(sim, 0, MRC_MSG_READ, 0, 1000);
	rda_sim_op(sim, 0, 0, AT(scratch), 1000);
	rda_sim_run(sim, RDA_MS);
	KUNIT_EXPECT_EQ(test, sim->side[0].req.ack_psn, sim->side[0].req.nxt);
	sim->side[1].dead = true;
	rda_sim_run(sim, RUN_NS);
	KUNIT_EXPECT_TRUE(test, rda_sim_over(sim));
	KUNIT_EXPECT_EQ(test, sim->side[0].op[0].status, MRC_ERR_RETRY_EXC);
	KUNIT_EXPECT_EQ(test, sim->side[0].op[1].status, MRC_ERR_FLUSH);
	rda_sim_free(sim);
}

static int mrc_rda_sim_test_init(struct kunit *test)
{
	test->priv = rda_sim_alloc(test);
	return 0;
}

static struct kunit_case mrc_rda_sim_cases[] = {
	KUNIT_CASE(mrc_rda_sim_lossless),
	KUNIT_CASE(mrc_rda_sim_lossy),
	KUNIT_CASE(mrc_rda_sim_one_outstanding),
	KUNIT_CASE(mrc_rda_sim_five_outstanding),
	KUNIT_CASE(mrc_rda_sim_request_numbers_wrap),
	KUNIT_CASE(mrc_rda_sim_beyond_resources_refused),
	KUNIT_CASE(mrc_rda_sim_nak_ends_request),
	KUNIT_CASE(mrc_rda_sim_slow_response_no_timeout),
	KUNIT_CASE(mrc_rda_sim_dead_peer_retry_exceeded),
	{}
};

static struct kunit_suite mrc_rda_sim_suite = {
	.name = "mrc_rd_atomic_sim",
	.init = mrc_rda_sim_test_init,
	.test_cases = mrc_rda_sim_cases,
};

kunit_test_suite(mrc_rda_sim_suite);

MODULE_DESCRIPTION("KUnit simulations of READs and ATOMICs");
MODULE_LICENSE("Dual BSD/GPL");
