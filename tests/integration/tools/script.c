// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scenarios: reading and playing them. The language is explained at the head of
 * tests/integration/scenarios/responder.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include <infiniband/verbs.h>

#include "script.h"

/**
 * script_unclear - the scenario cannot be understood
 * @p: script
 * @why: reason
 */
void script_unclear(struct script *p, const char *why)
{
	u32 i;

	fprintf(stderr, "scenario:");
	for (i = 0; i < p->n_words; i++)
		fprintf(stderr, " %s", p->words[i]);
	fprintf(stderr, ": %s\n", why);
	exit(2);
}

/**
 * script_word - is there such a word in the line?
 * @p: script
 * @word: the word
 *
 * Return: whether there is.
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
 * script_text - what follows a key word
 * @p: script
 * @key: the key word
 *
 * Return: the next word, or NULL if the line has no such key word.
 */
const char *script_text(struct script *p, const char *key)
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
		script_unclear(p, "a number is missing");
	return n;
}

/**
 * script_number - the number that follows a key word
 * @p: script
 * @key: the key word
 * @otherwise: if the line has no such key word
 *
 * Return: the number.
 */
long script_number(struct script *p, const char *key, long otherwise)
{
	const char *word = script_text(p, key);

	return word ? parse_number(p, word) : otherwise;
}

/**
 * script_arg - what follows the verb
 * @p: script
 *
 * Return: the third word of the line.
 */
const char *script_arg(struct script *p)
{
	if (p->n_words < 3)
		script_unclear(p, "something is missing");
	p->used |= 1 << 2;
	return p->words[2];
}

/* "N" or "N-M"; returns what follows. */
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
		script_unclear(p, "a packet is missing");
	if (from < SCRIPT_NONE || to >= SCRIPT_PSNS)
		script_unclear(p, "no such packet");
	if (last)
		*last = to;
	return from;
}

/**
 * script_each - for each of a list of PSNs
 * @list: such as "8-11,14"
 * @do_it: called for each, until it returns false
 * @arg: for it
 *
 * Return: whether the list was understood and each call returned true.
 */
