// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Message contents: a Weyl sequence whose start is a hash of the message.
 *
 * Word i of a message is base + i * step.  That runs at the speed of memory,
 * and two messages or two offsets agree in a word with probability 2^-64.
 */
#include <string.h>

#include "pattern.h"

#define PATTERN_STEP	0x9e3779b97f4a7c15ull

/* Finaliser of splitmix64. */
static uint64_t pattern_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

/**
 * pattern_base - first word of a message
 * @seed: of the run
 * @stream: queue pair and direction
 * @number: of the message within the stream
 *
 * Return: start of the sequence.
 */
uint64_t pattern_base(uint64_t seed, uint32_t stream, uint64_t number)
{
	return pattern_mix(pattern_mix(seed + stream * PATTERN_STEP) + number);
}

/**
 * pattern_fill - write a message
 * @buf: any alignment
 * @len: bytes
 * @base: pattern_base()
 */
void pattern_fill(void *buf, size_t len, uint64_t base)
{
	char *p = buf;
	uint64_t word;
	size_t i;

	for (i = 0; i < len / sizeof(word); i++) {
		word = base + i * PATTERN_STEP;
		memcpy(p + i * sizeof(word), &word, sizeof(word));
	}
	word = base + i * PATTERN_STEP;
	memcpy(p + i * sizeof(word), &word, len % sizeof(word));
}

static uint64_t pattern_differs(const char *p, size_t words, uint64_t base)
{
	uint64_t word, diff = 0;
	size_t i;

	for (i = 0; i < words; i++) {
		memcpy(&word, p + i * sizeof(word), sizeof(word));
		diff |= word ^ (base + i * PATTERN_STEP);
	}
	return diff;
}

static size_t pattern_locate(const char *p, size_t len, uint64_t base)
{
	uint64_t word = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (i % sizeof(word) == 0)
			word = base + i / sizeof(word) * PATTERN_STEP;
		if (p[i] != ((char *)&word)[i % sizeof(word)])
			break;
	}
	return i;
}

/**
 * pattern_check - compare a message
 * @buf: any alignment
 * @len: bytes
 * @base: pattern_base()
 *
 * Return: offset of the first wrong byte, @len if there is none.
 */
size_t pattern_check(const void *buf, size_t len, uint64_t base)
{
	size_t words = len / sizeof(uint64_t);
	size_t done = words * sizeof(uint64_t);

	if (pattern_differs(buf, words, base))
		return pattern_locate(buf, len, base);
	return done + pattern_locate((const char *)buf + done, len - done,
				     base + words * PATTERN_STEP);
}
