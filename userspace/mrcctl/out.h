/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Output: text and JSON with the same keys.
 */
#ifndef MRCCTL_OUT_H
#define MRCCTL_OUT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct out_options - how to print
 * @json: JSON instead of text
 * @pretty: JSON with line breaks
 * @details: text with every counter, and exact numbers
 * @stats: also the counters of devices
 */
struct out_options {
	bool json;
	bool pretty;
	bool details;
	bool stats;
};

extern struct out_options out;

/*
 * JSON; without effect in text mode.  Every command prints one array of objects
 * between out_begin() and out_end(); the monitor prints objects alone.
 */
void out_begin(void);
void out_end(void);
void out_object(const char *key);
void out_object_end(void);
void out_array(const char *key);
void out_array_end(void);
void out_line(void);

/*
 * One value, in JSON under @key, in text as @fmt says; a NULL @fmt prints
 * nothing in text.
 */
void out_string(const char *key, const char *fmt, const char *value);
void out_uint(const char *key, const char *fmt, uint64_t value);
void out_addr(const char *key, const char *fmt, const struct in6_addr *value);

/* Text only. */
void out_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Enough for any result of the functions below. */
enum { OUT_WORD = 64 };

void out_prefix(const char *key, const char *fmt, const struct in6_addr *addr,
		uint32_t len);
const char *out_prefix_word(const struct in6_addr *addr, uint32_t len,
			    char *word);
const char *out_addr_word(const struct in6_addr *addr, char *word);
const char *out_human(uint64_t value, char *word);
const char *out_nsec(uint32_t ns, char *word);

/**
 * struct out_column - one column of a text table
 * @title: its heading
 * @left: aligned left
 */
struct out_column {
	const char *title;
	bool left;
};

struct out_table;

struct out_table *out_table_new(const struct out_column *columns, int n);
void out_table_cell(struct out_table *table, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void out_table_sid(struct out_table *table, const struct in6_addr *sid,
		   const struct in6_addr *srh);
void out_table_end(struct out_table *table, int indent);

#endif /* MRCCTL_OUT_H */
