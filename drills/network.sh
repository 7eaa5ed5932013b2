#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The network of a drill, in a guest: hosts with their devices and paths. For guest.py.
#
#   network.sh HOSTS [OPTION VALUE...]   options of "fabric.sh up"
#
# CC has the settings of a CC profile, or nothing: the device as it comes. ICRC=always
# makes hosts require the ICRC. Prints a line for each host: name, index of its GID,
# its address, its address of the management network.
set -euo pipefail

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/lab/hosts.sh
. "$(dirname "$0")/../tests/lab/hosts.sh"

# Create the device of host $1 with all paths to the other hosts, and print its line.
host_up()
{
	local host=$1 dev=mrc${1#h} id6 mgmt

	read -r id6 _ mgmt < <(fabric addr "$host")
	device_add "$host"
	if [ "${CC:-}" ]; then
		# shellcheck disable=SC2086
		on "$host" mrcctl cc add drill dev "$dev" $CC state online
		on "$host" mrcctl dev set "$dev" cc drill
	fi
	[ ! "${ICRC:-}" ] || on "$host" mrcctl dev set "$dev" icrc "$ICRC"
	paths_add "$host"
	wait_for "$patience" gid_find "$dev" "$id6"
	echo "$host $(gid_find "$dev" "$id6") $id6 $mgmt"
}

read -ra hosts <<< "${1:?}"
fabric up "${@:2}"
for host in "${hosts[@]}"; do
	host_up "$host"
done
