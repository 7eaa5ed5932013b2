// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The loop of the daemon.  Its clock is CLOCK_MONOTONIC: a jump of the time of day
 * changes nothing but time stamps.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon.h"
#include "exit_code.h"
#include "output.h"
#include "report.h"

enum {
	/* Probes per second and path that suffice to name a fault in time. */
	RATE_PER_PATH = 60,
	/* Leaves some of the kernel's limit to the operator. */
	RATE_MAX = 8000,
	/* Bytes of a probe on the wire, SRv6 and Ethernet included. */
	PROBE_BYTES = 220,
	/* Searches for faults, and looks at the plan, in ms. */
	SEARCH_MS = 250,
	PLAN_MS = 4,
	/* Every so many seconds: files, rules, paths of peers anew. */
	WRITE_S = 5,
	RULES_S = 10,
	LEARN_S = 60,
	/* Until a device that is missing is looked for again. */
	DEVICE_MS = 10000,
};

/* Bits in a byte, and in Mb/s. */
#define BYTE_BITS	8
#define MBIT		1e6
#define MILLIONTH	0.000001

static double clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/**
 * daemon_now() - time since the start
 * @d: daemon
 *
 * Return: s.
 */
double daemon_now(const struct daemon *d)
{
	return clock_now() - d->begin;
}

/* --- events ------------------------------------------------------------------------- */

static void fault_fields(const struct daemon *d, const struct finding *f,
			 const char *event, char *fields)
{
	char part[FABRIC_NAME];

	snprintf(fields, REPORT_FIELDS,
		 "MRC_EVENT=%s\nMRC_DEV=%s\nMRC_PART=%s\nMRC_KIND=%s\nMRC_RATE=%g\nMRC_CONFIDENCE=%g\n",
		 event, d->device.name, fabric_name(&d->fabric, f->exact, part),
		 fault_kind_name(f->kind), f->rate, f->confidence);
}

static void on_fault(void *arg, enum fault_event event,
		     const struct fault *fault)
{
	static const char * const names[] = {
		[FAULT_NAMED] = "named",
		[FAULT_REVISED] = "revised",
		[FAULT_CLEARED] = "cleared",
	};
	char fields[REPORT_FIELDS], text[OUTPUT_TEXT], part[FABRIC_NAME];
	struct daemon *d = arg;

	fault_fields(d, &fault->finding, names[event], fields);
	d->objection[fault - d->faults.fault] = NULL;
	if (event == FAULT_CLEARED) {
		d->overruled[fault - d->faults.fault] = false;
		report(LOG_NOTICE, fields, "cleared: %s is well again",
		       fabric_name(&d->fabric, fault->finding.exact, part));
		deny_clear(&d->deny, fault->finding.part);
		return;
	}
	d->named += event == FAULT_NAMED;
	if (fault->was != fault->finding.part)
		deny_clear(&d->deny, fabric_link_of(&d->fabric, fault->was));
	report(LOG_WARNING, fields, "%s: %s", names[event],
	       output_fault(&d->fabric, &fault->finding, text));
}

static void on_objection(void *arg, const struct fault *fault, const char *why)
{
	char fields[REPORT_FIELDS], part[FABRIC_NAME];
	struct daemon *d = arg;
	const char **told = &d->objection[fault - d->faults.fault];

	if (*told == why)
		return;
	*told = why;
	fault_fields(d, &fault->finding, "not-denied", fields);
	report(LOG_NOTICE, fields, "%s is not denied: %s",
	       fabric_name(&d->fabric, fault->finding.exact, part), why);
}

