#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# NVMe over RDMA of the stock kernel, initiator and target, over 16 SRv6 paths: fio
# writes, reads and compares while a port and a switch fail and return.
#
# Initiator and target work in the first network namespace only. So the ports of h0
# and h1 are moved there and renamed, and policy routing sends packets between the
# two hosts out of the ports although their destination address is local.
#
# Needs: every kernel: initiator and target are part of the kernel.

. "$(dirname "$0")/lib/test.sh"

hosts_in_root=1
nqn=nqn.2026-11.org.example:mrc
config=/sys/kernel/config
target=$config/nvmet
null=$config/nullb/mrc
table=100

# host_moved HOST: move the ports of HOST and its routes to switches to the first
# namespace.
host_moved()
{
	local host=$1 plane renamed="s/dev p\([0-9]\)/dev ${1}p\1/g"

	for plane in 0 1 2 3; do
		ip -n "$host" link set "p$plane" netns 1 name "${host}p$plane" ||
			return
	done
	ip netns del "$host" &&
	ip netns attach "$host" 1 &&
	for plane in 0 1 2 3; do
		sysctl -qw "net.ipv6.conf.${host}p$plane.seg6_enabled=1" &&
		ip link set "${host}p$plane" up || return
	done
	# The uSIDs of switches: the first of a path is of the host's own T0.
	sed -e "$renamed" -e '/2001:db8\|nexthop/d' \
		-e "s/\(fcbb:bb00:1.\)00::\/40/\10${host#h}::\/48/" \
		-e '/::\/40/d' "/run/mrc-fabric/routes/$host" | ip -batch -
}

# route_out FROM TO: route packets for TO through the ports of FROM.
route_out()
{
	local plane hops=()

	for plane in 0 1 2 3; do
		hops+=(nexthop via "fe80::ff:fe00:1${plane}0${1#h}"
		       dev "${1}p$plane")
		ip -6 rule add pref 6 oif "${1}p$plane" lookup "$table" ||
			return
	done
	ip -6 route add "$(address_of "$2" 6)" table "$table" \
		src "$(address_of "$1" 6)" "${hops[@]}"
}

hosts_moved()
{
	sysctl -qw net.ipv6.conf.{all,default}.{accept_dad,accept_ra}=0 \
		net.ipv6.conf.all.seg6_enabled=1 &&
	ip link add sr0 type dummy &&
	ip link set sr0 up &&
	host_moved h0 &&
	host_moved h1
}

# Routes between the hosts, whose addresses are local; to be called when the
# addresses are configured.
routes_out()
{
	ip -6 rule add pref 10 lookup local &&
	ip -6 rule del pref 0 &&
	ip -6 rule add pref 5 dev lo lookup "$table" &&
	route_out h0 h1 &&
	route_out h1 h0
}

root_restored()
{
	ip -6 rule add pref 0 lookup local
	ip -6 rule flush pref 5
	ip -6 rule flush pref 6
	ip -6 rule del pref 10
	ip -6 route flush table "$table"
	ip link del sr0
	sysctl -qw net.ipv6.conf.{all,default}.accept_dad=1 \
		net.ipv6.conf.{all,default}.accept_ra=1 \
		net.ipv6.conf.all.seg6_enabled=0
}

ports_of()
{
	echo "$1p0,$1p1,$1p2,$1p3"
}

# put FILE VALUE
put()
{
	echo "$2" > "$1"
}

disk_made()
{
	modprobe null_blk nr_devices=0 &&
	mount -t configfs configfs "$config" &&
	mkdir "$null" &&
	put "$null/memory_backed" 1 &&
	put "$null/blocksize" 4096 &&
	put "$null/size" 16 &&
	put "$null/power" 1
}

target_starts()
{
	local subsys=$target/subsystems/$nqn port=$target/ports/1

	mkdir "$subsys" &&
	put "$subsys/attr_allow_any_host" 1 &&
	mkdir "$subsys/namespaces/1" &&
	put "$subsys/namespaces/1/device_path" /dev/mrc &&
	put "$subsys/namespaces/1/enable" 1 &&
	mkdir "$port" &&
	put "$port/addr_trtype" rdma &&
	put "$port/addr_adrfam" ipv6 &&
	put "$port/addr_traddr" "$(address_of h1 6)" &&
	put "$port/addr_trsvcid" 4420 &&
	ln -s "$subsys" "$port/subsystems/"
}

