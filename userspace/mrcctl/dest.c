// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl dest: destinations by prefix.
 */
#include <stdlib.h>
#include <string.h>

#include "dest.h"
#include "mrcctl.h"
#include "out.h"
#include "request.h"
#include "save.h"

static int dest_make(struct nl *nl, int argc, char **argv, enum mrc_cmd cmd)
{
	const char *dev, *profile, *template, *cc;
	struct prefix prefix;
	uint64_t number = 0;
	struct arg args[] = {
		{ "dst", ARG_PREFIX, true, &prefix, .positional = true,
		  .attr = MRC_A_DEST_DST,
		  .len_attr = MRC_A_DEST_LEN },
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_DEST_DEV },
		{ "profile", ARG_NAME, true, &profile,
		  .attr = MRC_A_DEST_PROFILE },
		{ "template", ARG_NAME, false, &template,
		  .attr = MRC_A_DEST_TEMPLATE },
		{ "number", ARG_U64, false, &number,
		  .attr = MRC_A_DEST_NUMBER },
		{ "cc", ARG_NAME, false, &cc, .attr = MRC_A_DEST_CC },
		{ NULL }
	};

	return request_do(nl, cmd, argc, argv, args);
}

static int dest_add(struct nl *nl, int argc, char **argv)
{
	return dest_make(nl, argc, argv, MRC_CMD_DEST_ADD);
}

static int dest_replace(struct nl *nl, int argc, char **argv)
{
	return dest_make(nl, argc, argv, MRC_CMD_DEST_SET);
}

static int dest_del(struct nl *nl, int argc, char **argv)
{
	struct prefix prefix;
	const char *dev;
	struct arg args[] = {
		{ "dst", ARG_PREFIX, true, &prefix, .positional = true,
		  .attr = MRC_A_DEST_DST,
		  .len_attr = MRC_A_DEST_LEN },
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_DEST_DEV },
		{ NULL }
	};

	return request_do(nl, MRC_CMD_DEST_DEL, argc, argv, args);
}

/* --- show ----------------------------------------------------------------- */

/**
 * dests_add() - allocate one more
 * @all: destinations
 *
 * Return: it; without memory the program ends.
 */
struct dest *dests_add(struct dests *all)
{
	if (all->n == all->size) {
		all->size = all->size ? 2 * all->size : 64;
		all->dest = realloc(all->dest,
				    all->size * sizeof(*all->dest));
		if (!all->dest) {
			fputs("mrcctl: out of memory\n", stderr);
			exit(EXIT_KERNEL);
		}
	}
	memset(&all->dest[all->n], 0, sizeof(*all->dest));
	return &all->dest[all->n++];
}

static int on_dest(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DEST_MAX + 1];
	struct dest *dest;

	nl_attrs(nlh, tb, MRC_A_DEST_MAX);
	if (!nl_addr(tb[MRC_A_DEST_DST]))
		return MNL_CB_OK;
	dest = dests_add(arg);
	snprintf(dest->dev, sizeof(dest->dev), "%s",
		 nl_string(tb[MRC_A_DEST_DEV]));
	dest->prefix.addr = *nl_addr(tb[MRC_A_DEST_DST]);
	dest->prefix.len = nl_u32(tb[MRC_A_DEST_LEN]);
	snprintf(dest->profile, sizeof(dest->profile), "%s",
		 nl_string(tb[MRC_A_DEST_PROFILE]));
	snprintf(dest->template, sizeof(dest->template), "%s",
		 nl_string(tb[MRC_A_DEST_TEMPLATE]));
	dest->number = nl_u64(tb[MRC_A_DEST_NUMBER]);
	snprintf(dest->cc, sizeof(dest->cc), "%s",
		 nl_string(tb[MRC_A_DEST_CC]));
	return MNL_CB_OK;
}

