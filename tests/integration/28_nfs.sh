#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# NFS over RDMA of the stock kernel, client on h0 and server on h1, over 16 SRv6
# paths: files are copied there and back and compared, and paths die meanwhile.
#
# Every kernel: both sides are the kernel's.

. "$(dirname "$0")/lib.sh"

# For each file; a round copies one there and one back.
megabytes=3

server()
{
	nsenter --net=/run/netns/h1 "$@"
}

client()
{
	nsenter --net=/run/netns/h0 "$@"
}

# cache_put NAME LINE: what mountd would answer when the kernel asks it.
cache_put()
{
	server bash -c 'printf "%b\n" "$2" > "/proc/net/rpc/$1/channel"' - \
		"$1" "$2"
}

# rw, insecure, async, no_subtree_check, fsid=0 of exports(5), and nobody's ids.
export_flags=$((0x2 | 0x10 | 0x400 | 0x2000))
never=2147483647

export_dir()
{
	cache_put auth.unix.ip "nfsd $(address_of h0 6) $never clients" &&
	cache_put nfsd.export \
		"clients $tmp/export $never $export_flags 65534 65534 0" &&
	cache_put nfsd.fh "clients 1 \\\\x00000000 $never $tmp/export"
}

# nfsd_says FILE TEXT
nfsd_says()
{
	echo "$2" > "$tmp/nfsd/$1"
}

# Only version 4 does without a port mapper.  For ten seconds, the least there is,
# files cannot be opened: clients of a server before it could want locks back.
server_start()
{
	server mount -t nfsd nfsd "$tmp/nfsd" &&
	mount -t tmpfs tmpfs "$tmp/export" &&
	export_dir &&
	nfsd_says nfsv4gracetime 10 &&
	nfsd_says versions -3 &&
	nfsd_says portlist "rdma 20049" &&
	nfsd_says threads 4
}

server_stop()
{
	nfsd_says threads 0 &&
	umount "$tmp/export" &&
	umount "$tmp/nfsd"
}

mount_export()
{
	local addr

	addr=$(address_of h1 6)
	client mount -i -t nfs -o "vers=4.2,proto=rdma6,port=20049,addr=$addr" \
		"[$addr]:/" "$tmp/mnt"
}

# Nothing of what is read back comes from a cache.
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
check "the server starts" server_start || exit
check "addresses on all ports" identities_everywhere
check "devices on both hosts, with GIDs" devices_up device_add 6
check "paths there and back" paths_up

check "the client mounts" mount_export || exit
check "over RDMA" grep -q "$tmp/mnt nfs4 .*proto=rdma6" /proc/mounts

check "small files" bash -c "
	for i in 1 2 3 4 5; do echo \"file \$i\" > $tmp/mnt/f\$i; done
	ln $tmp/mnt/f1 $tmp/mnt/g1 && mv $tmp/mnt/f2 $tmp/mnt/g2 &&
	cat $tmp/mnt/[fg]? | sort | uniq -c | tr -s ' \n' ' ' |
	grep -x ' 2 file 1 1 file 2 1 file 3 1 file 4 1 file 5 '"
rounds_begin
check "files are copied and compared" rounds_go_on
rounds_survive "copying goes on"
check "no copy differed" rounds_end

check "the client unmounts" umount "$tmp/mnt"
check "the server stops" server_stop
for module in rpcrdma nfsd nfsv4; do
	modprobe -qr "$module"
done
