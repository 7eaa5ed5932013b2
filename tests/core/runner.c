// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs KUnit suites as an ordinary program and prints TAP.
 *
 *   runner [-j N] [-n SEEDS] [-s SEED] [PATTERN]..
 *	run cases whose "suite.case" matches a glob pattern, in N processes;
 *	random runs with SEEDS seeds, or with one SEED and a trace of its events
 */
#include <fnmatch.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kunit/test.h>

#define MAX_WORKERS 64

struct shim_alloc {
	struct shim_alloc *next;
	char mem[] __aligned(16);
};

/**
 * struct board - memory shared by the processes
 * @print: held by the process that prints
 * @next: first test that no process has begun
 * @passed: number of tests
 * @failed: number of tests
 * @skipped: number of tests
 * @running: test that each process runs
 */
struct board {
	sem_t print;
	unsigned int next;
	unsigned int passed;
	unsigned int failed;
	unsigned int skipped;
	char running[MAX_WORKERS][512];
};

u64 shim_kunit_seed, shim_kunit_seeds;

static struct board *board;
static struct kunit_suite *suites;
static jmp_buf stop;
static char **patterns;
/* Number of this process, and the comments of the test that it runs. */
static unsigned int worker;
static FILE *comments;
/* Number of tests that this process has passed over, and the one to run next. */
static unsigned int seen, mine;

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
	fprintf(comments, "# %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(comments, fmt, ap);
	va_end(ap);
	fputc('\n', comments);
	if (fatal)
		shim_kunit_stop();
}

static void print_hex(const char *title, const u8 *p, size_t len)
{
	size_t i;

	fprintf(comments, "#   %s", title);
	for (i = 0; i < len; i++)
		fprintf(comments, "%s%02x", i % 4 ? "" : " ", p[i]);
	fputc('\n', comments);
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

void shim_kunit_free(struct kunit *test, const void *mem)
{
	struct shim_alloc **p, *a;

	for (p = &test->allocs; (a = *p); p = &a->next) {
		if (a->mem != mem)
			continue;
		*p = a->next;
		free(a);
		return;
	}
}

void shim_kunit_say(struct kunit *test, const char *fmt, ...)
{
	va_list ap;

	fprintf(comments, "# %s: ", test->name);
	va_start(ap, fmt);
	vfprintf(comments, fmt, ap);
	va_end(ap);
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

/* The first process that is idle runs the next test. */
static bool is_mine(void)
{
	if (seen++ != mine)
		return false;
	mine = __atomic_fetch_add(&board->next, 1, __ATOMIC_RELAXED);
	return true;
}

static const char *count(const struct kunit *test, const char **note)
{
	*note = "";
	switch (test->status) {
	case KUNIT_FAILURE:
		board->failed++;
		return "not ok";
	case KUNIT_SKIPPED:
		board->skipped++;
		*note = " # SKIP";
		return "ok";
	default:
		board->passed++;
		return "ok";
	}
}

static unsigned int n_tests(void)
{
	return board->passed + board->failed + board->skipped;
}

static void report(const struct kunit *test, const char *title,
		   const char *notes)
{
	const char *result, *note;

	sem_wait(&board->print);
	result = count(test, &note);
	printf("%s%s %u - %s%s\n", notes, result, n_tests(), title, note);
	fflush(stdout);
	sem_post(&board->print);
}

static void run_one(struct kunit_suite *s, struct kunit_case *c,
		    const void *param, const char *desc)
{
	struct kunit test = { .name = c->name, .param_value = param };
	char *title = board->running[worker];
	char *notes;
	size_t len;

	if (!is_mine())
		return;
	snprintf(title, sizeof(board->running[0]), "%s.%s%s%s", s->name,
		 c->name, *desc ? ": " : "", desc);
	comments = open_memstream(&notes, &len);
	if (!comments)
		abort();
	run_body(s, c, &test);
	run_exit(s, &test);
	free_allocs(&test);
	fclose(comments);
	report(&test, title, notes);
	free(notes);
	*title = '\0';
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

static bool is_selected(const struct kunit_suite *s, const struct kunit_case *c)
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

	if (s->suite_init && s->suite_init(s))
		abort();
	for (c = s->test_cases; c->run_case; c++)
		if (is_selected(s, c))
			run_case(s, c);
	if (s->suite_exit)
		s->suite_exit(s);
}

static void run_suites(void)
{
	struct kunit_suite *s;

	mine = __atomic_fetch_add(&board->next, 1, __ATOMIC_RELAXED);
	for (s = suites; s; s = s->next)
		run_suite(s);
}

static void start_worker(void)
{
	pid_t pid = fork();

	if (pid < 0)
		abort();
	if (pid)
		return;
	run_suites();
	exit(0);
}

/* A process that dies, by a sanitizer for instance, has failed its test. */
static void wait_workers(unsigned int n)
{
	bool died = false;
	unsigned int i;
	int status;

	while (wait(&status) >= 0)
		died |= status != 0;
	for (i = 0; died && i < n; i++) {
		if (!*board->running[i])
			continue;
		board->failed++;
		printf("not ok %u - %s # died\n", n_tests(),
		       board->running[i]);
	}
	/* A process died outside of a test. */
	if (died && !board->failed)
		board->failed++;
}

static void run_workers(unsigned int n)
{
	fflush(stdout);
	for (worker = 0; worker < n; worker++)
		start_worker();
	wait_workers(n);
}

static void make_board(void)
{
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED || sem_init(&board->print, 1, 1))
		abort();
}

static unsigned int get_options(int argc, char **argv)
{
	unsigned int n = 1;
	int c;

	while ((c = getopt(argc, argv, "j:n:s:")) != -1) {
		switch (c) {
		case 'j':
			n = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			shim_kunit_seeds = strtoull(optarg, NULL, 0);
			break;
		case 's':
			shim_kunit_seed = strtoull(optarg, NULL, 0);
			break;
		default:
			exit(2);
		}
	}
	patterns = argv + optind;
	return n < MAX_WORKERS ? n : MAX_WORKERS;
}

int main(int argc, char **argv)
{
	unsigned int n = get_options(argc, argv);

	make_board();
	puts("TAP version 13");
	if (n > 1)
		run_workers(n);
	else
		run_suites();
	printf("1..%u\n", n_tests());
	printf("%u passed, %u failed, %u skipped\n", board->passed,
	       board->failed, board->skipped);
	/* Without any test the pattern is mistyped or the build broken. */
	return board->failed || !(board->passed + board->skipped);
}
