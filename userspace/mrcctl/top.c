// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl top: ports and paths, live. On a terminal a screen with keys, otherwise
 * one view below the other.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "mrcctl.h"
#include "out.h"
#include "top.h"

enum {
	TOP_INTERVAL_MS = 1000,
	TOP_INTERVAL_MIN_MS = 100,
	/* Size of a terminal that does not report it. */
	TOP_COLUMNS = 80,
	TOP_LINES = 24,
	/* Title, two headings: what no path can have. */
	TOP_HEAD = 3,
};

/**
 * struct top - a run
 * @nl: connection
 * @dev: name of the only device of interest, or NULL
 * @count: views; 0: until interrupted
 * @interval: ms from one to the next
 * @shown: views so far
 * @screen: on a terminal, with keys
 * @view: how to draw
 * @now: latest sample, in the order of the view
 * @before: the same as it was taken: what the next one is compared with
 * @saved: how the terminal was
 */
struct top {
	struct nl *nl;
	const char *dev;
	uint32_t count;
	uint32_t interval;
	uint32_t shown;
	bool screen;
	struct top_view view;
	struct top_sample now;
	struct top_sample before;
	struct termios saved;
};

static volatile sig_atomic_t top_interrupted;

static void top_on_signal(int number)
{
	if (number != SIGWINCH)
		top_interrupted = 1;
}

/* --- terminal ------------------------------------------------------------------ */

static void top_enter(struct top *top)
{
	const struct sigaction action = { .sa_handler = top_on_signal };
	struct termios raw;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGWINCH, &action, NULL);
	tcgetattr(STDIN_FILENO, &top->saved);
	raw = top->saved;
	raw.c_lflag &= ~(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	/* The other screen, without a cursor, empty. */
	fputs("\033[?1049h\033[?25l\033[2J", stdout);
}

static void top_leave(struct top *top)
{
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &top->saved);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGWINCH, SIG_DFL);
}

static void top_measure(struct top_view *view)
{
	struct winsize size = {};

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	view->columns = size.ws_col ? size.ws_col : TOP_COLUMNS;
	view->lines = size.ws_row ? size.ws_row : TOP_LINES;
	if (view->lines < TOP_HEAD + 2)
		view->lines = TOP_HEAD + 2;
}

/* --- samples -------------------------------------------------------------------- */

static int top_step(struct top *top)
{
	struct top_sample taken, sorted;
	int ret;

	ret = top_sample(top->nl, top->dev, &taken);
	if (ret) {
		top_forget(&taken);
		return ret;
	}
	top_compare(&taken, &top->before);
	top->view.seconds = top->before.ns ?
			    (taken.ns - top->before.ns) / 1e9 : 0;
	sorted = taken;
	if (taken.n_paths) {
		sorted.paths = malloc(taken.n_paths * sizeof(*taken.paths));
		if (!sorted.paths)
			return EXIT_KERNEL;
		memcpy(sorted.paths, taken.paths,
		       taken.n_paths * sizeof(*taken.paths));
	}
	top_order(&sorted, top->view.sort);
	free(top->now.paths);
	top->now = sorted;
	/* Ports belong to both samples; the older one frees them. */
	top_forget(&top->before);
	top->before = taken;
	return EXIT_OK;
}

static void top_show(struct top *top)
{
	if (out.json) {
		top_json(&top->now, &top->view);
		fflush(stdout);
		return;
	}
	if (top->screen)
		top_measure(&top->view);
	else if (top->shown > 1)
		putchar('\n');
	top_draw(&top->now, &top->view);
}

/* --- keys ------------------------------------------------------------------------ */

static void top_scroll(struct top *top, long by)
{
	long last = top->now.n_paths ? (long)top->now.n_paths - 1 : 0;
	long first = (long)top->view.first + by;

	top->view.first = first < 0 ? 0 : first > last ? last : first;
}

