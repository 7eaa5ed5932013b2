#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The demonstration: two hosts, 4 planes, 16 SRv6 paths in each direction, in one
# guest with a stock kernel. Unmodified perftest runs over all paths; then links, a
# switch and a host port fail during a run of which every byte is compared.
#
#   demo/run.sh      KVER=<version> selects the kernel (default: the newest)
#
# Leaves report.json, the files it was made from and the kernel log in build/demo/.
# The last line is "demo: PASS" or "demo: FAIL" with the reason; the status is
# non-zero when it failed. Times are reported, they never decide the result.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
out=$root/build/demo
vm=$root/tests/lab/vm/vm.sh

# KVER may name several kernels, for make to build; use the last.
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
	"$here/guest.sh"
status=$?
/usr/bin/python3 "$here/report.py" "$out" "$status"
