/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV formats.
 */
#ifndef LIBMRC_FORMAT_H
#define LIBMRC_FORMAT_H

#include "profile.h"

/**
 * struct format - an EV format
 * @found: the kernel has it
 * @state: enum mrc_object_state
 * @kind: enum mrc_format_kind
 * @n: number of fields
 * @width: their widths in bits
 */
struct format {
	bool found;
	uint32_t state;
	uint32_t kind;
	uint32_t n;
	uint8_t width[MRC_FIELDS_MAX];
};

int format_get(struct genl *g, const char *name, struct format *fmt);

#endif /* LIBMRC_FORMAT_H */
