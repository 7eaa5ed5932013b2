#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What mrcctl shows of paths that nobody has listed: those that a profile makes
# for a peer, those that queue pairs have made up; with filters, and live.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

# shows WANTED FILTER ARG...: what jq makes of the paths is WANTED.
shows()
{
	json_is "$1" "$2" path show "${@:3}"
}

fits()
{
	h0 path show "$@" > "$tmp/out"
	cat "$tmp/out"
	awk 'length > 80 { exit 1 }' "$tmp/out"
}

# keep NAME: leave what was printed last among the logs.
keep()
{
	[ -z "${VM_OUT:-}" ] || cp "$tmp/check" "$VM_OUT/$1"
}

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6
check "h1 needs a way back" paths_add h1 h0
dst=$(address_of h1 6)

# --- profiles --------------------------------------------------------------------

check "a format" h0 format add t1 dev mrc0 mode srv6 width 8
check "a profile" h0 profile add clos dev mrc0 mode generated format t1 \
	count 16 field 8/0xff:0-3
check "a template" h0 template add rail dev mrc0 ev-bits 8 dest-bits 16 field \
	fcbbbb00/32,1/4,plane/4,0/8,2/4,plane/4,ev@0/8,1/4,plane/4,dest@0/8,3/4,plane/4,dest@8/8
check "a destination" h0 dest add 2001:db8::/32 dev mrc0 profile clos \
	template rail number 0x0101
check "nobody uses its paths" shows '[]' .
check "a peer that is asked for has them all the same" \
	shows '[16,["profile"],["idle"],0]' \
	'[length, (map(.mode) | unique), (map(.state) | unique), (map(.qps) | add)]' \
	dst "$dst"
check "expanded" shows '["fcbb:bb00:1200:2203:1201:3201::"]' 'map(.sid)' \
	dst "$dst" usid 2203
check "a program that compares every byte begins" verify_begin -o write -t 8
check "its paths are shown" shows '[16,["profile"],16]' \
	'[length, (map(.mode) | unique), (map(select(.qps > 0 and .tx_pkts > 0)) | length)]'
timed()
{
	shows 16 'map(select(.srtt_ns > 0)) | length'
}
check "with their round trips" wait_for "$patience" timed
check "those of a port" shows '[4,[2]]' '[length, (map(.port) | unique)]' port 2
check "those through a switch" shows '[4]' 'map(.port)' usid 2302
check "those to a peer" shows 16 length dst "$dst"
check "none to another one" shows '[]' . dst "$(address_of h0 mgmt)"
check "a switch is forbidden" h0 path deny dev mrc0 usid 2302
check "those in a state" shows '["fcbb:bb00:1300:2302:1301:3301::"]' 'map(.sid)' \
	state denied
check "it is allowed again" h0 path allow dev mrc0 usid 2302
check "in text it says whence they come" fits
keep path-show
check "with the peer" grep -qx "mrc0 dst $dst profile" "$tmp/out"
check_equal "a reader with small buffers gets all" \
	"$(on h0 /usr/bin/python3 "$lib/netlink.py" count mrc0)" 16

# The peer's paths to here have other names: it answers on the same port.
check "probes take these paths" h0 probe dev mrc0 dst "$dst" count 3
keep probe
check_equal "all are answered" \
	"$(grep -c '^port [1-4]: 4 of 4 paths answer$' "$tmp/check")" 4

# --- live ---------------------------------------------------------------------------

check_equal "save has none of them" "$(h0 save | grep -c '^path add')" 0
check_equal "and restore has nothing to do" "$(h0 save | h0 -d restore -)" ""
check "top prints pictures where there is no terminal" \
	h0 top dev mrc0 count 2 interval 500
check_equal "so many" "$(grep -c '^mrcctl top' "$tmp/check")" 2
check_equal "of four ports" "$(grep -cE '^ +[1-4] p[0-3] +up ' "$tmp/check")" 8
check_equal "and sixteen paths" \
	"$(grep -cE "^ +[1-4] +[0-9]+ [a-z]+ +[0-9]+ .* $dst\$" "$tmp/check")" 32
# The first picture has nothing to be compared with.
in_json()
{
	h0 -j top dev mrc0 count 2 interval 500 > "$tmp/json" || return
	cat "$tmp/json"
	jq -es 'length == 2 and (last | (.ports | length) == 4 and
		(.paths | length) == 16 and (.paths | map(.dst) | unique) ==
		["'"$dst"'"])' "$tmp/json"
}

check "in JSON too, a line each" in_json
on_screen()
{
	TERM=linux "$lib/screen.py" "$@" -- nsenter --net=/run/netns/h0 mrcctl \
		top dev mrc0 interval 300
}
check "on a terminal there is a screen" on_screen 80x24 \
	see '^mrcctl top .* rate [1-9].* sort rate' \
	see '^   4 p3 +up +4 +0 +[0-9.]+[kMG]b/s' \
	see '^ +[1-4] +[0-9]+ (good|skip) +[0-9]+ +[0-9.]+[kMG]b/s' \
	wide 80 colour print key s see 'sort rtt' key s see 'sort ecn' key q end
keep top-80x24
check "which keys scroll" on_screen 80x24 key sss see 'sort loss' key s \
	see 'sort name' see '^   1 +16777216 ' key '\e[B' gone '^   1 +16777216 ' \
	key '\e[A' see '^   1 +16777216 ' key q end
check "a larger one shows more" on_screen 120x40 see "$dst" \
	see '^   4 p3' wide 120 print size 80x24 see '^   4 p3' wide 80 key q end
keep top-120x40
check "a path goes bad" fabric cut t1-0-0 silent
check "which is seen" on_screen 80x24 see '^   1 p0 +up +4 +1 ' key q end
check "the path comes back" fabric restore t1-0-0

# --- made-up paths -------------------------------------------------------------------

check "without the destination" h0 dest del 2001:db8::/32 dev mrc0
check "queue pairs make up paths" shows '[["auto"],128]' \
	'[(map(.mode) | unique), (group_by(.qpn)[0] | length)]'
check "which are shown for each" shows true 'all(.qps == 1 and .qpn > 0)'
check "by port" shows 32 'group_by(.qpn)[0] | length' port 1
check "they have no switches" shows '[]' . usid 2201
check "the program has verified all it sent" verify_end
check "nobody uses any path" shows '[]' .
