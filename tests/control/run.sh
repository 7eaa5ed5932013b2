#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Tests of the control plane that need no kernel: mrcctl and its arguments,
# topology files, mrcd in a model of a network (MRCD_HOURS hours without a fault, 0.5),
# scenarios of the drills, the systemd units, the alert rules. The last line is "N
# passed, N failed, N skipped".
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

# unit PROGRAM UNIT: install the program in a directory of its own and verify its
# systemd unit there: the program must be where the unit names it.
unit()
{
	local dir=$build/$1/install

	if ! command -v systemd-analyze > /dev/null; then
		echo "ok - unit: systemd-analyze verifies $2.service # SKIP no systemd-analyze"
		return
	fi
	make --no-print-directory -s -C "$root/userspace/$1" \
		BUILD="$build" PREFIX="$dir" PANDOC= install > /dev/null 2>&1
	if systemd-analyze verify --man=no \
			"$dir/lib/systemd/system/$2.service" 2>&1; then
		echo "ok - unit: systemd-analyze verifies $2.service"
	else
		echo "not ok - unit: systemd-analyze verifies $2.service"
	fi
	rm -rf "$dir"
}

# alerts: what promtool says about the rules, and whether each alert fires when it
# should, and not before (packaging/monitoring/mrc-rules-test.yml).
alerts()
{
	local promtool job what

	promtool=$("$root/scripts/daemons.sh" --dir)/usr/bin/promtool
	for job in "check rules mrc-rules.yml" "test rules mrc-rules-test.yml"; do
		what="alerts: promtool $job"
		# shellcheck disable=SC2086 # words of a command
		if [ ! -x "$promtool" ]; then
			echo "ok - $what # SKIP no promtool: scripts/daemons.sh"
		elif (cd "$root/packaging/monitoring" && "$promtool" $job 2>&1); then
			echo "ok - $what"
		else
			echo "not ok - $what"
		fi
	done
}

make --no-print-directory -s -C "$root/userspace/mrcctl" BUILD="$build" ||
	echo "not ok - build: mrcctl" | tee -a "$log"
make --no-print-directory -s -C "$root/userspace/mrcd" BUILD="$build" all model ||
	echo "not ok - build: mrcd" | tee -a "$log"
{
	"$here/args.sh" "$build/bin/mrcctl"
	"$here/topo.sh" "$build/bin/mrcctl"
	"$here/drills.sh" "$root/drills/scenario.py"
	"$here/mrcd.sh" "$build/bin/mrcd"
	"$build/mrcd/model_test" "${MRCD_HOURS:-0.5}"
	completion
	unit mrcctl mrc
	unit mrcd mrcd
	alerts
} 2>&1 | tee -a "$log"

skipped=$(grep -c '^ok .*# SKIP ' "$log")
passed=$(($(grep -c '^ok ' "$log") - skipped))
failed=$(grep -c '^not ok ' "$log")
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
