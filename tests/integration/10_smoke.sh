#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Life cycle of the module and of devices: load, unload, autoload, creation and
# deletion of devices of one port (rdma link) and of several (mrcctl dev), their
# GIDs, and removal of a port or a namespace that a device uses. Programs: rdma,
# mrcctl, ibv_devinfo.
#
# Also: every kernel: loading, devices and namespaces are implemented by the kernel.

. "$(dirname "$0")/lib/test.sh"

device_exists()
{
	rdma link show "$1/1"
}

no_device()
{
	! device_exists "$1"
}

# parent_of DEVICE: print its parent net device.
parent_of()
{
	cat "/sys/class/infiniband/$1/parent"
}

# netdevs_are DEVICE NAME...: sysfs lists these net devices for the ports of DEVICE,
# where ibdev2netdev and similar programs find them.
netdevs_are()
{
	local dir=/sys/class/infiniband/$1/ports port

	shift
	for ((port = 1; port <= $#; port++)); do
		[ "$(cat "$dir/$port/gid_attrs/ndevs/0")" = "${!port}" ] ||
			return
	done
}

has_gid()
{
	[ "$(gid_index h0 "$1")" ]
}

load_unload()
{
	for _ in 1 2 3; do
		modprobe mrc || return
		modprobe -r mrc || return
	done
	[ ! -d /sys/module/mrc ]
}

rc_qpn()
{
	rdma -j resource show qp | jq -e '.[] | select(.type == "RC") | .lqpn'
}

# first_numbers: print the number of the first QP of mrc0, and the index of the first
# memory key of a process.
first_numbers()
{
	local program qpn key

	ip netns exec h0 ibv_rc_pingpong -d mrc0 -g "$(gid_index h0 6)" \
		> "$tmp/pingpong" &
	program=$!
	if wait_for "$patience" rc_qpn > /dev/null; then
		qpn=$(rc_qpn)
		key=$(rdma -dd resource show mr | sed -n 's/.* rkey \(0x[0-9a-f]*\) .*/\1/p')
	fi
	kill "$program"
	wait "$program"
	echo "$qpn $((key >> 8))"
}

# differ A B: lists A and B of two numbers have no number in common.
differ()
{
	local a b

	read -ra a <<< "$1"
	read -ra b <<< "$2"
	echo "before $1, after $2"
	[ ${#a[@]} = 2 ] && [ ${#b[@]} = 2 ] && [ "${a[0]}" != "${b[0]}" ] &&
		[ "${a[1]}" != "${b[1]}" ]
}

check "the module loads and unloads three times" load_unload

check "two hosts come up" fabric simple --links 4
check "rdma link add loads the module and creates mrc0" \
	on h0 rdma link add mrc0 type mrc netdev p0
check "mrc0 exists after rdma link add" device_exists mrc0
check "mrc0 has a GID for the IPv6 address of h0" wait_for "$patience" has_gid 6
check "mrc0 has a GID for the IPv4 address of h0" wait_for "$patience" has_gid 4
check "libibverbs finds mrc0 and its provider" on h0 ibv_devinfo -d mrc0
numbers=$(first_numbers)
check_fails "a second device of the same name is refused" . \
	on h0 rdma link add mrc0 type mrc netdev p1
check_fails "a second device on the same port is refused" . \
	on h0 rdma link add mrc9 type mrc netdev p0
check "rdma link delete of mrc0 succeeds" rdma link delete mrc0
check "mrc0 does not exist after rdma link delete" \
	wait_for "$patience" no_device mrc0

check "the module unloads after rdma link delete" modprobe -r mrc
check "rdma link add loads the module again" \
	on h0 rdma link add mrc0 type mrc netdev p0
check "mrc0 has a GID for the IPv6 address of h0 again" \
	wait_for "$patience" has_gid 6
check "QP numbers and memory keys begin elsewhere after the module is loaded again" \
	differ "$numbers" "$(first_numbers)"
check "rdma link delete of mrc0 succeeds again" rdma link delete mrc0

check "mrcctl dev add creates mrc0 with four ports" device_add h0
check "port 4 of mrc0 exists" rdma link show mrc0/4
check_equal "the parent of mrc0 with four ports is the net device of port 1" \
	"$(parent_of mrc0)" p0
check "sysfs shows the net devices of the four ports of mrc0" \
	wait_for "$patience" \
	netdevs_are mrc0 p0 p1 p2 p3
check "mrcctl dev show lists mrc0" on h0 mrcctl dev show mrc0
check "mrcctl dev del of mrc0 succeeds" device_del h0
check "mrc0 does not exist after mrcctl dev del" \
	wait_for "$patience" no_device mrc0

check "mrc0 with p1 as port 1 and p0 as port 2 is created" device_add h0 p1,p0
check_equal "the parent of mrc0 with ports p1 and p0 is p1, the net device of port 1" \
	"$(parent_of mrc0)" p1
check "the net device of port 1 of mrc0 can be deleted" ip -n h0 link del p1
check_equal "the parent of mrc0 without port 1 is the net device of port 2" \
	"$(parent_of mrc0)" p0
device_del h0 > /dev/null 2>&1
check "mrc0 without port 1 does not exist after mrcctl dev del" \
	wait_for "$patience" no_device mrc0

check "mrc1 is created in the namespace of h1" device_add h1 p0
fabric down
check "mrc1 does not exist after its namespace is deleted" \
	wait_for "$patience" no_device mrc1
