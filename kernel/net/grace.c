// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Grace periods of RCU that a process waits for.
 *
 * Programs destroy queue pairs and deregister memory by the thousand, one after the
 * other, and each call returns only when the data path has stopped using the object.
 * With a normal grace period of tens of milliseconds for each object a job would take
 * minutes to end.  An expedited grace period takes well below a millisecond, but
 * interrupts every CPU that is not idle, and any user can ask for it.
 *
 * Therefore the rate of expedited grace periods is limited for the whole machine: in
 * the long run they interrupt a CPU as often as a timer tick of 1000 Hz does.
 * Concurrent callers share them: the first caller that gets the lock starts a grace
 * period after all the others have begun to wait, so that it serves all.  While the
 * rate allows none, the caller sleeps; a normal grace period that ends meanwhile
 * serves as well.
 */
#include <linux/delay.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include "core/rate.h"
#include "net/grace.h"

enum {
	MRC_GRACE_RATE = 1000,		/* per second */
	MRC_GRACE_AT_ONCE = 1000,	/* after a pause */
	MRC_GRACE_GAP_US = USEC_PER_SEC / MRC_GRACE_RATE,
};

/* Protects the allowance, and makes concurrent callers share a grace period. */
static DEFINE_MUTEX(mrc_grace_lock);
static struct mrc_rate mrc_grace_allowance; /* mrc_grace_lock */

/**
 * mrc_grace_init() - begin with a full allowance
 *
 * Context: the module is being loaded.
 */
void mrc_grace_init(void)
{
	mrc_rate_init(&mrc_grace_allowance, MRC_GRACE_RATE, MRC_GRACE_AT_ONCE);
}

/**
 * mrc_grace_wait() - wait until all present readers of RCU have finished
 *
 * Starts at most MRC_GRACE_RATE expedited grace periods per second, MRC_GRACE_AT_ONCE
 * after a pause.
 *
 * Context: process; sleeps.  Memory reclaim may call it: nothing is allocated while
 * the lock is held.
 */
void mrc_grace_wait(void)
{
	struct rcu_gp_oldstate before;

	get_state_synchronize_rcu_full(&before);
	mutex_lock(&mrc_grace_lock);
	while (!poll_state_synchronize_rcu_full(&before)) {
		if (mrc_rate_take(&mrc_grace_allowance, ktime_get_ns(), 1))
			cond_synchronize_rcu_expedited_full(&before);
		else
			usleep_range(MRC_GRACE_GAP_US / 2, MRC_GRACE_GAP_US);
	}
	mutex_unlock(&mrc_grace_lock);
}
