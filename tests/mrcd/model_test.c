// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcd in a model of 512 hosts: 8 planes of 32 T0 and 16 T1, 16 hosts at each T0, and in
 * one of 6 hosts, in simulated time.  Names what is broken, in time, and nothing else.
 *
 *	model_test [HOURS]
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deny.h"
#include "world.h"

enum {
	PLANES = 8,
	T0S = 32,
	T1S = 16,
	HOSTS = 512,
	HOSTS_PER_T0 = HOSTS / T0S,
};

/**
 * struct size - size of a network
 * @planes: number of planes
 * @t0s: of T0s in each
 * @t1s: likewise
 * @hosts: of hosts
 */
struct size {
	int planes;
	int t0s;
	int t1s;
	int hosts;
};

static const struct size large = { PLANES, T0S, T1S, HOSTS };
static const struct size small = { 4, 3, 4, 6 };
static const struct size two_planes = { 2, 3, 4, 6 };
static const struct size wide = { 2, 32, 16, 512 };

/* Probes per second of a host: of a probe's 150 bytes on 8 ports of 100 Gb/s a few
 * millionths.
 */
#define RATE		8000.0
/* In which a fault must be named, s. */
#define TIME_TO_NAME	10.0
/* What a probe takes on the wire of a port of 250 Mbit/s, ns. */
#define WIRE			5000
/* Time before a fault begins, s. */
#define TIME_BEFORE	45.0
/* After a repair, in which nothing is named any more, s. */
#define TIME_TO_CLEAR	10.0

static char file[64], small_file[64], two_file[64], wide_file[64];
static int tests, failed;

__attribute__((format(printf, 2, 3)))
static void check(bool ok, const char *fmt, ...)
{
	va_list args;

	tests++;
	failed += !ok;
	printf("%sok %d - model: ", ok ? "" : "not ", tests);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

static void write_topology(char *file, const struct size *size)
{
	FILE *f;
	int i, fd;

	strcpy(file, "/tmp/mrcd-model-XXXXXX");
	fd = mkstemp(file);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f) {
		perror(file);
		exit(1);
	}
	fprintf(f, "{ \"planes\": %d, \"block\": \"fcbb:bb00::/32\",\n", size->planes);
	fprintf(f, "\"t0\": { \"count\": %d, \"usid\": \"1pnn\" },\n", size->t0s);
	fprintf(f, "\"t1\": { \"count\": %d, \"usid\": \"2pnn\" },\n", size->t1s);
	fprintf(f, "\"host_usid\": \"4nnn\", \"hosts\": [\n");
	for (i = 0; i < size->hosts; i++)
		fprintf(f, "%s{ \"name\": \"h%d\", \"address\": \"2001:db8:1:%x::1\",\n"
			"  \"t0\": %d, \"number\": %d }\n",
			i ? "," : "", i, i, i / (size->hosts / size->t0s), i);
	fprintf(f, "] }\n");
	fclose(f);
}

/* The fault is named first, within a time, and alone. */
static void alone(struct world *world, const char *what, const char *wanted,
		  double seconds)
{
	double begin = world->now;
	char got[256];
	bool named;

	named = world_run_until_named(world, seconds);
	world_first_name(world, got);
	check(named && !strcmp(got, wanted), "%s is named within %.0f s", what,
	      seconds);
	printf("# got '%s' after %.2f s, wanted '%s'\n", world->named,
	       world->named_at - begin, wanted);
	world_run(world, 20);
	check(!strncmp(world->named, wanted, strlen(wanted)) &&
	      strlen(world->named) == strlen(wanted) + 1,
	      "%s: nothing else is named", what);
	if (strlen(world->named) != strlen(wanted) + 1)
		printf("# got '%s'\n", world->named);
}

static void names(struct world *world, const char *what, const char *wanted)
{
	alone(world, what, wanted, TIME_TO_NAME);
}

static void begin(struct world *world, int self)
{
	world_begin(world, file, self, RATE);
	world_run(world, TIME_BEFORE);
}

/*
 * A link, or a direction of it, loses packets.  One of two hosts next to it names it in
 * time; with a host that sees no loss in these seconds, its neighbours do.
 */
