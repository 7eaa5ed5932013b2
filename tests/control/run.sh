#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Tests of the control plane that need no kernel: mrcctl and its arguments,
# topology files, the netlink specification and its header. The last line is "N passed, N
# failed, N skipped".
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

make --no-print-directory -s -C "$root/userspace/mrcctl" BUILD="$build" ||
	echo "not ok - build: mrcctl" | tee -a "$log"
{
	"$here/args.sh" "$build/bin/mrcctl"
	"$here/topo.sh" "$build/bin/mrcctl"
	spec
	completion
} 2>&1 | tee -a "$log"

passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^not ok ' "$log")
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
