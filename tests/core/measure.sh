#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Measurements of kernel/core, each compared with its limit: cost, fuzzers.
#
#   measure.sh cost|fuzz
#
# The fuzzers start from the stored corpus with a fixed seed, so that they do the
# same work on each machine. The last line is "N passed,
# N failed, N skipped".
set -uo pipefail

here=$(dirname "$(readlink -f "$0")")
build=${BUILD:-$(dirname "$(dirname "$here")")/build}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

make_core()
{
	make --no-print-directory -s -j "$(nproc)" -C "$here" BUILD="$build" "$@"
}

# Run each fuzzer and print one result for it, and its output if it has failed.
fuzz()
{
	local fuzzer output runs

	make_core fuzzers || return
	for fuzzer in $(make_core list-fuzzers); do
		output=$build/core/$fuzzer.log
		rm -rf "$build/core/again/$fuzzer"
		if make_core "run-$fuzzer" FUZZ_CORPUS=again \
				FUZZ_FLAGS=-seed=1 > "$output" 2>&1; then
			runs=$(sed -n 's/^stat::number_of_executed_units: *//p' \
				"$output")
			echo "ok - $fuzzer finds nothing in $runs executions"
		else
			echo "not ok - $fuzzer finds nothing"
			sed 's/^/# /' "$output"
		fi
	done
}

case ${1-} in
cost)		make_core "$1" ;;
fuzz)		fuzz ;;
*)		echo "measure.sh: cost or fuzz" >&2; exit 2 ;;
esac 2>&1 | tee "$log"
status=${PIPESTATUS[0]}

passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^not ok ' "$log")
echo "$passed passed, $failed failed, 0 skipped"
[ "$status" -eq 0 ] && [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
