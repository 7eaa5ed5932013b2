// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Paths between the hosts of a topology: which there are, and their addresses.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "topo_path.h"

/**
 * topo_is_local() - are two hosts attached to the same T0s?
 * @topo: network
 * @from: host
 * @to: host
 *
 * Return: true if so in all planes; the tier of T1s is left out then.
 */
bool topo_is_local(const struct topo *topo, const struct topo_host *from,
		   const struct topo_host *to)
{
	return !memcmp(from->t0, to->t0, topo->planes * sizeof(*from->t0));
}

/* Paths of a plane that a host uses to peers behind other T0s. */
static int per_plane(const struct topo *topo)
{
	int most = topo->paths / topo->planes;

	return topo->t1.n < most ? topo->t1.n : most;
}

/*
 * Where a host begins if there are more T1s than paths: hosts should not all
 * choose the same ones.
 */
static int first_t1(const struct topo *topo, const struct topo_host *host)
{
	uint32_t sum = 0;
	const char *c;

	for (c = host->name; *c; c++)
		sum = sum * 31 + (unsigned char)*c;
	return sum % topo->t1.n;
}

/*
 * Numbers of the T1s that a host uses in a plane.  If it cannot use them all,
 * denied ones are the last to be taken.
 */
static void choose_t1s(const struct topo *topo, const struct topo_host *host,
		       int plane, int *t1)
{
	int wanted = per_plane(topo), first = first_t1(topo, host), n = 0;
	int round, i, j;

	for (i = 0; wanted == topo->t1.n && i < wanted; i++)
		t1[n++] = i;
	for (round = 0; round < 2; round++) {
		for (i = 0; i < topo->t1.n && n < wanted; i++) {
			j = (first + i) % topo->t1.n;
			if (*topo_cut(topo, plane, host->t0[plane], j) == round)
				t1[n++] = j;
		}
	}
}

/**
 * topo_paths() - the paths from a host to another
 * @topo: network without mistakes
 * @from: where they begin
 * @to: where they end
 * @path: filled in, MRC_EVS_MAX; the planes take turns
 *
 * Return: how many.
 */
int topo_paths(const struct topo *topo, const struct topo_host *from,
	       const struct topo_host *to, struct topo_path *path)
{
	int t1[MRC_EVS_MAX] = {}, n = per_plane(topo), p, i, j;

	if (topo_is_local(topo, from, to)) {
		for (p = 0; p < topo->planes; p++)
			path[p] = (struct topo_path){ .plane = p, .t1 = -1 };
		return topo->planes;
	}
	for (p = 0; p < topo->planes; p++) {
		choose_t1s(topo, from, p, t1);
		for (i = 0; i < n; i++) {
			j = t1[i];
			path[i * topo->planes + p] = (struct topo_path){
				.plane = p,
				.t1 = j,
				.denied = *topo_cut(topo, p, from->t0[p], j) ||
					  *topo_cut(topo, p, to->t0[p], j),
			};
		}
	}
	return n * topo->planes;
}

/**
 * topo_digits() - the outer destination of a path, digit by digit
 * @topo: network without mistakes
 * @from: where it begins
 * @to: where it ends
 * @path: the path
 * @digits: filled in, TOPO_ADDR_DIGITS + 1 bytes: as far as uSIDs go, with the
 *	letter p for digits of the plane
 */
void topo_digits(const struct topo *topo, const struct topo_host *from,
		 const struct topo_host *to, const struct topo_path *path,
		 char *digits)
{
	int p = path->plane;

	/* topo_check() has verified that the digits fit. */
	digits = stpcpy(digits, topo->block);
	digits = stpcpy(digits,
			topo_usid_of(&topo->t0, p, from->t0[p])->digit);
	if (path->t1 >= 0) {
		digits = stpcpy(digits,
				topo_usid_of(&topo->t1, p, path->t1)->digit);
		digits = stpcpy(digits,
				topo_usid_of(&topo->t0, p, to->t0[p])->digit);
	}
	strcpy(digits, to->usid.digit);
}

/* Each part has digits of the plane of its own. */
static void put_planes(const struct topo *topo, char *digits, int plane)
{
	char part[TOPO_ADDR_DIGITS + 1];
	int n = strlen(topo->block), at;

	for (at = 0; digits[at]; at += n, n = topo->usid_digits) {
		memcpy(part, digits + at, n);
		part[n] = '\0';
		topo_plane_digits(topo, part, plane);
		memcpy(digits + at, part, n);
	}
}

static void put_addr(const struct topo *topo, char *digits, int plane,
		     struct in6_addr *addr)
{
	char digit[2] = "";
	int i;

	put_planes(topo, digits, plane);
	memset(addr, 0, sizeof(*addr));
	for (i = 0; digits[i]; i++) {
		digit[0] = digits[i];
		addr->s6_addr[i / 2] |= strtoul(digit, NULL, 16)
					<< (i % 2 ? 0 : TOPO_DIGIT_BITS);
	}
}

static void put_prefix(const struct topo *topo, char *digits, int plane,
		       struct prefix *prefix)
{
	prefix->len = strlen(digits) * TOPO_DIGIT_BITS;
	put_addr(topo, digits, plane, &prefix->addr);
}

/**
 * topo_block_prefix() - what the addresses of a plane begin with
 * @topo: network without mistakes
 * @plane: from 0
 * @prefix: filled in
 */
void topo_block_prefix(const struct topo *topo, int plane,
		       struct prefix *prefix)
{
	char digits[TOPO_ADDR_DIGITS + 1];

	strcpy(digits, topo->block);
	put_prefix(topo, digits, plane, prefix);
}

/**
 * topo_node_prefix() - addresses whose next uSID is that of a node
 * @topo: network without mistakes
 * @usid: of the node
 * @plane: from 0
 * @prefix: filled in
 */
void topo_node_prefix(const struct topo *topo, const struct topo_usid *usid,
		      int plane, struct prefix *prefix)
{
	char digits[TOPO_ADDR_DIGITS + 1];

	strcpy(stpcpy(digits, topo->block), usid->digit);
	put_prefix(topo, digits, plane, prefix);
}

/**
 * topo_link_local() - link-local address of a node on all its links
 * @topo: network without mistakes
 * @usid: of the node
 * @plane: from 0
 * @addr: filled in
 */
void topo_link_local(const struct topo *topo, const struct topo_usid *usid,
		     int plane, struct in6_addr *addr)
{
	struct topo_usid own = *usid;
	uint32_t bits;
	int i;

	topo_plane_digits(topo, own.digit, plane);
	bits = strtoul(own.digit, NULL, 16);
	*addr = topo->link_local;
	for (i = sizeof(*addr) - 1; bits; i--, bits >>= 8)
		addr->s6_addr[i] |= bits;
}

/**
 * topo_usid_prefix() - where paths to a host end
 * @topo: network without mistakes
 * @host: the host
 * @plane: by which they come
 * @prefix: filled in
 */
void topo_usid_prefix(const struct topo *topo, const struct topo_host *host,
		      int plane, struct prefix *prefix)
{
	topo_node_prefix(topo, &host->usid, plane, prefix);
}

/**
 * topo_sid() - the outer destination of a path
 * @topo: network without mistakes
 * @from: where it begins
 * @to: where it ends
 * @path: the path
 * @sid: filled in
 */
void topo_sid(const struct topo *topo, const struct topo_host *from,
	      const struct topo_host *to, const struct topo_path *path,
	      struct in6_addr *sid)
{
	char digits[TOPO_ADDR_DIGITS + 1];

	topo_digits(topo, from, to, path, digits);
	put_addr(topo, digits, path->plane, sid);
}
