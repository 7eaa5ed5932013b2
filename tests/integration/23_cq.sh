#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Completion queues: new sizes with completions in them, and events that wait
# for more completions.

. "$(dirname "$0")/lib.sh"

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6

check_tap mrc_cq "$lib/../../build/tests/mrc_cq" -d mrc0 -D mrc1 \
	-g "$(gid_index h0 6)"
