/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Kinds of malformed packets.
 */
#ifndef MRC_TEST_MALFORMED_H
#define MRC_TEST_MALFORMED_H

#include "fixture.h"
#include "tap.h"

/**
 * struct malformed - one kind of malformed packet
 * @name: of the test
 * @reason: name of enum mrc_drop; NULL: the network stack drops it
 * @n: number of variations
 * @make: build variation 0 .. @n - 1
 * @state: of the QP it is sent to
 * @family: '4' or '6': exists in this version of IP only
 * @second: build a second frame that goes with it, or NULL
 * @untouched: a device that decapsulates passes it to the network stack, which
 *	drops it; @reason applies if the stack has decapsulated it (End.DT6)
 * @decap: only a device that decapsulates drops it, not the stack
 */
struct malformed {
	const char *name;
	const char *reason;
	u32 n;
	void (*make)(struct fixture *s, struct frame *f, u32 i);
	enum target_state state;
	char family;
	void (*second)(struct fixture *s, struct frame *f, u32 i);
	bool untouched;
	bool decap;
};

/* Malformed MRC headers, and malformed headers before MRC; NULL ends a table. */
extern const struct malformed malformed_mrc[];
extern const struct malformed malformed_ip[];

void malformed_write(struct fixture *s, struct frame *f, u32 len);
void malformed_ctrl(struct fixture *s, struct frame *f, u8 opcode);
void mutate_seed(u32 seed);
void mutate_send(struct fixture *s);

#endif /* MRC_TEST_MALFORMED_H */
