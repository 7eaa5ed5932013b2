// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test Anything Protocol.
 */
#include <stdarg.h>
#include <stdio.h>

#include "tap.h"

static int tap_run;
static int tap_failed;

/**
 * tap_ok - result of one test
 * @ok: passed
 * @fmt: name
 *
 * Return: @ok.
 */
bool tap_ok(bool ok, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", ok ? "" : "not ", ++tap_run);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	tap_failed += !ok;
	return ok;
}

/**
 * tap_skip - a test that cannot be run here
 * @name: of the test
 * @why: reason
 */
void tap_skip(const char *name, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_run, name, why);
	fflush(stdout);
}

/**
 * tap_note - comment
 * @fmt: text
 */
void tap_note(const char *fmt, ...)
{
	va_list ap;

	fputs("# ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

/**
 * tap_done - plan
 *
 * Return: exit status.
 */
int tap_done(void)
{
	printf("1..%d\n", tap_run);
	if (tap_failed)
		printf("# %d of %d failed\n", tap_failed, tap_run);
	return tap_failed ? 1 : 0;
}