static void one_way(const char *part, const char *wanted, int self, double loss)
{
	char what[256], kind[256], got[256];
	struct world world;
	int i;

	snprintf(what, sizeof(what), "%s with %g %% loss", part, 100 * loss);
	snprintf(kind, sizeof(kind), "%s/loss", wanted);
	for (i = 0; i < 2; i++) {
		begin(&world, self ^ i);
		world_break(&world, part)->loss = loss;
		if (world_run_until_named(&world, TIME_TO_NAME))
			break;
		world_end(&world);
	}
	if (i == 2) {
		check(false, "%s is named within %.0f s", what, TIME_TO_NAME);
		return;
	}
	check(!strcmp(world_first_name(&world, got), kind),
	      "%s is named within %.0f s", what, TIME_TO_NAME);
	printf("# by h%d after %.2f s: '%s'\n", world.self,
	       world.named_at - TIME_BEFORE, world.named);
	world_run(&world, 20);
	check(strlen(world.named) == strlen(kind) + 1,
	      "%s: nothing else is named", what);
	world_repair(&world);
	world_run(&world, 60);
	check(world.cleared == 1, "%s is known to be over after its repair",
	      part);
	printf("# named '%s'\n", world.named);
	world_end(&world);
}

static void test_links(void)
{
	char part[64], wanted[64];
	int i, p, t0, t1, host;

	for (i = 0; i < 6; i++) {
		p = lrand48() % PLANES;
		host = lrand48() % HOSTS;
		t0 = host / HOSTS_PER_T0;
		t1 = lrand48() % T1S;
		snprintf(part, sizeof(part), i % 2 ? "t0-%d-%d>t1-%d-%d" :
			 "t1-%d-%d>t0-%d-%d", p, i % 2 ? t0 : t1, p,
			 i % 2 ? t1 : t0);
		snprintf(wanted, sizeof(wanted), "t0-%d-%d:t1-%d-%d", p, t0, p,
			 t1);
		one_way(part, wanted, host, 0.01);
	}
	one_way("h77>t0-3-4", "h77:t0-3-4", 77, 0.01);
	one_way("t0-3-4>h77", "h77:t0-3-4", 77, 0.01);
	one_way("t0-0-0:t1-0-15", "t0-0-0:t1-0-15", 3, 1);
}

/* A fault that grows: what it loses before and after, and how often it is drawn. */
struct growth {
	const char *part;
	double before;
	double after;
	double rate;
	int seeds;
};

static int faults_known(const struct world *world)
{
	int n = 0, i;

	for (i = 0; i < FAULTS_MAX; i++)
		n += world->faults.fault[i].used;
	return n;
}

/* Is it named, alone, while it grows, and soon not any more after its repair? */
static bool grows(const char *file, int self, const struct growth *g)
{
	struct world world;
	char wanted[64];
	bool good;

	snprintf(wanted, sizeof(wanted), "%s/loss ", g->part);
	world_begin(&world, file, self, g->rate);
	world_run(&world, TIME_BEFORE);
	world_break(&world, g->part)->loss = g->before;
	world_run(&world, 120);
	good = !strcmp(world.named, wanted);
	world.broken[0].loss = g->after;
	world_run(&world, 120);
	good &= !strcmp(world.named, wanted) && faults_known(&world) == 1;
	world_repair(&world);
	world_run(&world, TIME_TO_CLEAR);
	good &= !strcmp(world.named, wanted) && !faults_known(&world);
	if (!good)
		printf("# got '%s', %d not over\n", world.named,
		       faults_known(&world));
	world_end(&world);
	return good;
}

/*
 * Of many packets the smallest difference between the losses of two sets of ways looks
 * like a fault of its own: none is one.
 */
