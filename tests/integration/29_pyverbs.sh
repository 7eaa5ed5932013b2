#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# rdma-core's own test suite of the verbs, as Debian ships it, on one device
# that talks to itself.

. "$(dirname "$0")/lib.sh"

suite=/usr/share/doc/rdma-core/tests

# The package has it as documentation, which Debian compresses.
unpack()
{
	cp -r "$suite" "$tmp/tests" && gunzip "$tmp"/tests/*.gz
}

has_gid()
{
	gid_index h0 6
}

check "two hosts come up" fabric simple
check "device on h0" on h0 rdma link add mrc0 type mrc netdev p0
check "GIDs for IPv6" wait_for "$patience" has_gid
check "the suite is there" unpack

on h0 "$lib/verbs_suite.py" "$tmp/tests" "$lib/pyverbs.skips" --dev mrc0 \
	--gid "$(gid_index h0 6)" > "$tmp/pyverbs" 2>&1 ||
	echo "# verbs_suite.py: status $?"
import_tap < "$tmp/pyverbs"
check_equal "the suite runs to its end" "$(grep -c '^1\.\.' "$tmp/pyverbs")" 1
