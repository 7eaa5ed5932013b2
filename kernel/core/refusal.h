/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Why a configuration is refused, as text that the caller passes on to the
 * operator (extack, command line).
 */
#ifndef MRC_CORE_REFUSAL_H
#define MRC_CORE_REFUSAL_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Maximum that fits an extack of any supported kernel, NUL included. */
#define MRC_REFUSAL_LEN 80

/* The refusal does not concern a single field. */
#define MRC_NO_FIELD (-1)

/**
 * struct mrc_refusal - why a configuration was refused
 * @field: index of the field at fault, or MRC_NO_FIELD
 * @text: a sentence without full stop; fields are numbered from 1
 */
struct mrc_refusal {
	int field;
	char text[MRC_REFUSAL_LEN];
};

__printf(4, 5)
int mrc_refuse(struct mrc_refusal *why, int err, int field,
	       const char *fmt, ...);
int mrc_refuse_name(struct mrc_refusal *why, const char *what,
		    const char *name, const char *(*nth)(u32 i));

#endif /* MRC_CORE_REFUSAL_H */
