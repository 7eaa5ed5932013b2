# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The same faults for TCP and MPTCP, on the plain routes of the same network; to
# be sourced by drill.sh. Switches spread connections over links by a hash of
# addresses and ports. Sixteen connections of TCP stand for one stream that an
# application has split; MPTCP does that itself, with as many subflows as it
# can have. rdma_rxe has no place here: its sockets are those of the first
# namespace, and it reaches nobody in another one.

: "${drill_dir:?}" "${patience:?}"

beside_port=5301
beside_subflows=8

# An address for each subflow: they would all be the same connection else.
beside_mptcp_host()
{
	local host=$1 id6 i

	id6=$(address_of "$host" 6)
	for ((i = 1; i <= beside_subflows; i++)); do
		ip -n "$host" addr replace "${id6%1}a$i/128" dev p0 nodad
	done
	on "$host" ip mptcp limits set subflows "$beside_subflows" \
		add_addr_accepted "$beside_subflows"
	on "$host" ip mptcp endpoint flush
	for ((i = 1; i <= beside_subflows; i++)); do
		on "$host" ip mptcp endpoint add "${id6%1}a$i" subflow
	done
}

# Whether host $1 can have sockets of protocol $2; settings for it.
beside_host()
{
	on "$1" sysctl -qw net.ipv4.tcp_ecn=1
	[ "$2" = tcp ] || beside_mptcp_host "$1"
}

# beside_steps FILE: those of a drill, but nobody waits for paths here.
beside_steps()
{
	local step

	while read -r step <&3; do
		case $step in
		hold*)	sleep "${step#hold }" ;;
		do*)
			# shellcheck disable=SC2086
			drill_act ${step#do } || return ;;
		esac
	done 3< "$1"
}

# beside_run tcp|mptcp DRILL: leaves its files in a folder of that name.
beside_run()
{
	local drill_at=$drill_at/$1 sink source connections=16 status=0

	mkdir -p "$drill_at"
	: > "$drill_at/actions"
	[ "$1" = tcp ] || connections=1
	beside_host h0 "$1" && beside_host h1 "$1" || return
	ip netns exec h1 "$drill_dir/tcp_flow.py" "$1" sink "$beside_port" \
		> "$drill_at/progress" 2> "$drill_at/server" &
	sink=$!
	wait_for "$patience" listening h1 "$beside_port" || status=1
	ip netns exec h0 "$drill_dir/tcp_flow.py" "$1" source \
		"$(address_of h1 6)" "$beside_port" "$connections" \
		2> "$drill_at/client" &
	source=$!
	wait_for "$patience" drill_verified 0 &&
		beside_steps "$drill_dir/$2.drill" || status=1
	kill "$source" "$sink"
	wait "$source" "$sink"
	[ "$status" -eq 0 ] || cat "$drill_at/client" "$drill_at/server"
	return "$status"
}
