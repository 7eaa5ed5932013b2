// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Controller API: operations on the entries of an EV profile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evprofile.h"

/**
 * struct edits - changes of entries, in one request
 * @nlh: request, or NULL
 * @n: changes in it
 * @err: errno of the first change that was refused
 * @reason: why
 */
struct edits {
	struct nlmsghdr *nlh;
	uint32_t n;
	uint32_t err;
	char reason[128];
};

/* --- changes ------------------------------------------------------------- */

static int on_refused(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_EV_MAX + 1], *attr;
	struct edits *edits = arg;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (edits->err || mnl_attr_get_type(attr) != MRC_A_PROFILE_EV)
			continue;
		nl_nest(attr, tb, MRC_A_EV_MAX);
		edits->err = nl_u32(tb[MRC_A_EV_ERROR]);
		snprintf(edits->reason, sizeof(edits->reason), "%s",
			 nl_string(tb[MRC_A_EV_REASON]));
	}
	return MNL_CB_OK;
}

static int edits_send(struct genl *g, struct edits *edits)
{
	int ret;

	if (!edits->n)
		return 0;
	ret = genl_talk(g, edits->nlh, on_refused, edits);
	edits->n = 0;
	if (ret || !edits->err)
		return ret;
	return refuse(edits->err == ENOENT ? ENOENT : EINVAL, "%s", edits->reason);
}

static int edits_add(struct genl *g, struct edits *edits, const char *name,
		     uint32_t index, const struct ev_slot *slot, bool has_ev)
{
	struct nlattr *nest;

	if (!edits->n) {
		edits->nlh = genl_begin(g, MRC_CMD_PROFILE_EV_SET, false,
					MRC_A_PROFILE_DEV);
		mnl_attr_put_strz(edits->nlh, MRC_A_PROFILE_NAME, name);
	}
	nest = mnl_attr_nest_start(edits->nlh, MRC_A_PROFILE_EDIT);
	mnl_attr_put_u32(edits->nlh, MRC_A_EV_INDEX, index);
	if (has_ev) {
		mnl_attr_put_u32(edits->nlh, MRC_A_EV_PORT, slot->port);
		mnl_attr_put(edits->nlh, MRC_A_EV_BITS, MRC_EV_LEN, slot->bits);
	}
	mnl_attr_put_u32(edits->nlh, MRC_A_EV_DENIED, slot->denied);
	mnl_attr_nest_end(edits->nlh, nest);
	return ++edits->n == MRC_EVS_MAX ? edits_send(g, edits) : 0;
}

static bool ev_is_unpopulated(const struct mrc_ctl_ev *ev)
{
	static const struct mrc_ctl_ev none;

	return !ev->port && !memcmp(ev->val, none.val, sizeof(none.val));
}

/**
 * struct ev_key - entries that an operation is about
 * @none: those without an entropy value
 * @bits: otherwise those with this one
 * @port: and this port
 */
struct ev_key {
	bool none;
	uint8_t bits[MRC_EV_LEN];
	uint8_t port;
};

static int ev_key(const struct ev_profile *p, const struct mrc_ctl_ev *ev,
		  struct ev_key *key)
{
	key->port = ev->port;
	key->none = ev_is_unpopulated(ev);
	return key->none ? 0 : ev_to_bits(p, ev, key->bits);
}

static bool slot_is(const struct ev_slot *slot, const struct ev_key *key)
{
	if (!slot->set || key->none)
		return !slot->set && key->none;
	return slot->port == key->port &&
	       !memcmp(slot->bits, key->bits, MRC_EV_LEN);
}

/* Index of the next entry from @from on; the count of entries if there is none. */
static uint32_t slot_find(const struct ev_profile *p, uint32_t from,
			  const struct ev_key *key)
{
	while (from < p->count && !slot_is(&p->slot[from], key))
		from++;
	return from;
}

static int entry_replace(struct genl *g, struct ev_profile *p, const char *name,
			 const struct mrc_ctl_ev_op_entry *entry,
			 struct edits *edits)
{
	bool all = entry->flags & MRC_CTL_EV_OP_F_ALL_COPIES;
	struct ev_slot new = {
		.set = true,
		.denied = entry->state == MRC_CTL_EV_DENIED,
		.port = entry->ev_new.port,
	};
	struct ev_key key;
	uint32_t i;
	int ret;

