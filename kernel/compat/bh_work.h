/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work in BH context: runs once in a softirq of the CPU that has queued it, never
 * on two CPUs at a time.  A work queue with WQ_BH runs it; older kernels, which
 * have no such work queue, use a tasklet.
 */
#ifndef MRC_COMPAT_BH_WORK_H
#define MRC_COMPAT_BH_WORK_H

#include <linux/sizes.h>

#ifdef MRC_HAVE_WQ_BH
#include <linux/workqueue.h>
#else
#include <linux/interrupt.h>
#endif

/*
 * Bytes that a handler should copy before it yields.  What it sends over software devices
 * is processed by NET_RX, after it.  A work queue runs what handlers have queued before
 * that, too, so that acknowledgments are late; a tasklet does not, and shorter turns only
 * cost time there (Documentation/performance.md).
 */
#ifdef MRC_HAVE_WQ_BH
#define MRC_BH_WORK_TURN SZ_256K
#else
#define MRC_BH_WORK_TURN SZ_1M
#endif

/**
 * struct mrc_bh_work - work in BH context
 * @work: runs @fn
 * @yield: of mrc_bh_work_yield(): queues @work
 * @task: runs @fn, where there are no work queues in BH context
 * @fn: handler
 */
struct mrc_bh_work {
#ifdef MRC_HAVE_WQ_BH
	struct work_struct work;
	struct work_struct yield;
#else
	struct tasklet_struct task;
#endif
	void (*fn)(struct mrc_bh_work *work);
};

void mrc_bh_work_init(struct mrc_bh_work *work,
		      void (*fn)(struct mrc_bh_work *work));
void mrc_bh_work_yield(struct mrc_bh_work *work);
void mrc_bh_work_cancel_sync(struct mrc_bh_work *work);

/**
 * mrc_bh_work_queue() - run a work soon
 * @work: work after mrc_bh_work_init()
 *
 * Does nothing if @work is queued and its handler has not begun.  The handler
 * runs on the calling CPU; if it is running on another CPU, work queues let it
 * run there once more.
 *
 * Context: any but NMI.
 */
static inline void mrc_bh_work_queue(struct mrc_bh_work *work)
{
#ifdef MRC_HAVE_WQ_BH
	queue_work(system_bh_wq, &work->work);
#else
	tasklet_schedule(&work->task);
#endif
}

#endif /* MRC_COMPAT_BH_WORK_H */
