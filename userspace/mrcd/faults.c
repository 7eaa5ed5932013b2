// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From findings, each of which stands alone, to faults that begin and end.
 */
#include <math.h>
#include <string.h>

#include "faults.h"

/* A part is named at once if it is this likely, */
#define SURE		0.95
/* and after this many seconds in any case, with the other explanations. */
#define PATIENCE	3.0
/* So long after a fault was named, or its rate changed, its losses are not others', s. */
#define SETTLE		5.0
/* Another part takes its place after this many seconds. */
#define DOUBT		2.0
/* Without lost packets the search is repeated after this many seconds: some are always
 * slow.
 */
#define LOOK_AGAIN	2.0
/* A fault is over if that is likelier by this much than that it loses by chance
 * nothing,
 */
#define OVER		12.0
/* after this many good packets, */
#define QUIET_MIN	50
/* or when nothing has been seen of it for so long, in s. */
#define FORGOTTEN	900.0

/**
 * faults_init() - begin without faults
 * @faults: filled in
 * @e: evidence; must stay
 */
void faults_init(struct faults *faults, struct evidence *e)
{
	memset(faults, 0, sizeof(*faults));
	faults->e = e;
	faults->next_id = 1;
}

/**
 * faults_find() - find a fault by its part
 * @faults: faults
 * @part: number of the part
 *
 * Return: the fault, or NULL.
 */
const struct fault *faults_find(const struct faults *faults, uint32_t part)
{
	const struct fault *f;

	for (f = faults->fault; f < faults->fault + FAULTS_MAX; f++) {
		if (f->used && f->finding.part == part)
			return f;
	}
	return NULL;
}

static void tell(struct faults *faults, enum fault_event event,
		 const struct fault *f)
{
	if (faults->tell)
		faults->tell(faults->arg, event, f);
}

/* --- end --------------------------------------------------------------------------- */

/*
 * With half of the rate that was seen, so many packets in a row would hardly pass.
 * Loss of data and slowness are seen only while there are packets.
 */
static bool is_over(const struct fault *f, double now)
{
	double quiet = f->watch ? f->watch->quiet : 0;

	if (quiet >= QUIET_MIN &&
	    -quiet * log1p(-fmin(f->finding.rate / 2, 0.5)) > OVER)
		return true;
	return now - f->seen > FORGOTTEN;
}

static void end_fault(struct faults *faults, struct fault *f)
{
	evidence_unwatch(faults->e, f->watch);
	evidence_forget(faults->e, f->finding.part);
	f->used = false;
	tell(faults, FAULT_CLEARED, f);
}

static void end_faults(struct faults *faults, double now)
{
	struct fault *f;

	for (f = faults->fault; f < faults->fault + FAULTS_MAX; f++) {
		if (f->used && is_over(f, now))
			end_fault(faults, f);
	}
}

/* Old and new losses of a part together would look like several faults. */
static void restart_changed(struct faults *faults, double now)
{
	struct fault *f;

	for (f = faults->fault; f < faults->fault + FAULTS_MAX; f++) {
		if (!f->used || !f->watch || f->watch->metric != METRIC_PROBE ||
		    !evidence_changed(faults->e, f->watch))
			continue;
		evidence_restart(faults->e, f->watch);
		faults->named_at = now;
	}
}

/* --- begin ------------------------------------------------------------------------- */

static bool has_other(const struct finding *f, uint32_t part)
{
	int i;

	for (i = 0; i < f->others; i++) {
		if (f->other[i].part == part)
			return true;
	}
	return false;
}

static bool same_sort(const struct finding *a, const struct finding *b)
{
	return (a->kind == FAULT_SLOW) == (b->kind == FAULT_SLOW);
}

/* The fault that a finding is about: of the same part, or of one that it excludes. */
static struct fault *known(struct faults *faults, const struct finding *finding)
{
	struct fault *f;

	for (f = faults->fault; f < faults->fault + FAULTS_MAX; f++) {
		if (f->used && same_sort(&f->finding, finding) &&
		    f->finding.part == finding->part)
			return f;
	}
	for (f = faults->fault; f < faults->fault + FAULTS_MAX; f++) {
		if (f->used && same_sort(&f->finding, finding) &&
		    (has_other(finding, f->finding.part) ||
		     has_other(&f->finding, finding->part)))
			return f;
	}
	return NULL;
}

static void set_watch(struct faults *faults, struct fault *f)
{
	evidence_unwatch(faults->e, f->watch);
	f->watch = evidence_watch(faults->e, f->finding.part,
				  fault_metric(f->finding.kind));
}

