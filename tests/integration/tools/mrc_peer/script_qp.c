// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scenarios in which the device's application connects its QP again.
 */
#include <string.h>
#include <unistd.h>

#include "rc.h"
#include "script.h"

enum {
	/* By then the QP is in RESET, and connected unless the device waits. */
	RECONNECT_BEGIN_MS = 200,
	/* Bounds of a wait for packets of the old connection. */
	RECONNECT_WAIT_MIN_MS = 4000,
	RECONNECT_WAIT_MAX_MS = 10000,
	RECONNECT_AT_ONCE_MS = 1000,
};

static void *reconnect(void *arg)
{
	struct script *p = arg;
	u64 began = rc_now_ns();

	p->reconnect.ret = target_qp_reconnect(p->s->qp, &p->s->cfg);
	p->reconnect.ns = rc_now_ns() - began;
	return NULL;
}

/**
 * script_reconnect - "! reconnect": take the QP to RESET and to RTS, with the same PSNs
 * @p: script
 *
 * The peer goes on meanwhile.
 *
 * Return: true, or false after a note.
 */
bool script_reconnect(struct script *p)
{
	if (pthread_create(&p->reconnect.thread, NULL, reconnect, p)) {
		tap_note("pthread_create failed");
		return false;
	}
	p->reconnect.running = true;
	usleep(RECONNECT_BEGIN_MS * 1000);
	return true;
}

/**
 * script_end_reconnect - wait until the QP is connected again
 * @p: script
 *
 * Return: true, also if it has never been reset; or false after a note.
 */
bool script_end_reconnect(struct script *p)
{
	struct script_reconnect *r = &p->reconnect;

	if (!r->running)
		return true;
	pthread_join(r->thread, NULL);
	r->running = false;
	if (r->ret)
		tap_note("the QP cannot be connected again: %s",
			 strerror(r->ret));
	return !r->ret;
}

/**
 * script_reconnected - "= reconnected [at-once]": the QP is connected again
 * @p: script
 *
 * The device has waited before, or with "at-once" it has not.  PSNs and messages
 * begin again.
 *
 * Return: true, or false after a note.
 */
bool script_reconnected(struct script *p)
{
	bool at_once = script_word(p, "at-once");
	bool ok = script_end_reconnect(p);
	u64 ms = p->reconnect.ns / NS_PER_MS;

	memset(p->out, 0, sizeof(p->out));
	p->s->rcvd = 0;
	if (at_once ? ms > RECONNECT_AT_ONCE_MS :
		      ms < RECONNECT_WAIT_MIN_MS || ms > RECONNECT_WAIT_MAX_MS) {
		tap_note("the QP was connected after %llu ms",
			 (unsigned long long)ms);
		return false;
	}
	return ok;
}
