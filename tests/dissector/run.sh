#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Test the Wireshark dissector with tshark; see check.py.
#
#   run.sh [--update]     --update: write the files in golden/ anew; look at the
#                         difference before it is committed
#
# Captures go to build/dissector. The last line is "N passed, N failed, N skipped".
set -uo pipefail

here=$(dirname "$(readlink -f "$0")")
build=${BUILD:-$here/../../build}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

status=0
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$here/check.py" "$@" "$build/dissector" 2>&1 |
	tee "$log" || status=$?
passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^not ok ' "$log")
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
	echo "not ok - dissector: check.py ends with status $status"
	failed=1
fi
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
