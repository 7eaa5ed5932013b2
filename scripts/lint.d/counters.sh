#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Every counter of a device has a name of its own, and something counts it. (The
# compiler takes a missing name for NULL.)

. scripts/lint-lib.sh

status=0
names=$(sed -nE 's/^\t\[MRC_CNT_(\w+)\] = "(\w+)",$/\1 \2/p' \
	kernel/net/counters.c)
while read -r counter; do
	grep -q "^$counter " <<< "$names" ||
		{ echo "MRC_CNT_$counter has no name"; status=1; }
	# Reasons to drop a packet are counted by their number.
	[[ $counter = DROP_* ]] ||
		grep -rqE --include='*.[ch]' --exclude='counters.*' \
			"mrc_count(_add)?\(.*\b$counter\b|MRC_CNT_$counter\b" \
			kernel ||
		{ echo "nothing counts MRC_CNT_$counter"; status=1; }
done < <(sed -nE 's/^\tMRC_CNT_(\w+),$/\1/p' kernel/net/counters.h)
while read -r name; do
	echo "two counters are called $name"
	status=1
done < <(cut -d ' ' -f 2 <<< "$names" | sort | uniq -d)
exit "$status"
