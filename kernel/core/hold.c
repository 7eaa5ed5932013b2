// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the host itself still holds of what has been sent.
 */
#include <linux/minmax.h>

#include "core/hold.h"

/* Shorter ones are within what packets of a path may overtake each other by. */
#define HOLD_MIN 4000000ULL

/**
 * mrc_hold_begin() - packets are about to be sent
 * @h: mark
 * @now: ns that they are recorded with, not 0
 *
 * Context: any, the owner serialises.
 * Return: true if a mark is to be left behind them; false if an earlier one is
 * waited for, which these count as sent behind.
 */
bool mrc_hold_begin(struct mrc_hold *h, u64 now)
{
	if (h->at)
		return false;
	h->at = now;
	return true;
}

/**
 * mrc_hold_end() - the CPU has come to its mark
 * @h: mark
 * @now: ns
 *
 * Context: any, the owner serialises.
 */
void mrc_hold_end(struct mrc_hold *h, u64 now)
{
	if (h->at && now - h->at >= HOLD_MIN) {
		h->from = h->at;
		h->to = now;
	}
	h->at = 0;
}

/**
 * mrc_hold_left() - when has a packet left this host, as far as is known?
 * @holds: MRC_HOLDS marks
 * @sent: ns when it was sent
 *
 * Context: any, the owner serialises.
 * Return: ns, at least @sent; MRC_HOLD_NEVER: it may be here still.
 */
u64 mrc_hold_left(const struct mrc_hold *holds, u64 sent)
{
	const struct mrc_hold *h;
	u64 left = sent;

	for (h = holds; h < holds + MRC_HOLDS; h++) {
		if (h->at && sent >= h->at)
			return MRC_HOLD_NEVER;
		if (sent >= h->from && sent < h->to)
			left = max(left, h->to);
	}
	return left;
}
