// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl template: how SRv6 addresses are made.
 */
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "request.h"
#include "save.h"
#include "show.h"

static const char * const sources[] = {
	"unknown", "const", "ev", "plane", "dest", NULL
};

/**
 * struct addr_field - one field of an address
 * @source: enum mrc_source
 * @from: first bit of the source
 * @value: of a constant
 * @width: bits
 */
struct addr_field {
	uint32_t source;
	uint64_t from;
	uint64_t value;
	uint64_t width;
};

/* SOURCE[@FROM] or the digits of a constant; @word may be written to. */
static int parse_source(char *word, struct addr_field *f)
{
	char *at = strchr(word, '@');

	if (at)
		*at++ = '\0';
	for (f->source = MRC_SOURCE_DEST; f->source > MRC_SOURCE_CONST;
	     f->source--) {
		if (!strcmp(word, sources[f->source]))
			break;
	}
	if (f->source == MRC_SOURCE_CONST) {
		if (at)
			return usage_error("'field %s@': not ev or dest", word);
		return parse_number("field", word, 16, UINT32_MAX, &f->value);
	}
	return at ? parse_number("field", at, 10, UINT8_MAX, &f->from) :
		    EXIT_OK;
}

/* SOURCE/WIDTH; @word is written to. */
static int parse_field(char *word, struct addr_field *f)
{
	char *slash = strchr(word, '/');
	int ret;

	if (!slash)
		return usage_error("'field %s': no '/' and width", word);
	*slash = '\0';
	ret = parse_source(word, f);
	return ret ? ret : parse_number("field", slash + 1, 10, UINT8_MAX,
					&f->width);
}

static int put_field(char *word, void *arg)
{
	struct addr_field f = { .source = MRC_SOURCE_CONST };
	struct nlmsghdr *nlh = arg;
	struct nlattr *nest;
	int ret;

	ret = parse_field(word, &f);
	if (ret)
		return ret;
	nest = mnl_attr_nest_start(nlh, MRC_A_TEMPLATE_FIELD);
	mnl_attr_put_u32(nlh, MRC_A_ADDR_FIELD_SOURCE, f.source);
	mnl_attr_put_u32(nlh, MRC_A_ADDR_FIELD_WIDTH, f.width);
	mnl_attr_put_u32(nlh, MRC_A_ADDR_FIELD_FROM, f.from);
	mnl_attr_put_u32(nlh, MRC_A_ADDR_FIELD_VALUE, f.value);
	mnl_attr_nest_end(nlh, nest);
	return EXIT_OK;
}

static int template_make(struct nl *nl, int argc, char **argv,
			 enum mrc_cmd cmd)
{
	uint32_t block, usid, ev_bits, dest_bits, plane;
	const char *name, *dev, *fields;
	struct arg args[] = {
		{ "name", ARG_NAME, true, &name, .positional = true,
		  .attr = MRC_A_TEMPLATE_NAME },
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_TEMPLATE_DEV },
		{ "field", ARG_LIST, true, &fields },
		{ "block", ARG_U32, false, &block,
		  .attr = MRC_A_TEMPLATE_BLOCK },
		{ "usid", ARG_U32, false, &usid, .attr = MRC_A_TEMPLATE_USID },
		{ "ev-bits", ARG_U32, false, &ev_bits,
		  .attr = MRC_A_TEMPLATE_EV_BITS },
		{ "dest-bits", ARG_U32, false, &dest_bits,
		  .attr = MRC_A_TEMPLATE_DEST_BITS },
		{ "first-plane", ARG_U32, false, &plane,
		  .attr = MRC_A_TEMPLATE_FIRST_PLANE },
		{ "srh", ARG_FLAG, .attr = MRC_A_TEMPLATE_SRH },
		{ NULL }
	};
	struct nlmsghdr *nlh;
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	nlh = request_begin(nl, cmd, false, args);
	if (!nlh)
		return EXIT_KERNEL;
	ret = parse_fields("field", fields, MRC_ADDR_FIELDS_MAX, put_field, nlh);
	return ret ? ret : nl_talk(nl, nlh, NULL, NULL);
}

static int template_add(struct nl *nl, int argc, char **argv)
{
	return template_make(nl, argc, argv, MRC_CMD_TEMPLATE_ADD);
}

static int template_set(struct nl *nl, int argc, char **argv)
{
	return template_make(nl, argc, argv, MRC_CMD_TEMPLATE_SET);
}

static int template_del(struct nl *nl, int argc, char **argv)
{
	const char *name, *dev;
	struct arg args[] = {
		{ "name", ARG_NAME, true, &name, .positional = true,
		  .attr = MRC_A_TEMPLATE_NAME },
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_TEMPLATE_DEV },
		{ NULL }
	};

	return request_do(nl, MRC_CMD_TEMPLATE_DEL, argc, argv, args);
}

