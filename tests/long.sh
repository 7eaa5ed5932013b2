#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Random work on devices for a given time: tests/integration/long_NAME.sh.
#
#   long.sh NAME [SECONDS [SEED]]
#
#   torture   rounds of random work, as fast as they go (SECONDS: 600; KIND: debug)
#   soak      cycles of verified traffic and faults with rests between them (SECONDS: 8
#             hours in virtual time, else 2; KIND: virtual)
#
# SECONDS are those of the guest. SEED is that of the first round (default: random); a
# failure prints the seed of its round, and SECONDS=0 with that seed repeats it. KIND is
# debug, native, virtual, debug-virtual, or the version of a stock kernel, whole or its
# start (6.12). On a terminal the results are printed as they appear. On stock kernels
# freed memory is poisoned during torture (slub_debug).
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
# More than the last round and the boot of the guest take.
slack=900

# Set $kver to the newest stock kernel whose version begins with $kind.
find_kernel()
{
	kver=$("$root/tests/lab/vm/vm.sh" kernels |
		grep -E "^${kind//./\\.}(\$|[.-])" | tail -n 1)
	[ "$kver" ] || { echo "long.sh: there is no kernel $kind" >&2; exit 2; }
}

default_seconds()
{
	case $name:$kind in
	soak:*virtual)	echo 28800 ;;
	soak:*)		echo 7200 ;;
	*)		echo 600 ;;
	esac
}

name=${1:-}
case $name in
torture)	kind=${KIND:-debug} ;;
soak)		kind=${KIND:-virtual} ;;
*)		echo "long.sh: torture or soak, not '$name'" >&2; exit 2 ;;
esac
seconds=${2:-$(default_seconds)}
seed=${3:-$((RANDOM * 32768 + RANDOM))}
script=long_$name

case $kind in
[0-9]*)	find_kernel
	if [ "$name" = torture ]; then
		"$root/tests/integration/module/yielding.sh" "$kver" \
			"/lib/modules/$kver/build" || exit
		export VM_APPEND="${VM_APPEND:-slub_debug=FZP}"
	fi
	where=(--kver "$kver")
	log=$root/build/test/$kver/tap ;;
*)	where=(--uml "$kind")
	log=$root/build/test/uml-$kind/$script/tap ;;
esac

# Whatever stands before the first result is of an earlier run.
rm -f "$log"
follow=
if [ -t 1 ] && [ "${where[0]}" = --uml ]; then
	tail -F -q "$log" 2> /dev/null &
	follow=$!
fi
echo "# $name of $kind: $seconds s, seed $seed"
export "${name^^}_SECONDS=$seconds" "${name^^}_SEED=$seed"
TEST_LIMIT=$((seconds + slack)) RUN_LIMIT=$((2 * seconds + slack)) \
	"$root/tests/integration/run.sh" "${where[@]}" "$script"
status=$?
[ -z "$follow" ] || kill "$follow"
exit "$status"
