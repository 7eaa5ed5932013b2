#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Completion queues: new sizes with completions in them, and events that wait
# for more completions.

. "$(dirname "$0")/lib.sh"

link_add()
{
	on "$1" rdma link add "mrc${1#h}" type mrc netdev p0
}

check "two hosts come up" fabric simple
check "device on h0" link_add h0
check "device on h1" link_add h1
check "their GIDs" wait_for "$patience" have_gids 6

"$lib/../../build/tests/mrc_cq" -d mrc0 -D mrc1 -g "$(gid_index h0 6)" \
	> "$tmp/cq" 2>&1 || echo "# mrc_cq: status $?"
import_tap < "$tmp/cq"
check_equal "mrc_cq runs to its end" "$(grep -c '^1\.\.' "$tmp/cq")" 1
