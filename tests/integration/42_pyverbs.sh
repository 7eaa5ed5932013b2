#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The verbs test suite of rdma-core, as Debian ships it, run by verbs_suite.py on
# one device whose queue pairs are connected to each other.

. "$(dirname "$0")/lib/test.sh"

suite=/usr/share/doc/rdma-core/tests

# The package has the suite as documentation, whose files Debian compresses.
unpack()
{
	cp -r "$suite" "$tmp/tests" && gunzip "$tmp"/tests/*.gz
}

has_gid()
{
	gid_index h0 6
}

check "two hosts come up" fabric simple
check "mrc0 is created on h0" link_add h0
check "mrc0 has a GID for the IPv6 address of h0" wait_for "$patience" has_gid
check "the test suite of rdma-core is installed" unpack

check_tap "test suite of rdma-core" \
	on h0 "$tests/tools/pyverbs/verbs_suite.py" "$tmp/tests" \
	"$tests/tools/pyverbs/skips" --dev mrc0 --gid "$(gid_index h0 6)"
