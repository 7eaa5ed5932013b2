/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Content of reliability probes (MRC 1.0 7.4.6).
 */
#ifndef MRC_CORE_PROBE_H
#define MRC_CORE_PROBE_H

#include <linux/types.h>

struct mrc_ev_set;

/**
 * struct mrc_probe - a reliability probe to be sent
 * @dest_qpn: destination QPN
 * @probe_id: reflected in the SACK
 * @path: index of the path in its set
 * @ev: entropy value of the path
 * @plane: plane of the path
 * @tx_ts: transmit timestamp in TSETH units
 * @padded: it is as long as the longest data packet
 */
struct mrc_probe {
	u32 dest_qpn;
	u16 probe_id;
	u16 path;
	u32 ev;
	u8 plane;
	u16 tx_ts;
	bool padded;
};

void mrc_probe_fill(struct mrc_probe *probe, struct mrc_ev_set *set, u16 path,
		    u32 dest_qpn, u64 now);

#endif /* MRC_CORE_PROBE_H */
