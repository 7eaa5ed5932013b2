#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Many paths at once, on the standard fabric: unmodified perftest of Debian over
# automatic paths and over 16 explicit SRv6 paths, of which each must carry packets;
# then mrc_verify, which compares every byte, while links, a switch and a host port
# are cut, and while packets are lost, duplicated and reordered. Counters show that
# each fault took place.
#
# In virtual time only; 86_trace sends over explicit paths on older kernels, and "make
# test-all" runs this there, too.
#
# Spins: ib_write_lat waits for a byte of memory.

. "$(dirname "$0")/lib/test.sh"

hosts="h0 h1"

# --- traffic of paths, switches and ports ------------------------------------

t1_switches=$(echo t1-{0..3}-{0..3})

# received NETNS...: see lab/received.c.
received()
{
	"$programs/received" "$@"
}

# carried FILE: write to FILE, for each explicit path, "path HOST EV PACKETS BYTES"
# and what its T1 switch has received from the T0 of HOST, "t1 HOST EV BYTES
# PACKETS".
carried()
{
	local host

	for host in $hosts; do
		on "$host" mrcctl -j path show dev "mrc${host#h}" |
			jq -r --arg host "$host" '.[] |
				"path \($host) \(.ev) \(.tx_pkts) \(.tx_bytes)"'
	done > "$1"
	# t1-<plane>-<i> is on path 4 * plane + i + 1, t0-<plane>-<host> below.
	# shellcheck disable=SC2086
	received $t1_switches | awk '$2 ~ /^t0-/ {
		split($1, t1, "-"); split($2, t0, "-")
		print "t1", "h" t0[3], 4 * t1[2] + t1[3] + 1, $3, $4
	}' >> "$1"
}

# every_path HOST BEFORE AFTER: between two calls of "carried", each of the 16 paths
# from HOST has carried at least half of the average, and each T1 at least the bytes
# that the path through it has counted (a packet has more than 32 bytes of headers).
every_path()
{
	awk -v host="$1" '
	$2 != host	{ next }
	FILENAME ~ /before/ && $1 == "path" { pkts0[$3] = $4; bytes0[$3] = $5 }
	FILENAME ~ /before/ && $1 == "t1"   { t1_0[$3] = $4 }
	FILENAME ~ /before/ { next }
	$1 == "path"	{ pkts[$3] = $4 - pkts0[$3]; sum += pkts[$3]
			  bytes[$3] = $5 - bytes0[$3]; n++ }
	$1 == "t1"	{ t1[$3] = $4 - t1_0[$3] }
	END {
		for (ev = 1; ev <= 16; ev++) {
			ok = pkts[ev] > 0 && 2 * 16 * pkts[ev] >= sum &&
			     t1[ev] > bytes[ev] + 32 * pkts[ev]
			print (ok ? "  " : "! ") ev, pkts[ev] " packets,",
			      bytes[ev] " bytes, T1 " t1[ev]
			bad += !ok
		}
		exit bad || n != 16
	}' "$2" "$3"
}

declare -A was

# Remember the counters of both hosts, for "grown".
counters_save()
{
	local host file value

	renew_counters
	for host in $hosts; do
		for file in "/sys/class/infiniband/mrc${host#h}"/ports/1/hw_counters/*; do
			read -r value < "$file"
			was[$host.${file##*/}]=$value
		done
	done
}

# grown HOST COUNTER: increase since the last call of counters_save.
grown()
{
	echo $(($(counter "$1" "$2") - was[$1.$2]))
}

# has_grown COUNTER HOST...: the counter has increased on each HOST.
has_grown()
{
	local name=$1 host

	shift
	for host in "$@"; do
		echo "$host $name grew by $(grown "$host" "$name")"
		[ "$(grown "$host" "$name")" -gt 0 ] || return
	done
}