static void begin_fault(struct faults *faults, const struct finding *finding,
			double now)
{
	struct fault *f = faults->fault;

	while (f < faults->fault + FAULTS_MAX && f->used)
		f++;
	if (f == faults->fault + FAULTS_MAX)
		return;
	*f = (struct fault){
		.used = true,
		.id = faults->next_id++,
		.since = now,
		.seen = now,
		.was = finding->part,
		.finding = *finding,
	};
	faults->named_at = now;
	set_watch(faults, f);
	tell(faults, FAULT_NAMED, f);
}

static bool is_sure(const struct finding *finding)
{
	return finding->confidence >= SURE && !finding->open;
}

/*
 * What is less sure than before changes nothing.  Nor do old losses while packets pass:
 * the rate would become smaller, and it would take longer to see that it is over.
 */
static void renew_fault(struct faults *faults, struct fault *f,
			const struct finding *finding, double now)
{
	bool same = f->finding.part == finding->part;
	bool moved = same && f->finding.exact == f->finding.part &&
		     finding->exact != finding->part;

	if (same && f->watch && f->watch->quiet >= QUIET_MIN)
		return;
	f->seen = now;
	if (same)
		f->doubt = 0;
	else if (!is_sure(finding))
		return;
	else if (!f->doubt)
		f->doubt = now;
	if (!same && now - f->doubt < DOUBT)
		return;
	f->doubt = 0;
	f->was = f->finding.exact;
	f->finding = *finding;
	if (!same)
		set_watch(faults, f);
	if (!same || moved)
		tell(faults, FAULT_REVISED, f);
}

/*
 * Did the search before find it, too? The first losses of a part may all be on the ways
 * that were probed first. What is slow has been seen on most of its ways.
 */
static bool is_confirmed(const struct faults *faults,
			 const struct finding *finding)
{
	int i;

	for (i = 0; i < faults->founds; i++) {
		if (faults->found[i] == finding->part)
			return true;
	}
	return finding->kind == FAULT_SLOW;
}

static void set_found(struct faults *faults, const struct diagnosis *d)
{
	int i;

	for (i = 0; i < d->findings; i++)
		faults->found[i] = d->finding[i].part;
	faults->founds = d->findings;
}

static void take_finding(struct faults *faults, const struct finding *finding,
			 double now)
{
	struct fault *f = known(faults, finding);

	if (f) {
		renew_fault(faults, f, finding, now);
		return;
	}
	if (finding->shared > 0.5 && now - faults->named_at < SETTLE)
		return;
	if (!is_confirmed(faults, finding))
		return;
	if (!is_sure(finding)) {
		if (!faults->waiting)
			faults->waiting = now;
		if (now - faults->waiting < PATIENCE)
			return;
	}
	faults->waiting = 0;
	begin_fault(faults, finding, now);
}

static void add_suspect(struct faults *faults, uint32_t part)
{
	if (faults->suspects < SUSPECTS_MAX)
		faults->suspect[faults->suspects++] = part;
}

/* What is suspected needs more probes, and so do explanations that compete. */
static void set_suspects(struct faults *faults, const struct diagnosis *d)
{
	const struct finding *f;
	int i;

	faults->suspects = 0;
	for (f = d->finding; f < d->finding + d->findings; f++) {
		if (is_sure(f) && is_confirmed(faults, f))
			continue;
		add_suspect(faults, f->part);
		for (i = 0; i < f->others; i++)
			add_suspect(faults, f->other[i].part);
	}
	for (i = 0; i < d->suspects; i++)
		add_suspect(faults, d->suspect[i]);
}

static bool worth_looking(const struct faults *faults, double now)
{
	const double *bad = faults->e->bad;

	if (bad[METRIC_PROBE] > faults->looked[METRIC_PROBE] ||
	    bad[METRIC_DATA] > faults->looked[METRIC_DATA] || faults->waiting)
		return true;
	return now - faults->looked_at > LOOK_AGAIN &&
	       (faults->suspects ||
		bad[METRIC_SLOW] > faults->looked[METRIC_SLOW]);
}

/**
 * faults_update() - take new evidence into account
 * @faults: faults
 * @now: time, s
 */
void faults_update(struct faults *faults, double now)
{
	struct diagnosis d;
	int i;

	end_faults(faults, now);
	restart_changed(faults, now);
	if (!worth_looking(faults, now))
		return;
	localise(faults->e, &d);
	memcpy(faults->looked, faults->e->bad, sizeof(faults->looked));
	faults->looked_at = now;
	if (!d.findings)
		faults->waiting = 0;
	for (i = 0; i < d.findings; i++)
		take_finding(faults, &d.finding[i], now);
	set_suspects(faults, &d);
	set_found(faults, &d);
}
