#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A thread that rings the doorbell of a send queue returns from the kernel, although
# another thread refills the queue all the time (mrc_ud).
#
# Needs: several processors: one thread posts while another one is in the kernel.

. "$(dirname "$0")/lib/test.sh"

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
check_tap "mrc_ud refill" "$programs/mrc_ud" -d mrc0 -D mrc1 \
	-g "$(gid_index h0 6)" refill
