#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The benchmark: mrc, rdma_rxe, siw and TCP in one guest. They take turns in several
# rounds, so that other load of the machine affects all alike. Only ratios within
# one run are comparable.
#
#   run.sh [PART...]
#
#   stock            a stock kernel in an emulated guest, with several processors
#   pair             two guests with stock kernels, joined by NICs: mrc and TCP
#   native           user-mode Linux in real time: one processor, which executes kernel
#                    and programs natively
#   where            where the time of a message goes there
#   scale            what a message costs there with more queue pairs, ports and paths
#   posts            by how programs post and wait, there and in an emulated guest
#
# Default: all but scale and posts. KVER=<version> selects the stock kernel (default: the
# newest), BENCH_ROUNDS the number of rounds (default 5, of posts 3), BENCH_BURSTS most
# packets of a burst on it ("8 16": both). On a machine that is busy with other work, native
# and where show mostly that (see Documentation/figures/benchmarks.md).
#
# Prints tables and leaves bench.json, bench.svg and the kernel log in
# build/bench/<kver>/, build/bench/pair/ and build/bench/native/, where.json in
# build/bench/where/, scale.json in build/bench/scale/, and results of posts in
# build/bench/posts/<kver>/ and build/bench/posts/native/.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
vm=$root/tests/lab/vm/vm.sh

uml=$root/tests/lab/uml/uml.sh

# boot REPORT DIR COMMAND...: COMMAND boots a guest, which leaves results in DIR; the
# program REPORT reports them.
boot()
{
	local report=$1 out=$2 status

	shift 2
	rm -rf "$out"
	mkdir -p "$out"
	"$@"
	status=$?
	if [ "$status" -ne 0 ]; then
		echo "bench: the guest failed with status $status"
		exit 1
	fi
	/usr/bin/python3 "$root/bench/$report" "$out"
}

# Print the stock kernel: of KVER, which may name several for make to build, the last.
stock_kernel()
{
	local kver=${KVER:-}

	kver=${kver##* }
	if [ -z "$kver" ]; then
		kver=$("$vm" kernels | tail -n 1)
	fi
	if [ ! -e "$root/build/$kver/mrc.ko" ]; then
		echo "bench: no module for kernel ${kver:-?} (run make)" >&2
		return 1
	fi
	echo "$kver"
}

part_stock()
{
	local kver out

	kver=$(stock_kernel) || exit
	out=$root/build/bench/$kver
	echo "bench: booting a guest with kernel $kver"
	boot report.py "$out" "$vm" run --kver "$kver" --out "$out" \
		--timeout "${BENCH_LIMIT:-2400}" \
		--env "BENCH_ROUNDS=${BENCH_ROUNDS:-5}" \
		--env "BENCH_BURSTS=${BENCH_BURSTS:-16}" "$root/bench/guest.sh"
}

part_pair()
{
	local kver out=$root/build/bench/pair

	kver=$(stock_kernel) || exit
	echo "bench: booting two guests with kernel $kver"
	boot report.py "$out" "$vm" pair --kver "$kver" --out "$out" \
		--nic virtio-net-pci --nic virtio-net-pci --nic e1000e --nic e1000e \
		--timeout "${BENCH_LIMIT:-2400}" \
		--env "BENCH_ROUNDS=${BENCH_ROUNDS:-5}" "$root/bench/pair-guest.sh"
}

# The guest's kernel and its programs are processes that take turns, fastest on one
# processor of the machine.
part_native()
{
	local out=$root/build/bench/native

	echo "bench: user-mode Linux in real time; load average of the machine:" \
		"$(cut -d ' ' -f 1 /proc/loadavg)"
	boot report.py "$out" taskset -c "$(($(nproc) - 1))" "$uml" run --kind native \
		--out "$out" --timeout "${BENCH_LIMIT:-2400}" \
		--env "BENCH_ROUNDS=${BENCH_ROUNDS:-5}" "$root/bench/native-guest.sh"
}

part_where()
{
	mkdir -p "$root/build/bench/where"
	/usr/bin/python3 "$root/bench/where.py" "$root/build/bench/where"
}

part_scale()
{
	mkdir -p "$root/build/bench/scale"
	/usr/bin/python3 "$root/bench/scale.py" "$root/build/bench/scale"
}

part_posts()
{
	local kver out=$root/build/bench/posts
	local options=(--timeout "${BENCH_LIMIT:-2400}"
		       --env "BENCH_ROUNDS=${BENCH_ROUNDS:-3}" "$root/bench/posts-guest.sh")

	kver=$(stock_kernel) || exit
	echo "bench: one processor, user-mode Linux in real time"
	boot posts.py "$out/native" taskset -c "$(($(nproc) - 1))" \
		"$uml" run --kind native --out "$out/native" "${options[@]}" || exit
	echo "bench: several emulated processors, kernel $kver"
	boot posts.py "$out/$kver" "$vm" run --kver "$kver" --out "$out/$kver" \
		"${options[@]}"
}

for part in "${@:-stock}"; do
	declare -F "part_$part" > /dev/null ||
		{ echo "bench: there is no part $part" >&2; exit 2; }
done
[ $# -gt 0 ] || set -- stock pair native where
for part; do
	"part_$part" || exit
done
