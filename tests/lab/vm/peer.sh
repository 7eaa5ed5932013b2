#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The two guests of "vm.sh pair", in each of which this script runs.
#
#   peer.sh nics           name the NICs: mgmt, with the address 192.168.100.<end + 1>, and
#                          p0, p1, ... in the order of the options --nic
#   peer.sh serve          in the second guest: this, then carry out commands of the first
#                          until the pair ends
#   peer.sh run COMMAND [ARG...]
#                          in the first guest: run COMMAND in the second one, without
#                          input. Output is what COMMAND prints, errors included; the
#                          status is that of COMMAND
#   peer.sh feed COMMAND [ARG...]
#                          the same, with the standard input of this script
#
# A command is a line of a TCP connection, its input what follows. Its status is left in
# the directory that both guests share.
set -euo pipefail

: "${VM_PAIR:?}" "${VM_END:?}"
port=7
# Seconds that a command may go on after the end of its input.
patience=86400

name_nics()
{
	local file dev mac n

	modprobe -a virtio_net e1000e
	for file in /sys/class/net/*/address; do
		read -r mac < "$file"
		[[ $mac == 02:00:00:00:* ]] || continue
		n=${mac##*:}
		dev=${file%/address}
		dev=${dev##*/}
		if [ "$n" = 00 ]; then
			ip link set "$dev" name mgmt up
			ip addr replace "192.168.100.$((VM_END + 1))/24" dev mgmt
		else
			ip link set "$dev" name "p$((16#$n - 1))"
		fi
	done
}

# Until the pair ends. (What the other side of 9p does announces nothing: look.)
serve()
{
	name_nics
	socat -t "$patience" "TCP-LISTEN:$port,fork,reuseaddr" "EXEC:$0 answer" &
	until [ "$(ss -Hltn "sport = :$port")" ]; do
		sleep 0.1
	done
	touch "$VM_PAIR/waits"
	until [ -e "$VM_PAIR/end" ]; do
		sleep 0.2
	done
	kill $!
}

# Standard input and output are a connection.
answer()
{
	local id command status=0

	read -r id command
	(eval "$command") 2>&1 || status=$?
	echo "$status" > "$VM_PAIR/status.$id"
}

# run COMMAND [ARG...]: input follows the command. (Without cat, socat would set up the
# terminal, which stops a process in the background.)
run()
{
	local id=$$-$RANDOM command

	printf -v command '%q ' "$@"
	{
		printf '%s cd %q && %s\n' "$id" "$PWD" "$command"
		cat
	} | socat -t "$patience" - "TCP:192.168.100.2:$port" | cat
	return "$(< "$VM_PAIR/status.$id")"
}

case ${1:-} in
nics)	name_nics ;;
serve)	serve ;;
answer)	answer ;;
run)	shift; run "$@" < /dev/null ;;
feed)	shift; run "$@" ;;
*)	sed -n '4,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2 ;;
esac
