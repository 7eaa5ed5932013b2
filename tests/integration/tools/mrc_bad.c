// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Negative tests through the verbs API: what is wrong is refused, with the
 * status that the standard has for it, and hurts nobody else.
 *
 * Both sides live in this process, on one device or on two.
 */
#include "bad.h"
#include "groups.h"

static const struct group groups[] = {
	{ "send", bad_send },
	{ "post", bad_post },
	{ "qp", bad_qp },
	{ "resource", bad_resource },
	{ "event", bad_event },
	{ "ask", bad_ask },
	{ "wr", bad_wr },
	{ NULL },
};

int main(int argc, char **argv)
{
	return groups_main(argc, argv, "mrc_bad", "Negative tests", groups);
}
