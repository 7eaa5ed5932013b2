// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work in BH context, on work queues or on tasklets.
 */
#include "compat/bh_work.h"

#ifdef MRC_HAVE_WQ_BH

static void mrc_bh_work_run(struct work_struct *ws)
{
	struct mrc_bh_work *work = container_of(ws, struct mrc_bh_work, work);

	work->fn(work);
}

static void mrc_bh_work_resume(struct work_struct *ws)
{
	struct mrc_bh_work *work = container_of(ws, struct mrc_bh_work, yield);

	mrc_bh_work_queue(work);
}

#else

static void mrc_bh_work_run(struct tasklet_struct *task)
{
	struct mrc_bh_work *work = from_tasklet(work, task, task);

	work->fn(work);
}

#endif

/**
 * mrc_bh_work_init() - prepare a work
 * @work: work
 * @fn: handler, called in BH context
 *
 * Context: any.
 */
void mrc_bh_work_init(struct mrc_bh_work *work,
		      void (*fn)(struct mrc_bh_work *work))
{
#ifdef MRC_HAVE_WQ_BH
	INIT_WORK(&work->work, mrc_bh_work_run);
	INIT_WORK(&work->yield, mrc_bh_work_resume);
#else
	tasklet_setup(&work->task, mrc_bh_work_run);
#endif
	work->fn = fn;
}

/**
 * mrc_bh_work_yield() - run the handler again, after the other softirqs
 * @work: work whose handler calls
 *
 * Between the two runs the CPU serves NET_RX if that is pending.  A work queue
 * runs a work that its handler has queued in the same softirq, several times
 * over.  So another work, of high priority, queues @work: it runs in HI_SOFTIRQ,
 * which ends the current TASKLET_SOFTIRQ and precedes NET_RX in the next round
 * of softirqs.
 *
 * Context: the handler of @work.
 */
void mrc_bh_work_yield(struct mrc_bh_work *work)
{
#ifdef MRC_HAVE_WQ_BH
	queue_work(system_bh_highpri_wq, &work->yield);
#else
	tasklet_schedule(&work->task);
#endif
}

/**
 * mrc_bh_work_cancel_sync() - dequeue a work and wait until its handler returns
 * @work: work after mrc_bh_work_init()
 *
 * The caller ensures that only the handler queues @work meanwhile.  @work can
 * be queued again afterwards.
 *
 * Context: process; may sleep.
 */
void mrc_bh_work_cancel_sync(struct mrc_bh_work *work)
{
#ifdef MRC_HAVE_WQ_BH
	/* Each of the two queues the other, so both are disabled together. */
	disable_work_sync(&work->work);
	disable_work_sync(&work->yield);
	enable_work(&work->yield);
	enable_work(&work->work);
#else
	tasklet_kill(&work->task);
#endif
}
