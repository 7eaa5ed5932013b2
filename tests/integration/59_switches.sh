#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What "mrcctl topo export" prints for switches: the Linux form makes exactly the
# routes of the fabric, FRR makes the same routes from its form, and every path carries
# probes over switches that have been configured so.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/mrcctl.sh
. "$(dirname "$0")/lib/mrcctl.sh"

frr=$("$root/scripts/frr.sh" --dir)
peer=$(address_of h1 6)
# The fabric derives link-local addresses from MAC addresses.
file=$tmp/topo.json
jq '.link_local = "fe80::ff:fe00:0"' \
	"$root/Documentation/examples/topology-clos.json" > "$file"

# switches [PATTERN]: names of the switches.
switches()
{
	mrcctl -j topo export "$file" format linux | jq -r '.[].switch' |
		grep -- "${1:-.}"
}

# routes SWITCH: its routes to uSIDs, without what depends on who made them.
routes()
{
	ip -n "$1" -6 route show root fcbb:bb00::/32 |
		sed -E 's/ (proto|metric|nhid) [^ ]+//g; s/ pref medium//;
			s/ error -22//; s/ dev lo//; s/ +$//' | sort
}

# routes_as_before SWITCH: its routes are those that have been saved.
routes_as_before()
{
	diff "$tmp/$1.routes" <(routes "$1")
}

flush()
{
	ip -n "$1" -6 route flush root fcbb:bb00::/32
	[ -z "$(routes "$1")" ]
}

linux_makes_routes()
{
	local sw failed=0

	for sw in $(switches); do
		routes "$sw" > "$tmp/$sw.routes"
		[ -s "$tmp/$sw.routes" ] && flush "$sw" || return
		mrcctl topo export "$file" format linux switch "$sw" > "$tmp/$sw.ip"
		ip -n "$sw" -batch "$tmp/$sw.ip" || failed=1
		routes_as_before "$sw" || failed=1
	done
	return "$failed"
}

# answers PORT: how many paths on that port answer probes.
answers()
{
	h0 -j probe dev mrc0 dst "$peer" port "$1" |
		jq '[.[] | select(.answered > 0)] | length'
}

answers_are()
{
	[ "$(answers "$1")" -eq "$2" ]
}

# paths_answer COUNT: so many paths answer on each port.
paths_answer()
{
	local port failed=0

	for port in 1 2 3 4; do
		echo "port $port: $(answers "$port")"
		[ "$(answers "$port")" -eq "$1" ] || failed=1
	done
	return "$failed"
}

# --- FRR -------------------------------------------------------------------------

# in_frr SWITCH COMMAND...: run a command of FRR's root file system on a switch.
in_frr()
{
	env -u LD_PRELOAD nsenter --net="/run/netns/$1" chroot "$frr" "${@:2}"
}

frr_start()
{
	local sw=$1 daemon

	mkdir -p "$frr/run/frr/$sw" "$frr/etc/frr/$sw" "$frr/var/lib/frr/$sw" \
		"$frr/var/tmp/frr/$sw"
	: > "$frr/etc/frr/$sw/vtysh.conf"
	for daemon in mgmtd zebra staticd; do
		in_frr "$sw" "/usr/lib/frr/$daemon" -d -N "$sw" -u root -g root \
			-P 0 < /dev/null || return
	done
}

frr_stop()
{
	local pid

	for pid in "$frr"/run/frr/t*/*.pid; do
		[ ! -e "$pid" ] || kill "$(< "$pid")"
	done
}

frr_configure()
{
	mrcctl topo export "$file" format frr switch "$1" > "$frr/tmp/$1.conf"
	in_frr "$1" /usr/bin/vtysh -N "$1" -f "/tmp/$1.conf"
}

# Switches of plane 1 forget the routes that the kernel was given, and get FRR's.
frr_makes_routes()
{
	local sw failed=0

	for sw in $(switches '^t.-1-'); do
		flush "$sw" && frr_start "$sw" && frr_configure "$sw" || return
	done
	for sw in $(switches '^t.-1-'); do
		wait_for "$patience" routes_as_before "$sw" ||
			{ routes_as_before "$sw"; failed=1; }
	done
	return "$failed"
}

made_by_frr()
{
	ip -n t1-1-0 -6 route show root fcbb:bb00::/32
	[ "$(ip -n t1-1-0 -6 route show root fcbb:bb00::/32 | grep -c 'proto static\|proto 196')" -eq 4 ]
}

# -----------------------------------------------------------------------------------

check "a fabric of 4 planes comes up" fabric up
check "the exported Linux configuration makes the routes of each switch" \
	linux_makes_routes
check "devices on both hosts, with GIDs" devices_up device_add 6
check "topo apply on h0 succeeds" h0 topo apply "$file"
check "topo apply on h1 succeeds" on h1 mrcctl topo apply "$file"
check "4 paths of each port answer over switches with the Linux configuration" \
	paths_answer 4
flush t1-2-3
check "a path over a switch without configuration does not answer" \
	answers_are 3 3
ip -n t1-2-3 -batch "$tmp/t1-2-3.ip"

if [ ! -x "$frr/usr/lib/frr/zebra" ]; then
	skip "FRR makes the routes of each switch" "no FRR: scripts/frr.sh"
	exit
fi
mount --bind /proc "$frr/proc"
mount --bind /dev "$frr/dev"
check "FRR makes the routes of each switch of plane 1" frr_makes_routes
check "the routes of t1-1-0 are FRR's" made_by_frr
check "4 paths of each port answer over switches with FRR's configuration" \
	paths_answer 4
frr_stop
umount "$frr/proc" "$frr/dev"