/* Cursor keys are ESC [ A and the like. */
static void top_key_escape(struct top *top, const char *key)
{
	long page = top->view.lines / 2;

	if (!strncmp(key, "\033[A", 3) || !strncmp(key, "\033OA", 3))
		top_scroll(top, -1);
	else if (!strncmp(key, "\033[B", 3) || !strncmp(key, "\033OB", 3))
		top_scroll(top, 1);
	else if (!strncmp(key, "\033[5~", 4))
		top_scroll(top, -page);
	else if (!strncmp(key, "\033[6~", 4))
		top_scroll(top, page);
}

static void top_next_sort(struct top *top)
{
	top->view.sort = top->view.sort % (TOP_SORTS - 1) + 1;
	top->view.first = 0;
	top_order(&top->now, top->view.sort);
}

/* Returns false to quit. */
static bool top_keys(struct top *top)
{
	char keys[32] = {};
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys) - 1);
	const char *key;

	if (n <= 0)
		return n < 0 && errno == EINTR;
	for (key = keys; *key; key++) {
		if (*key == 'q')
			return false;
		if (*key == 's')
			top_next_sort(top);
		if (*key == '\033')
			top_key_escape(top, key);
	}
	return true;
}

/* --- run -------------------------------------------------------------------------- */

static int64_t top_left(const struct top *top)
{
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = now.tv_sec * 1000000000ULL + now.tv_nsec - top->before.ns;
	return (int64_t)top->interval - (int64_t)(ns / 1000000);
}

/* Until the next sample is due; false: quit. */
static bool top_wait(struct top *top)
{
	struct pollfd key = { .fd = STDIN_FILENO, .events = POLLIN };
	int64_t left;
	int ret;

	while (!top_interrupted) {
		left = top_left(top);
		if (left <= 0)
			return true;
		ret = poll(top->screen ? &key : NULL, top->screen, left);
		if (ret > 0 && !top_keys(top))
			return false;
		/* A key was pressed, or the size has changed. */
		if (top->screen && (ret > 0 || (ret < 0 && errno == EINTR)))
			top_show(top);
	}
	return false;
}

/* The first sample has nothing to be compared with. */
static int top_run(struct top *top)
{
	int ret;

	do {
		ret = top_step(top);
		if (ret)
			return ret;
		if (top->view.seconds > 0 || top->screen) {
			top->shown += top->view.seconds > 0;
			top_show(top);
		}
	} while ((!top->count || top->shown < top->count) && top_wait(top));
	return EXIT_OK;
}

static int top_start(struct top *top)
{
	int ret;

	if (top->interval < TOP_INTERVAL_MIN_MS)
		return usage_error("'interval %u': less than %u ms",
				   top->interval, TOP_INTERVAL_MIN_MS);
	top->screen = !out.json && isatty(STDIN_FILENO) &&
		      isatty(STDOUT_FILENO);
	top->view.colour = top->screen;
	out.pretty = false;
	/* Report errors before switching to the other screen. */
	ret = top_step(top);
	if (ret)
		return ret;
	if (top->screen)
		top_enter(top);
	if (top->screen)
		top_show(top);
	ret = top_wait(top) ? top_run(top) : EXIT_OK;
	if (top->screen)
		top_leave(top);
	/* And again where it can be read. */
	return ret && top->screen ? top_step(top) : ret;
}

static int top_command(struct nl *nl, int argc, char **argv)
{
	struct top top = {
		.nl = nl,
		.interval = TOP_INTERVAL_MS,
		.view.sort = TOP_SORT_RATE,
	};
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &top.dev },
		{ "count", ARG_U32, false, &top.count },
		{ "interval", ARG_U32, false, &top.interval },
		{ "sort", ARG_WORD, false, &top.view.sort,
		  .words = top_sorts },
		{ NULL }
	};
	int ret;

	ret = args_parse(argc, argv, args);
	if (!ret)
		ret = top_start(&top);
	free(top.now.paths);
	top_forget(&top.before);
	return ret;
}

static const struct command top_commands[] = {
	{ "show", top_command },
	{ NULL }
};

const struct object top_object = {
	.name = "top",
	.usage = "mrcctl top [dev NAME] [count N] [interval MS]\n"
		 "           [sort { rate | rtt | ecn | loss | name }]\n",
	.commands = top_commands,
};
