#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# NFS over RDMA of the stock kernel, client on h0 and server on h1, over 16 SRv6
# paths: files are written, read back and compared while a port and a switch fail
# and return.
#
# Needs: every kernel: client and server are part of the kernel.

. "$(dirname "$0")/lib/test.sh"

# Size of a file; a round writes one file and reads it back.
megabytes=3

server()
{
	nsenter --net=/run/netns/h1 "$@"
}

client()
{
	nsenter --net=/run/netns/h0 "$@"
}

# cache_put NAME LINE: write LINE to the kernel's cache NAME, as mountd(8) would.
cache_put()
{
	server bash -c 'printf "%b\n" "$2" > "/proc/net/rpc/$1/channel"' - \
		"$1" "$2"
}

# rw, insecure, async, no_subtree_check, fsid=0 of exports(5), ids of user nobody.
export_flags=$((0x2 | 0x10 | 0x400 | 0x2000))
never=2147483647

export_dir()
{
	cache_put auth.unix.ip "nfsd $(address_of h0 6) $never clients" &&
	cache_put nfsd.export \
		"clients $tmp/export $never $export_flags 65534 65534 0" &&
	cache_put nfsd.fh "clients 1 \\\\x00000000 $never $tmp/export"
}

# nfsd_put FILE TEXT
nfsd_put()
{
	echo "$2" > "$tmp/nfsd/$1"
}

# Version 4 only, which needs no port mapper. The grace period, during which clients
# of an earlier server may reclaim locks and files cannot be opened, has its minimum
# of ten seconds.
server_start()
{
	server mount -t nfsd nfsd "$tmp/nfsd" &&
	mount -t tmpfs tmpfs "$tmp/export" &&
	export_dir &&
	nfsd_put nfsv4gracetime 10 &&
	nfsd_put versions -3 &&
	nfsd_put portlist "rdma 20049" &&
	nfsd_put threads 4
}

# The server gives its references to the export back after an RCU grace period, from a
# work queue: the file system is busy until then.
server_stop()
{
	nfsd_put threads 0 &&
	{ wait_for 60 umount "$tmp/export" || umount "$tmp/export"; } &&
	umount "$tmp/nfsd"
}

mount_export()
{
	local addr

	addr=$(address_of h1 6)
	client mount -i -t nfs -o "vers=4.2,proto=rdma6,port=20049,addr=$addr" \
		"[$addr]:/" "$tmp/mnt"
}

# Write a file and read it back, both without the page cache of the client.
round()
{
	head -c "${megabytes}M" /dev/urandom > "$tmp/file" &&
	dd if="$tmp/file" of="$tmp/mnt/copy" bs=1M oflag=direct status=none &&
	cmp "$tmp/file" "$tmp/export/copy" &&
	dd if="$tmp/mnt/copy" bs=1M iflag=direct status=none |
		cmp - "$tmp/file" &&
	rm "$tmp/mnt/copy" &&
	[ ! -e "$tmp/export/copy" ]
}

for module in rpcrdma nfsd nfsv4; do
	modprobe "$module" || skip_all "no $module"
done
mkdir "$tmp/export" "$tmp/mnt" "$tmp/nfsd"

check "four planes come up" fabric up
check "the NFS server starts" server_start || exit
check "identities on all ports" identities_on_all_ports
check "devices on both hosts, with GIDs" devices_up device_add 6
check "explicit paths in both directions" paths_up

check "the NFS client mounts the export" mount_export || exit
check "the export is mounted over RDMA" \
	grep -q "$tmp/mnt nfs4 .*proto=rdma6" /proc/mounts

check "small files are created, linked, renamed and read through NFS" bash -c "
	for i in 1 2 3 4 5; do echo \"file \$i\" > $tmp/mnt/f\$i; done
	ln $tmp/mnt/f1 $tmp/mnt/g1 && mv $tmp/mnt/f2 $tmp/mnt/g2 &&
	cat $tmp/mnt/[fg]? | sort | uniq -c | tr -s ' \n' ' ' |
	grep -x ' 2 file 1 1 file 2 1 file 3 1 file 4 1 file 5 '"
rounds_begin
check "files are copied and compared before a fault" rounds_go_on
rounds_survive "files are copied and compared"
check "no copied file differed" rounds_end

check "the NFS client unmounts the export" umount "$tmp/mnt"
check "the NFS server stops" server_stop
for module in rpcrdma nfsd nfsv4; do
	modprobe -qr "$module"
done
