#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Tests of the control plane that need no kernel: mrcctl and its arguments,
# topology files, the netlink specification and its header, the systemd unit. The
# last line is "N passed, N failed, N skipped".
set -uo pipefail

here=$(dirname "$(readlink -f "$0")")
root=$(cd "$here/../.." && pwd)
build=${BUILD:-$root/build}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

spec()
{
	local output

	if output=$("$here/spec.py" "$root/Documentation/netlink/specs/mrc.yaml" \
			"$root/uapi/linux/mrc.h" 2>&1); then
		echo "ok - spec: $output"
	else
		echo "not ok - spec: the specification agrees with the header"
		printf '%s\n' "$output" | sed 's/^/# /'
	fi
}

completion()
{
	if bash "$here/completion.sh" "$root/userspace/mrcctl/completion/mrcctl"
	then
		echo "ok - completion: offers what mrcctl takes"
	else
		echo "not ok - completion: offers what mrcctl takes"
	fi
}

# What "make install" leaves, in a place of its own: the program must be where
# the unit says.
unit()
{
	local dir=$build/mrcctl/install

	if ! command -v systemd-analyze > /dev/null; then
		echo "ok - unit: systemd accepts it # SKIP no systemd-analyze"
		return
	fi
	make --no-print-directory -s -C "$root/userspace/mrcctl" \
		BUILD="$build" PREFIX="$dir" PANDOC= install > /dev/null 2>&1
	if systemd-analyze verify --man=no \
			"$dir/lib/systemd/system/mrc.service" 2>&1; then
		echo "ok - unit: systemd accepts it"
	else
		echo "not ok - unit: systemd accepts it"
	fi
	rm -rf "$dir"
}

make --no-print-directory -s -C "$root/userspace/mrcctl" BUILD="$build" ||
	echo "not ok - build: mrcctl" | tee -a "$log"
{
	"$here/args.sh" "$build/bin/mrcctl"
	"$here/topo.sh" "$build/bin/mrcctl"
	spec
	completion
	unit
} 2>&1 | tee -a "$log"

passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^not ok ' "$log")
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