static bool on_rule(void *arg, const struct deny_rule *rule, bool add,
		    const char *why)
{
	char text[64], fields[REPORT_FIELDS];
	struct daemon *d = arg;
	bool dry = d->deny.mode == DENY_DRY_RUN && !rule->adopted;
	int n;

	n = snprintf(text, sizeof(text), "port %u usid %x", rule->port,
		     rule->usid);
	if (rule->next)
		snprintf(text + n, sizeof(text) - n, " next %x", rule->next);
	snprintf(fields, sizeof(fields),
		 "MRC_EVENT=%s\nMRC_DEV=%s\nMRC_RULE=%s\nMRC_DRY_RUN=%d\n",
		 add ? "deny" : "allow", d->device.name, text, dry);
	if (!dry && device_rule(&d->nl, d->device.name, rule, add))
		return false;
	report(LOG_NOTICE, fields, "%s%s %s: %s", dry ? "would " : "",
	       add ? "deny" : "allow", text, why);
	return true;
}

/* --- rules --------------------------------------------------------------------------- */

/**
 * struct rule_check - rules that the kernel has
 * @d: daemon
 * @adopt: take those that the daemon does not know
 * @seen: rules of the daemon that are there
 */
struct rule_check {
	struct daemon *d;
	bool adopt;
	bool seen[DENY_RULES];
};

static void on_kernel_rule(void *arg, uint32_t port, uint32_t usid,
			   uint32_t next)
{
	struct rule_check *check = arg;
	struct daemon *d = check->d;
	const struct deny_rule *r;
	int i;

	for (i = 0; i < DENY_RULES; i++) {
		r = &d->deny.rule[i];
		if (r->used && r->port == port && r->usid == usid &&
		    r->next == next) {
			check->seen[i] = true;
			return;
		}
	}
	if (check->adopt &&
	    deny_adopt(&d->deny, port, usid, next, daemon_now(d)))
		report(LOG_NOTICE, "", "rule port %u usid %x next %x was left by an earlier run",
		       port, usid, next);
}

static void overrule(struct daemon *d, struct deny_rule *rule)
{
	char fields[REPORT_FIELDS] = "MRC_EVENT=overruled\n";
	int i;

	for (i = 0; i < FAULTS_MAX; i++) {
		if (d->faults.fault[i].used &&
		    d->faults.fault[i].finding.part == rule->part)
			d->overruled[i] = true;
	}
	report(LOG_NOTICE, fields,
	       "the rule port %u usid %x was removed by somebody else, it stays so",
	       rule->port, rule->usid);
	rule->used = false;
}

/* What others have done to the rules stands. */
static void check_rules(struct daemon *d, bool adopt)
{
	struct rule_check check = { .d = d, .adopt = adopt };
	struct deny_rule *rule = d->deny.rule;
	int i;

	if (device_rules(&d->nl, d->device.name, on_kernel_rule, &check))
		return;
	for (i = 0; i < DENY_RULES && !adopt; i++, rule++) {
		if (rule->used && !check.seen[i] &&
		    (d->deny.mode == DENY_ON || rule->adopted))
			overrule(d, rule);
	}
}

static void deny_all(struct daemon *d)
{
	int i;

	for (i = 0; i < FAULTS_MAX; i++) {
		if (d->faults.fault[i].used && !d->overruled[i])
			deny_fault(&d->deny, &d->faults.fault[i],
				   daemon_now(d));
	}
	deny_expire(&d->deny, &d->faults, daemon_now(d));
}

/* --- probes ----------------------------------------------------------------------------- */

/* Peers are asked for their paths one after the other, and again as these may change. */
static void learn(struct daemon *d, double now)
{
	struct topo_path path[MRC_EVS_MAX];
	struct peer *peer;
	int i;

	for (i = 0; i < d->topo.hosts && prober_has_room(&d->prober, now); i++) {
		d->learning = (d->learning + 1) % d->topo.hosts;
		peer = &d->paths.peer[d->learning];
		if (d->learning == d->self || !peer->has_addr)
			continue;
		if (peer->known)
			plan_add_peer(&d->plan, d->learning);
		if (peer->asked && now - peer->asked < (peer->known ? LEARN_S : 1))
			continue;
		if (d->plan.tokens < 0)
			return;
		d->plan.tokens -= topo_paths(&d->topo, &d->topo.host[d->self],
					     &d->topo.host[d->learning], path);
		if (prober_learn(&d->prober, d->learning, now))
			return;
	}
}

/**
 * daemon_probe() - begin the rounds that are due
 * @d: daemon
 */
