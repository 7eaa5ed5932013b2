#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Tests of the control plane that need no kernel: mrcctl and its arguments,
# topology files, scenarios of the drills, the systemd unit. The last line is "N passed, N failed, N
# skipped".
set -uo pipefail

here=$(dirname "$(readlink -f "$0")")
root=$(cd "$here/../.." && pwd)
build=${BUILD:-$root/build}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

completion()
{
	if bash "$here/completion.sh" "$root/userspace/mrcctl/completion/mrcctl"
	then
		echo "ok - completion: bash completion offers the words that mrcctl accepts"
	else
		echo "not ok - completion: bash completion offers the words that mrcctl accepts"
	fi
}

# Install mrcctl in a directory of its own and verify the systemd unit there: the
# program must be where the unit names it.
unit()
{
	local dir=$build/mrcctl/install

	if ! command -v systemd-analyze > /dev/null; then
		echo "ok - unit: systemd-analyze verifies mrc.service # SKIP no systemd-analyze"
		return
	fi
	make --no-print-directory -s -C "$root/userspace/mrcctl" \
		BUILD="$build" PREFIX="$dir" PANDOC= install > /dev/null 2>&1
	if systemd-analyze verify --man=no \
			"$dir/lib/systemd/system/mrc.service" 2>&1; then
		echo "ok - unit: systemd-analyze verifies mrc.service"
	else
		echo "not ok - unit: systemd-analyze verifies mrc.service"
	fi
	rm -rf "$dir"
}

make --no-print-directory -s -C "$root/userspace/mrcctl" BUILD="$build" ||
	echo "not ok - build: mrcctl" | tee -a "$log"
{
	"$here/args.sh" "$build/bin/mrcctl"
	"$here/topo.sh" "$build/bin/mrcctl"
	"$here/drills.sh" "$root/drills/scenario.py"
	completion
	unit
} 2>&1 | tee -a "$log"

passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^not ok ' "$log")
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
