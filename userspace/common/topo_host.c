// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which network a file describes, which of its hosts an address belongs to, and
 * which of them this machine is.
 */
#include <ifaddrs.h>
#include <string.h>

#include "exit_code.h"
#include "topo.h"

/**
 * topo_told_mistakes() - how many mistakes are printed
 * @topo: network
 *
 * Return: the number, TOPO_MISTAKES at most.
 */
int topo_told_mistakes(const struct topo *topo)
{
	return topo->mistakes < TOPO_MISTAKES ? topo->mistakes : TOPO_MISTAKES;
}

/**
 * topo_print_mistakes() - report the mistakes of a file
 * @topo: network, checked
 *
 * Return: EXIT_OK, or EXIT_USAGE if there are any.
 */
int topo_print_mistakes(const struct topo *topo)
{
	const struct topo_mistake *m = topo->mistake;
	int i;

	for (i = 0; i < topo_told_mistakes(topo); i++, m++)
		usage_error("%s: %s%s%s", topo->file, m->place,
			    *m->place ? ": " : "", m->text);
	if (topo->mistakes > i)
		usage_error("%s: %d more mistakes", topo->file,
			    topo->mistakes - i);
	return topo->mistakes ? EXIT_USAGE : EXIT_OK;
}

/**
 * topo_load_good() - read a topology file, and report its mistakes
 * @file: its name; "-" is standard input
 * @topo: filled in; topo_free() it in any case
 *
 * Return: EXIT_OK, or EXIT_USAGE after reporting what is wrong.
 */
int topo_load_good(const char *file, struct topo *topo)
{
	int ret = topo_load(file, topo);

	if (ret)
		return ret;
	topo_check(topo);
	return topo_print_mistakes(topo);
}

static bool has_prefix(const struct prefix *prefix, const struct in6_addr *addr)
{
	uint32_t i;

	for (i = 0; i < prefix->len; i++) {
		if ((prefix->addr.s6_addr[i / 8] ^ addr->s6_addr[i / 8]) &
		    0x80 >> i % 8)
			return false;
	}
	return true;
}

/**
 * topo_host_of() - find a host by one of its addresses
 * @topo: network
 * @addr: the address
 *
 * Return: the host, or NULL.
 */
const struct topo_host *topo_host_of(const struct topo *topo,
				     const struct in6_addr *addr)
{
	int i;

	for (i = 0; i < topo->hosts; i++) {
		if (has_prefix(&topo->host[i].prefix, addr))
			return &topo->host[i];
	}
	return NULL;
}

/* The host that has an address of this machine. */
static const struct topo_host *find_self(const struct topo *topo)
{
	const struct topo_host *host = NULL;
	const struct sockaddr_in6 *in6;
	struct ifaddrs *list, *a;

	if (getifaddrs(&list))
		return NULL;
	for (a = list; a && !host; a = a->ifa_next) {
		if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET6)
			continue;
		in6 = (const struct sockaddr_in6 *)a->ifa_addr;
		host = topo_host_of(topo, &in6->sin6_addr);
	}
	freeifaddrs(list);
	return host;
}

/**
 * topo_get_host() - find a host by its name, or this machine
 * @topo: network
 * @key: argument that names it, for the message
 * @name: name; NULL: the host that has an address of this machine
 * @host: set to the host
 *
 * Return: EXIT_OK, or EXIT_USAGE after reporting what is wrong.
 */
int topo_get_host(const struct topo *topo, const char *key, const char *name,
		  const struct topo_host **host)
{
	*host = name ? topo_find_host(topo, name) : find_self(topo);
	if (*host)
		return EXIT_OK;
	if (name)
		return usage_error("'%s %s': no such host in %s", key, name,
				   topo->file);
	return usage_error("'%s' is missing, no local address is one of a host in %s",
			   key, topo->file);
}
