#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# uSID lists that do not fit one address: paths that lead up and down the fabric three
# times, with the first uSIDs in the outer address and the rest in a segment routing
# header (SRH); from a profile, and as explicit paths. tcpdump and tshark show the
# headers, mrc_verify and ib_write_bw send data, mrcctl probe finds a cut switch.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

# The address ends with the T1 switch that the entropy value selects; the last T0
# and the host are in the segment of the SRH.
profile=32=0xfcbbbb00,16=0x1000,16=0x2000,16=0x1000,16=0x2001,16=0x1000
profile+=,16=0x2000/3:0-3,32=0xfcbbbb00,16=0x1001,16=0x3001
template=ev@0/32,ev@32/16,ev@48/16,ev@64/16,ev@80/16,ev@96/16,ev@112/16
template+=,ev@128/32,ev@160/16,ev@176/16
sids='["fcbb:bb00:1000:2000:1000:2001:1000:2000",
       "fcbb:bb00:1000:2000:1000:2001:1000:2001",
       "fcbb:bb00:1000:2000:1000:2001:1000:2002",
       "fcbb:bb00:1000:2000:1000:2001:1000:2003"]'
segment=fcbb:bb00:1001:3001::

# headers NAMESPACE INTERFACE: type, segments left and segment of the routing headers
# captured there while messages are verified.
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

# t1_3_bytes: bytes that T1 switch t1-0-3 (uSID 2003) has received from t0-0-0.
t1_3_bytes()
{
	"$programs/received" t1-0-3 | awk '$2 == "t0-0-0" { print $3 }'
}

# t1_3_carries: t1-0-3 carries data while messages are verified.
t1_3_carries()
{
	local before after

	verify_goes_on || return
	before=$(t1_3_bytes)
	verify_goes_on || return
	after=$(t1_3_bytes)
	echo "before $before, after $after"
	[ $((after - before)) -gt 20000 ]
}

t1_3_idle()
{
	! t1_3_carries
}

check "two hosts and a plane come up" fabric up --planes 1
check "devices on both hosts, with GIDs" devices_up device_add 6
dst=$(address_of h1 6)

check "a srv6-srh format of 192 bits is created" \
	h0 format add long dev mrc0 mode srv6-srh \
	width 32,16,16,16,16,16,16,32,16,16
check "a profile of four EVs of 192 bits is created" \
	h0 profile add three dev mrc0 mode generated format long \
	count 4 field "$profile" packet 4096
check "a template of 192 bits without SRH is refused" \
	refused "fields have 192 bits, there is room for 128" \
	template add valley dev mrc0 ev-bits 192 field "$template"
check "a template of 192 bits with SRH is created" \
	h0 template add valley dev mrc0 ev-bits 192 srh field "$template"
check "template show reports the SRH" \
	json_is '[1]' 'map(.srh)' template show valley
check "a destination with the SRH template is added" \
	h0 dest add "$dst" dev mrc0 profile three template valley
check "path show reports the four outer addresses" \
	json_is "$(jq -c . <<< "$sids")" 'map(.sid) | sort' \
	path show dst "$dst"
check "path show reports the segment of the SRH" json_is "[\"$segment\"]" \
	'map(.srh) | unique' path show dst "$dst"
check "path show usid finds a switch in the segment" \
	json_is '4' length path show usid 1001 \
	dst "$dst"
check "restoring the saved configuration changes nothing" \
	test -z "$(h0 save | h0 -d restore -)"

check "ib_write_bw with an SRH" perftest ib_write_bw -s 65536 -n 500
check "mrc_verify with an SRH starts" verify_begin -o write
check_equal "h0 sends a routing header with one segment left" \
	"$(headers h0 p0)" "$(printf '4\t1\t%s' "$segment")"
check_equal "h1 receives the routing header with no segment left" \
	"$(headers h1 p0)" "$(printf '4\t0\t%s' "$segment")"
check "t1-0-3, the last switch of an address, carries data" t1_3_carries
check "a deny rule for uSID 2003 (t1-0-3) is added" \
	h0 path deny dev mrc0 usid 2003
check "t1-0-3 carries no data while uSID 2003 is denied" t1_3_idle
check "the deny rule for uSID 2003 is removed" h0 path allow dev mrc0 usid 2003
check "t1-0-3 carries data after uSID 2003 is allowed" t1_3_carries
check "offloads of p0 of h0 are switched off" \
	on h0 ethtool -K p0 tx off gso off tso off
check "mrc_verify goes on without offloads" verify_goes_on
check "mrc_verify with an SRH ends, every byte is right" verify_end

check "the destination with the SRH template is deleted" \
	h0 dest del "$dst" dev mrc0
check "an explicit path with a multicast segment is refused" \
	refused "srh is not a global unicast address" path add dev mrc0 \
	dst "$dst" ev 1 port 1 sid "$(jq -r '.[2]' <<< "$sids")" srh ff0e::1
check "an explicit path with an SRH is added" \
	h0 path add dev mrc0 dst "$dst" ev 1 port 1 \
	sid "$(jq -r '.[2]' <<< "$sids")" srh "$segment"
check "save writes the explicit path with its segment" \
	grep -q "srh $segment\$" <(h0 save | grep '^path add')
check "probes of the explicit path with an SRH are answered" \
	h0 probe dev mrc0 dst "$dst" count 3
check "mrc_verify over the explicit path with an SRH" \
	verify -o write -n 50 -s 65536

# probe_blames USID: mrcctl probe reports that no path through USID answers, and
# nothing else, for two paths of which one answers.
probe_blames()
{
	h0 probe dev mrc0 dst "$dst" count 3 interval 10 timeout 3000 \
		> "$tmp/out"
	cat "$tmp/out"
	[ "$(grep "no path through" "$tmp/out")" = \
	  "port 1: no path through $1 was answered" ]
}
back="path add dev mrc1 dst $(address_of h0 6) port 1
      sid fcbb:bb00:1001:2000:1000:3000::"
check "an explicit path with t1-0-3 in its segment is added" \
	h0 path add dev mrc0 dst "$dst" ev 2 port 1 \
	sid "$(jq -r '.[2]' <<< "$sids")" srh fcbb:bb00:1001:2003:1001:3001::
# shellcheck disable=SC2086
check "a path back from h1 for ev 1, not through t1-0-3, is added" \
	on h1 mrcctl $back ev 1
# shellcheck disable=SC2086
check "a path back from h1 for ev 2, not through t1-0-3, is added" \
	on h1 mrcctl $back ev 2
check "probes of both explicit paths with an SRH are answered" \
	h0 probe dev mrc0 dst "$dst" count 3
check "t1-0-3, the switch in the segment, is cut silently" \
	fabric cut t1-0-3 silent
check "mrcctl probe names uSID 2003 as the one through which no path answers" \
	probe_blames 2003
