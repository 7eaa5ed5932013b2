/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fields of SRv6 layouts, short to write: a constant of w bits, and w bits of
 * the EV, of the plane or of the destination, from bit f on.
 */
#ifndef MRC_SRV6_SAMPLE_H
#define MRC_SRV6_SAMPLE_H

#include "core/srv6.h"

#define CONST(v, w)	{ MRC_SRV6_CONST, (w), 0, (v) }
#define EV(f, w)	{ MRC_SRV6_EV, (w), (f), 0 }
#define PLANE(w)	{ MRC_SRV6_PLANE, (w), 0, 0 }
#define DEST(f, w)	{ MRC_SRV6_DEST, (w), (f), 0 }

#endif /* MRC_SRV6_SAMPLE_H */
