// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What all commands on topologies share.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "topo.h"

/**
 * topo_mistake() - note that something is wrong
 * @topo: network
 * @place: where, as a JSON path; "" is the whole
 * @fmt: what, and what to do, as printf
 */
void topo_mistake(struct topo *topo, const char *place, const char *fmt, ...)
{
	struct topo_mistake *m;
	va_list args;

	if (topo->mistakes++ >= TOPO_MISTAKES)
		return;
	m = &topo->mistake[topo->mistakes - 1];
	snprintf(m->place, sizeof(m->place), "%s", place);
	va_start(args, fmt);
	vsnprintf(m->text, sizeof(m->text), fmt, args);
	va_end(args);
}

static void *need(void *p)
{
	if (!p) {
		fprintf(stderr, "%s: out of memory\n",
			program_invocation_short_name);
		exit(EXIT_KERNEL);
	}
	return p;
}

/**
 * topo_alloc() - allocate an array of zeros
 * @n: elements
 * @size: of each
 *
 * Return: the array; without memory the program ends.
 */
void *topo_alloc(size_t n, size_t size)
{
	return need(calloc(n ? n : 1, size));
}

/**
 * topo_grow() - allocate one more element
 * @array: elements; NULL if there are none
 * @n: how many are used
 * @size: of each
 *
 * Return: the array; without memory the program ends.
 */
void *topo_grow(void *array, size_t n, size_t size)
{
	/* The array is full when @n is a power of two. */
	if (n & (n - 1))
		return array;
	return need(realloc(array, (n ? 2 * n : 1) * size));
}

/**
 * topo_text() - write a string of any length
 * @text: the string, once the stream is closed; free() it
 * @size: its length
 *
 * Return: where to write; without memory the program ends.
 */
FILE *topo_text(char **text, size_t *size)
{
	return need(open_memstream(text, size));
}

/**
 * topo_free() - free a network
 * @topo: what topo_load() has filled in
 */
void topo_free(struct topo *topo)
{
	free(topo->t0.usid);
	free(topo->t1.usid);
	free(topo->host);
	free(topo->deny);
	free(topo->cut);
	json_decref(topo->json);
}

/**
 * topo_switch_name() - name of a switch
 * @topo: network
 * @tier: 0 or 1
 * @plane: from 0
 * @number: of the switch
 * @name: TOPO_NAME bytes
 *
 * Return: @name.
 */
const char *topo_switch_name(const struct topo *topo, int tier, int plane,
			     int number, char *name)
{
	snprintf(name, TOPO_NAME, "t%d-%d-%d", tier, topo->first_plane + plane,
		 number);
	return name;
}

/**
 * topo_usid_of() - uSID of a switch
 * @tier: its tier
 * @plane: from 0
 * @number: of the switch
 *
 * Return: the uSID, with the letter p in it.
 */
const struct topo_usid *topo_usid_of(const struct topo_tier *tier, int plane,
				     int number)
{
	return &tier->usid[(size_t)plane * tier->n + number];
}

/**
 * topo_plane_digits() - put in the number of a plane
 * @topo: network
 * @digits: digits with the letter p in one place
 * @plane: from 0
 */
void topo_plane_digits(const struct topo *topo, char *digits, int plane)
{
	int number = topo->first_plane + plane, i;

	for (i = strlen(digits) - 1; i >= 0; i--) {
		if (digits[i] != 'p')
			continue;
		digits[i] = "0123456789abcdef"[number & 15];
		number >>= TOPO_DIGIT_BITS;
	}
}

/**
 * topo_find_host() - find a host by its name
 * @topo: network
 * @name: the name
 *
 * Return: the host, or NULL.
 */
const struct topo_host *topo_find_host(const struct topo *topo,
				       const char *name)
{
	int i;

	for (i = 0; i < topo->hosts; i++) {
		if (!strcmp(topo->host[i].name, name))
			return &topo->host[i];
	}
	return NULL;
}

/**
 * topo_cut() - whether a link is denied
 * @topo: network, checked
 * @plane: from 0
 * @t0: number of its lower end
 * @t1: number of its upper end
 *
 * Return: the place where that is noted.
 */
bool *topo_cut(const struct topo *topo, int plane, int t0, int t1)
{
	size_t row = (size_t)plane * topo->t0.n + t0;

	return &topo->cut[row * topo->t1.n + t1];
}
