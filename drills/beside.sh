#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Prepare the network of a drill for another protocol, on the plain routes of the same
# network. Switches spread connections over links by a hash of addresses and ports.
# For traffic.py.
#
#   beside.sh tcp
#   beside.sh mptcp
#   beside.sh roce PLANE T1   data take the path by way of this T1; prints the GID index
#                             of rxe0 and rxe1
#
# Sixteen TCP connections represent one stream that an application has split; MPTCP
# splits a stream itself, into as many subflows as the kernel permits. RoCE has one queue
# pair.
set -euo pipefail

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lab/hosts.sh
. "$here/../tests/lab/hosts.sh"
# shellcheck source=drills/roce.sh
. "$here/roce.sh"

subflows=8

# An address for each subflow: otherwise all would have the same addresses and port.
mptcp_host()
{
	local host=$1 id6 i

	id6=$(address_of "$host" 6)
	for ((i = 1; i <= subflows; i++)); do
		ip -n "$host" addr replace "${id6%1}a$i/128" dev p0 nodad
	done
	on "$host" ip mptcp limits set subflows "$subflows" \
		add_addr_accepted "$subflows"
	on "$host" ip mptcp endpoint flush
	for ((i = 1; i <= subflows; i++)); do
		on "$host" ip mptcp endpoint add "${id6%1}a$i" subflow
	done
}

# TCP uses ECN, and routes over dead links are ignored.
for host in h0 h1; do
	on "$host" sysctl -qw net.ipv4.tcp_ecn=1 \
		net.ipv6.conf.all.ignore_routes_with_linkdown=1
done
case ${1:-} in
tcp)	;;
mptcp)	mptcp_host h0 && mptcp_host h1 ;;
roce)	modprobe rdma_rxe
	roce_set_up "$2" "$3"
	gid_find rxe0 "$(roce_address h0)"
	gid_find rxe1 "$(roce_address h1)" ;;
*)	sed -n '4,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
