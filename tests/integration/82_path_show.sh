#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# mrcctl path show and top for paths that are not explicit: those that a profile
# generates for a peer, and automatic ones of queue pairs; with filters, in text, JSON
# and on a terminal (screen.py). Traffic by mrc_verify.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

# shows WANTED FILTER ARG...: jq's FILTER of "path show ARG..." yields WANTED.
shows()
{
	json_is "$1" "$2" path show "${@:3}"
}

# fits ARG...: "path show ARG..." prints at most 80 columns; output in $tmp/out.
fits()
{
	h0 path show "$@" > "$tmp/out"
	cat "$tmp/out"
	awk 'length > 80 { exit 1 }' "$tmp/out"
}

# keep NAME: copy the output of the last check to NAME in the logs of the guest.
keep()
{
	[ -z "${VM_OUT:-}" ] || cp "$tmp/check" "$VM_OUT/$1"
}

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6
check "explicit paths from h1 to h0 are added" paths_add h1 h0
dst=$(address_of h1 6)

# --- profiles --------------------------------------------------------------------

check "a format is created" h0 format add t1 dev mrc0 mode srv6 width 8
check "a generated profile is created" \
	h0 profile add clos dev mrc0 mode generated format t1 \
	count 16 field 8/0xff:0-3
check "a template is created" \
	h0 template add rail dev mrc0 ev-bits 8 dest-bits 16 field \
	fcbbbb00/32,1/4,plane/4,0/8,2/4,plane/4,ev@0/8,1/4,plane/4,dest@0/8,3/4,plane/4,dest@8/8
check "a destination is created" \
	h0 dest add 2001:db8::/32 dev mrc0 profile clos \
	template rail number 0x0101
check "path show without queue pairs reports no generated path" shows '[]' .
check "path show dst without queue pairs reports the 16 generated paths, idle" \
	shows '[16,["profile"],["idle"],0]' \
	'[length, (map(.mode) | unique), (map(.state) | unique), (map(.qps) | add)]' \
	dst "$dst"
check "path show dst usid reports the generated address" \
	shows '["fcbb:bb00:1200:2203:1201:3201::"]' 'map(.sid)' \
	dst "$dst" usid 2203
check "mrc_verify starts" verify_begin -o write -t 8
check "path show reports the 16 generated paths of the queue pairs" \
	shows '[16,["profile"],16]' \
	'[length, (map(.mode) | unique), (map(select(.qps > 0 and .tx_pkts > 0)) | length)]'
timed()
{
	shows 16 'map(select(.srtt_ns > 0)) | length'
}
check "path show reports round trips of all 16 paths" wait_for "$patience" timed
check "path show port 2 reports the four paths of port 2" \
	shows '[4,[2]]' '[length, (map(.port) | unique)]' port 2
check "path show usid reports the path through that switch" \
	shows '[4]' 'map(.port)' usid 2302
check "path show dst reports the 16 paths to the peer" \
	shows 16 length dst "$dst"
check "path show dst of another peer reports no path" \
	shows '[]' . dst "$(address_of h0 mgmt)"
check "a deny rule for uSID 2302 is added" h0 path deny dev mrc0 usid 2302
check "path show state denied reports the denied path" \
	shows '["fcbb:bb00:1300:2302:1301:3301::"]' 'map(.sid)' \
	state denied
check "the deny rule for uSID 2302 is removed" h0 path allow dev mrc0 usid 2302
check "path show in text prints at most 80 columns" fits
keep path-show
check "path show in text prints a heading with peer and profile" \
	grep -qx "mrc0 dst $dst profile" "$tmp/out"
check_equal "a reader with small buffers gets all 16 paths" \
	"$(on h0 /usr/bin/python3 "$tests/tools/netlink/netlink.py" count mrc0)" 16

# Paths of h1 to h0 have other EVs than those of h0: h1 answers on the same port.
check "mrcctl probe probes the generated paths" \
	h0 probe dev mrc0 dst "$dst" count 3
keep probe
check_equal "mrcctl probe reports all generated paths answered" \
	"$(grep -c '^port [1-4]: 4 of 4 paths answered$' "$tmp/check")" 4

# --- live ---------------------------------------------------------------------------

check_equal "mrcctl save writes no generated path" \
	"$(h0 save | grep -c '^path add')" 0
check_equal "mrcctl restore of the saved configuration has nothing to do" \
	"$(h0 save | h0 -d restore -)" ""
check "top without a terminal prints its pages one after the other" \
	h0 top dev mrc0 count 2 interval 500
check_equal "top prints two pages with count 2" \
	"$(grep -c '^mrcctl top' "$tmp/check")" 2
check_equal "top prints four ports on each page" \
	"$(grep -cE '^ +[1-4] p[0-3] +up ' "$tmp/check")" 8
check_equal "top prints sixteen paths on each page" \
	"$(grep -cE "^ +[1-4] +[0-9]+ [a-z]+ +[0-9]+ .* $dst\$" "$tmp/check")" 32
# The first page has no earlier counters to compute rates from: check the last one.
in_json()
{
	h0 -j top dev mrc0 count 2 interval 500 > "$tmp/json" || return
	cat "$tmp/json"
	jq -es 'length == 2 and (last | (.ports | length) == 4 and
		(.paths | length) == 16 and (.paths | map(.dst) | unique) ==
		["'"$dst"'"])' "$tmp/json"
}

check "top in JSON prints a line for each interval" in_json
on_screen()
{
	TERM=linux "$tests/tools/screen/screen.py" "$@" -- nsenter --net=/run/netns/h0 mrcctl \
		top dev mrc0 interval 300
}
check "top on a terminal of 80x24 shows ports and paths and sorts by keys" \
	on_screen 80x24 \
	see '^mrcctl top .* rate [1-9].* sort rate' \
	see '^   4 p3 +up +4 +0 +[0-9.]+[kMG]b/s' \
	see '^ +[1-4] +[0-9]+ (good|skip) +[0-9]+ +[0-9.]+[kMG]b/s' \
	wide 80 colour print key s see 'sort rtt' key s see 'sort ecn' key q end
keep top-80x24
check "top on a terminal scrolls by keys" \
	on_screen 80x24 key sss see 'sort loss' key s \
	see 'sort name' see '^   1 +16777216 ' key '\e[B' gone '^   1 +16777216 ' \
	key '\e[A' see '^   1 +16777216 ' key q end
check "top on a terminal of 120x40 shows peers, and follows a change to 80x24" \
	on_screen 120x40 see "$dst" \
	see '^   4 p3' wide 120 print size 80x24 see '^   4 p3' wide 80 key q end
keep top-120x40
check "switch t1-0-0 is cut silently" fabric cut t1-0-0 silent
check "top shows one bad path on port 1" \
	on_screen 80x24 see '^   1 p0 +up +4 +1 ' key q end
check "switch t1-0-0 is restored" fabric restore t1-0-0

# --- automatic paths ---------------------------------------------------------

check "dest del of the destination succeeds under traffic" \
	h0 dest del 2001:db8::/32 dev mrc0
check "queue pairs have 128 automatic paths each" shows '[["auto"],128]' \
	'[(map(.mode) | unique), (group_by(.qpn)[0] | length)]'
check "path show reports automatic paths for each queue pair" \
	shows true 'all(.qps == 1 and .qpn > 0)'
check "path show port 1 reports 32 automatic paths of a queue pair" \
	shows 32 'group_by(.qpn)[0] | length' port 1
check "path show usid reports no automatic path" shows '[]' . usid 2201
check "mrc_verify ends, every byte is right" verify_end
check "path show reports no path after mrc_verify has ended" shows '[]' .
