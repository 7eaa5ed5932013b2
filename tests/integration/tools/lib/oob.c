// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Out-of-band TCP connection, IPv4 or IPv6, between the two sides of a test.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "oob.h"

/* The other side may still be starting: 300 attempts, 100 ms apart. */
#define OOB_ATTEMPTS	300
#define OOB_PAUSE_NS	100000000L

static struct addrinfo *oob_resolve(const char *host, const char *port,
				    int flags, int family)
{
	struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = flags,
	};
	struct addrinfo *res;
	int ret;

	ret = getaddrinfo(host, port, &hints, &res);
	if (!ret)
		return res;
	fprintf(stderr, "%s port %s: %s\n", host ? host : "any address", port,
		gai_strerror(ret));
	return NULL;
}

/* A host without IPv6 is served on IPv4. */
static int oob_listen(const char *port, int family)
{
	struct addrinfo *ai;
	int fd, one = 1;

	ai = oob_resolve(NULL, port, AI_PASSIVE, family);
	if (!ai)
		return -1;
	fd = socket(ai->ai_family, SOCK_STREAM, 0);
	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(fd, ai->ai_addr, ai->ai_addrlen) || listen(fd, 1)) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(ai);
	return fd;
}

/**
 * oob_accept - wait for the other side
 * @port: TCP port or service
 *
 * Return: socket, or -1 after a message.
 */
int oob_accept(const char *port)
{
	int lfd, fd;

	lfd = oob_listen(port, AF_INET6);
	if (lfd < 0)
		lfd = oob_listen(port, AF_INET);
	if (lfd < 0) {
		fprintf(stderr, "listen on port %s: %s\n", port,
			strerror(errno));
		return -1;
	}
	fd = accept(lfd, NULL, NULL);
	if (fd < 0)
		perror("accept");
	close(lfd);
	return fd;
}

static int oob_try(const struct addrinfo *ai)
{
	int fd;

	for (; ai; ai = ai->ai_next) {
		fd = socket(ai->ai_family, ai->ai_socktype, ai->ai_protocol);
		if (fd < 0)
			continue;
		if (!connect(fd, ai->ai_addr, ai->ai_addrlen))
			return fd;
		close(fd);
	}
	return -1;
}

/**
 * oob_connect - connect to the peer, which may still be starting
 * @host: name or address
 * @port: TCP port or service
 *
 * Return: socket, or -1 after a message.
 */
int oob_connect(const char *host, const char *port)
{
	const struct timespec pause = { .tv_nsec = OOB_PAUSE_NS };
	struct addrinfo *ai;
	int i, fd = -1;

	ai = oob_resolve(host, port, 0, AF_UNSPEC);
	if (!ai)
		return -1;
	for (i = 0; i < OOB_ATTEMPTS && fd < 0; i++) {
		if (i)
			nanosleep(&pause, NULL);
		fd = oob_try(ai);
	}
	if (fd < 0)
		fprintf(stderr, "connect to %s port %s: %s\n", host, port,
			strerror(errno));
	freeaddrinfo(ai);
	return fd;
}

/**
 * oob_exchange - send a block and receive the other side's block
 * @fd: socket
 * @mine: sent
 * @theirs: received
 * @len: bytes of each
 *
 * Return: 0, or -1 after a message.
 */
int oob_exchange(int fd, const void *mine, void *theirs, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = send(fd, (const char *)mine + done, len - done,
			 MSG_NOSIGNAL);
		if (n <= 0)
			goto err;
		done += n;
	}
	for (done = 0; done < len; done += n) {
		n = recv(fd, (char *)theirs + done, len - done, 0);
		if (n <= 0)
			goto err;
	}
	return 0;

err:
	fprintf(stderr, "the peer has closed the connection: %s\n",
		n ? strerror(errno) : "connection closed");
	return -1;
}

/**
 * oob_barrier - wait until the other side is here as well
 * @fd: socket
 *
 * Return: 0, or -1 after a message.
 */
int oob_barrier(int fd)
{
	char mine = 0, theirs;

	return oob_exchange(fd, &mine, &theirs, sizeof(mine));
}
