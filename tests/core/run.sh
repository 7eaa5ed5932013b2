#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Build kernel/core for user space with ASan, UBSan and gcov and run its KUnit suites
# in a process. Arguments are options of the runner, and glob patterns of "suite.case";
# without a pattern all are run, and the lines that they execute are counted.
set -uo pipefail

here=$(dirname "$(readlink -f "$0")")
build=${BUILD:-$(dirname "$(dirname "$here")")/build}
jobs=$(nproc)
all=1
previous=
for word; do
	[[ $word == -* || $previous == -* ]] || all=
	previous=$word
done

make_core()
{
	make --no-print-directory -s -j "$jobs" -C "$here" BUILD="$build" "$@"
}

make_core all forget || exit
if [ -z "$all" ]; then
	exec "$build/core/runner" -j "$jobs" "$@"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$build/core/runner" -j "$jobs" "$@" | tee "$log" | sed '$d'
status=${PIPESTATUS[0]}
IFS=', ' read -r passed _ failed _ skipped _ < <(tail -n 1 "$log")
if make_core coverage; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	status=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
