#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A device goes away while traffic runs over it, in every way there is: each
# time the programs end with an error of their own, and nothing is left.
#
# The programs run outside the hosts' namespaces, so that these can go first.
#
# Every kernel: who ends a device, and who waits for it, differs.

. "$(dirname "$0")/lib.sh"

program=$lib/../../build/tests/mrc_verify

no_devices()
{
	! ls /sys/class/infiniband/mrc* > /dev/null 2>&1
}

sends()
{
	[ "$(counter h0 rdma_write_wrs)" -gt "${1:-100}" ]
}

# traffic [ARG...]: start it and wait until it flows; sets $client and $server.
traffic()
{
	"$program" -d mrc1 -g "$(gid_index h1 6)" --timeout 20 "$@" \
		> "$tmp/server" 2>&1 &
	server=$!
	"$program" -d mrc0 -g "$(gid_index h0 6)" --timeout 20 -D 600 -b -q 4 \
		"$@" 127.0.0.1 > "$tmp/client" 2>&1 &
	client=$!
	wait_for "$patience" sends
}

ended()
{
	! kill -0 "$client" 2> /dev/null && ! kill -0 "$server" 2> /dev/null
}

# What ended by a signal, or did not notice, did not end in order.
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

# begin WHAT [ARG...]: two hosts with traffic between their devices.
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
check "the device can be deleted" rdma link delete mrc1
check "the other too" rdma link delete mrc0
end "rdma link delete"

begin "rdma link delete, busy" --busy
check "the device can be deleted" rdma link delete mrc0
check "the other too" rdma link delete mrc1
end "rdma link delete, busy"

begin "net_device deleted"
check "the net_device can be deleted" timeout 60 ip -n h0 link del p0
end "net_device deleted"

begin "namespaces deleted"
fabric down
check "the namespaces are gone" eval '! ip netns list | grep -q "^h[01]"'
end "namespaces deleted"

begin "module unloaded"
check "the module unloads under traffic" timeout 60 modprobe -r mrc
end "module unloaded"

begin "programs killed"
kill -KILL "$client" "$server"
wait "$client" "$server" 2> /dev/null
check "the device can be deleted" timeout 60 rdma link delete mrc0
check "the other too" timeout 60 rdma link delete mrc1
check "programs killed: no device is left" wait_for "$patience" no_devices
