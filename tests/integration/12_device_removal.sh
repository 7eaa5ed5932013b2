#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Removal of a device while mrc_verify sends over it: rdma link delete, deletion of
# the net device or the namespaces, unloading of the module, killed programs. Each
# time the programs end with an error status of their own (not by a signal), no
# device is left and the module unloads.
#
# The programs run outside the namespaces of the hosts, so that the namespaces can
# be deleted first.
#
# Also: older kernels: kernels differ in who unregisters a device and who waits for that.

. "$(dirname "$0")/lib/test.sh"

program=$programs/mrc_verify
# Few bytes in flight where each packet takes real time.
light=()
! in_virtual_time || light=(-s 8192 -t 16)

no_devices()
{
	! ls /sys/class/infiniband/mrc* > /dev/null 2>&1
}

sending()
{
	[ "$(counter h0 rdma_write_wrs)" -gt "${1:-100}" ]
}

# traffic [ARG...]: start mrc_verify with ARG on both sides and wait until it
# sends; sets $client and $server.
traffic()
{
	"$program" -d mrc1 -g "$(gid_index h1 6)" --timeout 20 "$@" \
		> "$tmp/server" 2>&1 &
	server=$!
	"$program" -d mrc0 -g "$(gid_index h0 6)" --timeout 20 -D 600 -b -q 4 \
		"${light[@]}" "$@" 127.0.0.1 > "$tmp/client" 2>&1 &
	client=$!
	wait_for "$patience" sending
}

ended()
{
	! kill -0 "$client" 2> /dev/null && ! kill -0 "$server" 2> /dev/null
}

# Both programs end with a status of their own: not by a signal or time limit.
ended_in_order()
{
	local pid status

	wait_for "$patience" ended || return
	for pid in "$client" "$server"; do
		wait "$pid"
		status=$?
		echo "status $status"
		[ "$status" -gt 0 ] && [ "$status" -lt 124 ] || return
	done
}

# begin WHAT [ARG...]: start two hosts with traffic between their devices.
begin()
{
	local what=$1

	shift
	fabric simple > /dev/null && devices_up link_add 6
	check "$what: traffic runs" traffic "$@" ||
		{ note < "$tmp/client"; note < "$tmp/server"; }
}

end()
{
	check "$1: the programs end with an error" ended_in_order
	check "$1: no device is left" wait_for "$patience" no_devices
	check "$1: the module unloads" wait_for "$patience" unload
	fabric down
}

begin "rdma link delete"
check "rdma link delete: mrc1 can be deleted" rdma link delete mrc1
check "rdma link delete: mrc0 can be deleted after mrc1" rdma link delete mrc0
end "rdma link delete"

# A program that polls hears nothing of the removal: it waits for its own limit.
begin "rdma link delete, busy" --busy --timeout 5
check "rdma link delete, busy: mrc0 can be deleted" rdma link delete mrc0
check "rdma link delete, busy: mrc1 can be deleted after mrc0" \
	rdma link delete mrc1
end "rdma link delete, busy"

begin "net_device deleted"
check "net_device deleted: p0 of h0 can be deleted" \
	timeout 60 ip -n h0 link del p0
end "net_device deleted"

begin "namespaces deleted"
fabric down
check "namespaces deleted: h0 and h1 are gone" \
	eval '! ip netns list | grep -q "^h[01]"'
end "namespaces deleted"

begin "module unloaded"
check "module unloaded: modprobe -r succeeds under traffic" \
	timeout 60 modprobe -r mrc
end "module unloaded"

begin "programs killed"
kill -KILL "$client" "$server"
wait "$client" "$server" 2> /dev/null
check "programs killed: mrc0 can be deleted" timeout 60 rdma link delete mrc0
check "programs killed: mrc1 can be deleted after mrc0" \
	timeout 60 rdma link delete mrc1
check "programs killed: no device is left" wait_for "$patience" no_devices
