#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Packets on the wire: tcpdump captures one path of the fabric at each hop, in both
# directions; capture.py compares every packet with Documentation/wire-format.md and
# with the output of tshark's InfiniBand dissector. Traffic by mrc_verify; probes of
# a path that is cut.

. "$(dirname "$0")/lib/test.sh"

# Entropy values that use all bits of port and flow label.
ev_data=0x1234abcd
ev_back=0x5678ef01
points=(h0:p0 t0-0-0:t1-0-0 t1-0-0:t0-0-1 t0-0-1:h1 h1:p0)
fields=(ipv6.dst ipv6.hlim ipv6.tclass ipv6.flow ipv6.nxt udp.srcport
	udp.dstport udp.checksum.status infiniband.bth.opcode
	infiniband.bth.se infiniband.bth.m infiniband.bth.padcnt
	infiniband.bth.tver infiniband.bth.p_key infiniband.bth.destqp
	infiniband.bth.a infiniband.bth.reserved7 infiniband.bth.psn)
pcap_header=24		# bytes in front of the packets of a file
declare -A capturing=()

# capture_begin NAMESPACE INTERFACE FILE FILTER: start tcpdump and wait until it
# captures.
capture_begin()
{
	ip netns exec "$1" tcpdump -Z root -i "$2" --immediate-mode -U \
		-w "$tmp/$3.pcap" -s 0 "$4" 2> "$tmp/$3.log" &
	capturing[$3]=$!
	wait_for "$patience" grep -q "listening on" "$tmp/$3.log"
}

# The captures of all points have the same size, as they do when they are complete.
all_captured()
{
	local sizes

	sizes=$(for point in "${points[@]}"; do
		stat -c %s "$tmp/${point%:*}.pcap"
	done | sort -u)
	[ "$(wc -l <<< "$sizes")" -eq 1 ] && [ "$sizes" -gt 4096 ]
}

capture_end()
{
	kill -TERM "${capturing[$1]}"
	wait "${capturing[$1]}"
	cat "$tmp/$1.log"
	grep -q "^0 packets dropped by kernel" "$tmp/$1.log"
}

# dissect FILE...: write $fields of each packet of the captures, one after the other, by
# tshark, which takes long to start, to all.txt.
dissect()
{
	local name

	cp "$tmp/$1.pcap" "$tmp/all.pcap" || return
	for name in "${@:2}"; do
		tail -c +$((pcap_header + 1)) "$tmp/$name.pcap" >> "$tmp/all.pcap" ||
			return
	done
	HOME=$tmp tshark -r "$tmp/all.pcap" -o udp.check_checksum:TRUE \
		-T fields -E occurrence=a "${fields[@]/#/-e}" \
		> "$tmp/all.txt" 2> "$tmp/all.log" || { cat "$tmp/all.log"; false; }
}

# Without offloads, so that captures see packets as they are on the wire: one by one,
# with their checksums.
offloads_off()
{
	on h0 ethtool -K p0 tx off gso off tso off gro off &&
		on h1 ethtool -K p0 tx off gso off tso off gro off
}

probed()
{
	[ "$(on h0 mrcctl -j qp show | jq '.[0].probes_tx')" -gt 0 ]
}

# Packets of the first band of p0 of h1, which overtake all others.
first_band()
{
	on h1 tc -s class show dev p0 | awk '/^class/ { class = $3 }
		$1 == "Sent" && class == "1:1" { print $4 }'
}

# acks_overtake SACKS: since h1 had sent this number, all went through the first band.
acks_overtake()
{
	local band sacks

	band=$(first_band)
	sacks=$(($(counter h1 sack_tx) - $1))
	echo "first band: $band packets, SACKs: $sacks"
	[ "$sacks" -gt 0 ] && [ "$band" -ge "$sacks" ]
}

check "two hosts and a plane come up" fabric up --planes 1
check "offloads of p0 are switched off on both hosts" offloads_off
check "devices on both hosts, with GIDs" devices_up device_add 6
check "an explicit path from h0 to h1 is added" on h0 mrcctl path add dev mrc0 \
	dst "$(address_of h1 6)" ev "$ev_data" port 1 \
	sid fcbb:bb00:1000:2000:1001:3001::
check "an explicit path from h1 to h0 is added" on h1 mrcctl path add dev mrc1 \
	dst "$(address_of h0 6)" ev "$ev_back" port 1 \
	sid fcbb:bb00:1001:2000:1000:3000::

for point in "${points[@]}"; do
	check "capture at $point starts" \
		capture_begin "${point%:*}" "${point#*:}" \
		"${point%:*}" "ip6 proto 41"
done
check "mrc_verify sends six messages" verify -o write -n 6 -s 9999 -m 4096
check "the captures of all points have the same size" \
	wait_for "$patience" all_captured
for point in "${points[@]}"; do
	check "capture at $point ends without dropped packets" \
		capture_end "${point%:*}"
done

# Start before the program, so that no probe is missed. The opcode follows two IPv6
# headers and UDP.
check "capture of probes at h0:p0 starts" capture_begin h0 p0 probes \
	"ip6 proto 41 and ip6[88] = 0xde"
# Long enough that a slow host does not use up the retries before the path is
# restored.
check "mrc_verify runs" verify_begin -o write -s 9999 \
	--ack-timeout 20
check "the path is cut silently at t1-0-0" fabric cut t1-0-0 silent
check "h0 probes the cut path" wait_for "$patience" probed
check "the path is restored at t1-0-0" fabric restore t1-0-0
check "mrc_verify goes on after the path is restored" verify_goes_on
check "capture of probes ends without dropped packets" capture_end probes
check "mrc_verify ends, every byte is right" verify_end

check "tshark dissects the captures" dissect "${points[@]%:*}" probes
check_tap "comparison of the captures (capture.py)" \
	"$tests/tools/capture/capture.py" "$tmp" "$ev_data" "$ev_back"

# Bands as those of pfifo_fast, which does not count them.
check "p0 of h1 counts packets by priority" \
	on h1 tc qdisc replace dev p0 root handle 1: prio
sacks=$(counter h1 sack_tx)
check "mrc_verify sends 64 messages" verify -o write -n 64 -s 9999 -m 4096
check "acknowledgments have a priority with which they overtake data" \
	acks_overtake "$sacks"
