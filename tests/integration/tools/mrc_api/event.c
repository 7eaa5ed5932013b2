// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EV events, which a completion channel reports.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "api.h"

static const char *state_name(enum mrc_ctl_ev_state state)
{
	switch (state) {
	case MRC_CTL_EV_GOOD:
		return "good";
	case MRC_CTL_EV_ASSUMED_BAD:
		return "bad";
	default:
		return "another";
	}
}

/* Of a format of mode SRV6. */
static void print(const struct mrc_ctl_ev_event *event)
{
	char sid[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, event->ev.val, sid, sizeof(sid));
	printf("profile %llu port %u sid %s state %s drops %u\n",
	       (unsigned long long)event->profile_id, event->ev.port, sid,
	       state_name(event->state), event->drop_count);
}

/**
 * event_print - print events until an error
 * @cqe: size of the queue
 *
 * Return: exit status.
 */
int event_print(int cqe)
{
	struct mrc_comp_channel *channel;
	struct mrc_ctl_ev_event event;
	struct mrc_cq *cq, *got;
	void *context;
	int ret;

	if (mrc_create_comp_channel(ctx, &channel))
		return 1;
	cq = mrc_ctl_create_ev_event_cq(ctx, cqe, &event, channel, 0);
	if (!cq || mrc_req_notify_cq(cq, 0))
		return 1;
	setlinebuf(stdout);
	puts("listening");
	do {
		if (mrc_get_cq_event(channel, &got, &context) || got != cq ||
		    context != &event)
			return 1;
		mrc_ack_cq_events(got, 1);
		mrc_req_notify_cq(cq, 0);
		while ((ret = mrc_ctl_poll_ev_event(cq, 1, &event)) == 1)
			print(&event);
	} while (!ret);
	fprintf(stderr, "events: %s\n", strerror(-ret));
	return 1;
}
