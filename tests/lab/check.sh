#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Check the lab in virtual time.
#
#   check.sh [PART...]
#
#   links            links against arithmetic
#   programs         unmodified perftest against the rate and the delay of a link
#   repeat           a run can be repeated to the packet
#
# Without arguments all of it.
# The logs are left in build/lab. The last line is "N passed, N failed, N skipped".
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
uml=$here/uml/uml.sh
log=$root/build/lab
passed=0
failed=0
skipped=0

# result STATUS NAME
result()
{
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
		passed=$((passed + 1))
	else
		echo "not ok - $2"
		failed=$((failed + 1))
	fi
}

# tap NAME [ARG...]: run uml.sh with ARG; count the lines of TAP that it prints.
tap()
{
	local name=$1 status bad

	shift
	"$uml" run --out "$log/$name" "$@" 2>&1 | tee "$log/$name.tap"
	status=${PIPESTATUS[0]}
	passed=$((passed + $(grep '^ok ' "$log/$name.tap" | grep -vc '# SKIP')))
	skipped=$((skipped + $(grep -c '^ok .*# SKIP' "$log/$name.tap")))
	bad=$(grep -c '^not ok ' "$log/$name.tap")
	failed=$((failed + bad))
	if [ "$bad" -eq 0 ] && [ "$status" -ne 0 ]; then
		result 1 "$name: status $status"
	fi
}

part_links()
{
	tap links --timeout 600 "$here/link/calibrate.py"
}

part_programs()
{
	tap programs --timeout 600 --spin 500 "$here/uml/check-programs.sh"
}

# Two runs with one seed end with the same counters, one with another
# seed does not.
part_repeat()
{
	local run seed

	rm -rf "$log"/repeat-*
	for run in a b c; do
		seed=1
		[ "$run" != c ] || seed=2
		"$uml" run --seed "$seed" --out "$log/repeat-$run" \
			"$here/repeat.sh" > "$log/repeat-$run.log" 2>&1
		result $? "repeat: run $run ends, every byte is right"
	done
	[ -s "$log/repeat-a/counters" ] && diff "$log"/repeat-{a,b}/counters
	result $? "repeat: two runs with one seed have the same counters"
	[ -s "$log/repeat-c/counters" ] && ! cmp -s "$log"/repeat-{a,c}/counters
	result $? "repeat: a run with another seed has other counters"
}

parts=("$@")
[ $# -gt 0 ] || parts=(links programs repeat)
for part in "${parts[@]}"; do
	declare -F "part_$part" > /dev/null ||
		{ echo "check.sh: there is no part $part" >&2; exit 2; }
done
mkdir -p "$log"
"$uml" build || exit
for part in "${parts[@]}"; do
	"part_$part"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
