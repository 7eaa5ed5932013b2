/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Versions of the MRC application API.  A program that defines MRC_API_VER_USED
 * before it includes <mrc.h> gets the API of that version.
 */
#ifndef MRC_API_VER_H
#define MRC_API_VER_H

#define MRC_API_VER_MAJOR_OFFSET	24
#define MRC_API_VER_MINOR_OFFSET	16
#define MRC_API_VER_SUBMINOR_OFFSET	0

#define MRC_API_VER(major, minor, sub_minor)		\
	((major) << MRC_API_VER_MAJOR_OFFSET |		\
	 (minor) << MRC_API_VER_MINOR_OFFSET |		\
	 (sub_minor) << MRC_API_VER_SUBMINOR_OFFSET)

/* Stands for the current version, whichever that is. */
#define MRC_API_VER_LATEST	MRC_API_VER(0xFF, 0xFF, 0xFFFF)

#define MRC_API_CURRENT_VERSION		MRC_API_VER(1, 0, 1)
#define MRC_API_LAST_SUPPORTED_VERSION	MRC_API_VER(0, 0, 0)

#ifdef MRC_API_VER_USED
#if MRC_API_VER_USED == MRC_API_VER_LATEST
#undef MRC_API_VER_USED
#endif
#endif
#ifndef MRC_API_VER_USED
#define MRC_API_VER_USED MRC_API_CURRENT_VERSION
#endif

#if MRC_API_VER_USED > MRC_API_CURRENT_VERSION
#error "MRC_API_VER_USED is newer than these headers"
#endif
#if MRC_API_VER_USED < MRC_API_LAST_SUPPORTED_VERSION
#error "MRC_API_VER_USED is older than what these headers support"
#endif
#if MRC_API_VER_USED == MRC_API_LAST_SUPPORTED_VERSION
#warning "MRC_API_VER_USED is the oldest supported version"
#endif

/* The same for extensions of the provider; libmrc has none. */
#define MRC_VENDOR_API_CURRENT_VERSION		MRC_API_VER(1, 0, 0)
#define MRC_VENDOR_API_LAST_SUPPORTED_VERSION	MRC_API_VER(0, 0, 0)

#ifdef MRC_VENDOR_API_VER_USED
#if MRC_VENDOR_API_VER_USED == MRC_API_VER_LATEST
#undef MRC_VENDOR_API_VER_USED
#endif
#endif
#ifndef MRC_VENDOR_API_VER_USED
#define MRC_VENDOR_API_VER_USED MRC_VENDOR_API_CURRENT_VERSION
#endif

#if MRC_VENDOR_API_VER_USED > MRC_VENDOR_API_CURRENT_VERSION
#error "MRC_VENDOR_API_VER_USED is newer than these headers"
#endif
#if MRC_VENDOR_API_VER_USED < MRC_VENDOR_API_LAST_SUPPORTED_VERSION
#error "MRC_VENDOR_API_VER_USED is older than what these headers support"
#endif
#if MRC_VENDOR_API_VER_USED == MRC_VENDOR_API_LAST_SUPPORTED_VERSION
#warning "MRC_VENDOR_API_VER_USED is the oldest supported version"
#endif

#endif /* MRC_API_VER_H */
