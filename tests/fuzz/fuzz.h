/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the fuzzers of protocol state have in common: the input is a tape of
 * octets that decides what happens next.
 */
#ifndef MRC_FUZZ_H
#define MRC_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/string.h>

/* The suites replay what all fuzzers have found in one program. */
#ifdef FUZZ_TARGET
#define LLVMFuzzerTestOneInput	FUZZ_TARGET
#endif

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define CHECK(cond)	do {						\
	if (cond)							\
		break;							\
	fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond);	\
	abort();							\
} while (0)

/**
 * struct tape - input not yet used up
 * @p: next octet
 * @left: octets left
 */
struct tape {
	const u8 *p;
	size_t left;
};

/* The next octet; zeros behind the end. */
static inline u8 take8(struct tape *t)
{
	if (!t->left)
		return 0;
	t->left--;
	return *t->p++;
}

static inline u16 take16(struct tape *t)
{
	u16 v = take8(t);

	return v << 8 | take8(t);
}

static inline u32 take32(struct tape *t)
{
	u32 v = take16(t);

	return v << 16 | take16(t);
}

static inline u64 take64(struct tape *t)
{
	u64 v = take32(t);

	return v << 32 | take32(t);
}

#endif /* MRC_FUZZ_H */
