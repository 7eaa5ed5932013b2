# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Networks of the tests whose programs connect by the connection manager: one link first,
# then four planes with SRv6 paths; to be sourced after test.sh.

one_link_begins()
{
	check "two hosts on one link come up" fabric simple
	check "one link: devices on both hosts, with GIDs" devices_up link_add 6 4
}

one_link_ends()
{
	check_equal "one link: no host has dropped a datagram for its ICRC" \
		"$(counter h0 drop_icrc) $(counter h1 drop_icrc)" "0 0"
	check "one link: mrc0 can be deleted" device_del h0
	check "one link: mrc1 can be deleted after mrc0" device_del h1
	fabric down
}

four_planes_begin()
{
	check "two hosts and four planes come up" fabric up
	check "four planes: identities on all ports" identities_on_all_ports
	check "four planes: devices on both hosts, with GIDs" devices_up device_add 6 4
	check "four planes: explicit paths in both directions" paths_up
}
