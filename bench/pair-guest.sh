#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The part of the benchmark that runs in the first of two guests that NICs join
# (vm.sh pair): mrc and TCP over two NICs of virtio and over two of e1000e. Every
# measurement is one line of JSON in $VM_OUT/results. As elsewhere TCP has one connection,
# which the route over both NICs sends by one of them.
set -uo pipefail

tmp=$(mktemp -d)
. "$(dirname "$0")/../tests/lab/hosts.sh"
. "$(dirname "$0")/../tests/lab/pair.sh"
. "$(dirname "$0")/systems.sh"

rounds=${BENCH_ROUNDS:-5}
mtu=4500
# Bytes of a measurement.
much=$((384 << 20))
declare -A ports=([virtio]="p0 p1" [e1000e]="p2 p3")

# in_ns HOST COMMAND...
in_ns()
{
	on "$@"
}

bench_mrc()
{
	planes=2
	burst=16
	label="mrc 2 planes, N = 16"
	pair h1 mrc1 "$(gid_index h1 6)" h0 mrc0 "$(gid_index h0 6)" "$(address_of h1 mgmt)"
	mrc_result write_bw 65536 Gb/s "$much"
	mrc_result send_bw 65536 Gb/s "$much"
	mrc_result read_bw 65536 Gb/s "$much"
}

"$lab/vm/peer.sh" nics || die "the NICs have no names"
cat > "$VM_OUT/machine.json" <<END
{"kernel":"$(uname -r), two guests","accelerator":"${VM_ACCEL:-none}",
"cpus":$((2 * $(nproc))),"links":"virtio and e1000e","mtu":$mtu,"rounds":$rounds,
"rdma_rxe":"not measured","default_burst":16}
END

for ((round = 1; round <= rounds; round++)); do
	for placement in virtio e1000e; do
		echo "round $round of $rounds, two NICs of $placement"
		# shellcheck disable=SC2086
		pair_up "$mtu" ${ports[$placement]} || die "no device over $placement"
		bench_tcp
		bench_mrc
		# shellcheck disable=SC2086
		pair_down ${ports[$placement]} || die "devices are not removed"
	done
done
for host in h0 h1; do
	on "$host" modprobe -r mrc || die "the module of $host does not unload"
done
