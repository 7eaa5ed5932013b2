#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The demonstration: two hosts, 4 planes, 16 SRv6 paths each way, in one guest
# with a stock kernel. Unmodified perftest runs over all paths; then links, a
# switch and a host port fail during a run whose bytes are all checked.
#
#   demo.sh          KVER=<version> selects the kernel (default: the newest)
#
# Leaves everything in build/demo/: report.json, the kernel log, and what it
# was made from. The last line is "demo: PASS" or "demo: FAIL" with the reason;
# the status is non-zero when it failed. Times are reported, never judged.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=$root/build/demo
vm=$here/vm/vm.sh

# KVER may hold several, for make to build.
kver=${KVER:-}
kver=${kver##* }
if [ -z "$kver" ]; then
	kver=$("$vm" kernels | tail -n 1)
fi
if [ ! -e "$root/build/$kver/mrc.ko" ]; then
	echo "demo: FAIL no module for kernel ${kver:-?} (run make)"
	exit 1
fi

rm -rf "$out"
mkdir -p "$out"
echo "demo: booting a guest with kernel $kver"
"$vm" run --kver "$kver" --out "$out" --timeout "${DEMO_LIMIT:-900}" \
	"$here/demo/guest.sh"
status=$?
/usr/bin/python3 "$here/demo/report.py" "$out" "$status"