void daemon_probe(struct daemon *d)
{
	double now = daemon_now(d);
	struct round round;

	learn(d, now);
	while (prober_has_room(&d->prober, now) &&
	       plan_next(&d->plan, &d->faults, now, &round)) {
		if (prober_send(&d->prober, &round, now))
			break;
	}
}

/* As many as the near links need, but a bounded share of each port. */
static void set_rates(struct daemon *d)
{
	uint32_t paths = d->topo.t1.n ? d->topo.planes * d->topo.t1.n :
					d->topo.planes;
	double rate = d->options->rate, port;
	int p;

	if (!rate)
		rate = RATE_PER_PATH * (double)paths;
	if (rate > RATE_MAX)
		rate = RATE_MAX;
	d->plan.rate = rate;
	for (p = 0; p < d->topo.planes; p++) {
		port = d->device.speed[p] * MBIT / BYTE_BITS / PROBE_BYTES *
		       d->options->link_share * MILLIONTH;
		d->plan.port_rate[p] = port && port < rate ? port : rate;
	}
}

/* --- begin and end -------------------------------------------------------------------- */

static int open_device(struct daemon *d)
{
	int ret = device_find(&d->nl, d->options->dev, &d->device);

	if (ret)
		return ret;
	if (d->device.ports != d->topo.planes)
		return usage_error("%s has %d planes, %s has %d ports",
				   d->options->topology, d->topo.planes,
				   d->device.name, d->device.ports);
	prober_init(&d->prober, d->device.name, d->options->timeout, &d->paths);
	return prober_open(&d->prober);
}

/**
 * daemon_open() - read the topology, find the device
 * @d: filled in; daemon_close() it in any case
 * @options: how it runs; must stay
 *
 * Return: enum exit_code.
 */
int daemon_open(struct daemon *d, const struct options *options)
{
	const struct topo_host *self;
	int ret;

	memset(d, 0, sizeof(*d));
	d->options = options;
	d->begin = clock_now() - 1;
	d->written = true;
	ret = topo_load_good(options->topology, &d->topo);
	if (!ret)
		ret = topo_get_host(&d->topo, "host", options->host, &self);
	if (ret)
		return ret;
	d->self = self - d->topo.host;
	fabric_init(&d->fabric, &d->topo);
	evidence_init(&d->evidence, &d->fabric, d->self);
	faults_init(&d->faults, &d->evidence);
	d->faults.tell = on_fault;
	d->faults.arg = d;
	paths_init(&d->paths, &d->topo, d->self, &d->evidence);
	plan_init(&d->plan, &d->topo, d->self, RATE_PER_PATH, getpid());
	deny_init(&d->deny, &d->fabric, d->self);
	d->deny.mode = options->deny;
	d->deny.share = options->share / 100.0;
	d->deny.expiry = options->expiry;
	d->deny.set = on_rule;
	d->deny.why = on_objection;
	d->deny.arg = d;
	ret = open_device(d);
	if (!ret)
		set_rates(d);
	return ret;
}

/**
 * daemon_close() - free everything
 * @d: daemon
 */
void daemon_close(struct daemon *d)
{
	nl_close(&d->nl);
	nl_close(&d->prober.nl);
	if (d->plan.peer) {
		plan_free(&d->plan);
		paths_free(&d->paths);
		evidence_free(&d->evidence);
	}
	topo_free(&d->topo);
}

/* --- loop ------------------------------------------------------------------------------- */

static void tell_mismatch(struct daemon *d)
{
	if (d->paths.foreign && !d->foreign_told) {
		d->foreign_told = true;
		report(LOG_WARNING, "MRC_EVENT=mismatch\n",
		       "%s has paths that are none of %s, they are not probed: is the file up to date?",
		       d->device.name, d->options->topology);
	}
	if (d->paths.strangers && !d->strangers_told) {
		d->strangers_told = true;
		report(LOG_NOTICE, "MRC_EVENT=mismatch\n",
		       "%s has peers that are not in %s, they are not probed",
		       d->device.name, d->options->topology);
	}
}