/* A field as template_make() accepts it. */
static void field_word(const struct nlattr *nest, char *word)
{
	const struct nlattr *tb[MRC_A_ADDR_FIELD_MAX + 1];
	uint32_t source, width;

	nl_nest(nest, tb, MRC_A_ADDR_FIELD_MAX);
	source = nl_u32(tb[MRC_A_ADDR_FIELD_SOURCE]);
	width = nl_u32(tb[MRC_A_ADDR_FIELD_WIDTH]);
	if (source == MRC_SOURCE_CONST)
		snprintf(word, OUT_WORD, "%x/%u",
			 nl_u32(tb[MRC_A_ADDR_FIELD_VALUE]), width);
	else if (source == MRC_SOURCE_PLANE)
		snprintf(word, OUT_WORD, "plane/%u", width);
	else
		snprintf(word, OUT_WORD, "%s@%u/%u",
			 word_of(sources, tb[MRC_A_ADDR_FIELD_SOURCE]),
			 nl_u32(tb[MRC_A_ADDR_FIELD_FROM]), width);
}

static int on_template(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_TEMPLATE_MAX + 1];

	(void)arg;
	nl_attrs(nlh, tb, MRC_A_TEMPLATE_MAX);
	out_object(NULL);
	out_string("name", "%s", nl_string(tb[MRC_A_TEMPLATE_NAME]));
	out_string("dev", " dev %s", nl_string(tb[MRC_A_TEMPLATE_DEV]));
	out_uint("block", " block %s", nl_u32(tb[MRC_A_TEMPLATE_BLOCK]));
	out_uint("usid", " usid %s", nl_u32(tb[MRC_A_TEMPLATE_USID]));
	out_uint("ev-bits", " ev-bits %s", nl_u32(tb[MRC_A_TEMPLATE_EV_BITS]));
	out_uint("dest-bits", " dest-bits %s",
		 nl_u32(tb[MRC_A_TEMPLATE_DEST_BITS]));
	out_uint("first-plane", " first-plane %s",
		 nl_u32(tb[MRC_A_TEMPLATE_FIRST_PLANE]));
	out_uint("srh", NULL, tb[MRC_A_TEMPLATE_SRH] ? 1 : 0);
	if (tb[MRC_A_TEMPLATE_SRH])
		out_text(" srh");
	out_uint("users", " users %s\n", nl_u32(tb[MRC_A_TEMPLATE_USERS]));
	fields_show(nlh, MRC_A_TEMPLATE_FIELD, "    field ", field_word);
	out_text("\n");
	out_object_end();
	return MNL_CB_OK;
}

static int template_show(struct nl *nl, int argc, char **argv)
{
	const char *name, *dev;
	struct arg args[] = {
		{ "name", ARG_NAME, false, &name, .positional = true,
		  .attr = MRC_A_TEMPLATE_NAME },
		{ "dev", ARG_NAME, false, &dev, .attr = MRC_A_TEMPLATE_DEV },
		{ NULL }
	};

	return request_show(nl, MRC_CMD_TEMPLATE_GET, argc, argv, args,
			    on_template);
}

static int on_save(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_TEMPLATE_MAX + 1];
	FILE *f = arg;

	nl_attrs(nlh, tb, MRC_A_TEMPLATE_MAX);
	fprintf(f, "template add %s dev %s block %u usid %u ev-bits %u dest-bits %u first-plane %u",
		nl_string(tb[MRC_A_TEMPLATE_NAME]),
		nl_string(tb[MRC_A_TEMPLATE_DEV]),
		nl_u32(tb[MRC_A_TEMPLATE_BLOCK]),
		nl_u32(tb[MRC_A_TEMPLATE_USID]),
		nl_u32(tb[MRC_A_TEMPLATE_EV_BITS]),
		nl_u32(tb[MRC_A_TEMPLATE_DEST_BITS]),
		nl_u32(tb[MRC_A_TEMPLATE_FIRST_PLANE]));
	fields_save(f, nlh, MRC_A_TEMPLATE_FIELD, field_word);
	/* Last: only pairs of words precede it. */
	if (tb[MRC_A_TEMPLATE_SRH])
		fputs(" srh", f);
	fputc('\n', f);
	return MNL_CB_OK;
}

/**
 * template_save() - write the commands that create the templates of a device
 * @nl: connection
 * @dev: name of the device
 * @f: where to
 *
 * Return: enum exit_code.
 */
int template_save(struct nl *nl, const char *dev, FILE *f)
{
	return request_save(nl, MRC_CMD_TEMPLATE_GET, MRC_A_TEMPLATE_DEV, dev,
			    on_save, f);
}

static const struct command template_commands[] = {
	{ "show", template_show },
	{ "add", template_add },
	{ "set", template_set },
	{ "del", template_del },
	{ NULL }
};

const struct object template_object = {
	.name = "template",
	.usage = "mrcctl template show [NAME] [dev DEV]\n"
		 "mrcctl template { add | set } NAME dev DEV field FIELD[,FIELD]...\n"
		 "                [block BITS] [usid BITS] [ev-bits BITS]\n"
		 "                [dest-bits BITS] [first-plane N] [srh]\n"
		 "mrcctl template del NAME dev DEV\n",
	.commands = template_commands,
};
