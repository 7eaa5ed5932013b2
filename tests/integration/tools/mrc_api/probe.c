// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Endpoint requests in one batch.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

enum {
	/* Requests have numbers of 16 bits. */
	PROBES_MAX = 65536,
	DSCP = 46,
	LINE = 256,
};

static bool read_ev(struct mrc_ctl_ep_req *req, const char *mode,
		    const char *value, unsigned int port)
{
	if (!strcmp(mode, "srv6")) {
		req->ev_fmt_mode = MRC_CTL_EV_FMT_MODE_SRV6;
		return ev_of_sid(&req->req_ev, value, port);
	}
	req->ev_fmt_mode = strcmp(mode, "udp") ? MRC_CTL_EV_FMT_MODE_STEV :
						 MRC_CTL_EV_FMT_MODE_UDP;
	req->req_ev = ev_of(strtoul(value, NULL, 0), port);
	return true;
}

/* "DST PORT MODE VALUE [SRC]" */
static bool read_request(struct mrc_ctl_ep_req *req, const char *line)
{
	char dst[INET6_ADDRSTRLEN], mode[5], value[INET6_ADDRSTRLEN];
	char src[INET6_ADDRSTRLEN] = "::";
	unsigned int port;

	return sscanf(line, "%45s %u %4s %45s %45s", dst, &port, mode, value, src) >= 4 &&
	       inet_pton(AF_INET6, dst, &req->dgid) == 1 &&
	       inet_pton(AF_INET6, src, &req->sgid) == 1 &&
	       read_ev(req, mode, value, port);
}

/* A request has the number of its line, from 0. */
static int read_requests(struct mrc_ctl_ep_req *req, uint32_t ports)
{
	char line[LINE];
	int n;

	for (n = 0; n < PROBES_MAX && fgets(line, sizeof(line), stdin); n++) {
		req[n].req_id = n;
		req[n].op.port_status_update.port_status = ports;
		if (!read_request(&req[n], line))
			return 0;
	}
	return n;
}

/**
 * probe_send - send the requests of standard input and print the responses
 * @op: operation
 * @ports: that are up, for a port status update
 * @timeout: in ns
 *
 * Return: exit status.
 */
int probe_send(enum mrc_ctl_ep_op_type op, uint32_t ports, uint32_t timeout)
{
	struct mrc_ctl_ep_req *req = calloc(PROBES_MAX, sizeof(*req));
	struct mrc_ctl_ep_rsp *rsp = calloc(PROBES_MAX, sizeof(*rsp));
	int i, n, n_rsp = 0, ret;

	if (!req || !rsp)
		return 1;
	n = read_requests(req, ports);
	ret = mrc_ctl_ep_batch_send_wait(ctx, DSCP, op, req, n, timeout, rsp,
					 &n_rsp);
	printf("%s, %d of %d\n", ret ? strerror(errno) : "all", n_rsp, n);
	for (i = 0; i < n_rsp; i++)
		printf("request %u port %u rtt %u adjusted %u\n", rsp[i].req_id,
		       rsp[i].port, rsp[i].rtt, rsp[i].adj_svc_time);
	free(req);
	free(rsp);
	return 0;
}