# clean_perftest PROGRAM [ARG...]: the program succeeds, and at most one packet in a
# hundred is retransmitted, although packets of different paths are reordered. (In a
# guest that never pauses none is; a pause longer than the lateness allowed for
# acknowledgments causes spurious retransmissions.)
clean_perftest()
{
	local host

	counters_save
	perftest "$@" || return
	for host in $hosts; do
		echo "$host: $(grown "$host" retrans_pkts) retransmissions," \
		     "$(grown "$host" tx_pkts) packets"
		[ $((100 * $(grown "$host" retrans_pkts))) -le \
		  "$(grown "$host" tx_pkts)" ] || return
	done
}

# --- automatic paths ---------------------------------------------------------

# every_port BEFORE AFTER BYTES: each of the four ports has received at least a
# sixth of BYTES: shares are equal but for the first window.
every_port()
{
	awk -v bytes="$3" '
	$2 !~ /^p/	{ next }
	FNR == NR	{ was[$2] = $3; next }
	{ print $2, $3 - was[$2]; bad += 6 * ($3 - was[$2]) < bytes; n++ }
	END { exit bad || n != 4 }' "$1" "$2"
}

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6 4

# Next hops are not resolved yet: the first window leaves by the port whose next hop is.
for family in 6 4; do
	received h1 > "$tmp/before"
	check "ib_write_bw, automatic paths, IPv$family" \
		clean_perftest ib_write_bw -s 65536 -n 200
	received h1 > "$tmp/after"
	check "IPv$family: each port of h1 receives at least a sixth of the automatic-path data" \
		every_port "$tmp/before" "$tmp/after" $((65536 * 200))
done
family=6

# --- explicit paths ----------------------------------------------------------

check "explicit paths in both directions" paths_up

carried "$tmp/before"
for program in ib_write_bw ib_send_bw ib_write_lat ib_send_lat; do
	case $program in
	*_bw)	args="-s 65536 -n 300" senders=h0 ;;
	*_lat)	args="-s 8 -n 400" senders=$hosts ;;
	esac
	# shellcheck disable=SC2086
	check "$program, 16 explicit paths: succeeds with at most 1 % retransmissions" \
		clean_perftest "$program" $args
	carried "$tmp/after"
	for host in $senders; do
		check "$program: each explicit path and T1 from $host carries packets" \
			every_path "$host" "$tmp/before" "$tmp/after"
	done
	mv "$tmp/after" "$tmp/before"
done

# --- links, switches and ports fail and return -------------------------------

retransmitted()
{
	[ $(($(grown h0 retrans_pkts) + $(grown h1 retrans_pkts))) -gt 0 ]
}

both_assume_bad()
{
	has_grown ev_assumed_bad_events h0 && has_grown ev_assumed_bad_events h1
}

both_recover()
{
	has_grown ev_recovered_events h0 && has_grown ev_recovered_events h1
}

# fault WHAT [silent]: cut WHAT: packets are lost, both sides put paths into
# ASSUMED_BAD, and the run goes on without them; restore WHAT: the paths recover.
fault()
{
	local what=$1

	counters_save
	check "$*: the cut succeeds" fabric cut "$@"
	check "$*: the cut leads to retransmissions" \
		wait_for "$patience" retransmitted
	check "$*: both hosts put paths into ASSUMED_BAD" \
		wait_for "$patience" both_assume_bad
	check "$*: the run goes on during the cut" verify_goes_on
	counters_save
	check "$*: restoring succeeds" fabric restore "$what"
	check "$*: paths of both hosts recover" \
		wait_for "$patience" both_recover
	check "$*: the run goes on after the cut" verify_goes_on
}

# down_are [PORT]: on both hosts the paths of PORT are down, and no others.
down_are()
{
	local host down

	for host in h0 h1; do
		down=$(on "$host" mrcctl -j qp show paths | jq -c '[.[].paths[] |
			select(.state == "down") | .port] | unique') || return
		[ "$down" = "[${1:-}]" ] || return
	done
}

# port_fault HOSTPORT PORT: cut and restore a port of h0. h0 notices the loss of
# carrier and sends a port status update to h1, which may leave the port before a
# packet is lost on it.
port_fault()
{
	counters_save
	check "$1: the cut succeeds" fabric cut "$1"
	check "$1: both hosts leave the paths of port $2" \
		wait_for "$patience" down_are "$2"
	check "$1: h0 counts port_down_events" has_grown port_down_events h0
	check "$1: the run goes on during the cut" verify_goes_on
	check "$1: restoring succeeds" fabric restore "$1"
	check "$1: both hosts use the paths of port $2 after the cut" \
		wait_for "$patience" down_are
	check "$1: h0 counts port_up_events" has_grown port_up_events h0
	check "$1: the run goes on after the cut" verify_goes_on
}

