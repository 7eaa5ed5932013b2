#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The network of a drill, in a guest: hosts with their devices and paths. For guest.py.
#
#   network.sh [OPTION VALUE...]   options of "fabric.sh up"
#
# CC has the settings of a CC profile, or nothing: the device as it comes. ICRC=always
# makes hosts require the ICRC. Prints a line for each host: name, index of its GID,
# its address, its address of the management network.
set -euo pipefail

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/lab/hosts.sh
. "$(dirname "$0")/../tests/lab/hosts.sh"

# Lines for mrcctl of host $1 with ports $2: its device, with all paths to the others.
device_lines()
{
	local dev=mrc${1#h}

	echo "dev add $dev netdev $2"
	if [ "${CC:-}" ]; then
		echo "cc add drill dev $dev $CC state online"
		echo "dev set $dev cc drill"
	fi
	[ ! "${ICRC:-}" ] || echo "dev set $dev icrc $ICRC"
	cat "$tmp/paths-$1"
}

# Otherwise each device would have some 800 files in the sysfs of each host and switch.
! in_virtual_time || rdma system set netns exclusive
# Not "fabric", which gives rates to ports without one: here all have one.
"$lab/fabric.sh" up "$@"
"$lab/fabric.sh" hosts > "$tmp/hosts"
# Path i to a host has entropy value i, from 1.
"$lab/fabric.sh" paths | awk -v file="$tmp/paths-" '{
	print "path add dev mrc" substr($6, 2), "dst", $5, "ev", ++n[$6, $5],
	      "port", $2, "sid", $4 > (file $6) }'
while read -r host ports _; do
	device_lines "$host" "$ports" | on "$host" mrcctl -b -
done < "$tmp/hosts"
while read -r host _ id6 _ mgmt; do
	wait_for "$patience" gid_find "mrc${host#h}" "$id6"
	echo "$host $(gid_find "mrc${host#h}" "$id6") $id6 $mgmt"
done < "$tmp/hosts"
