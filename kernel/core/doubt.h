/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the responder thinks of its answers' way back; those who choose paths for
 * them go by it.
 */
#ifndef MRC_CORE_DOUBT_H
#define MRC_CORE_DOUBT_H

/**
 * enum mrc_doubt - does the peer hear us?
 * @MRC_DOUBT_NONE: nothing says otherwise
 * @MRC_DOUBT_GAP: something is missing: what took it along may take answers, too
 * @MRC_DOUBT_UNHEARD: what was answered comes again
 *
 * The value is how many answers try other ways between two on what is known.
 */
enum mrc_doubt {
	MRC_DOUBT_NONE,
	MRC_DOUBT_GAP,
	MRC_DOUBT_UNHEARD,
};

#endif /* MRC_CORE_DOUBT_H */
