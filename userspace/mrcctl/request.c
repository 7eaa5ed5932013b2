// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests from a command's arguments: each argument that is given becomes the
 * attribute that the command's table names.
 */
#include "mrcctl.h"
#include "out.h"
#include "request.h"

static void put_arg(struct nlmsghdr *nlh, const struct arg *arg)
{
	const struct prefix *prefix = arg->value;

	switch (arg->kind) {
	case ARG_NAME:
	case ARG_LIST:
		mnl_attr_put_strz(nlh, arg->attr, *(const char **)arg->value);
		break;
	case ARG_WORD:
	case ARG_U32:
	case ARG_HEX:
	case ARG_PORT:
		mnl_attr_put_u32(nlh, arg->attr, *(uint32_t *)arg->value);
		break;
	case ARG_U64:
		mnl_attr_put_u64(nlh, arg->attr, *(uint64_t *)arg->value);
		break;
	case ARG_GID:
	case ARG_IN6:
		mnl_attr_put(nlh, arg->attr, sizeof(struct in6_addr),
			     arg->value);
		break;
	case ARG_PREFIX:
	case ARG_PREFIX_OR_NONE:
		mnl_attr_put(nlh, arg->attr, sizeof(prefix->addr),
			     &prefix->addr);
		mnl_attr_put_u32(nlh, arg->len_attr, prefix->len);
		break;
	case ARG_FLAG:
		mnl_attr_put(nlh, arg->attr, 0, NULL);
		break;
	}
}

/**
 * request_put() - add the arguments that are given
 * @nlh: request
 * @args: arguments, after args_parse()
 */
void request_put(struct nlmsghdr *nlh, const struct arg *args)
{
	for (; args->key; args++) {
		if (args->given && args->attr)
			put_arg(nlh, args);
	}
}

/**
 * request_begin() - begin a request with the arguments of a command
 * @nl: connection; opened if it is not yet
 * @cmd: command
 * @dump: request all objects
 * @args: arguments of the command, after args_parse()
 *
 * Return: the request, to which more may be added, or NULL after reporting what
 * is wrong.
 */
struct nlmsghdr *request_begin(struct nl *nl, enum mrc_cmd cmd, bool dump,
			       const struct arg *args)
{
	struct nlmsghdr *nlh = nl_begin(nl, cmd, dump);

	if (nlh)
		request_put(nlh, args);
	return nlh;
}

/**
 * request_do() - execute a command with nothing but its arguments
 * @nl: connection
 * @cmd: command
 * @argc: arguments
 * @argv: likewise
 * @args: arguments of the command
 *
 * Return: enum exit_code.
 */
int request_do(struct nl *nl, enum mrc_cmd cmd, int argc, char **argv,
	       struct arg *args)
{
	struct nlmsghdr *nlh;
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	nlh = request_begin(nl, cmd, false, args);
	return nlh ? nl_talk(nl, nlh, NULL, NULL) : EXIT_KERNEL;
}

/**
 * request_dump() - show what arguments select, which have been parsed
 * @nl: connection
 * @cmd: command that dumps
 * @args: arguments of the command, after args_parse()
 * @cb: prints a message
 * @end: prints what is left at the end; NULL: nothing is
 * @arg: for both
 *
 * Return: enum exit_code.
 */
int request_dump(struct nl *nl, enum mrc_cmd cmd, const struct arg *args,
		 mnl_cb_t cb, void (*end)(void *arg), void *arg)
{
	struct nlmsghdr *nlh = request_begin(nl, cmd, true, args);
	int ret;

	if (!nlh)
		return EXIT_KERNEL;
	out_begin();
	ret = nl_talk(nl, nlh, cb, arg);
	if (end)
		end(arg);
	out_end();
	return ret;
}

/**
 * request_show() - show what arguments select
 * @nl: connection
 * @cmd: command that dumps
 * @argc: arguments
 * @argv: likewise
 * @args: arguments of the command
 * @cb: prints a message
 *
 * Return: enum exit_code.
 */
int request_show(struct nl *nl, enum mrc_cmd cmd, int argc, char **argv,
		 struct arg *args, mnl_cb_t cb)
{
	int ret;

	ret = args_parse(argc, argv, args);
	return ret ? ret : request_dump(nl, cmd, args, cb, NULL, NULL);
}

/**
 * request_save() - write all objects of a device
 * @nl: connection
 * @cmd: command that dumps
 * @attr: attribute of the device
 * @dev: its name
 * @cb: writes a message to its argument
 * @f: its argument
 *
 * Return: enum exit_code.
 */
int request_save(struct nl *nl, enum mrc_cmd cmd, int attr, const char *dev,
		 mnl_cb_t cb, FILE *f)
{
	struct nlmsghdr *nlh = nl_begin(nl, cmd, true);

	if (!nlh)
		return EXIT_KERNEL;
	mnl_attr_put_strz(nlh, attr, dev);
	return nl_talk(nl, nlh, cb, f);
}
