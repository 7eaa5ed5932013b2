/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * NL_SET_ERR_MSG_FMT() for kernels that lack it.  The extack of these kernels
 * holds a pointer to a constant string, which is read after the handler has
 * returned.  So the text is kept until the task returns to user space.
 */
#ifndef MRC_COMPAT_EXTACK_H
#define MRC_COMPAT_EXTACK_H

#include <linux/netlink.h>

#ifndef NL_SET_ERR_MSG_FMT

#define MRC_EXTACK_BUF 1

__printf(1, 2) const char *mrc_extack_printf(const char *fmt, ...);

#define NL_SET_ERR_MSG_FMT(extack, fmt, args...) do {			\
	struct netlink_ext_ack *__extack = (extack);			\
									\
	if (__extack)							\
		__extack->_msg = mrc_extack_printf(fmt, ##args);	\
} while (0)

#endif

#endif /* MRC_COMPAT_EXTACK_H */
