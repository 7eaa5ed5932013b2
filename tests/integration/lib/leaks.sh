#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In a guest whose kernel has kmemleak (kinds debug and debug-virtual): look for memory
# that the module allocated and nothing points to any more, and print one result for test
# NAME.
#
#   leaks.sh NAME
#
# Functions of a module that has been unloaded have no names in a report any more, so
# callers without a name count as the module's. Leaks of others are only printed.
set -uo pipefail

name=$1
kmemleak=/sys/kernel/debug/kmemleak
result="$name: no memory of the module is lost"

# kmemleak reports what is older than 5 s and has not changed since the last scan.
min_age=5

not_ok()
{
	echo "not ok - $result"
	sed 's/^/# /'
	exit 1
}

[ -e "$kmemleak" ] || exit 0
# RCU frees later what is still pointed to from its lists; kmemleak sees that.
sleep "$min_age"
for _ in 1 2; do
	echo scan > "$kmemleak" || not_ok <<< "kmemleak does not scan"
done
found=$(cat "$kmemleak")
# The next script has reports of its own.
echo clear > "$kmemleak"
lost=$(awk -v RS='unreferenced object' -v ORS= '
	/\[mrc\]|\[mrc_[a-z]*\]|\n +(\[<[0-9a-f]+>\] )?0x[0-9a-f]+\n/ {
		print "unreferenced object" $0 }' <<< "$found")
[ -z "$lost" ] || not_ok <<< "$lost"
[ -z "$found" ] || { echo "lost by others:"; echo "$found"; } | sed 's/^/# /'
echo "ok - $result"
