// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A device through libmrc:
 *
 *	mrc_api DEVICE setup	test the controller API; leaves format 13, EV profile 13
 *				and CC profile 13
 *	mrc_api DEVICE clear	removes them
 *	mrc_api DEVICE paths ID	SRv6 format and explicit EV profile with the paths of
 *				standard input, each "PORT SID"
 *	mrc_api DEVICE mask ID STATES
 *				states of which EV profile ID has events (bits of
 *				enum mrc_ctl_ev_state)
 *	mrc_api DEVICE events CQE
 *				print EV events, from a queue of CQE
 *	mrc_api DEVICE probe NS	probe the paths of standard input, each
 *				"DST PORT srv6 SID [SRC]" or "DST PORT stev|udp EV [SRC]",
 *				and wait NS for responses, which are printed
 *	mrc_api DEVICE status PORTS NS
 *				tell that the ports of the mask PORTS are up, in the same way
 *	mrc_api DEVICE write PEER GID_INDEX ID
 *				WRITE to device PEER, with EV profile ID, until SIGTERM
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

struct ibv_context *verbs;
struct mrc_context *ctx;

/**
 * api_open - open a device
 * @name: its name
 *
 * Return: context of libibverbs, or NULL.
 */
struct ibv_context *api_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL), **dev = list;

	while (dev && *dev && strcmp(ibv_get_device_name(*dev), name))
		dev++;
	return dev && *dev ? ibv_open_device(*dev) : NULL;
}

static bool open_device(const char *name)
{
	verbs = api_open(name);
	ctx = verbs ? mrc_create_context(verbs, NULL) : NULL;
	return ctx;
}

/**
 * ev_of - entropy value that is a number
 * @number: the number
 * @port: of the path
 *
 * Return: entropy value of the API.
 */
struct mrc_ctl_ev ev_of(uint32_t number, uint8_t port)
{
	struct mrc_ctl_ev ev = { .port = port };

	memcpy(ev.val, &number, sizeof(number));
	return ev;
}

/**
 * number_of - number that is an entropy value
 * @ev: entropy value of the API
 *
 * Return: the number.
 */
uint32_t number_of(const struct mrc_ctl_ev *ev)
{
	uint32_t number;

	memcpy(&number, ev->val, sizeof(number));
	return number;
}

/**
 * ev_of_sid - entropy value that is an SRv6 address
 * @ev: filled in
 * @sid: address as text
 * @port: of the path
 *
 * Return: whether @sid is an address.
 */
bool ev_of_sid(struct mrc_ctl_ev *ev, const char *sid, uint8_t port)
{
	*ev = (struct mrc_ctl_ev){ .port = port };
	return inet_pton(AF_INET6, sid, ev->val) == 1;
}

static int run(int argc, char **argv)
{
	const char *command = argv[0];

	if (!strcmp(command, "setup"))
		return controller_setup();
	if (!strcmp(command, "clear"))
		return controller_clear();
	if (!strcmp(command, "paths") && argc == 2)
		return path_setup(atoll(argv[1]));
	if (!strcmp(command, "mask") && argc == 3)
		return path_mask(atoll(argv[1]), atoi(argv[2]));
	if (!strcmp(command, "events") && argc == 2)
		return event_print(atoi(argv[1]));
	if (!strcmp(command, "probe") && argc == 2)
		return probe_send(MRC_CTL_EP_OP_EV_PROBE, 0, atoll(argv[1]));
	if (!strcmp(command, "status") && argc == 3)
		return probe_send(MRC_CTL_EP_OP_PORT_STATUS_UPDATE,
				  strtoul(argv[1], NULL, 0), atoll(argv[2]));
	if (!strcmp(command, "write") && argc == 4)
		return write_messages(argv[1], atoi(argv[2]), atoll(argv[3]));
	return 2;
}

int main(int argc, char **argv)
{
	int status = 2;

	if (argc >= 3 && open_device(argv[1]))
		status = run(argc - 2, argv + 2);
	if (status == 2)
		fputs("usage: mrc_api DEVICE COMMAND [ARG...]\n", stderr);
	return status;
}
