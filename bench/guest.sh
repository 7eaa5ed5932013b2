#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The part of the benchmark that runs in the guest. Every measurement is one
# line of JSON in $VM_OUT/results.
#
# Hosts h0 and h1 are joined by four veth links of MTU 4500, which mrc and TCP use.
# rdma_rxe has a link of its own, between two namespaces if its sockets can belong to
# these. If the kernel has its sockets in the initial namespace only, both ends are
# one device (self-loop), which avoids the network stack: the best case of rdma_rxe.
#
# Each round measures twice. "shared": both hosts use all CPUs, and veth packets are
# received on the CPU that sent them. "own": each host has a CPU of its own, on which
# its programs run and to which RPS delivers its packets.
set -uo pipefail

tmp=$(mktemp -d)
. "$(dirname "$0")/../tests/lab/hosts.sh"
. "$(dirname "$0")/systems.sh"

rounds=${BENCH_ROUNDS:-5}
mtu=4500
# Bytes of a bandwidth measurement, bytes of a slow one (rdma_rxe, bursts of one
# packet), and round trips of a latency measurement.
much=$((1 << 30))
little=$((256 << 20))
trips=2000
# Burst lengths to be measured in addition to 1; the last one is the default.
read -ra bursts <<< "${BENCH_BURSTS:-16}"
placement=shared

bench_mrc()
{
	local volume n

	mrc_up "$1"
	if [ "$placement" = shared ]; then
		volume=$little
		mrc_burst 1
		mrc_result write_bw 65536 Gb/s "$volume"
		mrc_result write_bw 1048576 Gb/s "$volume"
	fi
	volume=$much
	for n in "${bursts[@]}"; do
		mrc_burst "$n"
		mrc_result write_bw 65536 Gb/s "$volume"
		mrc_result write_bw 1048576 Gb/s "$volume"
	done
	mrc_result send_bw 65536 Gb/s "$much"
	mrc_result read_bw 65536 Gb/s "$much"
	mrc_result write_lat 8 us
	mrc_down
}

fabric simple --links 4 --mtu "$mtu" || die "the fabric does not come up"
set_up_rxe
cat > "$VM_OUT/machine.json" <<END
{"kernel":"$(uname -r)","accelerator":"${VM_ACCEL:-none}","cpus":$(nproc),
"mtu":$mtu,"rounds":$rounds,"rdma_rxe":"$rxe_mode",
"default_burst":${bursts[-1]}}
END

for ((round = 1; round <= rounds; round++)); do
	echo "round $round of $rounds, both hosts use all CPUs"
	place shared
	bench_tcp
	bench_rxe
	bench_mrc 1
	bench_mrc 4
	[ "$(nproc)" -ge 2 ] || continue
	echo "round $round of $rounds, each host has a CPU of its own"
	place own
	bench_tcp
	bench_mrc 1
	bench_mrc 4
done
rdma link delete rxe0
fabric down
wait_for "$patience" modprobe -r mrc || die "the module does not unload"
