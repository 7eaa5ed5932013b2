# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Drills with TCP, MPTCP and RoCE, on the plain routes of the same network; to be
# sourced by drill.sh. Switches spread connections over links by a hash of addresses
# and ports. Sixteen TCP connections represent one stream that an application has
# split; MPTCP splits a stream itself, into as many subflows as the kernel permits.
# RoCE has one queue pair.

: "${drill_dir:?}" "${patience:?}"

beside_port=5301
beside_subflows=8

. "$drill_dir/roce.sh"

# An address for each subflow: otherwise all would have the same addresses and port.
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

# beside_hosts 0|1: with 1 hosts use ECN for TCP and ignore routes over dead links.
beside_hosts()
{
	local host

	for host in h0 h1; do
		on "$host" sysctl -qw net.ipv4.tcp_ecn=$((2 - $1)) \
			net.ipv6.conf.all.ignore_routes_with_linkdown="$1"
	done
}

# beside_steps FILE: carry out the steps of a drill but for "until", since these
# protocols have no path states.
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

# Each of the following functions leaves its processes in $beside_jobs.

# beside_sockets tcp|mptcp CONNECTIONS
beside_sockets()
{
	ip netns exec h1 "$drill_dir/tcp_flow.py" "$1" sink "$beside_port" \
		> "$drill_at/progress" 2> "$drill_at/server" &
	beside_jobs=($!)
	wait_for "$patience" listening h1 "$beside_port" || return
	ip netns exec h0 "$drill_dir/tcp_flow.py" "$1" source \
		"$(address_of h1 6)" "$beside_port" "$2" \
		2> "$drill_at/client" &
	beside_jobs+=($!)
}

beside_tcp()
{
	beside_sockets tcp 16
}

beside_mptcp()
{
	beside_mptcp_host h0 && beside_mptcp_host h1 && beside_sockets mptcp 1
}

beside_roce()
{
	# shellcheck disable=SC2046
	roce_set_up $(drill_lines "${drill:?}" beside) || return
	roce_flow > "$drill_at/progress" 2> "$drill_at/client" &
	beside_jobs=($!)
}

# beside_flow tcp|mptcp|roce: leave the files of the protocol in a folder of its name.
beside_flow()
{
	local drill_at=$drill_at/$1 status=0 beside_jobs=()

	mkdir -p "$drill_at"
	: > "$drill_at/actions"
	: > "$drill_at/server"
	"beside_$1" && wait_for "$patience" drill_verified 0 &&
		beside_steps "$drill_dir/$drill.drill" || status=1
	echo "$EPOCHREALTIME" > "$drill_at/end"
	# kill fails if the connection has failed before.
	kill "${beside_jobs[@]}" || touch "$drill_at/ended"
	wait "${beside_jobs[@]}"
	[ "$1" != roce ] || roce_tear_down
	[ "$status" -eq 0 ] || cat "$drill_at/client" "$drill_at/server"
	return "$status"
}

# Run all protocols with the faults of this drill.
beside_run()
{
	local protocol protocols="tcp mptcp" status=0

	! modprobe rdma_rxe || protocols+=" roce"
	beside_hosts 1
	for protocol in $protocols; do
		beside_flow "$protocol" || { echo "the run of $protocol failed"; status=1; }
	done
	beside_hosts 0
	return "$status"
}
