// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Content of reliability probes.
 */
#include "core/ev.h"
#include "core/probe.h"
#include "core/wire.h"

/*
 * A path may drop long packets only.  Once an ASSUMED_BAD path delivers short probes, the
 * next ones are as long as data; after one that was lost a short one follows, so that
 * a path that is dead costs no long ones.
 */
static bool is_padded(const struct mrc_ev_set *set, const struct mrc_ev *ev)
{
	return set->pad_probes && ev->state == MRC_EV_ASSUMED_BAD &&
	       ev->probes_ok && ev->probe_ack == ev->probe_seq;
}

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
	struct mrc_ev *ev = &set->ev[path];

	probe->dest_qpn = dest_qpn;
	probe->padded = is_padded(set, ev);
	ev->stats.padded_lost += ev->padded_open;
	ev->padded_open = probe->padded;
	probe->probe_id = mrc_ev_probe_sent(set, path, now);
	probe->path = path;
	probe->ev = ev->value;
	probe->plane = ev->plane;
	probe->tx_ts = mrc_ts_from_ns(now);
}
