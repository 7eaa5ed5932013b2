#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Many paths at once, on the standard fabric: Debian's perftest as it is, over
# 16 SRv6 paths of which each one must carry packets, and over the automatic
# ones; then programs that compare every byte while links, a switch and a host
# port are cut, and while packets are lost, doubled and overtaken. That a fault
# took place is read from counters, never assumed.
#
# Every kernel: GSO, routes and sockets differ.

. "$(dirname "$0")/lib.sh"

hosts="h0 h1"

# --- what paths, switches and ports have carried -----------------------------

t1_switches=$(echo t1-{0..3}-{0..3})

# What interfaces of namespaces have received: see there.
received()
{
	"$lib/received.py" "$@"
}

# carried FILE: note for each explicit path "path HOST EV PACKETS BYTES", and
# what its T1 switch has got from the T0 of HOST, "t1 HOST EV BYTES PACKETS".
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

# every_path HOST BEFORE AFTER: each of the 16 paths from there carried at least
# half of the average, and each T1 what the path by way of it claims (a packet
# has more than 32 bytes of headers).
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

# Remember the counters of both hosts.
mark()
{
	local host file value

	for host in $hosts; do
		for file in "/sys/class/infiniband/mrc${host#h}"/ports/1/hw_counters/*; do
			read -r value < "$file"
			was[$host.${file##*/}]=$value
		done
	done
}

# grown HOST COUNTER: since the last call of mark.
grown()
{
	echo $(($(counter "$1" "$2") - was[$1.$2]))
}

# has_grown COUNTER HOST...: on each of them.
has_grown()
{
	local name=$1 host

	shift
	for host in "$@"; do
		echo "$host $name grew by $(grown "$host" "$name")"
		[ "$(grown "$host" "$name")" -gt 0 ] || return
	done
}

# clean_perftest PROGRAM [ARG...]: it succeeds, and though packets of different
# paths overtake each other, hardly one in a hundred is sent twice (none, but for
# a guest that stands still for longer than an answer may take).
clean_perftest()
{
	local host

	mark
	perftest "$@" || return
	for host in $hosts; do
		echo "$host: $(grown "$host" retrans_pkts) retransmissions," \
		     "$(grown "$host" tx_pkts) packets"
		[ $((100 * $(grown "$host" retrans_pkts))) -le \
		  "$(grown "$host" tx_pkts)" ] || return
	done
}

# --- automatic paths ---------------------------------------------------------

# every_port BEFORE AFTER BYTES: planes have equal shares of them, or nearly.
every_port()
{
	awk -v bytes="$3" '
	$2 !~ /^p/	{ next }
	FNR == NR	{ was[$2] = $3; next }
	{ print $2, $3 - was[$2]; bad += 5 * ($3 - was[$2]) < bytes; n++ }
	END { exit bad || n != 4 }' "$1" "$2"
}

check "hosts, four planes, sixteen paths each way" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6 4

for family in 6 4; do
	received h1 > "$tmp/before"
	check "ib_write_bw, automatic paths, IPv$family" \
		clean_perftest ib_write_bw -s 65536 -n 100
	received h1 > "$tmp/after"
	check "each port has its share" \
		every_port "$tmp/before" "$tmp/after" $((65536 * 100))
done
family=6

# --- explicit paths ----------------------------------------------------------

check "paths there and back" paths_up

carried "$tmp/before"
for program in ib_write_bw ib_send_bw ib_write_lat ib_send_lat; do
	case $program in
	*_bw)	args="-s 65536 -n 300" senders=h0 ;;
	*_lat)	args="-s 8 -n 400" senders=$hosts ;;
	esac
	# shellcheck disable=SC2086
	check "$program, 16 paths" clean_perftest "$program" $args
	carried "$tmp/after"
	for host in $senders; do
		check "$program: each path and T1 from $host carries packets" \
			every_path "$host" "$tmp/before" "$tmp/after"
	done
	mv "$tmp/after" "$tmp/before"
done

# --- links come and go -------------------------------------------------------

lost_and_repaired()
{
	[ $(($(grown h0 retrans_pkts) + $(grown h1 retrans_pkts))) -gt 0 ]
}