static void test_growth(void)
{
	static const struct growth growths[] = {
		{ "h0:t0-2-0", 0.2, 1, 4800, 16 },
		{ "h0:t0-2-0", 0.07, 0.14, 4800, 8 },
		{ "h0:t0-2-0", 0.01, 1, 400, 8 },
		{ "h0:t0-2-0", 0.2, 1, 64, 8 },
		{ "t0-2-1", 0.2, 1, 4800, 8 },
		{ "t0-2-0:t1-2-2", 0.05, 0.5, 4800, 8 },
		{ "h77:t0-3-4", 0.01, 1, RATE, 1 },
	};
	const struct growth *g;
	int good, i;

	for (g = growths; g < growths + sizeof(growths) / sizeof(*g); g++) {
		for (good = 0, i = 0; i < g->seeds; i++) {
			srand48(i + 1);
			if (g->rate < RATE)
				good += grows(small_file, 0, g);
			else
				good += grows(file, 77, g);
		}
		check(good == g->seeds,
		      "%s with %g %%, then %g %% loss is named alone, and not %.0f s after its repair",
		      g->part, 100 * g->before, 100 * g->after, TIME_TO_CLEAR);
		printf("# %d of %d, %g probes per second\n", good, g->seeds,
		       g->rate);
	}
}

/* What is far from a host has fewer probes of its own. */
static void test_far(void)
{
	struct world world;
	double begin_at;
	char got[256];

	begin(&world, 5);
	world_break(&world, "t1-2-3>t0-2-9")->loss = 0.2;
	begin_at = world.now;
	world_run_until_named(&world, 60);
	world_first_name(&world, got);
	check(!strcmp(got, "t0-2-9:t1-2-3/loss"),
	      "a link at another T0 with 20 %% loss is named within 60 s");
	printf("# got '%s' after %.2f s\n", world.named,
	       world.named_at - begin_at);
	world_end(&world);

	begin(&world, 5);
	world_break(&world, "h300")->loss = 1;
	world_run_until_named(&world, 60);
	check(!strcmp(world_first_name(&world, got), "h300/loss"),
	      "a host that does not answer is named");
	printf("# got '%s'\n", world.named);
	world_end(&world);
}

static void test_rare(void)
{
	struct world world;
	double begin_at;
	char got[256];

	begin(&world, 100);
	world_break(&world, "t0-1-6>t1-1-7")->loss = 0.001;
	begin_at = world.now;
	world_run_until_named(&world, 600);
	check(!strcmp(world_first_name(&world, got), "t0-1-6:t1-1-7/loss"),
	      "a link with 0.1 %% loss is named within 10 minutes");
	printf("# got '%s' after %.2f s\n", world.named,
	       world.named_at - begin_at);
	world_end(&world);
}

static void test_two(void)
{
	struct world world;
	double begin_at;

	begin(&world, 200);
	world_break(&world, "t0-2-12>t1-2-3")->loss = 0.01;
	world_break(&world, "t0-5-12>t1-5-8")->loss = 0.02;
	begin_at = world.now;
	world_run(&world, 12);
	check(strstr(world.named, "t0-2-12:t1-2-3/loss ") &&
	      strstr(world.named, "t0-5-12:t1-5-8/loss ") &&
	      strlen(world.named) == 2 * 20,
	      "two links with 1 %% and 2 %% loss are both named, and nothing else");
	printf("# got '%s' after %.2f s\n", world.named,
	       world.named_at - begin_at);
	world_end(&world);

	begin(&world, 200);
	world_break(&world, "h200:t0-2-12")->loss = 0.01;
	world_break(&world, "t0-2-12>t1-2-3")->loss = 0.05;
	begin_at = world.now;
	world_run(&world, 15);
	check(strstr(world.named, "t0-2-12:t1-2-3/loss ") &&
	      strstr(world.named, "h200:t0-2-12/loss "),
	      "a port and a link behind it are both named");
	printf("# got '%s' after %.2f s\n", world.named,
	       world.named_at - begin_at);
	world_end(&world);
}

static void test_data(void)
{
	struct world world;
	struct broken *b;

	begin(&world, 40);
	world.traffic = 200;
	world_break(&world, "t1-4-4")->data_loss = 1;
	world_run_until_named(&world, TIME_TO_NAME);
	check(strstr(world.named, "t1-4-4/data-loss ") ||
	      strstr(world.named, "t0-4-2>t1-4-4/data-loss "),
	      "a switch that loses data packets and no probes is named as such");
	printf("# got '%s'\n", world.named);
	world_end(&world);

	begin(&world, 40);
	world.traffic = 200;
	b = world_break(&world, "t0-4-2>t1-4-4");
	b->loss = 0.02;
	b->data_loss = 0.02;
	names(&world, "a link that loses probes and data in one direction",
	      "t0-4-2>t1-4-4/loss");
	world_end(&world);

	begin(&world, 40);
	world.traffic = 200;
	b = world_break(&world, "t1-4-4>t0-4-2");
	b->loss = 0.02;
	b->data_loss = 0.02;
	names(&world, "a link that loses in the other direction",
	      "t1-4-4>t0-4-2/loss");
	world_end(&world);
}

