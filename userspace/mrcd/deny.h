/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Deny rules against faults: which are permitted, and when they are taken back.
 */
#ifndef MRCD_DENY_H
#define MRCD_DENY_H

#include "faults.h"
#include "topo_path.h"

enum { DENY_RULES = 16 };

/**
 * enum deny_mode - what is done about faults
 * @DENY_OFF: nothing
 * @DENY_DRY_RUN: what would be done is reported
 * @DENY_ON: paths over what is broken are denied
 */
enum deny_mode {
	DENY_OFF,
	DENY_DRY_RUN,
	DENY_ON,
};

/**
 * struct deny_rule - a rule of this daemon
 * @used: the entry is in use
 * @port: port of the paths
 * @usid: micro-segment that they visit
 * @next: the one after it; 0: any
 * @plane: from 0
 * @t0: T0 next to the denied T1; -1: all paths over the T1
 * @t1: T1 that is denied
 * @part: fault that is the reason; meaningless if @adopted
 * @adopted: found in the kernel when the daemon started
 * @expires: when it ends unless the fault is still there, s
 */
struct deny_rule {
	bool used;
	uint32_t port;
	uint32_t usid;
	uint32_t next;
	int plane;
	int t0;
	int t1;
	uint32_t part;
	bool adopted;
	double expires;
};

/**
 * struct deny - rules of this daemon
 * @fabric: network
 * @self: number of this host
 * @mode: what is done
 * @share: most of the paths to a peer in a plane that may be denied, of 1
 * @expiry: s after which a rule ends unless the fault is still seen
 * @rule: these
 * @refused: rules that a limit did not permit
 * @set: adds (@add) or removes a rule; false: the kernel refused
 * @why: called with the reason when a fault leads to no rule
 * @arg: for both
 */
struct deny {
	const struct fabric *fabric;
	int self;
	enum deny_mode mode;
	double share;
	double expiry;
	struct deny_rule rule[DENY_RULES];
	uint64_t refused;
	bool (*set)(void *arg, const struct deny_rule *rule, bool add,
		    const char *why);
	void (*why)(void *arg, const struct fault *fault, const char *why);
	void *arg;
};

void deny_init(struct deny *deny, const struct fabric *fabric, int self);
void deny_fault(struct deny *deny, const struct fault *fault, double now);
void deny_clear(struct deny *deny, uint32_t part);
void deny_expire(struct deny *deny, const struct faults *faults, double now);
bool deny_adopt(struct deny *deny, uint32_t port, uint32_t usid, uint32_t next,
		double now);
void deny_withdraw(struct deny *deny, const char *why);
int deny_rules(const struct deny *deny);

#endif /* MRCD_DENY_H */
