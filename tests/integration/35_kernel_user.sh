#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Kernel verbs: the module mrc_user uses them on mrc0, which it connects to itself,
# and prints TAP to the kernel log, while a process has all the address handles that
# processes get; then mrc_ring checks that a process cannot use the module's local DMA
# lkey.
#
# Also: older kernels: the kernel's verbs interface differs between versions.

. "$(dirname "$0")/lib/test.sh"

module=$programs/$(uname -r)/mrc_user.ko

# The TAP lines of mrc_user in the kernel log of this test.
module_output()
{
	dmesg | sed "1,/test begins: $test_name\$/d" | sed -n 's/.*mrc_user: //p'
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
mkfifo "$tmp/hold"
"$programs/mrc_limits" -d mrc0 -g "$(gid_index h0 6)" hold-ahs \
	< "$tmp/hold" > "$tmp/held" 2>&1 &
holder=$!
exec {hold}> "$tmp/hold"
check "a process has created its address handles" \
	wait_for "$patience" grep -q "^ok\|^not ok" "$tmp/held"
check "the module mrc_user loads and runs its tests" \
	insmod "$module" device=mrc0 \
	gid_index="$(gid_index h0 6)"
exec {hold}>&-
wait "$holder"
import_tap < "$tmp/held"
module_output > "$tmp/module"
import_tap < "$tmp/module"
check "mrc_user runs its tests to the end" grep -q "^1\.\." "$tmp/module"
check "the module mrc_user unloads" rmmod mrc_user
check_tap "mrc_ring with the local DMA lkey of the kernel" \
	"$programs/mrc_ring" -d mrc0 -D mrc1 -g "$(gid_index h0 6)" \
	-k "$(sed -n 's/.*local_dma_lkey //p' "$tmp/module")"