verify_some=100
counters_save
check "mrc_verify in both directions starts" \
	verify_begin -o write -t 16 -b -q 2
fault t0-0-0:t1-0-2
fault t0-1-1:t1-1-0 silent
fault t1-2-1
port_fault h0:p3 4
check "mrc_verify ends after all cuts, every byte is right" verify_end

# --- single packets are lost, duplicated, reordered --------------------------

# impair ARG...: impair the links from T0 switches to h1, with ARG for netem.
impair()
{
	local plane

	for plane in 0 1 2 3; do
		tc -n "t0-$plane-1" qdisc replace dev h1 root \
			netem limit 100000 "$@" || return
	done
}

unimpair()
{
	local plane

	for plane in 0 1 2 3; do
		tc -n "t0-$plane-1" qdisc del dev h1 root
	done
}

# cut_bursts N: T0 switches of h0 send GSO buffers of at most N packets: netem
# drops whole buffers.
cut_bursts()
{
	local plane t1

	for plane in 0 1 2 3; do
		for t1 in 0 1 2 3; do
			echo "link set t1-$plane-$t1 gso_max_segs $1"
		done | ip -n "t0-$plane-0" -batch - || return
	done
}

dropped()
{
	local plane

	for plane in 0 1 2 3; do
		tc -n "t0-$plane-1" -s -j qdisc show dev h1
	done | jq -s 'map(.[].drops) | add'
}

# verify_with WHAT HOST COUNTER LEAST [ARG...]: a run of mrc_verify with ARG during
# which COUNTER of HOST grows by at least LEAST, a fraction of the expected number.
verify_with()
{
	local what=$1 host=$2 name=$3 least=$4

	shift 4
	counters_save
	check "$what: every byte is right" verify "$@"
	note < <(echo "$host $name grew by $(grown "$host" "$name")")
	check "$what: $host counts at least $least $name" \
		[ "$(grown "$host" "$name")" -ge "$least" ]
}

netem_dropped()
{
	[ "$(dropped)" -gt 0 ]
}

cut_bursts 1
for mode in write send_imm; do
	impair loss 1%
	verify_with "packets lost, $mode" h0 retrans_pkts 10 -o "$mode" -s 65536 -n 250
	check "packets lost, $mode: netem has dropped packets" netem_dropped
done
cut_bursts 65535

impair duplicate 10%
for mode in send write_imm; do
	verify_with "packets duplicated, $mode" h1 duplicate_request 50 \
		-o "$mode" -s 65536 -n 250
done

# A constant window: NSCC would take the delay for congestion, and keep few packets in
# flight that could overtake each other.
for host in $hosts; do
	on "$host" mrcctl cc add constant dev "mrc${host#h}" algorithm fixed
	on "$host" mrcctl dev set "mrc${host#h}" cc constant
done
impair delay 4ms reorder 50%
for mode in write_imm send; do
	verify_with "packets reordered, $mode" h1 out_of_order_pkts 500 \
		-o "$mode" -s 65536 -n 250
done
for host in $hosts; do
	on "$host" mrcctl dev set "mrc${host#h}" cc default
done

cut_bursts 1
impair delay 4ms reorder 50% duplicate 5% loss 1%
verify_with "packets lost, duplicated and reordered, both directions, 4 QPs" h1 duplicate_request 10 \
	-o send_imm -s 40001 -n 60 -q 4 -b -u
check "packets lost, duplicated and reordered: h0 counts retransmissions" \
	has_grown retrans_pkts h0
check "packets lost, duplicated and reordered: h1 counts out_of_order_pkts" \
	has_grown out_of_order_pkts h1
unimpair
for host in $hosts; do
	check_equal "no queue pair of $host failed" \
		"$(counter "$host" unresponsive_remote_events)" 0
done