/* A full disk is reported once, and again when it was not full in between. */
static void write_files(struct daemon *d)
{
	bool ok = output_write(d);

	if (!ok && d->written)
		report(LOG_ERR, "", "cannot write status or metrics: %s",
		       strerror(errno));
	d->written = ok;
}

static void tick(struct daemon *d)
{
	rtt_tick(&d->prober.rtt);
	paths_count_data(&d->paths, &d->nl, d->device.name);
	deny_all(d);
	tell_mismatch(d);
	if (d->ticks % RULES_S == 0)
		check_rules(d, false);
	if (d->ticks % WRITE_S == 0)
		write_files(d);
	report_service("WATCHDOG=1");
	d->ticks++;
}

/**
 * daemon_wait() - wait for replies, and take them
 * @d: daemon
 *
 * Return: EXIT_OK, or EXIT_KERNEL if the device has gone.
 */
int daemon_wait(const struct daemon *d)
{
	struct daemon *daemon = (struct daemon *)d;
	struct pollfd fd = {
		.fd = mnl_socket_get_fd(d->prober.nl.sock),
		.events = POLLIN,
	};

	poll(&fd, 1, PLAN_MS);
	evidence_time(&daemon->evidence, daemon_now(d));
	return prober_receive(&daemon->prober, daemon_now(d));
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* The signal that has come, or 0. */
static int take_signal(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info) ? info.ssi_signo :
							       0;
}

static int loop(struct daemon *d, int signals)
{
	double search = 0, second = 0, now;
	int signal;

	for (;;) {
		signal = take_signal(signals);
		if (signal)
			return signal;
		daemon_probe(d);
		if (daemon_wait(d))
			return 0;
		now = daemon_now(d);
		if (now >= search) {
			faults_update(&d->faults, now);
			search = now + SEARCH_MS / 1000.0;
		}
		if (now >= second) {
			tick(d);
			second = now + 1;
		}
	}
}

/* Wait for the device; true: a signal has come. */
static bool wait_for_device(struct daemon *d, const struct options *options,
			    int signals, int *signal)
{
	struct pollfd fd = { .fd = signals, .events = POLLIN };

	while (daemon_open(d, options) == EXIT_KERNEL) {
		daemon_close(d);
		report_service("STATUS=waiting for the device");
		poll(&fd, 1, DEVICE_MS);
		*signal = take_signal(signals);
		if (*signal)
			return true;
	}
	return false;
}

static void begin_again(char **argv)
{
	sigset_t none;

	sigemptyset(&none);
	report_service("RELOADING=1");
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv("/proc/self/exe", argv);
}

/**
 * daemon_run() - run until a signal comes
 * @d: daemon
 * @options: how
 * @argv: arguments of the program, to begin again with SIGHUP
 *
 * SIGTERM and SIGINT end it, and its rules with it. After SIGHUP it begins anew, and
 * finds its rules again, as after a crash.
 *
 * Return: enum exit_code.
 */
int daemon_run(struct daemon *d, const struct options *options, char **argv)
{
	int signals = open_signals(), signal = 0;

	report_init();
	for (;;) {
		if (wait_for_device(d, options, signals, &signal))
			return EXIT_OK;
		if (!d->plan.peer || !d->prober.nl.sock)
			return EXIT_USAGE;
		report(LOG_INFO, "", "%s is %s of %s: %d hosts, %g probes per second at most",
		       d->device.name, d->topo.host[d->self].name,
		       options->topology, d->topo.hosts, d->plan.rate);
		check_rules(d, true);
		write_files(d);
		report_service("READY=1\nSTATUS=probing");
		signal = loop(d, signals);
		if (signal == SIGHUP)
			begin_again(argv);
		if (signal)
			break;
		report(LOG_WARNING, "", "%s has gone", d->device.name);
		daemon_close(d);
	}
	report_service("STOPPING=1");
	deny_withdraw(&d->deny, "mrcd ends");
	write_files(d);
	daemon_close(d);
	return EXIT_OK;
}
