// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Buffers for NL_SET_ERR_MSG_FMT() in kernels that lack it.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>

#include "compat/extack.h"

#ifdef MRC_EXTACK_BUF

enum {
	MRC_EXTACK_BUFS	= 16,	/* power of two */
	MRC_EXTACK_LEN	= 80,	/* as in kernels that have the macro */
};

/**
 * mrc_extack_printf() - format a text for an extack
 * @fmt: as printf
 *
 * A text remains valid until MRC_EXTACK_BUFS more have been formatted, which is
 * far longer than the time from the return of a handler to the netlink message.
 * If it is read later, the text of another request is read, but never beyond
 * the buffer: its last byte is always zero.
 *
 * Context: any.
 * Return: the text.
 */
const char *mrc_extack_printf(const char *fmt, ...)
{
	static char bufs[MRC_EXTACK_BUFS][MRC_EXTACK_LEN];
	static atomic_t turn = ATOMIC_INIT(0);
	char *buf = bufs[atomic_inc_return(&turn) & (MRC_EXTACK_BUFS - 1)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf, MRC_EXTACK_LEN, fmt, args);
	va_end(args);
	return buf;
}

#endif
