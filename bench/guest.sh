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

die()
{
	echo "bench: $*" >&2
	dump >&2
	exit 1
}

# result SYSTEM TEST SIZE VALUE UNIT [KEY VALUE]...
result()
{
	local line="\"round\":$round,\"placement\":\"$placement\""

	line+=",\"system\":\"$1\",\"test\":\"$2\""

	[ "$4" ] || die "$label: $2 has no result"
	printf '  %-24s %-9s %8s %8.3f %s\n' "$label" "$2" "$3" "$4" "$5"
	line+=",\"size\":$3,\"value\":$4,\"unit\":\"$5\""
	shift 5
	while [ $# -gt 1 ]; do
		line+=",\"$1\":$2"
		shift 2
	done
	echo "{$line}" >> "$VM_OUT/results"
}

# A pair of endpoints: namespace, device and GID index of server and client,
# and the server's address for the control connection.
pair()
{
	ns=("$1" "$4")
	dev=("$2" "$5")
	gid=("$3" "$6")
	server_address=$7
}

cpu_of()
{
	[ "$1" = h0 ] && echo 0 || echo 1
}

# in_ns NAMESPACE COMMAND...: run COMMAND in NAMESPACE ("": the initial one), with
# placement "own" on the CPU of the host.
in_ns()
{
	local name=$1 pin=()

	shift
	[ "$placement" = shared ] || pin=(taskset -c "$(cpu_of "$name")")
	if [ "$name" ]; then
		ip netns exec "$name" "${pin[@]}" "$@"
	else
		"$@"
	fi
}

# place shared|own
place()
{
	local host i mask=0

	placement=$1
	for host in h0 h1; do
		[ "$placement" = shared ] || mask=$((1 << $(cpu_of "$host")))
		for i in 0 1 2 3; do
			on "$host" sh -c "printf %x $mask > \
				/sys/class/net/p$i/queues/rx-0/rps_cpus" ||
				die "cannot set rps_cpus of $host"
		done
	done
}

server_listens()
{
	[ "$(in_ns "${ns[0]}" ss -Hltn "sport = :$1")" ]
}

run_pair_once()
{
	local program=$1 server status=0

	shift
	in_ns "${ns[0]}" timeout 120 "$program" -d "${dev[0]}" \
		-x "${gid[0]}" -F "$@" > "$tmp/server" 2>&1 &
	server=$!
	wait_for "$patience" server_listens 18515 ||
		die "$label: $program does not listen"
	in_ns "${ns[1]}" timeout 120 "$program" -d "${dev[1]}" \
		-x "${gid[1]}" -F "$@" "$server_address" \
		> "$tmp/client" 2>&1 || status=$?
	wait "$server" || status=$?
	return "$status"
}

# run_pair PROGRAM [ARG...]: run a program of perftest between the endpoints.
run_pair()
{
	perftest_clocked run_pair_once "$@" ||
		{ cat "$tmp/client" "$tmp/server"; die "$label: $1 failed"; }
}

# write_bw SIZE [VOLUME]: print Gb/s.
write_bw()
{
	run_pair ib_write_bw --report_gbits -s "$1" \
		-n $((${2:-$little} / $1))
	awk -v size="$1" '$1 == size { print $4 }' "$tmp/client"
}

# write_lat SIZE: print the median in microseconds, one way.
write_lat()
{
	run_pair ib_write_lat -s "$1" -n "$trips"
	awk -v size="$1" '$1 == size { print $5 }' "$tmp/client"
}

# --- systems ----------------------------------------------------------------

retransmissions()
{
	echo $(($(counter h0 retrans_pkts) + $(counter h1 retrans_pkts)))
}

mrc_result()
{
	local test=$1 size=$2 unit=$3 before value lost

	before=$(retransmissions)
	value=$("$test" "$size" "$volume") || exit
	lost=$(($(retransmissions) - before))
	result mrc "$test" "$size" "$value" "$unit" \
		planes "$planes" burst "$burst" retransmissions "$lost"
}

mrc_burst()
{
	burst=$1
	label="mrc $planes planes, N = $burst"
	on h0 mrcctl dev set mrc0 burst "$burst" || die "cannot set the burst of mrc0"
	on h1 mrcctl dev set mrc1 burst "$burst" || die "cannot set the burst of mrc1"
}

bench_mrc()
{
	planes=$1
	local ports=p0 volume i n

	for ((i = 1; i < planes; i++)); do
		ports+=,p$i
	done
	device_add h0 "$ports" || die "cannot create device mrc0"
	device_add h1 "$ports" || die "cannot create device mrc1"
	wait_for "$patience" gid_index h1 6 || die "mrc1 has no GID of h1"
	pair h1 mrc1 "$(gid_index h1 6)" h0 mrc0 "$(gid_index h0 6)" \
		"$(address_of h1 mgmt)"

	if [ "$placement" = shared ]; then
		volume=$little
		mrc_burst 1
		mrc_result write_bw 65536 Gb/s
		mrc_result write_bw 1048576 Gb/s
	fi
	volume=$much
	for n in "${bursts[@]}"; do
		mrc_burst "$n"
		mrc_result write_bw 65536 Gb/s
		mrc_result write_bw 1048576 Gb/s
	done
	mrc_result write_lat 8 us

	device_del h0
	device_del h1
}

bench_rxe()
{
	label="rdma_rxe ($rxe_mode)"
	pair "${rxe_pair[@]}"
	result rdma_rxe write_bw 65536 "$(write_bw 65536)" Gb/s
	result rdma_rxe write_bw 1048576 "$(write_bw 1048576)" Gb/s
	result rdma_rxe write_lat 8 "$(write_lat 8)" us
}

bench_tcp()
{
	local rate

	label="TCP (iperf3)"
	in_ns h1 iperf3 -s -1 > /dev/null &
	wait_for "$patience" listening h1 5201 || die "iperf3 does not listen"
	rate=$(in_ns h0 iperf3 -c "$(address_of h1 6)" -n "$much" -J |
	       jq '.end.sum_received.bits_per_second / 1e9')
	wait
	result tcp stream 131072 "$rate" Gb/s
}

# --- set up -----------------------------------------------------------------

rxe_namespaces()
{
	ip netns add r0
	ip netns add r1
	ip -n r0 link add p0 mtu "$mtu" type veth peer name p0 netns r1 \
		mtu "$mtu"
	local i

	for i in 0 1; do
		ip -n "r$i" link set lo up
		ip -n "r$i" addr add "10.99.0.$((i + 1))/24" dev p0
		ip -n "r$i" link set p0 up
		in_ns "r$i" rdma link add "rxe$i" type rxe netdev p0 || return
	done
	[ "$(in_ns r0 ss -Hlun 'sport = :4791')" ]
}

rxe_remove()
{
	local i

	for i in 0 1; do
		rdma link delete "rxe$i" 2> /dev/null
		ip netns del "r$i"
	done
}

set_up_rxe()
{
	if rxe_namespaces 2> /dev/null; then
		rxe_mode="two namespaces"
		rxe_pair=(r1 rxe1 "$(gid_find rxe1 10.99.0.2)"
			  r0 rxe0 "$(gid_find rxe0 10.99.0.1)" 10.99.0.2)
		return
	fi
	rxe_remove
	ip link add rxe-a mtu "$mtu" type veth peer name rxe-b mtu "$mtu"
	ip addr add 10.99.0.1/24 dev rxe-a
	ip link set rxe-a up
	ip link set rxe-b up
	rdma link add rxe0 type rxe netdev rxe-a || die "cannot create device rxe0"
	rxe_mode="self-loop"
	rxe_pair=("" rxe0 "$(gid_find rxe0 10.99.0.1)"
		  "" rxe0 "$(gid_find rxe0 10.99.0.1)" 127.0.0.1)
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
