// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Timer of a connection: for when it is started, within what timers cost on this host.
 */
#include <linux/minmax.h>

#include "core/timer.h"

/* A deadline that need not be met exactly is at least so many ns away. */
#define TIMER_MIN 20000ULL
/*
 * A timer expires this many times what it costs from now, or later. One for an exact
 * deadline waits for less, from the last such one on: while messages follow each other,
 * each SACK moves the deadline.
 */
#define TIMER_PAUSE 64
#define TIMER_EXACT_PAUSE 16
/* No timer waits longer, in ns, for what it costs. */
#define TIMER_PAUSE_MAX 1000000ULL
/* One that would expire within this part of the time to an exact deadline is put off. */
#define TIMER_PUT_OFF_PART 2
/* Weight of a sample in the average of @cost. */
#define TIMER_COST_WEIGHT 8

/**
 * mrc_timer_covers() - does the timer expire by a deadline?
 * @timer: timer
 * @at: ns, not 0
 *
 * Context: any, the caller serialises.
 * Return: true if it does.
 */
bool mrc_timer_covers(const struct mrc_timer *timer, u64 at)
{
	return timer->at && timer->at <= at;
}

/* So many ns pay for a timer. */
static u64 pause_of(const struct mrc_timer *timer, bool exact)
{
	u64 times = exact ? TIMER_EXACT_PAUSE : TIMER_PAUSE;
	u64 pause = min_t(u64, (u64)timer->cost * times, TIMER_PAUSE_MAX);

	return exact ? pause : max_t(u64, pause, TIMER_MIN);
}

/*
 * The timer expires before deadline @at.  That costs less than a timer that every SACK
 * restarts; but before an exact deadline, where few SACKs are to come, one that is about
 * to expire is put off.  One that has expired is not: it tells how late this host is.
 */
static bool is_put_off(const struct mrc_timer *timer, u64 at, u64 now)
{
	return timer->at > now && timer->at - now < (at - now) / TIMER_PUT_OFF_PART;
}

/**
 * mrc_timer_set() - let the timer expire by a deadline
 * @timer: timer
 * @at: deadline in ns, possibly past
 * @now: ns
 * @exact: the deadline is worth a timer of its own, if it has not passed
 *
 * An exact deadline is met if the last one is paid for: so the loss of a lone packet is
 * noticed in time also where timers are expensive.  While a flow of messages moves the
 * deadline, the timer is put off, and that pays for itself.  Other deadlines, and those
 * that have passed, get at least 20 us: while no path is usable they cannot be met, and
 * must not keep a processor busy.  A timer that expires by then stays: calls that come in
 * the meantime must not put it off again and again.
 *
 * Context: any, the caller serialises.
 * Return: true if the caller starts the timer, for &struct mrc_timer.at.
 */
bool mrc_timer_set(struct mrc_timer *timer, u64 at, u64 now, bool exact)
{
	u64 pause, later;

	exact &= at > now;
	pause = pause_of(timer, exact);
	later = max(at, now + pause);
	at = exact ? max(at, timer->since + pause) : later;
	if (mrc_timer_covers(timer, at)) {
		if (!exact || !is_put_off(timer, later, now))
			return false;
		at = later;
	}
	timer->at = at;
	if (exact)
		timer->since = now;
	return true;
}

/**
 * mrc_timer_expire() - the timer has expired
 * @timer: timer
 * @now: ns
 *
 * Context: any, the caller serialises.
 * Return: ns by which it was late; 0 if it was not started.
 */
u64 mrc_timer_expire(struct mrc_timer *timer, u64 now)
{
	u64 late = timer->at && now > timer->at ? now - timer->at : 0;

	if (timer->at)
		timer->cost += ((s64)min_t(u64, late, TIMER_PAUSE_MAX) - timer->cost) /
			       TIMER_COST_WEIGHT;
	timer->at = 0;
	return late;
}
