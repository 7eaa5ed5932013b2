// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entropy values: generation for a QP without a profile, and look-up of the
 * path of a reflected value.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "core/ev.h"
#include "core/rnd.h"

/* UDP source ports of AUTO paths: the ephemeral range of RFC 6335. */
#define EV_SPORT_MIN	0xc000
#define EV_SPORT_NUM	0x4000

static_assert((EV_SPORT_NUM / 4) >= MRC_EV_MAX);

static bool sport_taken(const struct mrc_ev_entry *entries, u16 n, u16 sport)
{
	u16 i;

	for (i = 0; i < n; i++)
		if ((entries[i].value & 0xffff) == sport)
			return true;
	return false;
}

/**
 * mrc_ev_auto() - generate paths for a QP without a profile
 * @entries: @n entries, filled in
 * @n: paths, at most MRC_EV_MAX
 * @ports: mask of local ports to use, bit p-1: port p; not 0
 * @seed: differs between QPs
 *
 * Distributes the paths evenly over the ports.  The low 16 bits of their
 * values, which become the UDP source port, are distinct and in the ephemeral
 * range, so that the paths differ even with IPv4 or if switches hash the ports
 * alone.
 *
 * Context: any.
 */
void mrc_ev_auto(struct mrc_ev_entry *entries, u16 n, u32 ports, u64 seed)
{
	u16 i, sport;
	u8 port = 0;

	for (i = 0; i < n; i++) {
		do {
			port = port % MRC_PLANE_MAX + 1;
		} while (!(ports >> (port - 1) & 1));
		do {
			sport = EV_SPORT_MIN + mrc_rnd_below(&seed,
							     EV_SPORT_NUM);
		} while (sport_taken(entries, i, sport));
		entries[i].value = (u32)mrc_rnd_next(&seed) << 16 | sport;
		entries[i].plane = port;
		entries[i].denied = false;
	}
}

/*
 * IPv4 carries one half of a value only; the other half is reflected as zero.
 */
static bool is_value(u32 value, u32 reflected)
{
	if (value == reflected)
		return true;
	return reflected >> 16 ? !(reflected & 0xffff) &&
				 value >> 16 == reflected >> 16 :
				 (value & 0xffff) == reflected;
}

/**
 * mrc_ev_matches() - does a reflected entropy value belong to a path?
 * @set: paths
 * @idx: path; may be out of range
 * @value: entropy value as the peer reflected it
 *
 * Context: any, no lock.
 * Return: true if so.
 */
bool mrc_ev_matches(const struct mrc_ev_set *set, u16 idx, u32 value)
{
	return idx < set->n && is_value(set->ev[idx].value, value);
}

/**
 * mrc_ev_find() - look up the path of a reflected entropy value
 * @set: paths
 * @value: entropy value as the peer reflected it
 *
 * Context: any, no lock.
 * Return: index of the path, or -ENOENT.
 */
int mrc_ev_find(const struct mrc_ev_set *set, u32 value)
{
	u16 i;

	for (i = 0; i < set->n; i++)
		if (set->ev[i].value == value)
			return i;
	for (i = 0; i < set->n; i++)
		if (is_value(set->ev[i].value, value))
			return i;
	return -ENOENT;
}
