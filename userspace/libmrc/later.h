/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Attributes of path events and probes that <linux/mrc.h> does not have yet.  A kernel
 * without them refuses requests that carry them (EINVAL), and its events name no EV
 * profile.  To be removed when the header has them.
 */
#ifndef LIBMRC_LATER_H
#define LIBMRC_LATER_H

#define MRC_A_PROFILE_EVENTS		17

#define MRC_A_PROBE_TIMEOUT_NS		9
#define MRC_A_PROBE_TCLASS		10
#define MRC_A_PROBE_OP			11
#define MRC_A_PROBE_PORTS		12
#define MRC_A_PROBE_TARGET		13

#define MRC_A_PROBE_PATH_DST		9
#define MRC_A_PROBE_PATH_SRC		10
#define MRC_A_PROBE_PATH_FORMAT		11
#define MRC_A_PROBE_PATH_INDEX		12

#define MRC_A_EVENT_PROFILE		13
#define MRC_A_EVENT_INDEX		14

#endif /* LIBMRC_LATER_H */
