// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reliability probes: what one says.
 */
#include "core/ev.h"
#include "core/probe.h"
#include "core/wire.h"

/**
 * mrc_probe_fill() - describe a probe that leaves now
 * @probe: filled in
 * @set: paths
 * @path: its path
 * @dest_qpn: peer's QP
 * @now: ns
 *
 * Context: any, the owner of @set serialises.
 */
void mrc_probe_fill(struct mrc_probe *probe, struct mrc_ev_set *set, u16 path,
		    u32 dest_qpn, u64 now)
{
	probe->dest_qpn = dest_qpn;
	probe->probe_id = mrc_ev_probe_sent(set, path, now);
	probe->path = path;
	probe->ev = set->ev[path].value;
	probe->plane = set->ev[path].plane;
	probe->tx_ts = mrc_ts_from_ns(now);
}
