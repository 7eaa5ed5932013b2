#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Print the path of an unpacked kernel source tree.
#
#   linux-source.sh 6.1|6.12
#
# The tree is Debian's linux-source package, unpacked on first use into the
# cache directory (outside the repository, so that "make clean" and fresh
# clones keep it). KUnit builds on it and lint takes checkpatch and kernel-doc
# from it. The directory carries the package version: an upgraded package gives
# a new tree, never a mixture.
set -euo pipefail

series=${1:?usage: linux-source.sh 6.1|6.12}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mrc
pkg=linux-source-$series
tarball=/usr/src/$pkg.tar.xz

if [ ! -r "$tarball" ]; then
	echo "linux-source.sh: $tarball is missing; run 'make deps'" >&2
	exit 1
fi

version=$(dpkg-query -W -f '${Version}' "$pkg" | tr -c '[:alnum:].-' -)
tree=$cache/$pkg-$version

mkdir -p "$cache"
exec 9>"$cache/$pkg.lock"
flock 9

if [ ! -d "$tree" ]; then
	echo "unpacking $tarball into $cache (once)" >&2
	tmp=$(mktemp -d "$cache/unpack.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	tar -C "$tmp" --strip-components=1 -xf "$tarball"
	chmod 755 "$tmp"
	mv "$tmp" "$tree"
	trap - EXIT
fi

echo "$tree"
