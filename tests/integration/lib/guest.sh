#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In a guest: run the test scripts named in the arguments, one after the other.
# A script that exceeds its time limit or ends with a status other than 0 or 1
# is reported as a failure here; so is, in the kind debug of user-mode Linux, memory
# that the module lost; in the kind coverage the counts of lines that were run are left in
# $VM_OUT. Environment: TEST_LIMIT, seconds for each script.

tests=$(cd "$(dirname "$0")/.." && pwd)
limit=${TEST_LIMIT:-420}

echo "# kernel $(uname -r)"
for name in "$@"; do
	echo "# $name"
	start=$SECONDS
	timeout -k 10 "$limit" bash "$tests/$name.sh"
	status=$?
	case $status in
	0|1)	;;
	124)	echo "not ok - $name: time limit of $limit s exceeded" ;;
	*)	echo "not ok - $name: ended with status $status" ;;
	esac
	"$tests/../lab/fabric.sh" down
	[ "${VM_KIND:-}" != coverage ] || "$tests/lib/coverage.sh"
	[[ ${VM_KIND:-} != debug* ]] || "$tests/lib/leaks.sh" "$name"
	echo "# $name ended after $((SECONDS - start)) s"
done
