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
check "device on h0" link_add h0
check "GIDs for IPv6" wait_for "$patience" has_gid
check "the suite is there" unpack

check_tap "the suite" on h0 "$lib/verbs_suite.py" "$tmp/tests" \
	"$lib/pyverbs.skips" --dev mrc0 --gid "$(gid_index h0 6)"
