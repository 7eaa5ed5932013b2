#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The part of the benchmark that runs in user-mode Linux in real time: the processor
# executes kernel and programs natively, but there is only one. Every measurement is
# one line of JSON in $VM_OUT/results.
#
# Hosts h0 and h1 are joined by four veth links of MTU 4500, which mrc and TCP use.
# rdma_rxe and siw send to themselves (self-loop), as their sockets belong to the
# initial namespace.
set -uo pipefail

tmp=$(mktemp -d)
. "$(dirname "$0")/../tests/lab/hosts.sh"
. "$(dirname "$0")/systems.sh"

rounds=${BENCH_ROUNDS:-5}
mtu=4500
sizes=(4096 65536 1048576)
# Bytes of a bandwidth measurement: what takes about half a second.
declare -A volume=([4096]=$((64 << 20)) [65536]=$((512 << 20))
		   [1048576]=$((1 << 30)))
placement=shared

# Two programs that poll share the processor by time slices, so each round trip takes
# as long as these.
many_trips=2000
few_trips=50

# latencies COMMAND...: COMMAND takes test, size and unit.
latencies()
{
	trips=$many_trips
	"$@" send_lat_events 8 us
	trips=$few_trips
	"$@" send_lat 8 us
}

# The drivers of others may fail (rdma_rxe loses completions of programs that wait for
# events, "queue full"): that is said, and the others go on.
self_loop_result()
{
	local value

	if value=$("$1" "$2" "${4:-}" 2> "$tmp/error"); then
		result "$system" "$1" "$2" "$value" "$3"
	else
		echo "  $label: $1 is not measured: $(grep -m 1 ^bench: "$tmp/error")"
	fi
}

# Time of a system call, in which user-mode Linux changes between two processes of
# the machine: the part of everything below that is not there elsewhere.
bench_system_call()
{
	label="system call"
	result system call 0 "$(python3 -c '
import os, time
n = 20000
begin = time.monotonic()
for i in range(n):
    os.getppid()
print((time.monotonic() - begin) / n * 1e6)')" us
}

bench_tcp_native()
{
	local size rate

	label="TCP (iperf3, qperf)"
	for size in "${sizes[@]}"; do
		in_ns h1 iperf3 -s -1 > /dev/null &
		wait_for "$patience" listening h1 5201 ||
			die "iperf3 does not listen"
		rate=$(in_ns h0 iperf3 -c "$(address_of h1 6)" -J -l "$size" \
			-n "${volume[$size]}" |
		       jq '.end.sum_received.bits_per_second / 1e9')
		wait
		result tcp stream "$size" "$rate" Gb/s
	done
	in_ns h1 qperf > /dev/null &
	wait_for "$patience" listening h1 19765 || die "qperf does not listen"
	result tcp send_lat_events 8 "$(in_ns h0 qperf -t 1 -m 8 -uu \
		"$(address_of h1 4)" tcp_lat |
		awk '/latency/ { print $3 * ($4 == "ms" ? 1000 : $4 == "ns" ? 0.001 : 1) }')" us
	in_ns h0 qperf "$(address_of h1 4)" quit > /dev/null
	wait
}

# bench_self_loop SYSTEM: rdma_rxe or siw.
bench_self_loop()
{
	local system=$1 size

	label="$1 (self-loop)"
	for size in "${sizes[@]}"; do
		self_loop_result write_bw "$size" Gb/s $((volume[$size] / 4))
	done
	latencies self_loop_result
}

bench_mrc_native()
{
	local size n

	mrc_up "$1"
	for n in 1 16; do
		mrc_burst "$n"
		for size in "${sizes[@]}"; do
			mrc_result write_bw "$size" Gb/s "${volume[$size]}"
		done
	done
	mrc_result send_bw 65536 Gb/s "${volume[65536]}"
	mrc_result read_bw 65536 Gb/s "${volume[65536]}"
	latencies mrc_result
	mrc_down
}

fabric simple --links 4 --mtu "$mtu" || die "the fabric does not come up"
set_up_rxe
[ "$rxe_mode" = self-loop ] || die "rdma_rxe is not in a self-loop"
if ! set_up_siw; then
	echo "siw does not load: not measured"
	siw=no
fi
cat > "$VM_OUT/machine.json" <<END
{"kernel":"$(uname -r)","accelerator":"user-mode Linux","cpus":$(nproc),
"mtu":$mtu,"rounds":$rounds,"rdma_rxe":"$rxe_mode","default_burst":16}
END

for ((round = 1; round <= rounds; round++)); do
	echo "round $round of $rounds"
	bench_system_call
	bench_tcp_native
	pair "${rxe_pair[@]}"
	bench_self_loop rdma_rxe
	pair "" siw0 cm "" siw0 cm 10.98.0.1
	[ "${siw:-}" ] || bench_self_loop siw
	bench_mrc_native 1
	bench_mrc_native 4
done
rdma link delete rxe0
[ "${siw:-}" ] || rdma link delete siw0
fabric down
wait_for "$patience" modprobe -r mrc || die "the module does not unload"
