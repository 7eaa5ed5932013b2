#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Run the test suites. All need this machine only; a suite that fails does not stop
# the others.
#
#   run-all.sh [SUITE...]     check-core, coverage, cost, fuzz,
#                              check-control, check-libmrc, check-dissector, kunit,
#                              lab, drills, integration, debug-quick; and seeds,
#                              kernels, programs, debug, lint
#
# Each suite ends with a line "N passed, N failed, N skipped"; so does this
# script, with the sums. The status is non-zero when anything failed.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
skipped=0

# A suite that ends with a status other than 0 without a counted failure counts as
# one.
run_suite()
{
	local name=$1 status p=0 f=0 s=0 start=$SECONDS

	shift
	echo "=== $name"
	"$@" 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
		p=${BASH_REMATCH[1]}
		f=${BASH_REMATCH[2]}
		s=${BASH_REMATCH[3]}
	fi
	if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
		echo "not ok - $name: status $status"
		f=1
	fi
	passed=$((passed + p))
	failed=$((failed + f))
	skipped=$((skipped + s))
	echo "=== $name took $((SECONDS - start)) s"
}

suites=("$@")
if [ ${#suites[@]} -eq 0 ]; then
	suites=(check-core coverage cost fuzz check-control check-libmrc check-dissector kunit lab
		drills integration debug-quick)
fi

# What reaches most of the module within minutes on the debug kernel.
quick=(04_leaks 10_smoke 22_verbs_errors 26_memory 30_srq 90_bad_packets 93_faults
       99_torture)
# Scripts take several times as long there.
debug=(env "TEST_LIMIT=${TEST_LIMIT:-1200}" "RUN_LIMIT=${RUN_LIMIT:-1500}"
       "$root/tests/integration/run.sh" --uml debug)
for suite in "${suites[@]}"; do
	case $suite in
	check-core)	run_suite "$suite" "$root/tests/core/run.sh" ;;
	coverage|cost|fuzz)
			run_suite "$suite" "$root/tests/core/measure.sh" "$suite" ;;
	check-control)	run_suite "$suite" "$root/tests/control/run.sh" ;;
	check-libmrc)	run_suite "$suite" "$root/tests/libmrc/run.sh" ;;
	check-dissector)
			run_suite "$suite" "$root/tests/dissector/run.sh" ;;
	kunit)		run_suite "$suite" "$root/tests/kunit/run.sh" ;;
	drills)		run_suite "$suite" "$root/drills/run.sh" --quick ;;
	lab)		run_suite "$suite" "$root/tests/lab/check.sh" repeat ;;
	integration)	run_suite "$suite" "$root/tests/integration/run.sh" ;;
	seeds)		for seed in ${SEEDS:-2 3 4 5}; do
				run_suite "integration with seed $seed" \
					env "SEED=$seed" "$root/tests/integration/run.sh" \
					--uml virtual
			done ;;
	kernels)	run_suite "$suite" "$root/tests/integration/run.sh" \
				--all ;;
	programs)	run_suite "$suite" "$root/tests/integration/run.sh" \
				--long ;;
	debug-quick)	run_suite "$suite" "${debug[@]}" "${quick[@]}" ;;
	debug)		run_suite "$suite" "${debug[@]}" ;;
	lint)		run_suite "$suite" "$root/scripts/lint.sh" ;;
	*)		echo "run-all.sh: no suite $suite" >&2; exit 2 ;;
	esac
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
