#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Run the integration tests: in user-mode Linux (tests/lab/uml/uml.sh), a guest for
# each script, and on stock kernels (tests/lab/vm/vm.sh), a guest for each kernel.
#
#   run.sh [TEST...]               each test where it belongs; TEST as in 10_smoke
#   run.sh --all                   each test wherever it can run
#   run.sh --part PART [TEST...]   of these, those in virtual time (virtual) or those on
#                                  stock kernels (stock)
#   run.sh --uml KIND [TEST...]    in user-mode Linux: virtual, native, debug,
#                                  debug-virtual or coverage
#   run.sh --kver V [TEST...]      on stock kernel V
#   run.sh --long                  long_*.sh, which take minutes each, on each kernel,
#                                  or in virtual time
#
# --uml and --kver may be repeated; TESTs that are named with them run there whatever
# they need. A script belongs in virtual time, unless its head has one of these lines:
#
#   # Needs: WHAT: WHY             it runs on stock kernels only; with "virtual time",
#                                  there only, which long_*.sh do not otherwise
#   # Also: WHAT: WHY              it runs in virtual time and on stock kernels
#
# WHAT is "stock kernel" or "several processors", for the newest supported kernel,
# "older kernels", for the others, or "every kernel"; or "two guests", for a pair of guests
# with the newest supported kernel. "# Spins: WHY" is for programs that wait in a loop
# without a system call, which would stop virtual time (uml.sh --spin). With this line or
# "# Real time: WHY" the kind debug-virtual becomes debug.
#
# If a test calls "needs_memory MIB", its guest gets that much memory, unless the
# machine has less or VM_MEM sets the size.
#
# The variables STORM_*, RD_ATOMIC_*, MEM_*, TORTURE_*, SOAK_*, FAULT_*, FUZZ_*, OCP_*
# and TEST_LIMIT (seconds for each test) are passed to the guest. RUN_LIMIT is the limit in
# real time for a guest, JOBS (default: the number of processors, on the debug kernel one
# more) how many guests of user-mode Linux run at once.
# Stock kernels are those of KVER, or of "vm.sh kernels". The logs of the guests go to
# build/test/<kver>/ and build/test/uml-<kind>/TEST/. SEED is that of the random numbers
# of user-mode Linux (default in virtual time: 1). The last line is "N passed, N
# failed, N skipped"; the status is non-zero when anything failed.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
uml=$root/tests/lab/uml/uml.sh
vm=$root/tests/lab/vm/vm.sh
passed=0
failed=0
skipped=0

# Random netlink messages are logged by the thousand: what a script logs must not leave
# the kernel log before the script has looked at it.
export VM_APPEND="log_buf_len=16M ${VM_APPEND:-}"

# Kinds of user-mode Linux and stock kernels to run on; which tests run there:
# "belongs" (those that belong there), "can" or "named".
kinds=()
kernels=()
part=
choice=belongs
pattern='[0-9][0-9]_*.sh'

while [[ ${1:-} == --* ]]; do
	case $1 in
	--uml)	kinds+=("${2:?}"); choice=named; shift ;;
	--kver)	kernels+=("${2:?}"); choice=named; shift ;;
	--all)	choice=can ;;
	--part)	part=${2:?}; shift ;;
	--long)	pattern='long_*.sh'
		TEST_LIMIT=${TEST_LIMIT:-900}
		RUN_LIMIT=${RUN_LIMIT:-3600} ;;
	*)	echo "run.sh: unknown option $1" >&2; exit 2 ;;
	esac
	shift
