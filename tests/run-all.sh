#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Run the test suites. All need this machine only; a suite that fails does not stop
# the others.
#
#   run-all.sh [SUITE...]     check-core, cost, fuzz,
#                              check-control, check-libmrc, check-dissector, kunit,
#                              lab, drills, virtual, debug-quick, stock; and
#                              integration (virtual and stock), seeds, drill-seeds,
#                              kernels, programs, debug, lint
#
# A guest with a stock kernel keeps little more than one processor busy, and guests in
# real time wait. If there are several processors, stock and debug-quick run one after the
# other beside the other suites, which give way to them: verdicts of these do not depend
# on time. What the two print is shown at the end.
#
# Each suite ends with a line "N passed, N failed, N skipped"; so does this
# script, with the sums. The status is non-zero when anything failed.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
log=$(mktemp)
beside_log=$(mktemp)
used=$(mktemp)
beside=
trap 'rm -f "$log" "$beside_log" "$used"' EXIT
# shellcheck disable=SC2046
trap 'kill $(jobs -p) 2> /dev/null; wait; exit 143' INT TERM HUP
passed=0
failed=0
skipped=0

# add NAME STATUS LOG: count what a suite found. One that ends with a status other
# than 0 without a counted failure counts as one.
add()
{
	local name=$1 status=$2 log=$3 p=0 f=0 s=0

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
}

# Run a command; leave in $used the processor time, in seconds, that it has taken (fields
# cutime and cstime of proc(5)).
with_time()
{
	local status=0

	"$@" || status=$?
	awk -v hz="$(getconf CLK_TCK)" '{ printf "%d", ($16 + $17) / hz }' \
		"/proc/$BASHPID/stat" > "$used"
	return "$status"
}

# run_suite NAME COMMAND...
run_suite()
{
	local name=$1 start=$SECONDS

	shift
	echo "=== $name"
	if [ -n "$beside" ]; then
		set -- nice "$@"
	fi
	with_time "$@" 2>&1 | tee "$log"
	add "$name" "${PIPESTATUS[0]}" "$log"
	echo "=== $name took $((SECONDS - start)) s, $(< "$used") s of a processor"
}

# begin_beside SUITE...: let suites run beside those that follow.
begin_beside()
{
	echo "=== $*: begin, and are shown at the end"
	(
		"$0" "$@" > "$beside_log" 2>&1 &
		# shellcheck disable=SC2064
		trap "kill $!; wait; exit 143" TERM
		wait $!
	) &
	beside=$!
}

end_beside()
{
	local status=0

	wait "$beside" || status=$?
	cat "$beside_log"
	add "beside the others" "$status" "$beside_log"
	beside=
}

# Split $suites into those that run beside others ($apart), in their order, and the rest;
# alone they are the rest.
split_suites()
{
	local all=("${suites[@]}")

	apart=()
	suites=()
	for suite in "${all[@]}"; do
		case $suite in
		stock|debug-quick)	apart+=("$suite") ;;
		*)			suites+=("$suite") ;;
		esac
	done
	if [ ${#apart[@]} -eq 0 ] || [ ${#suites[@]} -eq 0 ] || [ "$(nproc)" -eq 1 ]; then
		apart=()
		suites=("${all[@]}")
	fi
}

suites=("$@")
if [ ${#suites[@]} -eq 0 ]; then
	suites=(check-core cost fuzz check-control check-libmrc check-dissector kunit lab
		drills virtual stock debug-quick)
fi

# What reaches most of the module within minutes on the debug kernel.
quick=(04_leaks 10_smoke 22_verbs_errors 26_memory 30_srq 90_bad_packets 93_faults
       99_torture)
# Scripts take several times as long there.
debug=(env "TEST_LIMIT=${TEST_LIMIT:-1200}" "RUN_LIMIT=${RUN_LIMIT:-1500}"
       "$root/tests/integration/run.sh" --uml)
split_suites
[ ${#apart[@]} -eq 0 ] || begin_beside "${apart[@]}"
for suite in "${suites[@]}"; do
	case $suite in
	check-core)	run_suite "$suite" "$root/tests/core/run.sh" ;;
	cost|fuzz)
			run_suite "$suite" "$root/tests/core/measure.sh" "$suite" ;;
	check-control)	run_suite "$suite" "$root/tests/control/run.sh" ;;
	check-libmrc)	run_suite "$suite" "$root/tests/libmrc/run.sh" ;;
	check-dissector)
			run_suite "$suite" "$root/tests/dissector/run.sh" ;;
	kunit)		run_suite "$suite" "$root/tests/kunit/run.sh" ;;
	drills)		run_suite "$suite" "$root/drills/run.sh" --quick ;;
	lab)		run_suite "$suite" "$root/tests/lab/check.sh" repeat ;;
	integration)	run_suite "$suite" "$root/tests/integration/run.sh" ;;
	virtual)	run_suite "$suite" "$root/tests/integration/run.sh" \
				--part virtual ;;
	stock)		run_suite "$suite" "$root/tests/integration/run.sh" \
				--part stock ;;
	seeds)		for seed in ${SEEDS:-2 3 4 5}; do
				run_suite "integration with seed $seed" \
					env "SEED=$seed" "$root/tests/integration/run.sh" \
					--uml virtual
			done ;;
	drill-seeds)	for seed in ${SEEDS:-2 3}; do
				run_suite "drills with seed $seed" \
					env "SEED=$seed" "$root/drills/run.sh" --plain
			done ;;
	kernels)	run_suite "$suite" "$root/tests/integration/run.sh" \
				--all ;;
	programs)	run_suite "$suite" "$root/tests/integration/run.sh" \
				--long ;;
	debug-quick)	run_suite "$suite" "${debug[@]}" debug-virtual "${quick[@]}" ;;
	debug)		run_suite "$suite" "${debug[@]}" debug-virtual ;;
	lint)		run_suite "$suite" "$root/scripts/lint.sh" ;;
	*)		echo "run-all.sh: no suite $suite" >&2; exit 2 ;;
	esac
done
[ -z "$beside" ] || end_beside

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
