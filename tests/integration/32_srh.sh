#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Lists of more uSIDs than an address has room for: three times up and down the
# fabric before they come to the other side, in the address and the segment of a
# segment routing header; of a profile, and of explicit paths.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

# The address ends with the T1 switch that the entropy value names; the last T0
# and the host are in the segment.
profile=32=0xfcbbbb00,16=0x1000,16=0x2000,16=0x1000,16=0x2001,16=0x1000
profile+=,16=0x2000/3:0-3,32=0xfcbbbb00,16=0x1001,16=0x3001
template=ev@0/32,ev@32/16,ev@48/16,ev@64/16,ev@80/16,ev@96/16,ev@112/16
template+=,ev@128/32,ev@160/16,ev@176/16
sids='["fcbb:bb00:1000:2000:1000:2001:1000:2000",
       "fcbb:bb00:1000:2000:1000:2001:1000:2001",
       "fcbb:bb00:1000:2000:1000:2001:1000:2002",
       "fcbb:bb00:1000:2000:1000:2001:1000:2003"]'
segment=fcbb:bb00:1001:3001::

# headers NAMESPACE INTERFACE: type and segments left of routing headers there,
# and the segment, while messages arrive.
headers()
{
	local capture

	ip netns exec "$1" tcpdump -Z root -i "$2" --immediate-mode -U -c 20 \
		-s 256 -w "$tmp/$1.pcap" "ip6 proto 43" 2> "$tmp/$1.log" &
	capture=$!
	wait_for "$patience" grep -q "listening on" "$tmp/$1.log" || return
	verify_goes_on
	wait "$capture" || return
	HOME=$tmp tshark -r "$tmp/$1.pcap" -T fields -e ipv6.routing.type \
		-e ipv6.routing.segleft -e ipv6.routing.srh.addr 2> /dev/null |
		sort -u
}

# fourth: bytes that the T1 switch 2003 has got from the first T0.
fourth()
{
	"$lib/received.py" t1-0-3 | awk '$2 == "t0-0-0" { print $3 }'
}

# carries: data go by way of that switch while messages arrive.
carries()
{
	local before after

	verify_goes_on || return
	before=$(fourth)
	verify_goes_on || return
	after=$(fourth)
	echo "before $before, after $after"
	[ $((after - before)) -gt 20000 ]
}

carries_not()
{
	! carries
}

check "two hosts and a plane come up" fabric up --planes 1
check "devices on both hosts, with GIDs" devices_up device_add 6
dst=$(address_of h1 6)

check "a format of two addresses" h0 format add long dev mrc0 mode srv6-srh \
	width 32,16,16,16,16,16,16,32,16,16
check "a profile" h0 profile add three dev mrc0 mode generated format long \
	count 4 field "$profile" packet 4096
check "a template without SRH has no room for it" \
	refused "fields have 192 bits, there is room for 128" \
	template add valley dev mrc0 ev-bits 192 field "$template"
check "one with an SRH has" \
	h0 template add valley dev mrc0 ev-bits 192 srh field "$template"
check "which is shown" json_is '[1]' 'map(.srh)' template show valley
check "a destination" h0 dest add "$dst" dev mrc0 profile three template valley
check "addresses are full" json_is "$(jq -c . <<< "$sids")" 'map(.sid) | sort' \
	path show dst "$dst"
check "the rest is in the segment" json_is "[\"$segment\"]" \
	'map(.srh) | unique' path show dst "$dst"
check "a switch is found there, too" json_is '4' length path show usid 1001 \
	dst "$dst"
check "save and restore keep all of it" test -z "$(h0 save | h0 -d restore -)"

check "ib_write_bw" perftest ib_write_bw -s 65536 -n 500
check "a program that compares every byte begins" verify_begin -o write -s 65536
check_equal "it sends a routing header with a segment left" \
	"$(headers h0 p0)" "$(printf '4\t1\t%s' "$segment")"
check_equal "the peer receives it with none" \
	"$(headers h1 p0)" "$(printf '4\t0\t%s' "$segment")"
check "the last switch of the address is used" carries
check "it is forbidden" h0 path deny dev mrc0 usid 2003
check "then it is not" carries_not
check "it is allowed again" h0 path allow dev mrc0 usid 2003
check "and used" carries
check "the port cuts buffers itself" on h0 ethtool -K p0 tx off gso off tso off
check "the program goes on" verify_goes_on
check "it has verified all it sent" verify_end

check "the destination goes" h0 dest del "$dst" dev mrc0
check "a segment that is a group is refused" \
	refused "srh is not a global unicast address" path add dev mrc0 \
	dst "$dst" ev 1 port 1 sid "$(jq -r '.[2]' <<< "$sids")" srh ff0e::1
check "an explicit path" h0 path add dev mrc0 dst "$dst" ev 1 port 1 \
	sid "$(jq -r '.[2]' <<< "$sids")" srh "$segment"
check "is saved with its segment" \
	grep -q "srh $segment\$" <(h0 save | grep '^path add')
check "probes come through" h0 probe dev mrc0 dst "$dst" count 3
check "so do messages" verify -o write -n 50 -s 65536

# breaks_off_at USID: what probes say of two paths of which one answers.
breaks_off_at()
{
	h0 probe dev mrc0 dst "$dst" count 3 interval 10 timeout 3000 \
		> "$tmp/out"
	cat "$tmp/out"
	[ "$(grep "by way of" "$tmp/out")" = \
	  "port 1: no path by way of $1 answers" ]
}
back="path add dev mrc1 dst $(address_of h0 6) port 1
      sid fcbb:bb00:1001:2000:1000:3000::"
check "a path that goes up and down once more in its segment" \
	h0 path add dev mrc0 dst "$dst" ev 2 port 1 \
	sid "$(jq -r '.[2]' <<< "$sids")" srh fcbb:bb00:1001:2003:1001:3001::
# shellcheck disable=SC2086
check "answers come by another switch" on h1 mrcctl $back ev 1
# shellcheck disable=SC2086
check "for each of the two" on h1 mrcctl $back ev 2
check "both answer" h0 probe dev mrc0 dst "$dst" count 3
check "the switch in the segment falls silent" fabric cut t1-0-3 silent
check "and is found to be where the path breaks off" breaks_off_at 2003
