// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl metrics: the text format of Prometheus (0.0.4) and OpenMetrics 1.0.  They
 * differ in the name of a counter in its TYPE line, and in the last line.
 */
#include <stdarg.h>
#include <string.h>

#include "metrics.h"
#include "out.h"
#include "show.h"

/* Reasons to drop a packet are values of a label. */
#define DROP_PREFIX "drop_"

#define NSEC_PER_SEC 1e9
#define BYTES_PER_MBIT 125000.0

/**
 * struct family - a metric while it is written
 * @f: where to
 * @format: how
 * @name: its name, without "_total"
 * @suffix: "_total" of a counter, otherwise nothing
 */
struct family {
	FILE *f;
	const struct metrics_format *format;
	char name[2 * METRICS_NAME_MAX];
	const char *suffix;
};

/* The lines before the samples of a metric; @name without "_total". */
static void family_begin(struct family *fam, const char *type, const char *help,
			 const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void family_begin(struct family *fam, const char *type, const char *help,
			 const char *fmt, ...)
{
	const char *suffix;
	va_list args;

	va_start(args, fmt);
	vsnprintf(fam->name, sizeof(fam->name), fmt, args);
	va_end(args);
	fam->suffix = strcmp(type, "counter") ? "" : "_total";
	suffix = fam->format->openmetrics ? "" : fam->suffix;
	fprintf(fam->f, "# HELP %s%s %s\n# TYPE %s%s %s\n", fam->name, suffix,
		help, fam->name, suffix, type);
}

/* A sample whose labels are written by @fmt. */
static void family_sample(const struct family *fam, double value,
			  const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void family_sample(const struct family *fam, double value,
			  const char *fmt, ...)
{
	va_list args;

	fprintf(fam->f, "%s%s{", fam->name, fam->suffix);
	va_start(args, fmt);
	vfprintf(fam->f, fmt, args);
	va_end(args);
	/* Whole numbers are exact up to 2^53, as in the data base. */
	fprintf(fam->f, "} %.16g\n", value);
}

/* --- devices ------------------------------------------------------------------- */

static void write_info(struct family *fam, const struct metrics *m)
{
	size_t i;

	family_begin(fam, "gauge", "A device; always 1.", "mrc_device_info");
	for (i = 0; i < m->n_devs; i++)
		family_sample(fam, 1, "device=\"%s\",mrcctl=\"%s\"",
			      m->devs[i].name, MRCCTL_VERSION);
}

static const struct metrics_stat *stat_of(const struct metrics_dev *dev,
					  const char *name)
{
	size_t i;

	for (i = 0; i < dev->n_stats; i++) {
		if (!strcmp(dev->stat[i].name, name))
			return &dev->stat[i];
	}
	return NULL;
}

/* All devices have the same counters. */
static void write_stats(struct family *fam, const struct metrics *m)
{
	const struct metrics_dev *first = &m->devs[0];
	const struct metrics_stat *stat;
	const char *name;
	size_t i, d;

	for (i = 0; i < first->n_stats; i++) {
		name = first->stat[i].name;
		if (!strncmp(name, DROP_PREFIX, strlen(DROP_PREFIX)))
			continue;
		family_begin(fam, "counter",
			     "Counter of the device, as rdma-statistic(8) shows it.",
			     "mrc_%s", name);
		for (d = 0; d < m->n_devs; d++) {
			stat = stat_of(&m->devs[d], name);
			if (stat)
				family_sample(fam, stat->value,
					      "device=\"%s\"",
					      m->devs[d].name);
		}
	}
}

static void write_drops(struct family *fam, const struct metrics *m)
{
	const struct metrics_stat *stat;
	size_t d, i;

	family_begin(fam, "counter", "Packets received and dropped, by reason.",
		     "mrc_dropped_pkts");
	for (d = 0; d < m->n_devs; d++) {
		for (i = 0; i < m->devs[d].n_stats; i++) {
			stat = &m->devs[d].stat[i];
			if (!strncmp(stat->name, DROP_PREFIX,
				     strlen(DROP_PREFIX)))
				family_sample(fam, stat->value,
					      "device=\"%s\",reason=\"%s\"",
					      m->devs[d].name,
					      stat->name + strlen(DROP_PREFIX));
		}
	}
}

/* --- ports --------------------------------------------------------------------- */

static void write_port_info(struct family *fam, const struct metrics *m)
{
	const struct metrics_port *p;

	family_begin(fam, "gauge", "A port and its net device; always 1.",
		     "mrc_port_info");
	for (p = m->ports; p < m->ports + m->n_ports; p++)
		family_sample(fam, 1,
			      "device=\"%s\",port=\"%u\",netdev=\"%s\"", p->dev,
			      p->port, p->ifname);
}

static void write_port_state(struct family *fam, const struct metrics *m)
{
	const struct metrics_port *p;
	uint32_t state;

	family_begin(fam, "gauge", "1 for the state that the port has, else 0.",
		     "mrc_port_state");
	for (p = m->ports; p < m->ports + m->n_ports; p++) {
		for (state = MRC_PORT_STATE_DOWN;
		     state <= MRC_PORT_STATE_NARROW; state++)
			family_sample(fam, p->state == state,
				      "device=\"%s\",port=\"%u\",state=\"%s\"",
				      p->dev, p->port, port_state_name(state));
	}
}

static void write_port_speed(struct family *fam, const struct metrics *m)
{
	const struct metrics_port *p;

	family_begin(fam, "gauge", "Speed of the link in bytes per second.",
		     "mrc_port_speed_bytes");
	for (p = m->ports; p < m->ports + m->n_ports; p++) {
		if (p->speed)
			family_sample(fam, p->speed * BYTES_PER_MBIT,
				      "device=\"%s\",port=\"%u\"", p->dev,
				      p->port);
	}
}

static void write_port_counters(struct family *fam, const struct metrics *m)
{
	const struct metrics_port *p;
	size_t i;

	for (i = 0; port_counters[i].name; i++) {
		family_begin(fam, "counter",
			     "Counter of the port, see mrcctl(8), port show.",
			     "mrc_port_%s", port_counters[i].name);
		for (p = m->ports; p < m->ports + m->n_ports; p++)
			family_sample(fam, p->counters[i],
				      "device=\"%s\",port=\"%u\"", p->dev,
				      p->port);
	}
}

static void write_rtt(const struct family *fam, const struct metrics_port *p)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i + 1 < p->n_rtt; i++) {
		sum += p->rtt[i];
		fprintf(fam->f, "%s_bucket{device=\"%s\",port=\"%u\",le=\"%.10g\"} %llu\n",
			fam->name, p->dev, p->port,
			(1ULL << (METRICS_RTT_SHIFT + i)) / NSEC_PER_SEC,
			(unsigned long long)sum);
	}
	if (p->n_rtt)
		sum += p->rtt[i];
	fprintf(fam->f, "%s_bucket{device=\"%s\",port=\"%u\",le=\"+Inf\"} %llu\n",
		fam->name, p->dev, p->port, (unsigned long long)sum);
	fprintf(fam->f, "%s_sum{device=\"%s\",port=\"%u\"} %.16g\n", fam->name,
		p->dev, p->port, p->rtt_sum / NSEC_PER_SEC);
	fprintf(fam->f, "%s_count{device=\"%s\",port=\"%u\"} %llu\n", fam->name,
		p->dev, p->port, (unsigned long long)sum);
}

