#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Run the integration tests in guests, one boot for each kernel.
#
#   run.sh [--kver V]... [TEST...]      TEST as in 10_smoke
#   run.sh [--kver V]... --long         long_*.sh, which take minutes each
#   run.sh --all                        [0-9]*.sh on each supported kernel
#
# Without arguments the newest kernel runs [0-9]*.sh; each older kernel runs the
# scripts that depend on the kernel, which have a line "# Every kernel: WHY".
#
# If a test calls "needs_memory MIB", its guest gets that much memory, unless the
# machine has less or VM_MEM sets the size.
#
# The variables STORM_*, RD_ATOMIC_*, MEM_* and TEST_LIMIT (seconds for each test)
# are passed to the guest.
# Kernels: those of the arguments, or of KVER, or "vm.sh kernels". The guests'
# logs go to build/test/<kver>/. The last line is "N passed, N failed, N
# skipped"; the status is non-zero when anything failed.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
read -ra kernels <<< "${KVER:-}"
passed=0
failed=0
skipped=0

while [ "${1:-}" = --kver ]; do
	kernels+=("${2:?}")
	shift 2
done
some=
if [ ${#kernels[@]} -eq 0 ]; then
	mapfile -t kernels < <("$root/tests/lab/vm/vm.sh" kernels)
	[ $# -ne 0 ] || some=1
fi
[ "${1:-}" != --all ] || shift
tests=("$@")
pattern='[0-9][0-9]_*.sh'
if [ "${1:-}" = --long ]; then
	pattern='long_*.sh'
	tests=()
	TEST_LIMIT=${TEST_LIMIT:-900}
fi
if [ ${#tests[@]} -eq 0 ]; then
	mapfile -t tests < <(find "$here" -maxdepth 1 -name "$pattern" \
				  -printf '%f\n' | sed 's/\.sh$//' | sort)
fi

fail()
{
	echo "not ok - $1"
	failed=$((failed + 1))
}

# Print the largest number of MiB that a test needs (needs_memory); nothing if no
# test needs memory or the machine has less.
memory()
{
	local wanted there

	wanted=$(printf '%s.sh\n' "${tests[@]/#/$here/}" |
		xargs sed -n 's/.*needs_memory \([0-9]*\).*/\1/p' |
		sort -n | tail -n 1)
	there=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
	# QEMU itself needs at most an eighth of the guest's memory.
	[ "$there" -lt $((${wanted:-0} + ${wanted:-0} / 8)) ] || echo "$wanted"
}

# Count the results in file $1. A test that did not run to its end is a failure.
count()
{
	local name failed_before=$failed

	passed=$((passed + $(grep '^ok ' "$1" | grep -vc '# SKIP')))
	skipped=$((skipped + $(grep -c '^ok .*# SKIP' "$1")))
	failed=$((failed + $(grep -c '^not ok ' "$1")))
	for name in "${tests[@]}"; do
		grep -q "^# $name ended" "$1" ||
			fail "$name: did not run to its end"
	done
	[ "$failed" -eq "$failed_before" ]
}

# Set $tests to those of $all_tests that kernel $1 runs.
choose_tests()
{
	if [ -z "$some" ] || [ "$1" = "${kernels[-1]}" ]; then
		tests=("${all_tests[@]}")
	else
		mapfile -t tests < <(
			printf '%s\n' "${all_tests[@]/#/$here/}" |
			sed 's/$/.sh/' | xargs grep -l '^# Every kernel: ' |
			xargs -n 1 basename -s .sh)
	fi
}

run_kernel()
{
	local kver=$1 log=$root/build/test/$1 status=0 name env=()

	for name in "${!STORM_@}" "${!RD_ATOMIC_@}" "${!MEM_@}" \
		"${!TEST_LIMIT@}"; do
		env+=(--env "$name=${!name}")
	done
	mkdir -p "$log"
	choose_tests "$kver"
	echo "# integration on $kver: ${#tests[@]} of ${#all_tests[@]}"
	"$root/tests/lab/vm/vm.sh" run --kver "$kver" --out "$log" \
		--timeout "${RUN_LIMIT:-3600}" "${env[@]}" \
		"$here/lib/guest.sh" "${tests[@]}" 2>&1 | tee "$log/tap"
	status=${PIPESTATUS[0]}
	if count "$log/tap" && [ "$status" -ne 0 ]; then
		fail "guest with $kver: status $status"
	fi
}

all_tests=("${tests[@]}")
VM_MEM=${VM_MEM:-$(memory)}
export VM_MEM
if [ ${#kernels[@]} -eq 0 ]; then
	fail "no supported kernel is installed (make deps)"
fi
for kver in "${kernels[@]}"; do
	run_kernel "$kver"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
