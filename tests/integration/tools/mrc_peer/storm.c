// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A flood of random packets, most of them damaged, to QPs and memory regions that
 * are created and destroyed at the same time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/kernel.h>

#include "core/psn.h"
#include "malformed.h"

#define QPS		8
/* One of this many QPs stays in RTR. */
#define RTR_EVERY	4
/* QPs that are renewed for each registration of memory. */
#define QPS_PER_MR	4
#define WRITES		8
#define WRITE_LEN	65536
#define RECV_LEN	4096
#define TIMEOUT		20
#define RETRIES		7
/* Packets sent between deregistration and the check of memory. */
#define SETTLED		64
#define PAUSE_NS	200000L

/**
 * struct storm_qp - a destination of packets
 * @qp: queue pair
 * @qpn: its number
 * @psn: first PSN that @qp expects
 * @sq_psn: first PSN that @qp sends
 */
struct storm_qp {
	struct target_qp *qp;
	u32 qpn;
	u32 psn;
	u32 sq_psn;
};

/**
 * struct storm - shared by the two threads
 * @lock: protects @mr, and @qps but for their member qp
 * @qps: queue pairs
 * @mr: memory to be written to; its key may be stale
 * @packets: to be sent
 * @sent: so far
 * @flood: fixture of the thread that sends
 */
struct storm {
	pthread_mutex_t lock;
	struct storm_qp qps[QPS];
	struct target_mr mr;
	u32 packets;
	atomic_uint sent;
	struct fixture flood;
};

static void *flood(void *arg)
{
	struct storm *storm = arg;
	struct fixture *s = &storm->flood;
	u32 i;

	for (i = 0; i < storm->packets; i++) {
		const struct storm_qp *qp = &storm->qps[i % QPS];

		pthread_mutex_lock(&storm->lock);
		s->qpn = qp->qpn;
		s->psn = qp->psn;
		s->sq_psn = qp->sq_psn;
		s->mr[TARGET_FULL] = storm->mr;
		pthread_mutex_unlock(&storm->lock);
		mutate_send(s);
		atomic_fetch_add(&storm->sent, 1);
	}
	return NULL;
}

/* Post receives, and WRITEs that the peer will never acknowledge. */
static void post_work(struct fixture *s, struct target_qp *qp, bool sends)
{
	u64 va = s->mr[TARGET_FULL].va;
	u32 i;

	for (i = 0; i < TARGET_RECV_WR; i++)
		target_recv(qp, i, va, RECV_LEN);
	for (i = 0; sends && i < WRITES; i++)
		target_write(qp, i, va, WRITE_LEN, va, 1);
}

static bool renew_qp(struct storm *storm, struct fixture *s, u32 n)
{
	struct storm_qp *slot = &storm->qps[n % QPS];
	bool sends = n % RTR_EVERY;
	struct target_cfg cfg = {
		.timeout = TIMEOUT,
		.retry_cnt = RETRIES,
		.peer_qpn = FIXTURE_PEER_QPN,
		.rq_psn = n * 4001 & MRC_PSN_MASK,
		.sq_psn = n * 5003 & MRC_PSN_MASK,
		.state = sends ? TARGET_RTS : TARGET_RTR,
	};

	target_qp_destroy(slot->qp);
	slot->qp = target_qp_create(s->target, &cfg);
	if (!slot->qp)
		return false;
	pthread_mutex_lock(&storm->lock);
	slot->qpn = target_qpn(slot->qp);
	slot->psn = cfg.rq_psn;
	slot->sq_psn = cfg.sq_psn;
	pthread_mutex_unlock(&storm->lock);
	post_work(s, slot->qp, sends);
	return true;
}

static void wait_sent(struct storm *storm, u32 n)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	while (atomic_load(&storm->sent) < min_t(u32, n, storm->packets))
		nanosleep(&pause, NULL);
}

/*
 * While the memory is deregistered, packets carry its last key.  Sets @clean to
 * false if one of them was written.
 */
static bool renew_mr(struct storm *storm, struct fixture *s, bool *clean)
{
	if (target_deregister(s->target, TARGET_FULL))
		return false;
	wait_sent(storm, atomic_load(&storm->sent) + SETTLED);
	*clean &= fixture_intact(s);
	if (target_reregister(s->target, TARGET_FULL, &s->mr[TARGET_FULL]))
		return false;
	pthread_mutex_lock(&storm->lock);
	storm->mr = s->mr[TARGET_FULL];
	pthread_mutex_unlock(&storm->lock);
	return true;
}

static bool renew_objects(struct storm *storm, struct fixture *s)
{
	bool ok = true, clean = true;
	u32 qps = 0, mrs = 0;

	while (ok && atomic_load(&storm->sent) < storm->packets) {
		ok = renew_qp(storm, s, qps++);
		if (ok && qps % QPS_PER_MR == 0) {
			ok = renew_mr(storm, s, &clean);
			mrs++;
		}
		/* The packets of the device are not checked. */
		fixture_discard(s);
	}
	tap_note("%u QPs and %u memory regions renewed", qps, mrs);
	tap_ok(clean,
	       "packets with the key of deregistered memory do not write to it");
	return ok;
}

static void stop(struct storm *storm, struct fixture *s)
{
	int i;

	for (i = 0; i < QPS; i++)
		target_qp_destroy(storm->qps[i].qp);
	fixture_discard(s);
	target_accept_all(s->target, TARGET_FULL);
}

/* The two threads are to run at the same time. */
static void use_all_cpus(cpu_set_t *old)
{
	cpu_set_t all;
	int i;

	CPU_ZERO(&all);
	for (i = 0; i < CPU_SETSIZE; i++)
		CPU_SET(i, &all);
	if (sched_getaffinity(0, sizeof(*old), old) ||
	    sched_setaffinity(0, sizeof(all), &all)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

/**
 * storm_run - tests: random packets to objects that are created and destroyed
 * @s: fixture
 * @packets: how many
 * @seed: of the random numbers
 */
void storm_run(struct fixture *s, u32 packets, u32 seed)
{
	static struct storm storm = { .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t thread;
	cpu_set_t cpus;
	bool ok;
	u32 i;

	mutate_seed(seed);
	use_all_cpus(&cpus);
	storm.packets = packets;
	storm.mr = s->mr[TARGET_FULL];
	storm.flood = *s;
	atomic_store(&storm.sent, 0);
	for (i = 0; i < QPS; i++)
		if (!renew_qp(&storm, s, i))
			exit(1);
	errno = pthread_create(&thread, NULL, flood, &storm);
	if (errno) {
		perror("pthread_create");
		exit(1);
	}
	ok = renew_objects(&storm, s);
	pthread_join(thread, NULL);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	stop(&storm, s);
	tap_ok(ok & fixture_intact(s),
	       "%u random packets (seed %u) do not stop renewal of QPs and regions",
	       packets, seed);
	fixture_qp(s, NULL);
	tap_ok(fixture_write_works(s),
	       "a correct WRITE after random packets is accepted");
}
