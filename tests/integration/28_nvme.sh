#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# NVMe over RDMA of the stock kernel, initiator and target, over 16 SRv6 paths: fio
# writes, reads and compares, and paths die meanwhile.
#
# Both sides insist on the first network namespace.  So h0 and h1 are moved there,
# with ports of different names, and rules have what one sends to the other leave
# the machine although the address is local.
#
# Every kernel: both sides are the kernel's.

. "$(dirname "$0")/lib.sh"

hosts_in_root=1
nqn=nqn.2026-11.org.example:mrc
config=/sys/kernel/config
target=$config/nvmet
null=$config/nullb/mrc
table=100

# host_moved HOST: its ports, and its routes to switches.
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

# route_out FROM TO: what goes to TO leaves by the ports of FROM.
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
	ip link add sr type dummy &&
	ip link set sr up &&
	host_moved h0 &&
	host_moved h1
}

# Their addresses are there.
ways_out()
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
	ip link del sr
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

# The disk at the initiator: whose subsystem has our name.
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

# connect ARG...
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

# fio JOB-OPTION...: write all of the disk, and compare what comes back.
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

# The queue pairs of the target share a receive queue, as those of NFS do not.
modprobe nvmet-rdma use_srq=1 || skip_all "no nvmet-rdma"
modprobe nvme-rdma || skip_all "no nvme-rdma"

check "four planes come up" fabric up
check "hosts in one namespace" hosts_moved || exit
check "addresses on all ports" identities_everywhere
check "ways out" ways_out
for host in h0 h1; do
	check "device on $host" device_add "$host" "$(ports_of "$host")"
done
check "GIDs" wait_for "$patience" have_gids 6
check "paths there and back" paths_up

check "a disk" disk_made
check "the target starts" target_starts || exit
check "the initiator connects" connect --nr-io-queues=2 --nr-poll-queues=1 ||
	exit

carried > "$tmp/before"
check "small reads and writes" verified_io --ioengine=libaio --iodepth=4 \
	--bsrange=4k-4k --size=256k
check "polled by who waits" verified_io --ioengine=pvsync2 --hipri \
	--bsrange=4k-64k --size=1M
rounds_begin
check "data is written and compared" rounds_go_on
check "all T1 switches have carried data" carried_more "$tmp/before"
rounds_survive "data is written and compared"
check "no comparison has failed" rounds_end
check "the disk of the target is the same" cmp -n $((4 << 20)) /dev/mrc \
	"$(disk)"

check "the initiator disconnects" nvme disconnect -n "$nqn"
check "its disk is gone" wait_for "$patience" disconnected
check "and connects again" connect --nr-io-queues=1
check "the device of the initiator goes under its feet" device_del h0
check "its disk goes, too" wait_for "$patience" disconnected
check "the target stops" target_stops
for module in nvmet-rdma nvme-rdma nvmet nvme-fabrics null_blk; do
	modprobe -qr "$module"
done
root_restored
