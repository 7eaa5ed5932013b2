/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands of mrc_api, which use libmrc only.
 */
#ifndef MRC_TEST_API_H
#define MRC_TEST_API_H

#include <stdbool.h>
#include <stdint.h>

#include <mrc_ctl.h>

/* The device of the command line. */
extern struct ibv_context *verbs;
extern struct mrc_context *ctx;

struct ibv_context *api_open(const char *name);

/* Entropy values of formats STEV and UDP, and of format SRV6. */
struct mrc_ctl_ev ev_of(uint32_t number, uint8_t port);
uint32_t number_of(const struct mrc_ctl_ev *ev);
bool ev_of_sid(struct mrc_ctl_ev *ev, const char *sid, uint8_t port);

/* Exit statuses. */
int controller_setup(void);
int controller_clear(void);
int path_setup(uint64_t id);
int path_mask(uint64_t id, int states);
int event_print(int cqe);
int probe_send(enum mrc_ctl_ep_op_type op, uint32_t ports, uint32_t timeout);
int write_messages(const char *peer, int gid_index, uint64_t id);

#endif /* MRC_TEST_API_H */
