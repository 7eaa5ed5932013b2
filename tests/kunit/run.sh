#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Run the KUnit suites on user-mode Linux.
#
#   run.sh [FILTER]	FILTER is a glob of "suite" or "suite.case"
#
# Debian's kernels have no KUnit, so a small UML kernel is built from Debian's
# kernel source. It is kept in the cache directory: the first run takes minutes,
# later ones build only what changed. The source tree itself is shared with
# other users and stays as it is; the build uses a copy made of hard links, in
# which only the files that differ are files of its own.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
root=$(dirname "$(dirname "$here")")
build=${BUILD:-$root/build}
series=6.12

tree=$("$root/scripts/linux-source.sh" $series)
cache=$(dirname "$tree")
copy=$cache/kunit-$(basename "$tree")
obj=$copy-build
log=$build/kunit.log

mkdir -p "$build"
exec 9>"$cache/kunit.lock"
if ! flock -n 9; then
	echo "waiting for another KUnit run" >&2
	flock 9
fi

# Append a line to a file of the copy without touching the original.
append() {
	local file=$1 line=$2

	cp "$file" "$file.new"
	printf '%s\n' "$line" >>"$file.new"
	mv "$file.new" "$file"
}

if [ ! -d "$copy" ]; then
	rm -rf "$copy.new"
	cp -al "$tree" "$copy.new"
	append "$copy.new/lib/Kconfig" 'source "lib/mrc/Kconfig"'
	append "$copy.new/lib/Makefile" "obj-\$(CONFIG_MRC_KUNIT_TEST) += mrc/"
	mv "$copy.new" "$copy"
fi

# Copy what differs only, so that make rebuilds no more than that.
mkdir -p "$copy/lib/mrc/core"
sync_dir() {
	local dst=$1 src old
	shift

	for old in "$dst"/*.[ch]; do
		[ -e "$old" ] || continue
		for src in "$@"; do
			[ "${src##*/}" = "${old##*/}" ] && continue 2
		done
		rm "$old"
	done
	for src in "$@"; do
		cmp -s "$src" "$dst/${src##*/}" || cp "$src" "$dst/"
	done
}
sync_dir "$copy/lib/mrc/core" "$root"/kernel/core/*.[ch]
sync_dir "$copy/lib/mrc" "$here"/mrc_*.[ch] "$here/Kconfig" \
	"$here/Makefile"

[ -e "$obj/linux" ] ||
	echo "building a UML kernel, once: about 3 minutes on 2 cores" >&2

status=0
cd "$copy"
./tools/testing/kunit/kunit.py run \
	--kunitconfig="$here/.kunitconfig" --build_dir="$obj" \
	--jobs="$(nproc)" "$@" 2>&1 </dev/null | tee "$log" || status=$?

# "Testing complete. Ran 3 tests: passed: 2, failed: 1", zero counts left out.
count() {
	local n

	n=$(sed -n "s/.*Testing complete\..*[ ,]$1: \([0-9]*\).*/\1/p" "$log" |
		tail -n 1)
	echo "${n:-0}"
}
passed=$(count passed)
failed=$(($(count failed) + $(count crashed) + $(count errors)))
skipped=$(count skipped)
# A kernel that does not build or boot, or runs nothing, is one failure.
if [ "$failed" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$passed" -eq 0 ]; }; then
	failed=1
	status=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
