#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What every script relies on with the debug kernel: memory that a module lost is
# found at the end, also when the module has been unloaded.
. "$(dirname "$0")/lib/test.sh"

[ -e /sys/kernel/debug/kmemleak ] || skip_all "the kernel has no kmemleak"

module=$programs/$(uname -r)/mrc_leak.ko
leaks=$tests/lib/leaks.sh

check "before modules lose memory, none is found" "$leaks" before
check "the module mrc_leak loads" insmod "$module"
check_fails "memory that a loaded module lost is found" \
	"size (700|1024)" "$leaks" loaded
check "what has been reported is not reported again" "$leaks" again
check "the module mrc_leak unloads" rmmod mrc_leak
check "the module mrc_leak loads again" insmod "$module"
check "the module mrc_leak unloads again" rmmod mrc_leak
check_fails "memory that an unloaded module lost is found" \
	"size (700|1024)" "$leaks" unloaded