bool script_each(const char *list, bool (*do_it)(void *arg, long psn),
		 void *arg)
{
	long first, last;

	while (list && *list) {
		list = parse_range(list, &first, &last);
		if (!list)
			return false;
		for (; first <= last; first++)
			if (!do_it(arg, first))
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
 * script_same - is it this control packet, byte for byte?
 * @g: packet received
 * @want: packet, without its ICRC
 * @len: its length
 *
 * Return: true, or false after a note.
 */
bool script_same(const struct got *g, const u8 *want, u32 len)
{
	if (g->icrc_ok && g->len == len + REF_ICRC_LEN &&
	    !memcmp(g->buf, want, len))
		return true;
	dump("want", want, len);
	dump("got ", g->buf, g->len);
	tap_note("ICRC %s", g->icrc_ok ? "right" : "wrong");
	return false;
}

static bool is_probe(const struct got *g)
{
	return g->buf[0] == REF_PROBE;
}

static bool flush(struct script *p)
{
	return scene_flush(p->s);
}

static void take_first(struct script *p, struct got *got)
{
	struct scene *s = p->s;

	*got = s->got[0];
	s->n_got--;
	memmove(s->got, s->got + 1, s->n_got * sizeof(s->got[0]));
}

/**
 * script_next - next packet of the device
 * @p: script
 * @got: filled in
 *
 * Answers are there as soon as what they answer has been processed.  Probes,
 * which the device sends in its own time, are passed over.
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
			tap_note("no answer");
			return false;
		}
		take_first(p, got);
	} while (is_probe(got));
	return true;
}

static bool nothing(struct script *p)
{
	struct scene *s = p->s;
	struct got got;
	bool ok = flush(p);

	while (s->n_got) {
		take_first(p, &got);
		if (is_probe(&got))
			continue;
		if (ok) {
			tap_note("this is one too many:");
			dump("got ", got.buf, got.len);
		}
		ok = false;
	}
	return ok;
}

/* Packets that the device has sent again in the meantime, if any. */
static bool copies(struct script *p)
{
	struct scene *s = p->s;
	struct got got;
	bool ok = flush(p);

	while (s->n_got) {
		take_first(p, &got);
		if (is_probe(&got) || got.buf[8] & REF_RTX)
			continue;
		dump("got ", got.buf, got.len);
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
 * script_syndrome - what a transport NAK complains of
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
	script_unclear(p, "a syndrome is missing");
	return 0;
}

/**
 * script_reason - what a NACK complains of
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
	script_unclear(p, "a reason is missing");
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
	tap_note("it has ended");
	return false;
}

static bool done(struct script *p)
{
	static const struct {
		const char *name;
		int status;
	} how[] = {
		{ "retries-exceeded", IBV_WC_RETRY_EXC_ERR },
		{ "invalid-request", IBV_WC_REM_INV_REQ_ERR },
		{ "remote-access", IBV_WC_REM_ACCESS_ERR },
		{ "remote-operation", IBV_WC_REM_OP_ERR },
	};
	struct target_wc wc = { .status = -1 };
	int want = IBV_WC_SUCCESS;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(how); i++)
		if (script_word(p, how[i].name))
			want = how[i].status;
	if (target_poll(p->s->target, &wc, SCENE_WAIT_MS) &&
	    wc.status == want &&
	    (want == IBV_WC_SUCCESS ||
	     target_await(p->s->qp, TARGET_ERROR, SCENE_WAIT_MS)))
		return true;
	tap_note("status %d, not %d", wc.status, want);
	return false;
}

static bool error(struct script *p)
{
	return target_await(p->s->qp, TARGET_ERROR, SCENE_WAIT_MS);
}

/* "counted NAME N", since the scenario began. */
static bool counted(struct script *p)
{
	const char *name = script_arg(p);

	return flush(p) & scene_counted(p->s, name, script_number(p, name, 1));
}

static const struct verb {
	const char *mark;
	const char *name;
	bool (*run)(struct script *p);
} verbs[] = {
	{ ">", "write", script_write },
	{ ">", "only", script_only },
	{ ">", "probe", script_probe },
	{ "<", "sack", script_expect_sack },
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
	{ "<", "copies", copies },
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
			script_unclear(p, "too many words");
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
		script_unclear(p, "a verb is missing");
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(p->words[0], verbs[i].mark) &&
		    !strcmp(p->words[1], verbs[i].name))
			break;
	if (i == ARRAY_SIZE(verbs))
		script_unclear(p, "what is that?");
	ok = verbs[i].run(p);
	if (p->used != (1u << p->n_words) - 1)
		script_unclear(p, "not all of this makes sense");
	if (!ok)
		tap_note("failed: %s", text);
	return ok;
}

/* "qp [timeout N] [retries N]" */
static void begin(struct script *p, const char *qp)
{
	struct target_cfg cfg = { .timeout = 20, .retry_cnt = 7 };
	struct scene *s = p->s;
	char line[SCRIPT_LINE];

	memset(p, 0, sizeof(*p));
	s->probes = true;
	p->s = s;
	if (qp) {
		snprintf(line, sizeof(line), "%s", qp);
		split(p, line);
		cfg.timeout = script_number(p, "timeout", cfg.timeout);
		cfg.retry_cnt = script_number(p, "retries", cfg.retry_cnt);
	}
	scene_qp(s, &cfg);
	scene_forget(s);
	scene_mark(s);
}

/**
 * struct scenario - lines of a scenario
 * @name: what it is about
 * @rule: where the rule stands
 * @qp: line with attributes of the queue pair, or NULL
 * @lines: what is to be done
 * @n: how many
 */
struct scenario {
	const char *name;
	const char *rule;
	const char *qp;
	char *lines[128];
	u32 n;
};

/* Ends with an answer to everything, and memory as it has to be. */
static bool play(struct script *p, const struct scenario *sc)
{
	bool ok = true;
	u32 i;

	begin(p, sc->qp);
	for (i = 0; ok && i < sc->n; i++)
		ok = run_line(p, sc->lines[i]);
	return ok && nothing(p) & scene_intact(p->s);
}

static void finish(struct script *p, struct scenario *sc)
{
	bool ok;

	if (!sc->name)
		return;
	if (!sc->n || !sc->rule)
		script_unclear(p, "a scenario without lines or rule");
	/* Queue pairs begin far from the end of the PSNs and near it in turns. */
	ok = play(p, sc);
	ok &= play(p, sc);
	if (!ok)
		tap_note("rule: %s", sc->rule);
	tap_ok(ok, "%s: %s", scene_family(p->s), sc->name);
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

static void take_line(struct script *p, struct scenario *sc, const char *line)
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
			script_unclear(p, "the scenario is too long");
		sc->lines[sc->n++] = copy(line);
	}
}

/**
 * script_run - play the scenarios of a file
 * @s: scene
 * @file: name
 *
 * Return: false, after a message, if the file cannot be read.
 */
bool script_run(struct scene *s, const char *file)
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
		take_line(&p, &sc, line);
	finish(&p, &sc);
	fclose(in);
	return true;
}
