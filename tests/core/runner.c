// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs KUnit suites as an ordinary program and prints TAP.
 *
 *   runner [PATTERN]..	run cases whose "suite.case" matches a glob pattern
 */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>

#include <kunit/test.h>

struct shim_alloc {
	struct shim_alloc *next;
	char mem[] __aligned(16);
};

static struct kunit_suite *suites;
static jmp_buf stop;
static unsigned int passed, failed, skipped;
static char **patterns;

void shim_kunit_register(struct kunit_suite *suite)
{
	struct kunit_suite **p = &suites;

	while (*p && strcmp((*p)->name, suite->name) < 0)
		p = &(*p)->next;
	suite->next = *p;
	*p = suite;
}

void shim_kunit_stop(void)
{
	longjmp(stop, 1);
}

void shim_kunit_fail(struct kunit *test, const char *file, int line,
		     bool fatal, const char *fmt, ...)
{
	va_list ap;

	test->status = KUNIT_FAILURE;
	printf("# %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (fatal)
		shim_kunit_stop();
}

static void print_hex(const char *title, const u8 *p, size_t len)
{
	size_t i;

	printf("#   %s", title);
	for (i = 0; i < len; i++)
		printf("%s%02x", i % 4 ? "" : " ", p[i]);
	putchar('\n');
}

void shim_kunit_mem(struct kunit *test, const char *file, int line,
		    bool fatal, const void *a, const void *b, size_t len,
		    const char *what)
{
	if (!memcmp(a, b, len))
		return;
	print_hex("left ", a, len);
	print_hex("right", b, len);
	shim_kunit_fail(test, file, line, fatal, "expected %s", what);
}

void *shim_kunit_alloc(struct kunit *test, size_t size)
{
	struct shim_alloc *a = calloc(1, sizeof(*a) + size);

	if (!a)
		abort();
	a->next = test->allocs;
	test->allocs = a;
	return a->mem;
}

static void free_allocs(struct kunit *test)
{
	struct shim_alloc *a, *next;

	for (a = test->allocs; a; a = next) {
		next = a->next;
		free(a);
	}
}

static void run_body(struct kunit_suite *s, struct kunit_case *c,
		     struct kunit *test)
{
	if (setjmp(stop))
		return;
	if (s->init && s->init(test)) {
		test->status = KUNIT_FAILURE;
		return;
	}
	c->run_case(test);
}

static void run_exit(struct kunit_suite *s, struct kunit *test)
{
	if (s->exit && !setjmp(stop))
		s->exit(test);
}

static void run_one(struct kunit_suite *s, struct kunit_case *c,
		    const void *param, const char *desc)
{
	struct kunit test = { .name = c->name, .param_value = param };
	const char *result = "ok", *note = "";

	run_body(s, c, &test);
	run_exit(s, &test);
	free_allocs(&test);
	if (test.status == KUNIT_FAILURE) {
		failed++;
		result = "not ok";
	} else if (test.status == KUNIT_SKIPPED) {
		skipped++;
		note = " # SKIP";
	} else {
		passed++;
	}
	printf("%s %u - %s.%s%s%s%s\n", result, passed + failed + skipped,
	       s->name, c->name, *desc ? ": " : "", desc, note);
	fflush(stdout);
}

static void run_case(struct kunit_suite *s, struct kunit_case *c)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	const void *param = NULL;

	if (!c->generate_params) {
		run_one(s, c, NULL, "");
		return;
	}
	while ((param = c->generate_params(param, desc)))
		run_one(s, c, param, desc);
}

static bool wanted(const struct kunit_suite *s, const struct kunit_case *c)
{
	char name[512];
	char **p;

	if (!*patterns)
		return true;
	snprintf(name, sizeof(name), "%s.%s", s->name, c->name);
	for (p = patterns; *p; p++)
		if (!fnmatch(*p, name, 0))
			return true;
	return false;
}

static void run_suite(struct kunit_suite *s)
{
	struct kunit_case *c;

	if (s->suite_init && s->suite_init(s)) {
		failed++;
		printf("not ok %u - %s: suite_init\n",
		       passed + failed + skipped, s->name);
		return;
	}
	for (c = s->test_cases; c->run_case; c++)
		if (wanted(s, c))
			run_case(s, c);
	if (s->suite_exit)
		s->suite_exit(s);
}

int main(int argc, char **argv)
{
	struct kunit_suite *s;

	(void)argc;
	patterns = argv + 1;
	puts("TAP version 13");
	for (s = suites; s; s = s->next)
		run_suite(s);
	printf("1..%u\n", passed + failed + skipped);
	printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
	/* No test at all is a mistyped pattern or a broken build. */
	return failed || !(passed + skipped);
}