both_notice()
{
	has_grown ev_assumed_bad_events h0 && has_grown ev_assumed_bad_events h1
}

both_recover()
{
	has_grown ev_recovered_events h0 && has_grown ev_recovered_events h1
}

# fault WHAT [silent]: packets are lost, paths are given up on both sides, the
# run goes on without them; when all is well again the paths come back.
fault()
{
	local what=$1

	mark
	check "cut $*" fabric cut "$@"
	check "packets are lost and sent again" \
		wait_for "$patience" lost_and_repaired
	check "both sides notice" wait_for "$patience" both_notice
	check "the run goes on" verify_goes_on
	mark
	check "restore $what" fabric restore "$what"
	check "both sides use it again" wait_for "$patience" both_recover
	check "the run goes on" verify_goes_on
}

# down_are [PORT]: both hosts hold the paths of this port for down, no others.
down_are()
{
	local host down

	for host in h0 h1; do
		down=$(on "$host" mrcctl -j qp show paths | jq -c '[.[].paths[] |
			select(.state == "down") | .port] | unique') || return
		[ "$down" = "[${1:-}]" ] || return
	done
}

# A host sees its own port go and tells the other one, which may leave the port
# before it has lost a packet there.
port_fault()
{
	mark
	check "cut $1" fabric cut "$1"
	check "both sides leave it" wait_for "$patience" down_are "$2"
	check "it is counted" has_grown port_down_events h0
	check "the run goes on" verify_goes_on
	check "restore $1" fabric restore "$1"
	check "both sides use it again" wait_for "$patience" down_are
	check "it is counted" has_grown port_up_events h0
	check "the run goes on" verify_goes_on
}

verify_some=100
mark
check "a run both ways begins" verify_begin -o write -s 65536 -t 16 -b -q 2
fault t0-0-0:t1-0-2
fault t0-1-1:t1-1-0 silent
fault t1-2-1
port_fault h0:p3 4
check "the run ends, every byte is right" verify_end

# --- single packets are lost, doubled, overtaken -----------------------------

# The last links to h1 get what "tc qdisc add" is told to do.
impair()
{
	local plane

	for plane in 0 1 2 3; do
		tc -n "t0-$plane-1" qdisc replace dev h1 root \
			netem limit 100000 "$@" || return
	done
}

repair()
{
	local plane

	for plane in 0 1 2 3; do
		tc -n "t0-$plane-1" qdisc del dev h1 root
	done
}

# netem loses whole GSO buffers: have them cut into packets before.
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

# under WHAT HOST COUNTER LEAST [ARG...]: a verified run, in which a counter
# grows by that much; LEAST is a fraction of what is to be expected.
under()
{
	local what=$1 host=$2 name=$3 least=$4

	shift 4
	mark
	check "$what: every byte is right" verify "$@"
	note < <(echo "$host $name grew by $(grown "$host" "$name")")
	check "$what: it took place" \
		[ "$(grown "$host" "$name")" -ge "$least" ]
}

lost()
{
	[ "$(dropped)" -gt 0 ]
}

cut_bursts 1
for mode in write send_imm; do
	impair loss 1%
	under "packets lost, $mode" h0 retrans_pkts 10 -o "$mode" -s 65536 -n 250
	check "netem has dropped some" lost
done
cut_bursts 65535

impair duplicate 10%
for mode in send write_imm; do
	under "packets doubled, $mode" h1 duplicate_request 50 \
		-o "$mode" -s 65536 -n 250
done

impair delay 4ms reorder 50%
for mode in write_imm send; do
	under "packets overtaken, $mode" h1 out_of_order_pkts 500 \
		-o "$mode" -s 65536 -n 250
done

cut_bursts 1
impair delay 4ms reorder 50% duplicate 5% loss 1%
under "all of that, both directions, 4 QPs" h1 duplicate_request 10 \
	-o send_imm -s 40001 -n 60 -q 4 -b -u
check "retransmissions" has_grown retrans_pkts h0
check "and packets overtaken" has_grown out_of_order_pkts h1
repair
for host in $hosts; do
	check_equal "no queue pair of $host failed" \
		"$(counter "$host" unresponsive_remote_events)" 0
done