done
all_tests=("$@")
if [ ${#all_tests[@]} -eq 0 ]; then
	mapfile -t all_tests < <(find "$here" -maxdepth 1 -name "$pattern" \
				      -printf '%f\n' | sed 's/\.sh$//' | sort)
	[ "$choice" != named ] || choice=can
fi
for name in "${all_tests[@]}"; do
	[ -e "$here/$name.sh" ] ||
		{ echo "run.sh: there is no test $name" >&2; exit 2; }
done
case $part:${#kinds[@]}:${#kernels[@]} in
:*|virtual:0:0|stock:0:0) ;;
*)	echo "run.sh: --part is virtual or stock, without --uml and --kver" >&2; exit 2 ;;
esac
if [ ${#kinds[@]} -eq 0 ] && [ ${#kernels[@]} -eq 0 ]; then
	[ "$part" = stock ] || kinds=(virtual)
	if [ "$part" != virtual ]; then
		read -ra kernels <<< "${KVER:-}"
		[ ${#kernels[@]} -ne 0 ] || mapfile -t kernels < <("$vm" kernels)
	fi
fi

env=()
for name in "${!STORM_@}" "${!RD_ATOMIC_@}" "${!MEM_@}" "${!TORTURE_@}" \
		"${!SOAK_@}" "${!FAULT_@}" "${!FUZZ_@}" "${!OCP_@}" "${!TEST_LIMIT@}"; do
	env+=(--env "$name=${!name}")
done

fail()
{
	echo "not ok - $1"
	failed=$((failed + 1))
}

# Print where a script runs besides or instead of virtual time, as "Also every
# kernel"; nothing if in virtual time only.
place()
{
	sed -n 's/^# \(Needs\|Also\): \(virtual time\|stock kernel\|several processors\|two guests\|older kernels\|every kernel\): .*/\1 \2/p' \
		"$here/$1.sh"
}

# chosen_on uml|newest|older TEST: whether TEST runs there.
chosen_on()
{
	local place

	place=$(place "$2")
	case $choice:$1:$place in
	named:*)			return 0 ;;
	*:*:"Needs virtual time")	[ "$1" = uml ] ;;
	*:uml:Needs*|can:uml:*)		[[ $place != Needs* && $2 != long_* ]] ;;
	can:*)				return 0 ;;
	*:uml:*)			[[ $2 != long_* ]] ;;
	*:newest:*)	[[ $place == *" kernel" || $place == *processors || $place == *guests ||
			   $2 == long_* ]] ;;
	*:older:*)	[[ $place == *" kernels" || $place == *"every kernel" ||
			   $2 == long_* ]] ;;
	esac
}

# Set $tests to those of $all_tests that run on $1 (see chosen_on).
choose_tests()
{
	local name

	tests=()
	for name in "${all_tests[@]}"; do
		! chosen_on "$1" "$name" || tests+=("$name")
	done
}