static void test_slow(void)
{
	struct world world;
	char got[256];

	begin(&world, 8);
	world_break(&world, "h400")->slow = 0.9;
	world_run_until_named(&world, 60);
	check(!strcmp(world_first_name(&world, got), "h400/slow"),
	      "a host with a slow NIC is named");
	printf("# got '%s' at %.2f s\n", world.named, world.named_at);
	world_end(&world);

	begin(&world, 8);
	world_break(&world, "t0-1-0:t1-1-2")->slow = 0.9;
	names(&world, "a slow link", "t0-1-0:t1-1-2/slow");
	world_end(&world);
}

/*
 * On slow ports the probes of a round wait for each other: a link that is probed more
 * than others, because something else is suspected, is not slow.
 */
static void test_queue(void)
{
	static const struct {
		const char *part;
		double loss;
		double slow;
		const char *wanted;
	} broken[] = {
		{ "t0-5-0>t1-5-8", 0.01, 0, "t0-5-0:t1-5-8/loss" },
		{ "t0-3-7", 0.05, 0, "t0-3-7/loss" },
		{ "h400", 0, 0.4, "h400/slow" },
		{ "t0-1-0:t1-1-2", 0, 0.5, "t0-1-0:t1-1-2/slow" },
	};
	struct world world;
	struct broken *b;
	char what[256];
	size_t i;

	for (i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		world_begin(&world, file, 8, RATE);
		world.wire = WIRE;
		world_run(&world, TIME_BEFORE);
		check(!world.named[0],
		      "before a fault of %s, probes that wait for each other name nothing",
		      broken[i].part);
		b = world_break(&world, broken[i].part);
		b->loss = broken[i].loss;
		b->slow = broken[i].slow;
		snprintf(what, sizeof(what),
			 "on slow ports %s that %s %g %% of the packets",
			 broken[i].part, b->loss > 0 ? "loses" : "delays",
			 100 * (broken[i].loss + broken[i].slow));
		alone(&world, what, broken[i].wanted, 60);
		world_end(&world);
	}
}

/* What rules there would be, and why there is none. */
struct verdict {
	int rules;
	char why[256];
};

static bool on_rule(void *arg, const struct deny_rule *rule, bool add,
		    const char *why)
{
	struct verdict *v = arg;

	(void)rule;
	(void)why;
	v->rules += add;
	return true;
}

static void on_refusal(void *arg, const struct fault *fault, const char *why)
{
	struct verdict *v = arg;

	(void)fault;
	snprintf(v->why, sizeof(v->why), "%s", why);
}

static struct verdict judge(const struct world *world)
{
	struct verdict v = {};
	struct deny deny;
	int i;

	deny_init(&deny, &world->fabric, world->self);
	deny.mode = DENY_ON;
	deny.share = 0.25;
	deny.expiry = 600;
	deny.set = on_rule;
	deny.why = on_refusal;
	deny.arg = &v;
	for (i = 0; i < FAULTS_MAX; i++) {
		if (world->faults.fault[i].used)
			deny_fault(&deny, &world->faults.fault[i], world->now);
	}
	return v;
}

/*
 * A peer does not answer some probes, to pretend that a part between them is broken.
 * Others go by it and find it well: nothing is denied.
 */
