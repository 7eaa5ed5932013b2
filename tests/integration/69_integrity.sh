#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Bits that are flipped on the way between two devices, in every header and in the
# payload of data and acknowledgments, by a cable (mrc_damage) whose ends compute and
# check the UDP checksum. Without the ICRC every single flip is found; flips that the
# UDP checksum cannot find reach the application. With "icrc always" nothing that was
# damaged is accepted, whatever its UDP checksum: exactly the damaged packets are
# dropped, and mrc_verify finds every byte right.
#
#	h0:w0 ------- w0:wire:w1 ------- w0:h1
#	(mrc0)        mrc_damage         (mrc1)

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

# One of so many packets is damaged.
nth=8
messages=${MESSAGES:-110}

# A host's port that leads to the cable, with a route to the other host.
wire_port()
{
	local host=$1 end=$2 peer=$3

	ip link add name w0 netns "$host" mtu 4500 type veth \
		peer name "$end" netns wire mtu 4500 &&
	ip -n wire link set dev "$end" up &&
	ip -n "$host" link set w0 gso_max_segs 1 &&
	ip -n "$host" link set w0 up &&
	ip -n "$host" link set p0 down &&
	ip -n "$host" addr add "$(address_of "$host" 6)/128" dev w0 nodad &&
	ip -n "$host" route replace "$(address_of "$peer" 6)/128" dev w0 \
		src "$(address_of "$host" 6)"
}

wire_up()
{
	ip netns add wire &&
	ip netns exec wire sysctl -qw net.ipv6.conf.default.disable_ipv6=1 &&
	wire_port h0 w0 h1 && wire_port h1 w1 h0 && limit
}

# In virtual time a link without a rate would carry any amount of data in no time.
limit()
{
	local host

	! in_virtual_time && return
	for host in h0 h1; do
		# shellcheck disable=SC2046
		tc -n "$host" qdisc add dev w0 root $(port_qdisc) || return
	done
}

ready()
{
	grep -q ready "$tmp/cable"
}

# cable ARG...: frames pass, and packets are damaged as mrc_damage -h says.
cable()
{
	: > "$tmp/cable"
	ip netns exec wire "$programs/mrc_damage" "$@" w0 w1 > "$tmp/cable" 2>&1 &
	cable=$!
	wait_for "$patience" ready
}

# End the cable and set $damaged.
cable_end()
{
	kill "$cable" && wait "$cable"
	cat "$tmp/cable"
	damaged=$(sed -n 's/.* passed \([0-9]*\) damaged/\1/p' "$tmp/cable")
	[ "${damaged:-0}" -gt 0 ]
}

# drops NAME...: packets that both devices have dropped for these reasons.
drops()
{
	local host name sum=0

	for host in h0 h1; do
		for name; do
			sum=$((sum + $(counter "$host" "drop_$name")))
		done
	done
	echo "$sum"
}

# Packets that were dropped because they are damaged. (A packet that is late or comes
# twice is no damage.)
dropped()
{
	drops icrc noicrc encap short long not_mrc opcode tver pkey qpn pad length \
		dmalen va nack_reason ep_op
}

# Packets whose queue pair does not exist: damaged ones, or ones that were sent again
# and arrived after the end of the connection.
dropped_without_qp()
{
	drops no_qp peer
}

# between LEAST DAMAGED MOST
between()
{
	echo "$2 damaged, $1 to $3 dropped"
	[ "$1" -le "$2" ] && [ "$2" -le "$3" ]
}

icrc()
{
	on h0 mrcctl dev set mrc0 icrc "$1" &&
	on h1 mrcctl dev set mrc1 icrc "$1"
}

# traffic: data in both directions, of each kind, every byte compared.
traffic()
{
	local operation

	for operation in write_imm send; do
		verify -o "$operation" -n "$messages" -s 16384 -b || return
	done
}

# intact NAME ARG...: with the damage of mrc_damage ARG... every byte is right.
intact()
{
	local name=$1

	shift
	check "$name: the cable damages packets" cable -n "$nth" "$@"
	check "$name: every byte is right" traffic
	check "$name: packets were damaged" cable_end
	printed | note
}

# all_dropped NAME ARG...: what is more, each damaged packet is dropped and no other.
all_dropped()
{
	local name=$1 before without least

	before=$(dropped)
	without=$(dropped_without_qp)
	intact "$@"
	least=$(($(dropped) - before))
	check "$name: the damaged packets are dropped, and no others" \
		between "$least" "$damaged" \
		$((least + $(dropped_without_qp) - without))
}

check "two hosts come up" fabric simple
check "the hosts are connected by a cable through a third" wire_up || exit
check "frames pass" cable
check "a device on h0 uses the cable" device_add h0 w0
check "a device on h1 uses the cable" device_add h1 w0
check "both hosts have their GIDs" wait_for "$patience" have_gids 6
check "data passes the cable undamaged" traffic
kill "$cable"
wait "$cable"

check "icrc auto: both devices are set" icrc auto
intact "icrc auto, any bit of the IP header" -l ip
all_dropped "icrc auto, a bit of the UDP source port" -l port
all_dropped "icrc auto, a bit of the UDP checksum" -l checksum
all_dropped "icrc auto, a bit of MRC headers and payload" -l mrc

check "icrc always: both devices are set" icrc always
intact "icrc always, any bit of the IP header" -l ip
all_dropped "icrc always, a bit of the UDP source port" -l port
all_dropped "icrc always, a bit of MRC headers and payload" -l mrc
all_dropped "icrc always, UDP source port with a correct checksum" -l port -c
all_dropped "icrc always, MRC with a correct UDP checksum" -l mrc -c
all_dropped "icrc always, MRC with a correct UDP checksum, other seed" -l mrc -c -s 2

# Only now the checksum is what passes damage on.
check "icrc auto again: both devices are set" icrc auto
check "icrc auto, correct checksum: the cable damages packets" \
	cable -n "$nth" -l mrc -c
check_fails "icrc auto, correct checksum: wrong bytes reach the application" \
	"wrong|differ" traffic
kill "$cable"
wait "$cable"
ip netns del wire
