// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parser and interpreter of scenarios. The head of
 * tests/integration/scenarios/responder documents the language.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/kernel.h>

#include <infiniband/verbs.h>

#include "script.h"

/**
 * script_syntax_error - exit with a message about the current line
 * @p: script
 * @why: reason
 */
void script_syntax_error(struct script *p, const char *why)
{
	u32 i;

	fprintf(stderr, "scenario:");
	for (i = 0; i < p->n_words; i++)
		fprintf(stderr, " %s", p->words[i]);
	fprintf(stderr, ": %s\n", why);
	exit(2);
}

/**
 * script_word - whether the current line contains a word
 * @p: script
 * @word: the word
 *
 * Return: true if it does; the word counts as parsed.
 */
bool script_word(struct script *p, const char *word)
{
	u32 i;

	for (i = 0; i < p->n_words; i++) {
		if (strcmp(p->words[i], word))
			continue;
		p->used |= 1 << i;
		return true;
	}
	return false;
}

/**
 * script_value - the word that follows a key word
 * @p: script
 * @key: the key word
 *
 * Return: the next word, or NULL if the line has no such key word.
 */
const char *script_value(struct script *p, const char *key)
{
	u32 i;

	for (i = 0; i + 1 < p->n_words; i++) {
		if (strcmp(p->words[i], key))
			continue;
		p->used |= 3 << i;
		return p->words[i + 1];
	}
	return NULL;
}

static long parse_number(struct script *p, const char *word)
{
	char *end;
	long n = strtol(word, &end, 0);

	if (end == word || *end)
		script_syntax_error(p, "a number is expected");
	return n;
}

/**
 * script_number - the number that follows a key word
 * @p: script
 * @key: the key word
 * @fallback: returned if the line has no such key word
 *
 * Return: the number.
 */
long script_number(struct script *p, const char *key, long fallback)
{
	const char *word = script_value(p, key);

	return word ? parse_number(p, word) : fallback;
}

/**
 * script_arg - the word that follows the verb
 * @p: script
 *
 * Return: the third word of the line.
 */
const char *script_arg(struct script *p)
{
	if (p->n_words < 3)
		script_syntax_error(p, "the verb has no argument");
	p->used |= 1 << 2;
	return p->words[2];
}

/* "N" or "N-M"; returns the text after the range. */
static const char *parse_range(const char *text, long *first, long *last)
{
	char *end;

	*first = strtol(text, &end, 0);
	if (end == text)
		return NULL;
	*last = *first;
	if (*end != '-')
		return end;
	text = end + 1;
	*last = strtol(text, &end, 0);
	return end == text ? NULL : end;
}

/**
 * script_psn_arg - the PSN or range of PSNs that follows the verb
 * @p: script
 * @last: set to the last one; NULL: only one is allowed
 *
 * Return: the first one.
 */
long script_psn_arg(struct script *p, long *last)
{
	const char *word = script_arg(p), *end;
	long from, to;

	end = parse_range(word, &from, &to);
	if (!end || *end || (!last && from != to))
		script_syntax_error(p,
				    "the argument is not a PSN or range of PSNs");
	if (from < SCRIPT_PSN_BEFORE || to >= SCRIPT_PSNS)
		script_syntax_error(p, "the PSN is out of range");
	if (last)
		*last = to;
	return from;
}

/**
 * script_each - call a function for each PSN of a list
 * @list: such as "8-11,14"
 * @fn: called for each, until it returns false
 * @arg: first argument of @fn
 *
 * Return: true if the list is valid and each call returned true.
 */
bool script_each(const char *list, bool (*fn)(void *arg, long psn),
		 void *arg)
{
	long first, last;

	while (list && *list) {
		list = parse_range(list, &first, &last);
		if (!list)
			return false;
		for (; first <= last; first++)
			if (!fn(arg, first))
				return false;
		if (*list == ',')
			list++;
	}
	return list;
}

/**
 * script_ev - the entropy value that the peer's packets arrive with
 * @p: script
 *
 * Return: entropy value; IPv4 has 16 bits of it.
 */
u32 script_ev(const struct script *p)
{
	return p->s->wire.v4 ? p->s->wire.ev & 0xffff : p->s->wire.ev;
}

static void dump(const char *what, const u8 *p, u32 len)
{
	char line[3 * 16 + 1];
	u32 i, n;

	for (i = 0; i < min_t(u32, len, MRC_CTRL_MAX); i += 16) {
		for (n = 0; n < 16 && i + n < len; n++)
			sprintf(line + 3 * n, " %02x", p[i + n]);
		tap_note("%s %02x:%s", what, i, line);
	}
}