# count FILE STATUS WHERE TEST...: count the results in FILE, the output of a guest
# that ended with STATUS. A test that did not run to its end is a failure.
count()
{
	local file=$1 status=$2 where=$3 name failed_before=$failed

	shift 3
	passed=$((passed + $(grep '^ok ' "$file" | grep -vc '# SKIP')))
	skipped=$((skipped + $(grep -c '^ok .*# SKIP' "$file")))
	failed=$((failed + $(grep -c '^not ok ' "$file")))
	for name; do
		grep -q "^# $name ended" "$file" ||
			fail "$name: did not run to its end"
	done
	if [ "$failed" -eq "$failed_before" ] && [ "$status" -ne 0 ]; then
		fail "guest with $where: status $status"
	fi
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

# Run tests $4... by command $1 of vm.sh, run or pair, on stock kernel $2, with their output
# in $3/part; return the status of the guest.
run_stock_guest()
{
	local verb=$1 kver=$2 log=$3 nics=()

	shift 3
	[ "$verb" = run ] ||
		nics=(--nic virtio-net-pci --nic virtio-net-pci --nic e1000e --nic e1000e)
	rm -f "$log/console" "$log/peer/console"
	VM_MEM=${VM_MEM:-$(memory)} "$vm" "$verb" --kver "$kver" --out "$log" \
		--timeout "${RUN_LIMIT:-3600}" "${nics[@]}" "${env[@]}" \
		"$here/lib/guest.sh" "$@" 2>&1 | tee "$log/part"
	return "${PIPESTATUS[0]}"
}

# Whether the guest with output $1/part and console $1/console died because its emulated
# processor trapped at a breakpoint that the kernel had removed (lib/guest.sh). Nothing
# else makes a kernel trap so, and it says nothing about the test that ran.
has_trapped()
{
	grep -q '^vm: the guest died' "$1/part" &&
		grep -q 'int3: 0000 \[#1\]' "$1/console"
}

# Run $tests by command $1 of vm.sh on stock kernel $2, with their output in directory $3;
# those that have not ended when the guest traps, once more.
run_kernel()
{
	local verb=$1 kver=$2 log=$3 left=("${tests[@]}") status=0

	mkdir -p "$log"
	rm -f "$log/tap"
	echo "# integration on $kver: ${#tests[@]} of ${#all_tests[@]}"
	run_stock_guest "$verb" "$kver" "$log" "${left[@]}" || status=$?
	while grep -q "^# ${left[0]:-} ended" "$log/part"; do
		left=("${left[@]:1}")
	done
	if [ ${#left[@]} -gt 0 ] && has_trapped "$log"; then
		echo "# the emulator kept a breakpoint; again from ${left[0]}"
		sed "/^# ${left[0]}\s*\$/,\$d" "$log/part" > "$log/tap"
		cp "$log/console" "$log/console.trapped"
		status=0
		run_stock_guest "$verb" "$kver" "$log" "${left[@]}" || status=$?
	fi
	cat "$log/part" >> "$log/tap"
	count "$log/tap" "$status" "$kver" "${tests[@]}"
}

# Run $tests on stock kernel $1: those that need two guests after the others.
run_alone_and_in_pairs()
{
	local kver=$1 log=$root/build/test/$1 name alone=() pairs=()

	for name in "${tests[@]}"; do
		if [[ $(place "$name") == *guests ]]; then
			pairs+=("$name")
		else
			alone+=("$name")
		fi
	done
	tests=("${alone[@]}")
	[ ${#tests[@]} -eq 0 ] || run_kernel run "$kver" "$log"
	tests=("${pairs[@]}")
	[ ${#tests[@]} -eq 0 ] || run_kernel pair "$kver" "$log/pair"
}

# Run test $2 in user-mode Linux of kind $1 and leave in directory $3 its output (tap)
# and at last the status of the guest.
run_guest()
{
	local kind=$1 name=$2 log=$3 status=0 begin=$SECONDS options=()

	if [ "$kind" = debug-virtual ] &&
	   grep -q -E '^# (Real time|Spins): ' "$here/$name.sh"; then
		kind=debug
	fi
	if [[ $kind == *virtual || $kind == coverage ]]; then
		# An empty poll costs as much real time as a packet; a packet takes
		# 130 us on a link of 250 Mbit/s.
		options=(--env "MRC_POLL_NS=${MRC_POLL_NS:-100000}")
		! grep -q '^# Spins: ' "$here/$name.sh" ||
			options+=(--spin 1000)
	fi
	rm -rf "$log"
	mkdir -p "$log"
	[ -z "${SEED:-}" ] || options+=(--seed "$SEED")
	"$uml" run --kind "$kind" --out "$log" --timeout "${RUN_LIMIT:-600}" \
		"${options[@]}" "${env[@]}" "$here/lib/guest.sh" "$name" > "$log/tap" 2>&1 &
	# shellcheck disable=SC2064
	trap "kill $!; wait; exit 143" TERM
	wait $! || status=$?
	echo "# $name took $((SECONDS - begin)) s of real time" >> "$log/tap"
	echo "$status" > "$log/status"
}

# Print and count, in the order of $tests, what has ended of those that have not been
# printed ($shown of them have).
show_ended()
{
	local kind=$1 dir=$2 log

	while [ "$shown" -lt ${#tests[@]} ]; do
		log=$dir/${tests[shown]}
		[ -e "$log/status" ] || break
		cat "$log/tap"
		count "$log/tap" "$(< "$log/status")" "$kind user-mode Linux" \
			"${tests[shown]}"
		shown=$((shown + 1))
	done
}

# Run $tests in user-mode Linux of kind $1.
run_uml()
{
	local kind=$1 dir=$root/build/test/uml-$1 name running=0 shown=0 jobs

	jobs=$(nproc)
	# On the debug kernel a script sleeps before it looks for lost memory.
	[ "$kind" != debug ] || jobs=$((jobs + 1))

	echo "# integration in $kind user-mode Linux${SEED:+ with seed $SEED}:" \
		"${#tests[@]} of ${#all_tests[@]}"
	"$uml" build --kind "$kind" ||
		{ fail "user-mode Linux ($kind) is not built"; return; }
	for name in "${tests[@]}"; do
		rm -f "$dir/$name/status"
	done
	for name in "${tests[@]}"; do
		if [ "$running" -ge "${JOBS:-$jobs}" ]; then
			wait -n
			running=$((running - 1))
			show_ended "$kind" "$dir"
		fi
		run_guest "$kind" "$name" "$dir/$name" &
		running=$((running + 1))
	done
	wait
	show_ended "$kind" "$dir"
}

# A signal that ends this script ends the guests.
# shellcheck disable=SC2046
trap 'kill $(jobs -p) 2> /dev/null; wait; exit 143' INT TERM HUP

for kind in "${kinds[@]}"; do
	choose_tests uml
	[ ${#tests[@]} -eq 0 ] || run_uml "$kind"
done
if [ ${#kinds[@]} -eq 0 ] && [ ${#kernels[@]} -eq 0 ]; then
	fail "no supported kernel is installed (make deps)"
fi
for kver in "${kernels[@]}"; do
	if [ "$kver" = "${kernels[-1]}" ]; then
		choose_tests newest
	else
		choose_tests older
	fi
	run_alone_and_in_pairs "$kver"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
