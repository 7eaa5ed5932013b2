#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Build the Debian packages, source and binary, from the source tarball (dist.sh).
#
#   deb.sh DIR         leave them in DIR, which is emptied before
#
# The packages are the same whenever they are built from the same commit by the same
# tools: time stamps are those of debian/changelog.
set -euo pipefail

dir=$(mkdir -p "${1:?usage: deb.sh DIR}" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
version=$(< VERSION)

if ! head -n 1 debian/changelog | grep -q "^mrc ($version-"; then
	echo "deb: debian/changelog begins with another version than $version" >&2
	exit 1
fi
find "$dir" -mindepth 1 -delete
mv "$(scripts/dist.sh "$dir")" "$dir/mrc_$version.orig.tar.xz"
tar -C "$dir" -xf "$dir/mrc_$version.orig.tar.xz"
cp -r debian "$dir/mrc-$version/"
cd "$dir/mrc-$version"
dpkg-buildpackage --no-sign --build=full