	ret = ev_key(p, &entry->ev, &key) ?:
	      ev_to_bits(p, &entry->ev_new, new.bits);
	if (ret)
		return ret;
	i = slot_find(p, 0, &key);
	if (i == p->count)
		return refuse(ENOENT, "the entropy value is not in profile %s",
			      name);
	for (; i < p->count && !ret; i = slot_find(p, i + 1, &key)) {
		p->slot[i] = new;
		ret = edits_add(g, edits, name, i, &new, true);
		if (!all)
			break;
	}
	return ret;
}

static int entry_set_state(struct genl *g, struct ev_profile *p,
			   const char *name,
			   const struct mrc_ctl_ev_op_entry *entry,
			   struct edits *edits)
{
	struct ev_key key;
	uint32_t i;
	int ret = ev_key(p, &entry->ev, &key);

	if (ret)
		return ret;
	i = key.none ? p->count : slot_find(p, 0, &key);
	if (i == p->count)
		return refuse(ENOENT, "the entropy value is not in profile %s",
			      name);
	p->slot[i].denied = entry->state == MRC_CTL_EV_DENIED;
	return edits_add(g, edits, name, i, &p->slot[i], false);
}

static int entry_change(struct genl *g, struct ev_profile *p, const char *name,
			enum mrc_ctl_ev_op op,
			const struct mrc_ctl_ev_op_entry *entry,
			struct edits *edits)
{
	if (entry->state != MRC_CTL_EV_GOOD && entry->state != MRC_CTL_EV_DENIED)
		return refuse(EINVAL, "state %#x cannot be set", entry->state);
	if (entry->flags & ~MRC_CTL_EV_OP_F_ALL_COPIES)
		return refuse(EINVAL, "flags %#x are unknown", entry->flags);
	return op == MRC_CTL_EV_OP_REPLACE_EV ?
	       entry_replace(g, p, name, entry, edits) :
	       entry_set_state(g, p, name, entry, edits);
}

static int evop_change_all(struct genl *g, const char *name,
			   const struct mrc_ctl_ev_profile_attr *attr,
			   struct ev_profile *p)
{
	struct edits edits = {};
	int i, ret, sent;

	ret = evprofile_get(g, name, true, p);
	if (!ret && !p->found)
		ret = refuse(ENOENT, "there is no profile %s", name);
	for (i = 0; i < attr->ev_op.entry_count && !ret; i++)
		ret = entry_change(g, p, name, attr->ev_op.op,
				   &attr->ev_op.entries[i], &edits);
	/* Entries before one that fails are changed. */
	sent = edits_send(g, &edits);
	if (ret)
		errno = ret;
	return ret ? ret : sent;
}

/**
 * evop_change() - replace entropy values, deny or permit them
 * @g: connection
 * @name: name of the profile
 * @attr: the operation
 *
 * Return: 0 or an errno; entries before the one that failed have been changed.
 */
int evop_change(struct genl *g, const char *name,
		struct mrc_ctl_ev_profile_attr *attr)
{
	struct ev_profile *p = malloc(sizeof(*p));
	int ret;

	if (!p)
		return refuse(EIO, "no memory");
	ret = evop_change_all(g, name, attr, p);
	free(p);
	return ret;
}

/* --- queries -------------------------------------------------------------- */

/**
 * struct path_scan - search for paths that are assumed bad
 * @p: profile; marks are set
 * @name: its name
 */
struct path_scan {
	struct ev_profile *p;
	const char *name;
};

static void take_path(struct ev_profile *p, const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PATH_MAX + 1];
	uint32_t i;

	nl_nest(nest, tb, MRC_A_PATH_MAX);
	if (nl_u32(tb[MRC_A_PATH_STATE]) != MRC_PATH_STATE_ASSUMED_BAD)
		return;
	for (i = 0; i < p->count; i++)
		if (p->slot[i].set &&
		    p->slot[i].value == nl_u32(tb[MRC_A_PATH_EV]) &&
		    p->slot[i].port == nl_u32(tb[MRC_A_PATH_PORT]))
			p->slot[i].bad = true;
}

static int on_qp(const struct nlmsghdr *nlh, void *arg)
{
	const struct path_scan *scan = arg;
	const struct nlattr *attr;
	bool ours = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_QP_PROFILE)
			ours = !strcmp(nl_string(attr), scan->name);
	}
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (ours && mnl_attr_get_type(attr) == MRC_A_QP_PATH)
			take_path(scan->p, attr);
	}
	return MNL_CB_OK;
}