/**
 * script_check_packet - compare a packet byte for byte
 * @g: packet received
 * @expected: expected packet, without its ICRC
 * @len: length of @expected
 *
 * Return: true, or false after a note.
 */
bool script_check_packet(const struct got *g, const u8 *expected, u32 len)
{
	if (g->icrc_ok && g->len == len + REF_ICRC_LEN &&
	    !memcmp(g->buf, expected, len))
		return true;
	dump("expected", expected, len);
	dump("received", g->buf, g->len);
	tap_note("ICRC of the received packet is %s",
		 g->icrc_ok ? "right" : "wrong");
	return false;
}

static bool is_reliability_probe(const struct got *g)
{
	return g->buf[0] == REF_PROBE;
}

static bool flush(struct script *p)
{
	return fixture_flush(p->s);
}

static void pop_first(struct script *p, struct got *got)
{
	struct fixture *s = p->s;

	*got = s->got[0];
	s->n_got--;
	memmove(s->got, s->got + 1, s->n_got * sizeof(s->got[0]));
}

/**
 * script_next - next packet of the device
 * @p: script
 * @got: filled in
 *
 * The device has sent its acknowledgment when it has processed the packet that
 * the acknowledgment is for.  Reliability probes are skipped: a timer of the
 * device sends them.
 *
 * Return: true, or false after a note.
 */
bool script_next(struct script *p, struct got *got)
{
	bool flushed = false;

	do {
		if (!p->s->n_got && !flushed) {
			if (!flush(p))
				return false;
			flushed = true;
		}
		if (!p->s->n_got) {
			tap_note("the device has sent no packet");
			return false;
		}
		pop_first(p, got);
	} while (is_reliability_probe(got));
	return true;
}

static bool nothing(struct script *p)
{
	struct fixture *s = p->s;
	struct got got;
	bool ok = flush(p);

	while (s->n_got) {
		pop_first(p, &got);
		if (is_reliability_probe(&got))
			continue;
		if (ok) {
			tap_note("unexpected packet:");
			dump("received", got.buf, got.len);
		}
		ok = false;
	}
	return ok;
}

/* Whether all packets received since are retransmissions; none is required. */
static bool only_retransmissions(struct script *p)
{
	struct fixture *s = p->s;
	struct got got;
	bool ok = flush(p);

	while (s->n_got) {
		pop_first(p, &got);
		if (is_reliability_probe(&got) || got.buf[8] & REF_RTX)
			continue;
		tap_note("unexpected packet:");
		dump("received", got.buf, got.len);
		ok = false;
	}
	return ok;
}

static const struct {
	const char *name;
	u8 code;
} syndromes[] = {
	{ "sequence", 0x60 }, { "invalid-request", 0x61 },
	{ "remote-access", 0x62 }, { "remote-operation", 0x63 },
}, reasons[] = {
	{ "trimmed", 0x01 }, { "trimmed-lasthop", 0x02 }, { "no-bitmap", 0x06 },
	{ "no-packet-buffer", 0x07 }, { "no-resource", 0x0a },
	{ "out-of-window", 0x0b }, { "unexpected-event", 0x19 },
	{ "undefined", 0x03 },
};

/**
 * script_syndrome - AETH syndrome that the line names
 * @p: script
 *
 * Return: AETH syndrome as in IBTA.
 */
u8 script_syndrome(struct script *p)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(syndromes); i++)
		if (script_word(p, syndromes[i].name))
			return syndromes[i].code;
	script_syntax_error(p, "the NAK has no syndrome");
	return 0;
}

/**
 * script_reason - NACK reason that the line names
 * @p: script
 *
 * Return: reason of table 7-3.
 */
u8 script_reason(struct script *p)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		if (script_word(p, reasons[i].name))
			return reasons[i].code;
	script_syntax_error(p, "the NACK has no reason");
	return 0;
}

static bool pending(struct script *p)
{
	struct target_wc wc;

	if (!flush(p))
		return false;
	if (!target_poll(p->s->target, &wc, 0) &&
	    target_state(p->s->qp) == TARGET_RTS)
		return true;
	tap_note("a WRITE has completed or the QP has left RTS");
	return false;
}

