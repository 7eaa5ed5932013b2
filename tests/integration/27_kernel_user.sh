#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Verbs in the kernel: a module that uses them, on a device that talks to itself.
#
# Every kernel: the verbs of the kernel are its own.

. "$(dirname "$0")/lib.sh"

tools=$lib/../../build/tests
module=$tools/$(uname -r)/mrc_user.ko

module_says()
{
	dmesg | sed "1,/test begins: $test_name\$/d" | sed -n 's/.*mrc_user: //p'
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
check "the module runs" insmod "$module" device=mrc0 \
	gid_index="$(gid_index h0 6)"
module_says > "$tmp/says"
import_tap < "$tmp/says"
check "to its end" grep -q "^1\.\." "$tmp/says"
check "the module goes" rmmod mrc_user
check_tap "a process" "$tools/mrc_ring" -d mrc0 -D mrc1 -g "$(gid_index h0 6)" \
	-k "$(sed -n 's/.*local_dma_lkey //p' "$tmp/says")"