static void write_rtts(struct family *fam, const struct metrics *m)
{
	const struct metrics_port *p;

	family_begin(fam, "histogram",
		     "Round trips of data packets that the port has sent.",
		     "mrc_port_rtt_seconds");
	for (p = m->ports; p < m->ports + m->n_ports; p++)
		write_rtt(fam, p);
}

static void write_paths(struct family *fam, const struct metrics *m)
{
	const struct metrics_port *p;
	uint32_t state;

	family_begin(fam, "gauge", "Paths over the port, by their state.",
		     "mrc_port_paths");
	for (p = m->ports; p < m->ports + m->n_ports; p++) {
		for (state = MRC_PATH_STATE_IDLE; state < METRICS_STATES;
		     state++)
			family_sample(fam, p->paths[state],
				      "device=\"%s\",port=\"%u\",state=\"%s\"",
				      p->dev, p->port, path_state_name(state));
	}
}

/* --- peers --------------------------------------------------------------------- */

static void peer_sample(const struct family *fam, const struct metrics_peer *p,
			double value)
{
	char src[OUT_WORD], dst[OUT_WORD];

	family_sample(fam, value, "device=\"%s\",src=\"%s\",dst=\"%s\"", p->dev,
		      out_addr_word(&p->src, src), out_addr_word(&p->dst, dst));
}