static bool done(struct script *p)
{
	static const struct {
		const char *name;
		int status;
	} statuses[] = {
		{ "retries-exceeded", IBV_WC_RETRY_EXC_ERR },
		{ "invalid-request", IBV_WC_REM_INV_REQ_ERR },
		{ "remote-access", IBV_WC_REM_ACCESS_ERR },
		{ "remote-operation", IBV_WC_REM_OP_ERR },
	};
	struct target_wc wc = { .status = -1 };
	int expected = IBV_WC_SUCCESS;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(statuses); i++)
		if (script_word(p, statuses[i].name))
			expected = statuses[i].status;
	if (target_poll(p->s->target, &wc, FIXTURE_WAIT_MS) &&
	    wc.status == expected &&
	    (expected == IBV_WC_SUCCESS ||
	     target_await(p->s->qp, TARGET_ERROR, FIXTURE_WAIT_MS)))
		return true;
	tap_note("completion status %d, expected %d", wc.status, expected);
	return false;
}

/* "wait N": let N ms pass. */
static bool wait_ms(struct script *p)
{
	usleep(1000 * strtoul(script_arg(p), NULL, 0));
	return true;
}

static bool error(struct script *p)
{
	return target_await(p->s->qp, TARGET_ERROR, FIXTURE_WAIT_MS);
}

/* "counted NAME N": growth of a counter since the scenario began. */
static bool counted(struct script *p)
{
	const char *name = script_arg(p);

	return flush(p) & fixture_counted(p->s, name, script_number(p, name, 1));
}

static const struct verb {
	const char *mark;
	const char *name;
	bool (*run)(struct script *p);
} verbs[] = {
	{ ">", "write", script_write },
	{ ">", "only", script_only },
	{ ">", "probe", script_probe },
	{ "<", "update", script_expect_update },
	{ "!", "wait", wait_ms },
	{ "<", "sack", script_expect_sack },
	{ "=", "served", script_served },
	{ "<", "ack", script_expect_ack },
	{ "<", "nak", script_expect_nak },
	{ "<", "nack", script_expect_nack },
	{ "!", "write", script_post },
	{ "<", "write", script_expect_write },
	{ "<", "probe", script_expect_probe },
	{ ">", "sack", script_send_sack },
	{ ">", "ack", script_send_ack },
	{ ">", "nak", script_send_nak },
	{ ">", "nack", script_send_nack },
	{ "<", "nothing", nothing },
	{ "<", "any-rtx", only_retransmissions },
	{ "!", "reconnect", script_reconnect },
	{ "=", "reconnected", script_reconnected },
	{ "=", "pending", pending },
	{ "=", "done", done },
	{ "=", "error", error },
	{ "=", "counted", counted },
};

static void split(struct script *p, char *line)
{
	char *save, *word;

	p->n_words = 0;
	p->used = 3;
	for (word = strtok_r(line, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save)) {
		if (p->n_words == SCRIPT_WORDS)
			script_syntax_error(p, "too many words");
		p->words[p->n_words++] = word;
	}
}

static bool run_line(struct script *p, const char *text)
{
	char line[SCRIPT_LINE];
	bool ok;
	u32 i;

	snprintf(line, sizeof(line), "%s", text);
	split(p, line);
	if (p->n_words < 2)
		script_syntax_error(p, "the line has no verb");
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(p->words[0], verbs[i].mark) &&
		    !strcmp(p->words[1], verbs[i].name))
			break;
	if (i == ARRAY_SIZE(verbs))
		script_syntax_error(p, "unknown verb");
	ok = verbs[i].run(p);
	if (p->used != (1u << p->n_words) - 1)
		script_syntax_error(p, "the line has unknown words");
	if (!ok)
		tap_note("failed line: %s", text);
	return ok;
}

