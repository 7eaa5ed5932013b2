// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Each request of a process while its nth allocation, or copy from or to user space,
 * fails, for every n: /proc/thread-self/fail-nth of the kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fault.h"
#include "tap.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
/* More than any request has: the rest tells how many it has. */
#define MANY		1000000u
#define NUMBER_LEN	16

/**
 * fault_open - file that says which call fails
 *
 * Return: descriptor, or -1 after a message.
 */
int fault_open(void)
{
	int fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		wrong("%s: %s", FAIL_NTH, strerror(errno));
	return fd;
}

/**
 * fault_arm - choose the call that is to fail
 * @fd: of fault_open()
 * @nth: from 1; 0 for none
 *
 * Return: 0, or -1 after a message.
 */
int fault_arm(int fd, uint32_t nth)
{
	char number[NUMBER_LEN];
	int len = snprintf(number, sizeof(number), "%u", nth), tries;

	/* What fails may be the copy of this number. */
	for (tries = 0; tries < 3; tries++)
		if (pwrite(fd, number, len, 0) == len)
			return 0;
	return wrong("%s: %s", FAIL_NTH, strerror(errno));
}

/**
 * fault_left - end the failing of calls
 * @fd: of fault_open()
 * @left: how many calls were left until the one that fails; 0 if it has failed
 *
 * Return: 0, or -1 after a message.
 */
int fault_left(int fd, uint32_t *left)
{
	char number[NUMBER_LEN] = "";

	/* If the copy of this number fails, no other call has. */
	*left = 1;
	if (pread(fd, number, sizeof(number) - 1, 0) > 0)
		*left = strtoul(number, NULL, 10);
	return fault_arm(fd, 0);
}

/* The request in full, the nth call failing; false after a message. */
static bool once(struct bench *b, const struct request *q, int fd, uint32_t nth,
		 uint32_t *left)
{
	int ret;

	act("%s %u", q->name, nth);
	b->posted = false;
	ret = q->before ? q->before(b) : 0;
	if (ret)
		return !wrong("before %s: %s", q->name, strerror(ret));
	if (fault_arm(fd, nth))
		return false;
	ret = q->run(b);
	if (fault_left(fd, left))
		return false;
	if (ret && *left)
		return !wrong("%s fails without cause: %s", q->name, strerror(ret));
	if (ret) {
		ret = q->run(b);
		if (ret && !(q->destroys && ret == ENOENT))
			return !wrong("%s does not succeed after failure %u: %s",
				      q->name, nth, strerror(ret));
	}
	ret = q->after ? q->after(b) : 0;
	if (ret)
		return !wrong("after %s (failure %u): %s", q->name, nth,
			      strerror(ret));
	return true;
}

/* All calls, or as many as there are actions, evenly spread. */
static void fail_each(struct bench *b, const struct request *q, int fd)
{
	uint32_t left = 0, calls, step, nth, tried = 0;
	bool ok;

	/* The first one fills caches. */
	ok = once(b, q, fd, MANY, &left) && once(b, q, fd, MANY, &left);
	calls = MANY - left;
	step = 1 + calls / b->t->actions;
	for (nth = 1; ok && nth <= calls; nth += step) {
		ok = once(b, q, fd, nth, &left);
		tried++;
	}
	tap_ok(ok, "%s succeeds after each of its calls has failed (%u of %u)",
	       q->name, tried, calls);
}

/**
 * fault_run - worker: each request while its nth allocation fails
 * @t: two devices
 *
 * Return: 0, or -1 after a message.
 */
int fault_run(struct torture *t)
{
	struct pair_args args = PAIR_ARGS_DEFAULT;
	static struct bench b;
	const struct request *q;
	int fd;

	b.t = t;
	args.a = t->dev[0];
	args.b = t->devs > 1 ? t->dev[1] : NULL;
	fd = fault_open();
	if (fd < 0 || pair_open_devices(&args) || bench_make(&b))
		return -1;
	for (q = requests; q->name; q++)
		fail_each(&b, q, fd);
	bench_destroy(&b);
	pair_close_devices();
	return tap_done();
}

static int load(int module)
{
	return syscall(SYS_finit_module, module, "", 0) ? errno : 0;
}

static bool load_once(int module, int fd, uint32_t nth, uint32_t *left)
{
	int ret;

	act("load %u", nth);
	if (fault_arm(fd, nth))
		return false;
	ret = load(module);
	if (fault_left(fd, left))
		return false;
	if (ret && *left)
		return !wrong("load: %s", strerror(ret));
	if (!ret && syscall(SYS_delete_module, "mrc", 0))
		return !wrong("unload: %s", strerror(errno));
	return true;
}

/**
 * load_run - worker: the module loads while an allocation fails
 * @t: the first port is the file of the module; of the calls the last ones fail,
 *	as the module's are after those of the kernel
 *
 * Return: 0, or -1 after a message.
 */
int load_run(struct torture *t)
{
	int module = t->ports ? open(t->port[0], O_RDONLY | O_CLOEXEC) : -1;
	uint32_t left = 0, calls, nth, first;
	int fd = fault_open();
	bool ok;

	if (module < 0 || fd < 0)
		return wrong("no file of a module");
	ok = load_once(module, fd, MANY, &left) &&
	     load_once(module, fd, MANY, &left);
	calls = MANY - left;
	first = calls > t->actions ? calls - t->actions : 1;
	for (nth = first; ok && nth <= calls; nth++)
		ok = load_once(module, fd, nth, &left);
	tap_ok(ok, "the module loads or not while one call fails (%u to %u)",
	       first, calls);
	return tap_done();
}