/*
 * Write @value of each peer, but of a limited number of peers for each device.  These
 * are the first ones by address, so they are the same each time.
 */
static void write_peer(const struct family *fam, const struct metrics *m,
		       double (*value)(const struct metrics_peer *p, size_t i),
		       size_t i)
{
	const struct metrics_peer *p;
	uint32_t n = 0;

	for (p = m->peers; p < m->peers + m->n_peers; p++) {
		if (p == m->peers || strcmp(p->dev, (p - 1)->dev))
			n = 0;
		if (n++ < fam->format->peers)
			peer_sample(fam, p, value(p, i));
	}
}

static double peer_qps(const struct metrics_peer *p, size_t i)
{
	(void)i;
	return p->qps;
}

static double peer_cwnd(const struct metrics_peer *p, size_t i)
{
	(void)i;
	return p->cwnd;
}

static double peer_inflight(const struct metrics_peer *p, size_t i)
{
	(void)i;
	return p->inflight;
}

static double peer_srtt(const struct metrics_peer *p, size_t i)
{
	(void)i;
	return p->srtt / NSEC_PER_SEC;
}

static double peer_base_rtt(const struct metrics_peer *p, size_t i)
{
	(void)i;
	return p->base_rtt / NSEC_PER_SEC;
}

static double peer_counter(const struct metrics_peer *p, size_t i)
{
	return p->counters[i];
}

static void write_peers(struct family *fam, const struct metrics *m)
{
	size_t i;

	family_begin(fam, "gauge", "Queue pairs that are connected to the peer.",
		     "mrc_peer_queue_pairs");
	write_peer(fam, m, peer_qps, 0);
	family_begin(fam, "gauge", "Sum of the congestion windows of these.",
		     "mrc_peer_cwnd_bytes");
	write_peer(fam, m, peer_cwnd, 0);
	family_begin(fam, "gauge", "Sum of their bytes in flight.",
		     "mrc_peer_inflight_bytes");
	write_peer(fam, m, peer_inflight, 0);
	family_begin(fam, "gauge", "Mean of their smoothed round trips.",
		     "mrc_peer_srtt_seconds");
	write_peer(fam, m, peer_srtt, 0);
	family_begin(fam, "gauge", "Round trip of the empty network.",
		     "mrc_peer_base_rtt_seconds");
	write_peer(fam, m, peer_base_rtt, 0);
	for (i = 0; peer_counters[i].name; i++) {
		family_begin(fam, "counter",
			     "Counter of the queue pairs to the peer, see mrcctl(8), qp show.",
			     "mrc_peer_%s", peer_counters[i].name);
		write_peer(fam, m, peer_counter, i);
	}
}

static void write_peer_numbers(struct family *fam, const struct metrics *m)
{
	const struct metrics_dev *dev;

	family_begin(fam, "gauge", "Peers of the device.", "mrc_peers");
	for (dev = m->devs; dev < m->devs + m->n_devs; dev++)
		family_sample(fam, dev->peers, "device=\"%s\"", dev->name);
	family_begin(fam, "gauge", "Peers that are not described one by one.",
		     "mrc_peers_omitted");
	for (dev = m->devs; dev < m->devs + m->n_devs; dev++)
		family_sample(fam, dev->peers > fam->format->peers ?
				   dev->peers - fam->format->peers : 0,
			      "device=\"%s\"", dev->name);
}

/**
 * metrics_write() - write metrics
 * @f: where to
 * @m: metrics
 * @format: how
 */
void metrics_write(FILE *f, const struct metrics *m,
		   const struct metrics_format *format)
{
	struct family fam = { .f = f, .format = format };

	write_info(&fam, m);
	if (m->n_devs) {
		write_stats(&fam, m);
		write_drops(&fam, m);
		write_port_info(&fam, m);
		write_port_state(&fam, m);
		write_port_speed(&fam, m);
		write_port_counters(&fam, m);
		write_rtts(&fam, m);
		write_paths(&fam, m);
		write_peer_numbers(&fam, m);
		write_peers(&fam, m);
	}
	if (format->openmetrics)
		fputs("# EOF\n", f);
}
