// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Threads that poll in vain.
 *
 * Such a thread uses whole time slices, also while those wait for its processor that
 * would give it a completion: the peer on the same host, or the threads in which the
 * kernel processes packets.  So it gives way, and the more seldom the longer nobody takes
 * its place: with a processor of its own it spends a few hundredths of its time on this.
 */
#define _GNU_SOURCE	/* RUSAGE_THREAD */
#include <sched.h>
#include <sys/resource.h>

#include "mrc.h"

/* Polls in vain until a thread gives way: where others take its place, and at most. */
#define IDLE_POLLS_MIN	128
#define IDLE_POLLS_MAX	1024

/* A thread with a deadline that yields sleeps until its next period. */
#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE	6
#endif

/**
 * struct idle - a thread that polls
 * @polls: polls in vain, of any queue, since a completion or since it gave way
 * @limit: value of @polls at which it gives way
 * @preempted: how often it had lost its processor when it did
 */
struct idle {
	uint32_t polls;
	uint32_t limit;
	long preempted;
};

static __thread struct idle idle = { .limit = IDLE_POLLS_MIN };

static void give_way(void)
{
	struct rusage usage;

	if (sched_getscheduler(0) == SCHED_DEADLINE)
		return;
	sched_yield();
	if (getrusage(RUSAGE_THREAD, &usage))
		return;
	if (usage.ru_nivcsw != idle.preempted)
		idle.limit = IDLE_POLLS_MIN;
	else if (idle.limit < IDLE_POLLS_MAX)
		idle.limit *= 2;
	idle.preempted = usage.ru_nivcsw;
}

/**
 * mrc_idle_poll - this thread has polled in vain
 *
 * It holds no lock of this library.
 */
void mrc_idle_poll(void)
{
	if (++idle.polls < idle.limit)
		return;
	idle.polls = 0;
	give_way();
}

/**
 * mrc_idle_end - this thread has got completions
 */
void mrc_idle_end(void)
{
	idle.polls = 0;
}