/* A path is assumed bad if one of the queue pairs of the profile does. */
static int paths_get(struct genl *g, const char *name, struct ev_profile *p)
{
	struct nlmsghdr *nlh = genl_begin(g, MRC_CMD_QP_GET, true,
					  MRC_A_QP_DEV);
	struct path_scan scan = { .p = p, .name = name };

	mnl_attr_put(nlh, MRC_A_QP_PATHS, 0, NULL);
	return genl_talk(g, nlh, on_qp, &scan);
}

static enum mrc_ctl_ev_state slot_state(const struct ev_slot *slot)
{
	if (!slot->set)
		return MRC_CTL_EV_UNKNOWN;
	if (slot->denied)
		return MRC_CTL_EV_DENIED;
	return slot->bad ? MRC_CTL_EV_ASSUMED_BAD : MRC_CTL_EV_GOOD;
}

static int query_states(const struct ev_profile *p, const char *name,
			struct mrc_ctl_ev_profile_attr *attr)
{
	struct mrc_ctl_ev_op_entry *entry;
	struct ev_key key;
	int i, ret;
	uint32_t j;

	for (i = 0; i < attr->ev_op.entry_count; i++) {
		entry = &attr->ev_op.entries[i];
		ret = ev_key(p, &entry->ev, &key);
		if (ret)
			return ret;
		j = slot_find(p, 0, &key);
		if (j == p->count)
			return refuse(ENOENT, "the entropy value is not in profile %s",
				      name);
		entry->state = slot_state(&p->slot[j]);
	}
	return 0;
}

static int query_array(const struct ev_profile *p,
		       struct mrc_ctl_ev_profile_attr *attr)
{
	int room = attr->ev_op.entry_count;
	uint32_t n, i;

	/* The entropy values of AUTO are made by each queue pair. */
	n = p->kind == MRC_PROFILE_KIND_AUTO ? 0 : p->count;
	attr->ev_op.entry_count = n;
	if (room < (int)n)
		return refuse(E2BIG, "%u entries, room for %d", n, room);
	for (i = 0; i < n; i++) {
		ev_from_slot(p, &p->slot[i], &attr->ev_op.entries[i].ev);
		attr->ev_op.entries[i].state = slot_state(&p->slot[i]);
	}
	return 0;
}

static int evop_query_all(struct genl *g, const char *name,
			  struct mrc_ctl_ev_profile_attr *attr,
			  struct ev_profile *p)
{
	int ret = evprofile_get(g, name, true, p);

	if (!ret && !p->found)
		ret = refuse(ENOENT, "there is no profile %s", name);
	if (!ret)
		ret = paths_get(g, name, p);
	if (ret)
		return ret;
	return attr->ev_op.op == MRC_CTL_EV_OP_QUERY_EV_STATE ?
	       query_states(p, name, attr) : query_array(p, attr);
}

/**
 * evop_query() - read entropy values and their states
 * @g: connection
 * @name: name of the profile
 * @attr: the operation, and its result
 *
 * Return: 0 or an errno.
 */
int evop_query(struct genl *g, const char *name,
	       struct mrc_ctl_ev_profile_attr *attr)
{
	struct ev_profile *p = malloc(sizeof(*p));
	int ret;

	if (!p)
		return refuse(EIO, "no memory");
	ret = evop_query_all(g, name, attr, p);
	free(p);
	return ret;
}

/* --- checks --------------------------------------------------------------- */

/**
 * evop_is_query() - kind of an operation
 * @op: operation
 *
 * Return: whether it changes nothing.
 */
bool evop_is_query(enum mrc_ctl_ev_op op)
{
	return op == MRC_CTL_EV_OP_QUERY_EV_STATE ||
	       op == MRC_CTL_EV_OP_QUERY_EV_ARRAY;
}

/**
 * evop_check() - check an operation
 * @attr: with the operation
 * @change: the call may change something
 *
 * Return: 0 or an errno.
 */
int evop_check(const struct mrc_ctl_ev_profile_attr *attr, bool change)
{
	if (attr->ev_op.op > MRC_CTL_EV_OP_QUERY_EV_ARRAY)
		return refuse(EINVAL, "ev_op.op %d is unknown", attr->ev_op.op);
	if (!change && !evop_is_query(attr->ev_op.op))
		return refuse(EINVAL, "a query cannot change entries");
	if (attr->ev_op.entry_count < 0 ||
	    (attr->ev_op.entry_count && !attr->ev_op.entries))
		return refuse(EINVAL, "no entries");
	return 0;
}