static void test_liar(void)
{
	static const char * const parts[] = {
		"t1-3-4", "t0-3-18:t1-3-4", "t0-3-0:t1-3-4", "plane-3",
	};
	struct verdict v;
	struct world world;
	struct broken *b;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		begin(&world, 5);
		b = world_break(&world, parts[i]);
		b->loss = 1;
		b->liar = 300;
		world_run(&world, 60);
		v = judge(&world);
		check(!v.rules, "a peer that pretends that %s is broken causes no rule",
		      parts[i]);
		check(strstr(world.named, "h300"),
		      "a peer that pretends that %s is broken is named, or its port",
		      parts[i]);
		printf("# got '%s', refused: %s\n", world.named, v.why);
		world_end(&world);
	}

	begin(&world, 5);
	world_break(&world, "t0-3-0:t1-3-4")->loss = 1;
	world_run(&world, 20);
	v = judge(&world);
	check(v.rules == 1, "a link that is broken for all peers causes a rule");
	printf("# got '%s', refused: %s\n", world.named, v.why);
	world_end(&world);
}

/* Losses everywhere are congestion: nothing is named, and a fault is named beside. */
static void test_congestion(void)
{
	struct world world;
	char got[256];

	begin(&world, 8);
	world.background = 0.01;
	world.skip = 0;
	world_run(&world, 120);
	check(!world.named[0], "1 %% loss on all paths names no part");
	printf("# got '%s'\n", world.named);
	world_break(&world, "t0-1-0:t1-1-2")->loss = 0.5;
	world_run_until_named(&world, TIME_TO_NAME);
	check(!strcmp(world_first_name(&world, got), "t0-1-0:t1-1-2/loss"),
	      "a link that loses half is named beside 1 %% loss on all paths");
	printf("# got '%s'\n", world.named);
	world_end(&world);
}

/*
 * With two planes what one port or T0 loses is on half of all T1s: it must not be taken
 * for what most paths lose.
 */
static void test_two_planes(void)
{
	static const char * const parts[][2] = {
		{ "t0-1-1>h3", "h3:t0-1-1" },
		{ "h0>t0-1-0", "h0:t0-1-0" },
		{ "t0-1-1", "t0-1-1" },
		{ "t0-0-0>t1-0-2", "t0-0-0:t1-0-2" },
		{ "t1-1-3>t0-1-2", "t0-1-2:t1-1-3" },
	};
	char what[256], wanted[256];
	struct world world;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		world_begin(&world, two_file, 0, 2400);
		world_run(&world, TIME_BEFORE);
		world_break(&world, parts[i][0])->loss = 0.01;
		snprintf(what, sizeof(what), "of two planes, %s with 1 %% loss",
			 parts[i][0]);
		snprintf(wanted, sizeof(wanted), "%s/loss", parts[i][1]);
		names(&world, what, wanted);
		world_end(&world);
	}
	for (i = 0; i < 2; i++) {
		world_begin(&world, i ? wide_file : two_file, 0,
			    i ? RATE : 2400);
		world.background = 0.01;
		world.skip = 0;
		world_run(&world, 120);
		check(!world.named[0],
		      "1 %% loss on all paths of two planes to %d hosts names no part",
		      i ? wide.hosts : two_planes.hosts);
		printf("# got '%s'\n", world.named);
		world_end(&world);
	}
}

/* Faults at once: which, what each loses, and how often they are drawn. */
struct several {
	const char *what;
	const char *parts[WORLD_FAULTS + 1];
	double loss;
	double rate;
	int seeds;
};

static bool is_one_of(const struct several *s, const char *name)
{
	char wanted[256];
	int i;

	for (i = 0; s->parts[i]; i++) {
		snprintf(wanted, sizeof(wanted), "%s/loss", s->parts[i]);
		if (!strcmp(name, wanted))
			return true;
	}
	return false;
}

/* Is each of them named once, and nothing else? */
static bool only_these(const struct several *s, const char *named)
{
	char names[sizeof(((struct world *)NULL)->named)], *name, *rest = names;
	int left = 0;

	while (s->parts[left])
		left++;
	snprintf(names, sizeof(names), "%s", named);
	while ((name = strsep(&rest, " ")) && *name) {
		if (!is_one_of(s, name))
			return false;
		left--;
	}
	return !left;
}

static bool names_several(const struct several *s)
{
	struct world world;
	bool good;
	int i;

	world_begin(&world, s->rate < RATE ? small_file : file, 0, s->rate);
	world_run(&world, TIME_BEFORE);
	for (i = 0; s->parts[i]; i++)
		world_break(&world, s->parts[i])->loss = s->loss;
	world_run(&world, 30);
	good = only_these(s, world.named);
	if (!good)
		printf("# got '%s', the last after %.2f s\n", world.named,
		       world.named_at - TIME_BEFORE);
	world_end(&world);
	return good;
}

