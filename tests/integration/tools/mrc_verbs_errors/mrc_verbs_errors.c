// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Negative tests through the verbs API: an invalid request is refused with the
 * status that the standard defines, without effect on other objects.
 *
 * Both sides live in this process, on one device or on two.
 */
#include "verbs_errors.h"
#include "groups.h"

static const struct group groups[] = {
	{ "send", bad_send },
	{ "post", bad_post },
	{ "qp", bad_qp },
	{ "resource", bad_resource },
	{ "event", bad_event },
	{ "rd_atomic", bad_rd_atomic },
	{ "wr", bad_wr },
	{ "abi", bad_abi },
	{ NULL },
};

int main(int argc, char **argv)
{
	return groups_main(argc, argv, "mrc_verbs_errors", "Negative tests", groups);
}
