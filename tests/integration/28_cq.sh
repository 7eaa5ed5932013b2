#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Completion queues (mrc_cq): resizing with completions in them, moderation, and
# completion events.

. "$(dirname "$0")/lib/test.sh"

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6

check_tap mrc_cq "$programs/mrc_cq" -d mrc0 -D mrc1 \
	-g "$(gid_index h0 6)"
