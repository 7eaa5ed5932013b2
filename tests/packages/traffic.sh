#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In a guest with the packages: two hosts as network namespaces a and b, and on them the
# commands of README.md behind the first one (run.sh has left them in "six"); with
# nothing but what the packages have installed. In one kernel the names of devices must
# differ: that of b is mrc1.
set -euo pipefail

modprobe ib_uverbs
for host in a b; do
	ip netns add "$host"
	ip -n "$host" link set lo up
done
ip link add eth1 netns a mtu 9000 type veth peer name eth1 netns b
ip -n a addr add 192.0.2.1/24 dev eth1
ip -n b addr add 192.0.2.2/24 dev eth1
for host in a b; do
	ip -n "$host" link set eth1 up
done
ip netns exec a ping -c 1 -W 20 192.0.2.2 > /dev/null

# run_on HOST COMMAND: run a command line on a host.
run_on()
{
	local command=$2

	[ "$1" = a ] || command=${command//mrc0/mrc1}
	echo "$1# $command"
	ip netns exec "$1" bash -c "$command"
}

# GIDs come a moment after their device.
gid_is_there()
{
	local try

	for ((try = 0; try < 300; try++)); do
		! grep -q 'ffff:c000:020' "/sys/class/infiniband/$1/ports/1/gids/1" ||
			return 0
		sleep 0.1
	done
	return 1
}

server_listens()
{
	until ip netns exec b grep -q ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6; do
		sleep 0.1
	done
}

# What runs on b alone is a server, which ends with its client.
six_commands()
{
	local where command

	while read -r where command; do
		case $where in
		ab)	run_on a "$command" && run_on b "$command"
			gid_is_there mrc0 && gid_is_there mrc1 ;;
		a)	run_on a "$command" < /dev/null ;;
		b)	run_on b "$command" < /dev/null &
			server_listens ;;
		esac
	done < <(sed 1d /srv/packages/six)
	wait
}

# pingpong N: that many messages, of which every byte is compared.
pingpong()
{
	run_on b "ibv_rc_pingpong -c -d mrc0 -g 1 -n $1" > /tmp/server &
	server_listens
	run_on a "ibv_rc_pingpong -c -d mrc0 -g 1 -n $1 192.0.2.2"
	wait $!
}

six_commands > /tmp/six 2>&1 || { cat /tmp/six; exit 1; }
cat /tmp/six
[ "$(grep -c '1000 iters' /tmp/six)" -eq 2 ]
[ "$(grep -c 'invalid data' /tmp/six)" -eq 0 ]
grep -q 'port 1: \([0-9]*\) of \1 paths answered' /tmp/six
mrcctl -n a metrics | grep '^mrc_send_bytes_total{device="mrc0"} [1-9]'