static int by_prefix(const void *a, const void *b)
{
	const struct dest *x = a, *y = b;
	int order = strcmp(x->dev, y->dev);

	if (!order)
		order = memcmp(&x->prefix.addr, &y->prefix.addr,
			       sizeof(x->prefix.addr));
	return order ? order : (int)x->prefix.len - (int)y->prefix.len;
}

/**
 * dests_sort() - sort by device and prefix
 * @all: destinations
 */
void dests_sort(struct dests *all)
{
	if (all->n)
		qsort(all->dest, all->n, sizeof(*all->dest), by_prefix);
}

/**
 * dests_get() - read destinations
 * @nl: connection
 * @args: which, after args_parse()
 * @all: those of the kernel are added to it; sorted
 *
 * Return: enum exit_code.
 */
int dests_get(struct nl *nl, const struct arg *args, struct dests *all)
{
	struct nlmsghdr *nlh = request_begin(nl, MRC_CMD_DEST_GET, true, args);
	int ret = nlh ? nl_talk(nl, nlh, on_dest, all) : EXIT_KERNEL;

	dests_sort(all);
	return ret;
}

static void print_dest(const struct dest *dest)
{
	out_object(NULL);
	out_prefix("dst", "%s", &dest->prefix.addr, dest->prefix.len);
	out_string("dev", " dev %s", dest->dev);
	out_string("profile", " profile %s", dest->profile);
	if (*dest->template) {
		out_string("template", " template %s", dest->template);
		out_uint("number", " number %s", dest->number);
	}
	if (*dest->cc)
		out_string("cc", " cc %s", dest->cc);
	out_text("\n");
	out_object_end();
}

static int dest_show(struct nl *nl, int argc, char **argv)
{
	struct dests all = {};
	struct prefix prefix;
	const char *dev;
	struct arg args[] = {
		{ "dst", ARG_PREFIX, false, &prefix, .positional = true,
		  .attr = MRC_A_DEST_DST,
		  .len_attr = MRC_A_DEST_LEN },
		{ "dev", ARG_NAME, false, &dev, .attr = MRC_A_DEST_DEV },
		{ NULL }
	};
	size_t i;
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	ret = dests_get(nl, args, &all);
	out_begin();
	for (i = 0; i < all.n; i++)
		print_dest(&all.dest[i]);
	out_end();
	free(all.dest);
	return ret;
}

/**
 * dest_save() - write the commands that create the destinations of a device
 * @nl: connection
 * @dev: name of the device
 * @f: where to
 *
 * Return: enum exit_code.
 */
int dest_save(struct nl *nl, const char *dev, FILE *f)
{
	struct arg args[] = {
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_DEST_DEV,
		  .given = true },
		{ NULL }
	};
	const struct dest *dest;
	struct dests all = {};
	char word[OUT_WORD];
	int ret;

	ret = dests_get(nl, args, &all);
	for (dest = all.dest; !ret && dest < all.dest + all.n; dest++) {
		out_prefix_word(&dest->prefix.addr, dest->prefix.len, word);
		fprintf(f, "dest add %s dev %s profile %s", word, dev,
			dest->profile);
		if (*dest->template)
			fprintf(f, " template %s number %llu", dest->template,
				(unsigned long long)dest->number);
		if (*dest->cc)
			fprintf(f, " cc %s", dest->cc);
		fputc('\n', f);
	}
	free(all.dest);
	return ret;
}

static const struct command dest_commands[] = {
	{ "show", dest_show },
	{ "add", dest_add },
	{ "replace", dest_replace },
	{ "del", dest_del },
	{ NULL }
};

const struct object dest_object = {
	.name = "dest",
	.usage = "mrcctl dest show [PREFIX] [dev DEV]\n"
		 "mrcctl dest { add | replace } PREFIX dev DEV profile NAME\n"
		 "            [template NAME] [number N] [cc NAME]\n"
		 "mrcctl dest del PREFIX dev DEV\n",
	.commands = dest_commands,
};
