// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Local transmit queue fences: when have packets left this host?
 */
#include <linux/minmax.h>

#include "core/txq_fence.h"

/* Every batch is held for a shorter time. */
#define FENCE_LATE_MIN 20000ULL
/* A delay is remembered for so many times its length. */
#define FENCE_MEMORY 4

/**
 * mrc_txq_fence_post() - packets are about to be sent
 * @fence: fence of this CPU
 * @now: ns that they are recorded with, not 0
 *
 * Context: any, the caller serialises.
 * Return: true if the caller posts the fence behind them; false if it is posted
 *	already and has not passed, so these packets count as sent after it.
 */
bool mrc_txq_fence_post(struct mrc_txq_fence *fence, u64 now)
{
	if (fence->at)
		return false;
	fence->at = now;
	return true;
}

/* A short delay does not replace a long one that was not long ago. */
static bool is_worth_recording(const struct mrc_txq_fence *fence, u64 now)
{
	u64 held = now - fence->at, before = fence->to - fence->from;

	return held >= FENCE_LATE_MIN &&
	       (held >= before || now - fence->to >= FENCE_MEMORY * before);
}

/**
 * mrc_txq_fence_pass() - the CPU has processed its queue up to the fence
 * @fence: fence of this CPU
 * @now: ns
 *
 * Context: any, the caller serialises.
 */
void mrc_txq_fence_pass(struct mrc_txq_fence *fence, u64 now)
{
	if (fence->at && is_worth_recording(fence, now)) {
		fence->from = fence->at;
		fence->to = now;
	}
	fence->at = 0;
}

/**
 * mrc_txq_fence_left() - when did a packet leave this host?
 * @fences: MRC_TXQ_FENCES fences
 * @sent: ns when it was sent
 *
 * Context: any, the caller serialises.
 * Return: ns, at least @sent; MRC_TXQ_NEVER if it may still be queued here.
 */
u64 mrc_txq_fence_left(const struct mrc_txq_fence *fences, u64 sent)
{
	const struct mrc_txq_fence *fence;
	u64 left = sent;

	for (fence = fences; fence < fences + MRC_TXQ_FENCES; fence++) {
		if (fence->at && sent >= fence->at)
			return MRC_TXQ_NEVER;
		if (sent >= fence->from && sent < fence->to)
			left = max(left, fence->to);
	}
	return left;
}