/* Attributes of a QP that verbs have not. */
static void parse_attrs(struct script *p, struct mrc_ib_qp_attr *a)
{
	const struct {
		const char *key;
		u32 bit;
		u32 *number;
		u8 *octet;
	} attrs[] = {
		{ "ack-timeout", MRC_IB_QP_TIMEOUT, NULL, &a->timeout },
		{ "linear", MRC_IB_QP_LINEAR_CNT, NULL, &a->linear_cnt },
		{ "exp", MRC_IB_QP_EXP_CNT, NULL, &a->exp_cnt },
		{ "mpr", MRC_IB_QP_MPR, &a->mpr },
		{ "mpr-dest", MRC_IB_QP_MPR_DEST, &a->mpr_dest },
		{ "wimm", MRC_IB_QP_MAX_WIMM, &a->max_wimm },
		{ "wimm-dest", MRC_IB_QP_MAX_WIMM_DEST, &a->max_wimm_dest },
		{ "trim-nack", MRC_IB_QP_TRIM_NACK, NULL, &a->trim_nack },
		{ "dynamic-mpr", MRC_IB_QP_DYNAMIC_MPR, NULL, &a->dynamic_mpr },
		{ "svc-time", MRC_IB_QP_SVC_TIME, NULL, &a->svc_time },
		{ "svc-time-dest", MRC_IB_QP_SVC_TIME_DEST, NULL,
		  &a->svc_time_dest },
	};
	long value;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		value = script_number(p, attrs[i].key, -1);
		if (value < 0)
			continue;
		a->mask |= attrs[i].bit;
		if (attrs[i].number)
			*attrs[i].number = value;
		else
			*attrs[i].octet = value;
	}
}

/* "qp [timeout N] [retries N] [ATTRIBUTE N]..." */
static void begin(struct script *p, const char *qp)
{
	struct target_cfg cfg = { .timeout = 20, .retry_cnt = 7 };
	struct fixture *s = p->s;
	char line[SCRIPT_LINE];

	memset(p, 0, sizeof(*p));
	s->probes = true;
	p->s = s;
	if (qp) {
		snprintf(line, sizeof(line), "%s", qp);
		split(p, line);
		cfg.timeout = script_number(p, "timeout", cfg.timeout);
		cfg.retry_cnt = script_number(p, "retries", cfg.retry_cnt);
		parse_attrs(p, &cfg.attr);
	}
	fixture_qp(s, &cfg);
	fixture_discard(s);
	fixture_snapshot(s);
}

/**
 * struct scenario - lines of a scenario
 * @name: condition and expectation
 * @rule: section and rule that it proves
 * @qp: line with attributes of the QP, or NULL
 * @lines: actions and expected packets
 * @n: number of lines
 */
struct scenario {
	const char *name;
	const char *rule;
	const char *qp;
	char *lines[128];
	u32 n;
};

/* At the end no packet may follow and the device's memory is as expected. */
static bool play(struct script *p, const struct scenario *sc)
{
	bool ok = true;
	u32 i;

	begin(p, sc->qp);
	for (i = 0; ok && i < sc->n; i++)
		ok = run_line(p, sc->lines[i]);
	ok &= script_end_reconnect(p);
	return ok && nothing(p) & fixture_intact(p->s);
}

static void finish(struct script *p, struct scenario *sc)
{
	bool ok;

	if (!sc->name)
		return;
	if (!sc->n || !sc->rule)
		script_syntax_error(p, "the scenario has no lines or no rule");
	/* QPs begin far from the wrap-around of PSNs and near it in turns. */
	ok = play(p, sc);
	ok &= play(p, sc);
	if (!ok)
		tap_note("rule: %s", sc->rule);
	tap_ok(ok, "%s: %s", fixture_family(p->s), sc->name);
	memset(sc, 0, sizeof(*sc));
}

static char *copy(const char *text)
{
	char *mem = strdup(text);

	if (!mem)
		exit(2);
	mem[strcspn(mem, "\n")] = 0;
	return mem;
}

static void parse_line(struct script *p, struct scenario *sc, const char *line)
{
	if (!strncmp(line, "scenario ", 9)) {
		finish(p, sc);
		sc->name = copy(line + 9);
	} else if (!strncmp(line, "rule ", 5)) {
		sc->rule = copy(line + 5);
	} else if (!strncmp(line, "qp ", 3)) {
		sc->qp = copy(line);
	} else if (*line != '#' && *line != '\n') {
		if (sc->n == ARRAY_SIZE(sc->lines))
			script_syntax_error(p, "the scenario is too long");
		sc->lines[sc->n++] = copy(line);
	}
}

/**
 * script_run - execute the scenarios of a file
 * @s: fixture
 * @file: name
 *
 * Return: false, after a message, if the file cannot be read.
 */
bool script_run(struct fixture *s, const char *file)
{
	static struct scenario sc;
	static struct script p;
	char line[SCRIPT_LINE];
	FILE *in = fopen(file, "r");

	if (!in) {
		fprintf(stderr, "%s: %s\n", file, strerror(errno));
		return false;
	}
	p.s = s;
	while (fgets(line, sizeof(line), in))
		parse_line(&p, &sc, line);
	finish(&p, &sc);
	fclose(in);
	return true;
}
