# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What the benchmark's guests have in common: the systems that are measured and how;
# to be sourced, with $tmp, after tests/lab/hosts.sh. Every measurement is one line of
# JSON in $VM_OUT/results. The caller sets round, placement (shared or own), mtu, and
# trips (round trips of a latency measurement).

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

	[[ $4 =~ ^[0-9.]*[1-9][0-9.]*$ ]] ||
		die "$label: $2 has no result, but '$4'"
	printf '  %-24s %-9s %8s %8.3f %s\n' "$label" "$2" "$3" "$4" "$5"
	line+=",\"size\":$3,\"value\":$4,\"unit\":\"$5\""
	shift 5
	while [ $# -gt 1 ]; do
		line+=",\"$1\":$2"
		shift 2
	done
	echo "{$line}" >> "$VM_OUT/results"
}

# measure SYSTEM TEST SIZE UNIT COMMAND...: the result is what COMMAND prints.
measure()
{
	local system=$1 test=$2 size=$3 unit=$4 value

	shift 4
	value=$("$@") || exit
	result "$system" "$test" "$size" "$value" "$unit"
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

server_listens()
{
	[ "$(in_ns "${ns[0]}" ss -Hltn "sport = :$1")" ]
}

# A GID index of "cm" has the connection manager find the endpoints.
run_pair_once()
{
	local program=$1 server status=0 where=() i

	shift
	for i in 0 1; do
		where[i]="-x ${gid[i]}"
		[ "${gid[i]}" != cm ] || where[i]=-R
	done
	# shellcheck disable=SC2086
	in_ns "${ns[0]}" timeout 120 "$program" -d "${dev[0]}" \
		${where[0]} -F "$@" > "$tmp/server" 2>&1 &
	server=$!
	wait_for "$patience" server_listens 18515 ||
		die "$label: $program does not listen"
	# shellcheck disable=SC2086
	in_ns "${ns[1]}" timeout 120 "$program" -d "${dev[1]}" \
		${where[1]} -F "$@" "$server_address" \
		> "$tmp/client" 2>&1 || status=$?
	wait "$server" || status=$?
	return "$status"
}

# run_pair PROGRAM [ARG...]: run a program of perftest between the endpoints.
run_pair()
{
	perftest_clocked run_pair_once "$@" ||
		{ cat "$tmp/client" "$tmp/server" >&2; die "$label: $1 failed"; }
}

# perftest_value FIELDS SIZE PROGRAM [ARG...]: print FIELDS, as awk names them, of what
# PROGRAM reports for messages of SIZE. Where its measurement of the clock's rate went wrong
# it reports 0 or "inf"; it is run again then.
perftest_value()
{
	local fields=$1 size=$2 value try

	shift 2
	for ((try = 1; try <= perftest_tries; try++)); do
		run_pair "$@" -s "$size"
		value=$(awk -v size="$size" "\$1 == size { print $fields }" "$tmp/client")
		if [[ $value == *[1-9]* ]]; then
			echo "$value"
			return
		fi
	done
	die "$label: $1 measured the rate of the clock wrongly $perftest_tries times"
}

# bandwidth PROGRAM SIZE [VOLUME]: print Gb/s.
bandwidth()
{
	perftest_value '$4' "$2" "$1" --report_gbits -n $((${3:-$little} / $2))
}

write_bw()
{
	bandwidth ib_write_bw "$@"
}

send_bw()
{
	bandwidth ib_send_bw "$@"
}

read_bw()
{
	bandwidth ib_read_bw "$@"
}

# Latencies of messages of SIZE: print the median in microseconds, one way. Programs
# poll, except in send_lat_events, where they sleep until there is a completion.
write_lat()
{
	perftest_value '$5' "$1" ib_write_lat -n "$trips"
}

send_lat()
{
	perftest_value '$5' "$1" ib_send_lat -n "$trips"
}

send_lat_events()
{
	perftest_value '$5' "$1" ib_send_lat -e -n "$trips"
}

# --- systems ----------------------------------------------------------------

retransmissions()
{
	echo $(($(counter h0 retrans_pkts) + $(counter h1 retrans_pkts)))
}

# mrc_result TEST SIZE UNIT [VOLUME]
mrc_result()
{
	local test=$1 size=$2 unit=$3 before value lost

	before=$(retransmissions)
	value=$("$test" "$size" "${4:-}") || exit
	lost=$(($(retransmissions) - before))
	result mrc "$test" "$size" "$value" "$unit" \
		planes "$planes" burst "$burst" retransmissions "$lost"
}

# mrc_up PLANES: devices with that many ports on both hosts; mrc_down removes them.
mrc_up()
{
	local ports=p0 i

	planes=$1
	for ((i = 1; i < planes; i++)); do
		ports+=,p$i
	done
	device_add h0 "$ports" || die "cannot create device mrc0"
	device_add h1 "$ports" || die "cannot create device mrc1"
	wait_for "$patience" gid_index h1 6 || die "mrc1 has no GID of h1"
	pair h1 mrc1 "$(gid_index h1 6)" h0 mrc0 "$(gid_index h0 6)" \
		"$(address_of h1 mgmt)"
}

mrc_down()
{
	device_del h0
	device_del h1
}

mrc_burst()
{
	burst=$1
	label="mrc $planes planes, N = $burst"
	on h0 mrcctl dev set mrc0 burst "$burst" || die "cannot set the burst of mrc0"
	on h1 mrcctl dev set mrc1 burst "$burst" || die "cannot set the burst of mrc1"
}

bench_rxe()
{
	label="rdma_rxe ($rxe_mode)"
	pair "${rxe_pair[@]}"
	measure rdma_rxe write_bw 65536 Gb/s write_bw 65536
	measure rdma_rxe write_bw 1048576 Gb/s write_bw 1048576
	measure rdma_rxe write_lat 8 us write_lat 8
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

# siw has its sockets in the initial namespace, so both ends are one device.
set_up_siw()
{
	modprobe siw && modprobe rdma_ucm || return
	ip link add siw-a mtu "$mtu" type veth peer name siw-b mtu "$mtu" &&
	ip addr add 10.98.0.1/24 dev siw-a &&
	ip link set siw-a up &&
	ip link set siw-b up &&
	rdma link add siw0 type siw netdev siw-a
}
