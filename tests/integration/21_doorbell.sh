#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Doorbells of send queues: programs that post one message after the other make few
# system calls, programs that wait otherwise than by polling lose nothing by that
# (mrc_doorbell).

. "$(dirname "$0")/lib/test.sh"

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6

check_tap mrc_doorbell "$programs/mrc_doorbell" -d mrc0 -D mrc1 \
	-g "$(gid_index h0 6)"
