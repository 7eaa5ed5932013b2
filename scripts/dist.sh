#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Make the source tarball of a release.
#
#   dist.sh DIR        write DIR/mrc-VERSION.tar.xz and print its name
#
# It has the files of the last commit, without debian/, and the time stamps of that
# commit: whoever makes it from the same commit gets the same bytes. Changes of these
# files that are not committed are included, too.
set -euo pipefail

dir=$(mkdir -p "${1:?usage: dist.sh DIR}" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
version=$(< VERSION)

commit=HEAD
if ! git diff --quiet HEAD --; then
	echo "dist: with changes that are not committed" >&2
	index=$(mktemp)
	trap 'rm -f "$index"' EXIT
	cp "$(git rev-parse --git-path index)" "$index"
	GIT_INDEX_FILE=$index git add --update
	tree=$(GIT_INDEX_FILE=$index git write-tree)
	date=$(git log -1 --format=%cI)
	commit=$(GIT_AUTHOR_DATE=$date GIT_COMMITTER_DATE=$date \
		git -c user.name=dist -c user.email=dist commit-tree \
		-m "not committed" "$tree")
fi
tarball=$dir/mrc-$version.tar.xz
git -c tar.umask=0022 archive --format=tar --prefix="mrc-$version/" \
	"$commit" -- . ':!debian' | xz -9 -T 1 > "$tarball.new"
mv "$tarball.new" "$tarball"
echo "$tarball"
