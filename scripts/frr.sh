#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# FRR for the test of switch configurations: static SRv6 SIDs came with 10.3, Debian 12
# has an older one. Packages of Debian 13 are unpacked into a root file system in the
# cache, not installed.
#
#   frr.sh             fetch it if it is missing
#   frr.sh --dir       print the directory, for chroot(8): usr/lib/frr/zebra,
#                      usr/bin/vtysh
set -euo pipefail

suite=trixie
mirror=http://deb.debian.org/debian
dir=${XDG_CACHE_HOME:-$HOME/.cache}/mrc/frr

if [ "${1:-}" = --dir ]; then
	echo "$dir"
	exit
fi

# What the scripts of the packages would do: accounts, and directories of theirs.
accounts()
{
	local root=$1 name

	for name in bin sbin lib lib64; do
		[ -e "$root/$name" ] || ln -s "usr/$name" "$root/$name"
	done
	printf '%s\n' root:x:0:0:root:/:/bin/sh frr:x:100:100::/:/bin/false \
		> "$root/etc/passwd"
	printf '%s\n' root:x:0: frr:x:100: frrvty:x:101:frr,root > "$root/etc/group"
	printf '%s required pam_permit.so\n' auth account |
		tee "$root/etc/pam.d/frr" > "$root/etc/pam.d/other"
	mkdir -p "$root"/{dev,proc,tmp,run/frr,etc/frr,var/lib/frr,var/tmp/frr}
}

fetch()
{
	local stage=$1 deb

	debootstrap --download-only --variant=minbase --include=frr \
		"$suite" "$stage/debs" "$mirror" > "$stage/log" 2>&1 || {
		tail -n 3 "$stage/log" >&2
		return 1
	}
	mkdir "$stage/root"
	for deb in "$stage"/debs/var/cache/apt/archives/*.deb; do
		dpkg -x "$deb" "$stage/root"
	done
	accounts "$stage/root"
}

mkdir -p "${dir%/*}"
exec 9> "$dir.lock"
flock 9
if [ ! -x "$dir/usr/lib/frr/zebra" ]; then
	echo "frr: fetching FRR from Debian $suite"
	stage=$(mktemp -d "$dir.XXXXXX")
	trap 'rm -rf "$stage"' EXIT
	fetch "$stage"
	rm -rf "$dir"
	mv "$stage/root" "$dir"
fi
