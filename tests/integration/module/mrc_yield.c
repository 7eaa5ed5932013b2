// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Lets others run in the middle of the driver's functions, so that a test finds races
 * whose window is a few instructions. The driver is compiled with
 * -fsanitize-coverage=trace-pc: it then calls this module at the start of each basic
 * block. At random blocks the caller sleeps if it may, and spins if it may not and
 * there are other processors.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include "mrc_yield.h"

/* Longest delays in us; each power of two below is as likely as the others. */
#define SLEEP_BITS	9
#define SPIN_BITS	8
/* Spinning costs time of all: one of this many delays that cannot sleep. */
#define SPIN_ONE_IN	8

static unsigned int one_in;
module_param(one_in, uint, 0644);
MODULE_PARM_DESC(one_in, "blocks between two delays, on average (default 0: no delays)");

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "of the random numbers");

/**
 * struct turn - when a processor delays next
 * @left: blocks until then
 * @rnd: random numbers
 *
 * Interrupts and migration may mix the use of one; no two processors need to agree.
 */
struct turn {
	u32 left;
	struct rnd_state rnd;
};

static DEFINE_PER_CPU(struct turn, turns);

/* Not in a condition of wait_event(): a sleep there would lose the wake-up. */
static bool may_sleep(void)
{
	return preemptible() && !rcu_preempt_depth() &&
	       READ_ONCE(current->__state) == TASK_RUNNING;
}

static u32 some_us(u32 rnd, u32 bits)
{
	return 1 + (rnd >> 8) % (1U << rnd % (bits + 1));
}

static void give_way(u32 rnd)
{
	u32 us = some_us(rnd >> 2, SLEEP_BITS);

	if (may_sleep() && rnd & 1)
		usleep_range(us, 2 * us);
	else if (may_sleep() && rnd & 2)
		schedule();
	else if (num_online_cpus() > 1 && (rnd >> 2) % SPIN_ONE_IN == 0)
		udelay(some_us(rnd >> 2, SPIN_BITS));
}

void __sanitizer_cov_trace_pc(void)
{
	struct turn *turn = raw_cpu_ptr(&turns);
	u32 mean = READ_ONCE(one_in), left = READ_ONCE(turn->left);

	if (left) {
		WRITE_ONCE(turn->left, left - 1);
		return;
	}
	turn->left = mean ? prandom_u32_state(&turn->rnd) % (2 * mean) : U16_MAX;
	if (mean)
		give_way(prandom_u32_state(&turn->rnd));
}
EXPORT_SYMBOL(__sanitizer_cov_trace_pc);

static int __init mrc_yield_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		prandom_seed_state(&per_cpu(turns, cpu).rnd, seed + cpu);
	return 0;
}
module_init(mrc_yield_init);

static void __exit mrc_yield_exit(void)
{
}
module_exit(mrc_yield_exit);

MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Lets others run between any two blocks of the driver");