target_stops()
{
	local subsys=$target/subsystems/$nqn port=$target/ports/1

	rm "$port/subsystems/$nqn" &&
	rmdir "$port" &&
	put "$subsys/namespaces/1/enable" 0 &&
	rmdir "$subsys/namespaces/1" &&
	rmdir "$subsys" &&
	put "$null/power" 0 &&
	rmdir "$null" &&
	umount "$config"
}

# Print the block device of the initiator whose subsystem is $nqn.
disk()
{
	local dir

	for dir in /sys/class/nvme-subsystem/*; do
		grep -qs "$nqn" "$dir/subsysnqn" || continue
		dir=$(echo "$dir"/nvme*n1)
		[ -b "/dev/${dir##*/}" ] && echo "/dev/${dir##*/}"
		return
	done
	return 1
}

# connect ARG...: connect the initiator; ARG is for nvme connect.
connect()
{
	nvme connect -t rdma -a "$(address_of h1 6)" -s 4420 -n "$nqn" \
		-w "$(address_of h0 6)" \
		-q nqn.2026-11.org.example:host \
		--hostid 01234567-89ab-cdef-0123-456789abcdef "$@" &&
	wait_for "$patience" disk
}

disconnected()
{
	! disk
}

# verified_io JOB-OPTION...: fio writes all of the disk and compares what it reads.
verified_io()
{
	fio --name=verify --filename="$(disk)" --direct=1 --size=4M \
		--rw=randwrite --bsrange=4k-256k --verify=crc32c \
		--verify_fatal=1 --randrepeat=0 --output-format=terse "$@"
}

round()
{
	verified_io --ioengine=libaio --iodepth=16
}

# The queue pairs of the target share a receive queue; those of NFS (48_nfs) do not.
modprobe nvmet-rdma use_srq=1 || skip_all "no nvmet-rdma"
modprobe nvme-rdma || skip_all "no nvme-rdma"

check "four planes come up" fabric up
check "h0 and h1 are moved to the first namespace" hosts_moved || exit
check "identities on all ports" identities_on_all_ports
check "routes between h0 and h1 through their ports" routes_out
for host in h0 h1; do
	check "device on $host" device_add "$host" "$(ports_of "$host")"
done
check "both hosts have their GIDs" wait_for "$patience" have_gids 6
check "explicit paths in both directions" paths_up

check "the null_blk disk of the target is created" disk_made
check "the NVMe target starts" target_starts || exit
check "the NVMe initiator connects" \
	connect --nr-io-queues=2 --nr-poll-queues=1 ||
	exit

carried > "$tmp/before"
check "small writes and reads through the NVMe disk compare equal" \
	verified_io --ioengine=libaio --iodepth=4 \
	--bsrange=4k-4k --size=256k
check "polled writes and reads through the NVMe disk compare equal" \
	verified_io --ioengine=pvsync2 --hipri \
	--bsrange=4k-64k --size=1M
rounds_begin
check "fio writes and compares data before a fault" rounds_go_on
check "all T1 switches have carried NVMe data" carried_more "$tmp/before"
rounds_survive "fio writes and compares data"
check "no comparison of fio has failed" rounds_end
check "the disk of the target has the data that the initiator reads" \
	cmp -n $((4 << 20)) /dev/mrc \
	"$(disk)"

check "the NVMe initiator disconnects" nvme disconnect -n "$nqn"
check "the NVMe disk is gone after disconnect" wait_for "$patience" disconnected
check "the NVMe initiator connects a second time" connect --nr-io-queues=1
check "the RDMA device of the connected initiator can be deleted" device_del h0
check "the NVMe disk is gone after its RDMA device is deleted" \
	wait_for "$patience" disconnected
check "the NVMe target stops" target_stops
for module in nvmet-rdma nvme-rdma nvmet nvme-fabrics null_blk; do
	modprobe -qr "$module"
done
root_restored
