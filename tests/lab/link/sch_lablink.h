/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the queue discipline of the lab exchanges with link.py: options, statistics and
 * the record.
 */
#ifndef MRC_SCH_LABLINK_H
#define MRC_SCH_LABLINK_H

#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/types.h>

/* Attributes in TCA_OPTIONS; link.py has the same numbers. */
enum {
	LABLINK_UNSPEC,
	LABLINK_PAD,
	LABLINK_RATE,		/* u64: bits/s */
	LABLINK_OVERHEAD,	/* u32: bytes per packet beyond skb->len */
	LABLINK_DELAY,		/* u64: propagation, ns */
	LABLINK_LIMIT,		/* u32: bytes of data that wait; 0: no limit */
	LABLINK_URGENT,		/* u32: bytes of urgent packets that wait */
	LABLINK_ECN,		/* u32: bytes from which on packets are marked; 0: never */
	LABLINK_TRIM,		/* u32: enum lablink_trim */
	LABLINK_HOST_DELAY,	/* u64: ns */
	LABLINK_HOST_JITTER,	/* u32: ns */
	LABLINK_LOSS,		/* u64: probability times 2^32 */
	LABLINK_SEED,		/* u64 */
	LABLINK_CORRUPT,	/* u64: probability of a wrong bit, times 2^32 */
	LABLINK_HOLD,		/* u32: 1: no packet leaves the wire */
	LABLINK_SERIES,		/* u64: period of the record, ns; 0: none */
	LABLINK_BANDS,		/* u32: 1: bands of a host */
	__LABLINK_MAX,
};

#define LABLINK_MAX	(__LABLINK_MAX - 1)

enum lablink_trim {
	LABLINK_TRIM_OFF,
	LABLINK_TRIM_FABRIC,	/* trimmed packets get DSCP TRIMMED */
	LABLINK_TRIM_LASTHOP,	/* a port to a host: DSCP TRIMMED_LASTHOP */
};

/* TCA_XSTATS, all u64; link.py has the same order. */
struct lablink_stats {
	u64 packets;		/* transmitted, lost ones included */
	u64 bytes;		/* of these, without overhead */
	u64 marks;		/* set here */
	u64 trims;
	u64 drops;		/* queue full, or buffers that cannot be segmented */
	u64 losses;		/* by the cable */
	u64 queue;		/* present length, bytes */
	u64 queue_max;		/* bytes */
	u64 queue_time;		/* integral of the length, bytes * ns */
	u64 busy;		/* time of transmission, ns */
	u64 elapsed;		/* since the first configuration, ns */
	u64 held;		/* packets in all stages at present */
	u64 corruptions;	/* by the cable */
};

/* One period of the record. */
struct lablink_period {
	u64 begin;		/* CLOCK_MONOTONIC, ns */
	u32 bytes;		/* transmitted */
	u32 queue_max;		/* bytes */
	u32 drops;
	u32 losses;
};

/* Periods without an entry are those in which nothing happened. */
#define LABLINK_SERIES_LEN	32768

/*
 * The file in debugfs, with min(count, LABLINK_SERIES_LEN) entries; link.py reads it.
 * Entry i is at i % LABLINK_SERIES_LEN.
 */
struct lablink_series {
	u64 period;
	u64 count;		/* entries since the record began */
	struct lablink_period entry[];
};

/* Bytes of the file: memory behind the last entry was never touched. */
static inline size_t lablink_series_size(const struct lablink_series *s)
{
	return struct_size(s, entry, min_t(u64, s->count, LABLINK_SERIES_LEN));
}

#endif /* MRC_SCH_LABLINK_H */
