// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Why a configuration cannot be.
 */
#include <linux/kernel.h>
#include <linux/stdarg.h>

#include "core/refusal.h"

/**
 * mrc_refuse() - say why a configuration is refused
 * @why: filled in
 * @err: negative errno
 * @field: index of the field at fault, or MRC_NO_FIELD
 * @fmt: the reason, as printf
 *
 * Context: any.
 * Return: @err.
 */
int mrc_refuse(struct mrc_refusal *why, int err, int field,
	       const char *fmt, ...)
{
	va_list args;
	int len = 0;

	why->field = field;
	if (field >= 0)
		len = snprintf(why->text, sizeof(why->text), "field %d: ",
			       field + 1);
	va_start(args, fmt);
	vsnprintf(why->text + len, sizeof(why->text) - len, fmt, args);
	va_end(args);
	return err;
}
