#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The benchmark: mrc, rdma_rxe and TCP in one guest. They take turns in several
# rounds, so that other load of the machine affects all alike. Only ratios within
# one run are comparable.
#
#   run.sh           KVER=<version> selects the kernel (default: the newest),
#                    BENCH_ROUNDS the number of rounds (default 5),
#                    BENCH_BURSTS most packets of a burst ("8 16": both)
#
# Prints a table and leaves bench.json, bench.svg and the kernel log in
# build/bench/<kver>/.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
vm=$root/tests/lab/vm/vm.sh

# KVER may name several kernels, for make to build; use the last.
kver=${KVER:-}
kver=${kver##* }
if [ -z "$kver" ]; then
	kver=$("$vm" kernels | tail -n 1)
fi
if [ ! -e "$root/build/$kver/mrc.ko" ]; then
	echo "bench: no module for kernel ${kver:-?} (run make)" >&2
	exit 1
fi

out=$root/build/bench/$kver
rm -rf "$out"
mkdir -p "$out"
echo "bench: booting a guest with kernel $kver"
"$vm" run --kver "$kver" --out "$out" --timeout "${BENCH_LIMIT:-2400}" \
	--env "BENCH_ROUNDS=${BENCH_ROUNDS:-5}" \
	--env "BENCH_BURSTS=${BENCH_BURSTS:-16}" "$root/bench/guest.sh"
status=$?
if [ "$status" -ne 0 ]; then
	echo "bench: the guest failed with status $status"
	exit 1
fi
/usr/bin/python3 "$root/bench/report.py" "$out"
