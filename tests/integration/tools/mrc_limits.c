// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How many objects a device has: as many as it says, and not one more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "pair.h"
#include "tap.h"

/**
 * struct kind - objects of one kind
 * @name: of the limit
 * @create: makes one; NULL and an errno if there cannot be more
 * @destroy: ends it; 0 or an errno
 */
struct kind {
	const char *name;
	void *(*create)(struct rc_dev *dev);
	int (*destroy)(void *object);
};

static void *create_pd(struct rc_dev *dev)
{
	return ibv_alloc_pd(dev->ctx);
}

static int destroy_pd(void *pd)
{
	return ibv_dealloc_pd(pd);
}

static void *create_ah(struct rc_dev *dev)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = dev->port,
		.grh.dgid = dev->gid,
		.grh.sgid_index = dev->gid_index,
		.grh.hop_limit = 64,
	};

	return ibv_create_ah(dev->pd, &attr);
}

static int destroy_ah(void *ah)
{
	return ibv_destroy_ah(ah);
}

static void *create_cq(struct rc_dev *dev)
{
	return ibv_create_cq(dev->ctx, 1, NULL, NULL, 0);
}

static int destroy_cq(void *cq)
{
	return ibv_destroy_cq(cq);
}

static bool destroy_all(const struct kind *k, void **objects, int n)
{
	bool ok = true;

	while (n--)
		ok &= !k->destroy(objects[n]);
	return ok;
}

/* @used: those that the program has anyway. */
static void fill(const struct kind *k, int max, int used)
{
	void **objects = calloc(max + 1, sizeof(*objects));
	int n = 0;

	if (!objects)
		return;
	while (n <= max) {
		objects[n] = k->create(&pair_dev[0]);
		if (!objects[n])
			break;
		n++;
	}
	if (!tap_ok(n == max - used && errno == ENOMEM, "%s: %d, then %s",
		    k->name, max, strerror(ENOMEM)))
		tap_note("%d besides %d, then %s", n, used, strerror(errno));
	tap_ok(destroy_all(k, objects, n), "%s: all of them go", k->name);
	objects[0] = k->create(&pair_dev[0]);
	tap_ok(objects[0] && !k->destroy(objects[0]), "%s: there is room again",
	       k->name);
	free(objects);
}

static void limit_pd(void)
{
	static const struct kind k = { "max_pd", create_pd, destroy_pd };

	/* That of the device as the test has opened it. */
	fill(&k, pair_dev[0].attr.max_pd, 1);
}

static void limit_ah(void)
{
	static const struct kind k = { "max_ah", create_ah, destroy_ah };

	fill(&k, pair_dev[0].attr.max_ah, 0);
}

static void limit_cq(void)
{
	static const struct kind k = { "max_cq", create_cq, destroy_cq };

	fill(&k, pair_dev[0].attr.max_cq, 0);
}

int main(int argc, char **argv)
{
	static const struct group groups[] = {
		{ "pd", limit_pd },
		{ "ah", limit_ah },
		{ "cq", limit_cq },
		{ NULL },
	};

	return groups_main(argc, argv, "mrc_limits", "Limits of a device",
			   groups);
}
