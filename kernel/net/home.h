/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Home processors: where the packets of a connection are processed.
 */
#ifndef MRC_NET_HOME_H
#define MRC_NET_HOME_H

#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

struct net;
struct sk_buff;
struct sock;
struct task_struct;

/* What IP does with a buffer after a hook: &struct nf_hook_state.okfn. */
typedef int mrc_home_next_fn(struct net *net, struct sock *sk, struct sk_buff *skb);

/* Home of a connection that has none: packets are processed where they arrive. */
#define MRC_HOME_NONE (-1)

/* Jiffies over which it is measured how busy processors are. */
#define MRC_HOME_PERIOD (HZ / 20)

/**
 * enum mrc_home_verdict - who processes a buffer
 * @MRC_HOME_HERE: the caller
 * @MRC_HOME_STEERED: the home processor, to which it belongs now
 * @MRC_HOME_FULL: nobody: too many wait for the home processor
 */
enum mrc_home_verdict {
	MRC_HOME_HERE,
	MRC_HOME_STEERED,
	MRC_HOME_FULL,
};

/**
 * mrc_home_percent() - the part of a time
 * @ns: part
 * @passed: jiffies, the whole; not 0
 *
 * Return: percent, at most 100.
 */
static inline u32 mrc_home_percent(u64 ns, unsigned long passed)
{
	return min_t(u64, 100, div64_u64(ns * 100, (u64)passed * TICK_NSEC));
}

int mrc_home_choose(const struct task_struct *owner, int node, u32 vector);
int mrc_home_move(const struct task_struct *owner, int home, u32 work);
void mrc_home_release(int cpu);
void mrc_home_spent(u64 ns);
bool mrc_home_suits(int cpu, const struct task_struct *owner);
bool mrc_home_has_poster(int cpu);
void mrc_home_move_poster(int from, int to);
bool mrc_home_is_busy(int cpu);
bool mrc_home_has_input(void);
bool mrc_home_is_running(void);
enum mrc_home_verdict mrc_home_steer(int cpu, struct sk_buff *skb, u32 qpn,
				     mrc_home_next_fn *next);
void mrc_home_init(void);
void mrc_home_exit(void);

#endif /* MRC_NET_HOME_H */
