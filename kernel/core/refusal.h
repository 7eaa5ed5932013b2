/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Why a configuration cannot be: in words, so that whoever has to tell the
 * operator (extack, command line) only repeats them.
 */
#ifndef MRC_CORE_REFUSAL_H
#define MRC_CORE_REFUSAL_H

#include <linux/compiler.h>
#include <linux/types.h>

/* What fits an extack of any kernel, NUL included. */
#define MRC_REFUSAL_LEN 80

/* Not about a single field. */
#define MRC_NO_FIELD (-1)

/**
 * struct mrc_refusal - why a configuration was refused
 * @field: index of the field at fault, or MRC_NO_FIELD
 * @text: a sentence without full stop; counts fields from 1
 */
struct mrc_refusal {
	int field;
	char text[MRC_REFUSAL_LEN];
};

__printf(4, 5)
int mrc_refuse(struct mrc_refusal *why, int err, int field,
	       const char *fmt, ...);

#endif /* MRC_CORE_REFUSAL_H */
