#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Random work on devices for a given time (tests/integration/long_torture.sh), in the
# debug kernel of user-mode Linux, or where KIND says.
#
#   torture.sh [SECONDS [SEED]]
#
# SECONDS (default 600) are those of the guest. SEED is that of the first round (default:
# random); a failure prints the seed of its round, and SECONDS=0 with that seed repeats
# it. KIND is debug (default), native, virtual, or the version of a stock kernel, whole or
# its start (6.12). On a terminal the results are printed as they appear. On stock kernels
# freed memory is poisoned (slub_debug).
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
kind=${KIND:-debug}
seconds=${1:-600}
seed=${2:-$((RANDOM * 32768 + RANDOM))}
name=long_torture
# More than the last round and the boot of the guest take.
slack=900

case $kind in
[0-9]*)	kver=$("$root/tests/lab/vm/vm.sh" kernels |
		grep -E "^${kind//./\\.}(\$|[.-])" | tail -n 1)
	[ "$kver" ] || { echo "torture.sh: there is no kernel $kind" >&2; exit 2; }
	"$root/tests/integration/module/yielding.sh" "$kver" \
		"/lib/modules/$kver/build" || exit
	export VM_APPEND="${VM_APPEND:-slub_debug=FZP}"
	where=(--kver "$kver")
	log=$root/build/test/$kver/tap ;;
*)	where=(--uml "$kind")
	log=$root/build/test/uml-$kind/$name/tap ;;
esac

# Whatever stands before the first result is of an earlier run.
rm -f "$log"
follow=
if [ -t 1 ] && [ "${where[0]}" = --uml ]; then
	tail -F -q "$log" 2> /dev/null &
	follow=$!
fi
echo "# torture of $kind: $seconds s, seed $seed"
TORTURE_SECONDS=$seconds TORTURE_SEED=$seed TEST_LIMIT=$((seconds + slack)) \
	RUN_LIMIT=$((2 * seconds + slack)) \
	"$root/tests/integration/run.sh" "${where[@]}" "$name"
status=$?
[ -z "$follow" ] || kill "$follow"
exit "$status"