/* A switch, or a port in front of it, must not be taken for several of its links. */
static void test_several(void)
{
#define TWO_NEAR	{ "t0-0-0:t1-0-0", "t0-0-0:t1-0-2" }
	static const struct several several[] = {
		{ "two of four links of a T0", TWO_NEAR, 1, 4800, 2 },
		{ "two of four links of a T0", TWO_NEAR, 1, 400, 4 },
		{ "two of four links of a T0", TWO_NEAR, 1, 64, 8 },
		{ "two of four links of a T0", TWO_NEAR, 0.5, 4800, 2 },
		{ "two of four links of a T0", TWO_NEAR, 0.1, 4800, 2 },
		{ "two of four links of a far T0",
		  { "t0-0-2:t1-0-0", "t0-0-2:t1-0-2" }, 1, 4800, 2 },
		{ "three of four links of a T0",
		  { "t0-0-0:t1-0-0", "t0-0-0:t1-0-2", "t0-0-0:t1-0-3" }, 1, 4800, 2 },
		{ "two of four ports of a host",
		  { "h3:t0-0-1", "h3:t0-2-1" }, 1, 4800, 2 },
		{ "two of sixteen links of a T0",
		  { "t0-3-0:t1-3-1", "t0-3-0:t1-3-9" }, 1, RATE, 1 },
		{ "four of sixteen links of a T0",
		  { "t0-3-0:t1-3-0", "t0-3-0:t1-3-1", "t0-3-0:t1-3-2",
		    "t0-3-0:t1-3-9" }, 1, RATE, 1 },
		{ "four of sixteen links of a far T0",
		  { "t0-3-7:t1-3-0", "t0-3-7:t1-3-1", "t0-3-7:t1-3-2",
		    "t0-3-7:t1-3-9" }, 1, RATE, 1 },
		{ "eight of sixteen links of a T0",
		  { "t0-3-0:t1-3-0", "t0-3-0:t1-3-1", "t0-3-0:t1-3-2",
		    "t0-3-0:t1-3-3", "t0-3-0:t1-3-8", "t0-3-0:t1-3-9",
		    "t0-3-0:t1-3-10", "t0-3-0:t1-3-11" }, 1, RATE, 1 },
		{ "four of eight ports of a host",
		  { "h3:t0-0-0", "h3:t0-2-0", "h3:t0-4-0", "h3:t0-6-0" },
		  1, RATE, 1 },
	};
	const struct several *s;
	int good, i;

	for (s = several; s < several + sizeof(several) / sizeof(*s); s++) {
		for (good = 0, i = 0; i < s->seeds; i++) {
			srand48(i + 1);
			good += names_several(s);
		}
		check(good == s->seeds,
		      "%s with %g %% loss are named within 30 s, and nothing else",
		      s->what, 100 * s->loss);
		printf("# %d of %d, %g probes per second\n", good, s->seeds,
		       s->rate);
	}
}

static void test_quiet(double hours)
{
	struct world world;

	world_begin(&world, file, 300, RATE);
	world_run(&world, hours * 3600);
	check(!world.named[0],
	      "%g hours without a fault, one probe in a million lost: nothing is named",
	      hours);
	printf("# got '%s', %llu probes\n", world.named,
	       (unsigned long long)world.probes);
	world_end(&world);
}

int main(int argc, char **argv)
{
	double hours = argc > 1 ? atof(argv[1]) : 24;

	srand48(1);
	write_topology(file, &large);
	write_topology(small_file, &small);
	write_topology(two_file, &two_planes);
	write_topology(wide_file, &wide);
	test_links();
	test_far();
	test_rare();
	test_two();
	test_data();
	test_slow();
	test_queue();
	test_liar();
	test_congestion();
	test_two_planes();
	test_growth();
	test_several();
	test_quiet(hours);
	unlink(file);
	unlink(small_file);
	unlink(two_file);
	unlink(wide_file);
	printf("1..%d\n", tests);
	return failed > 0;
}
