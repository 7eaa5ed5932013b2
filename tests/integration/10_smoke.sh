#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The life of the module and of devices: load, unload, autoload, devices of
# one port (rdma link) and of several (mrcctl), their identity, and what
# happens when a port or a namespace goes away.
#
# Every kernel: loading, devices and namespaces are the kernel's.

. "$(dirname "$0")/lib.sh"

device_exists()
{
	rdma link show "$1/1"
}

no_device()
{
	! device_exists "$1"
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

check "the module loads and unloads, repeatedly" load_unload

check "two hosts come up" fabric simple --links 4
check "rdma link add loads the module and makes a device" \
	on h0 rdma link add mrc0 type mrc netdev p0
check "the device is there" device_exists mrc0
check "it has a GID for the IPv6 address" wait_for "$patience" has_gid 6
check "it has a GID for the IPv4 address" wait_for "$patience" has_gid 4
check "libibverbs finds it and its provider" on h0 ibv_devinfo -d mrc0
check_fails "a second device of the same name is refused" . \
	on h0 rdma link add mrc0 type mrc netdev p1
check_fails "a second device on the same port is refused" . \
	on h0 rdma link add mrc9 type mrc netdev p0
check "rdma link delete removes it" rdma link delete mrc0
check "it is gone" wait_for "$patience" no_device mrc0

check "mrcctl dev add makes a device of four ports" device_add h0
check "its last port is there" rdma link show mrc0/4
check "mrcctl dev show lists it" on h0 mrcctl dev show mrc0
check "mrcctl dev del removes it" device_del h0
check "it is gone again" wait_for "$patience" no_device mrc0

check "a device of two ports" device_add h0 p0,p1
check "deleting a port of a device is survived" ip -n h0 link del p1
device_del h0 > /dev/null 2>&1
check "the rest of the device can be deleted" \
	wait_for "$patience" no_device mrc0

check "a device in a namespace" device_add h1 p0
fabric down
check "goes with the namespace" wait_for "$patience" no_device mrc1
