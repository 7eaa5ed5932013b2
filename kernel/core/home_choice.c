// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Choice of a home: the processor that is least busy with connections and with threads
 * that poll.
 */
#include "core/home_choice.h"

/*
 * Percent of a processor that a thread which polls is taken to need, and by which a
 * processor must be less busy than another one to be a better home.  A thread that polls
 * gives way to others, but each time it does so takes a change of context.
 */
#define POLL_LOAD 33
#define MARGIN 8

/* Percent, which a thread that polls may make more than 100. */
static u32 busy(const struct mrc_home_state *cpu)
{
	return cpu->load + (cpu->polled ? POLL_LOAD : 0);
}

/**
 * mrc_home_is_better() - does one processor suit better than another one?
 * @a: processor
 * @b: the other one
 *
 * Of processors that are about as busy it is the one that is home of fewer connections:
 * what these will do is not known.
 *
 * Context: any.
 * Return: true if @a does.
 */
bool mrc_home_is_better(const struct mrc_home_state *a,
			const struct mrc_home_state *b)
{
	u32 x = busy(a) / MARGIN, y = busy(b) / MARGIN;

	return x == y ? a->conns < b->conns : x < y;
}

/*
 * By how much must processor @to be less busy to be better than @from?  Where threads moved
 * a short time ago, what is known of @from and @to is of the time before, and a thread that
 * polls counts more.
 */
static u32 margin(const struct mrc_home_state *from, const struct mrc_home_state *to)
{
	return from->polled && !to->polled ? 0 : MARGIN;
}

/**
 * mrc_home_gains() - is a move of a connection to another home worth it?
 * @from: its home
 * @to: the other processor; all zero for one that is idle
 * @work: percent of the time that @from spends for the connection
 *
 * It is if it makes the busier one of the two processors less busy, by more than a move is
 * worth.  A connection for which next to nothing is done leaves only a thread that polls.
 *
 * Context: any.
 * Return: true if so.
 */
bool mrc_home_gains(const struct mrc_home_state *from,
		    const struct mrc_home_state *to, u32 work)
{
	if (!work && !from->polled)
		return false;
	return busy(to) + work + margin(from, to) <= busy(from);
}
