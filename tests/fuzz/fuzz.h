/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Common parts of the fuzzers of protocol state: the input is a tape of octets, of
 * which each step reads those that it needs.
 */
#ifndef MRC_FUZZ_H
#define MRC_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/string.h>

/* The suite "corpus" links all fuzzers into one program. */
#ifdef FUZZ_TARGET
#define LLVMFuzzerTestOneInput	FUZZ_TARGET
#endif

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define CHECK(cond)	do {						\
	if (cond)							\
		break;							\
	fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__,		\
		__LINE__, #cond);					\
	abort();							\
} while (0)

/**
 * struct tape - input that has not been read yet
 * @p: next octet
 * @left: octets left
 */
struct tape {
	const u8 *p;
	size_t left;
};

/* The next octet; 0 after the end. */
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
