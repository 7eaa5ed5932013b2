// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Why a configuration is refused.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/stdarg.h>

#include "core/refusal.h"

/**
 * mrc_refuse() - record why a configuration is refused
 * @why: filled in
 * @err: negative errno
 * @field: index of the field at fault, or MRC_NO_FIELD
 * @fmt: format of the reason, as for printf(), and its arguments
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

/**
 * mrc_refuse_name() - refuse an unknown name
 * @why: filled in: "there is no ALGORITHM CUBIC, use NONE, FIXED or NSCC"
 * @what: kind of object
 * @name: the unknown name
 * @nth: return known name @i, from 0; NULL after the last one
 *
 * Context: any.
 * Return: -EINVAL.
 */
int mrc_refuse_name(struct mrc_refusal *why, const char *what,
		    const char *name, const char *(*nth)(u32 i))
{
	size_t size = sizeof(why->text);
	const char *before = ", use ";
	int len;
	u32 i;

	why->field = MRC_NO_FIELD;
	len = scnprintf(why->text, size, "there is no %s %s", what, name);
	for (i = 0; nth(i); i++) {
		len += scnprintf(why->text + len, size - len, "%s%s", before,
				 nth(i));
		before = nth(i + 1) && !nth(i + 2) ? " or " : ", ";
	}
	return -EINVAL;
}
