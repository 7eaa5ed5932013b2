/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Local transmit queue fences: they show which packets have left this host.
 *
 * Packets that a CPU sends are queued until that CPU processes its softirqs;
 * where switches and peers are guests of the same machine, that queue is the
 * whole path.  Meanwhile another CPU can send packets and receive their
 * acknowledgments.  So the caller posts a fence behind the packets that it
 * sends; until the CPU has processed its queue up to the fence, nothing is
 * known of their path.
 */
#ifndef MRC_CORE_TXQ_FENCE_H
#define MRC_CORE_TXQ_FENCE_H

#include <linux/limits.h>
#include <linux/types.h>

/* Fences of a requester; if there are more CPUs, several share one. */
#define MRC_TXQ_FENCES 4
/* Later than any sending time, with headroom for additions. */
#define MRC_TXQ_NEVER ((u64)S64_MAX)

/**
 * struct mrc_txq_fence - a fence, and the latest delay that one has measured
 * @at: ns when it was posted; 0: it is not posted
 * @from: the latest time when the CPU was late: ns when the fence was posted
 * @to: ns when that fence passed; 0: the CPU has never been late
 */
struct mrc_txq_fence {
	u64 at;
	u64 from;
	u64 to;
};

bool mrc_txq_fence_post(struct mrc_txq_fence *fence, u64 now);
void mrc_txq_fence_pass(struct mrc_txq_fence *fence, u64 now);
u64 mrc_txq_fence_left(const struct mrc_txq_fence *fences, u64 sent);

#endif /* MRC_CORE_TXQ_FENCE_H */
