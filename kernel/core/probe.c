// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Content of reliability probes.
 */
#include "core/ev.h"
#include "core/probe.h"
#include "core/wire.h"

/**
 * mrc_probe_fill() - describe a probe that is sent now
 * @probe: filled in
 * @set: paths
 * @path: path of the probe
 * @dest_qpn: destination QPN
 * @now: ns
 *
 * Context: any, the caller serialises access to @set.
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
