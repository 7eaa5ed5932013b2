#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The fabric from a topology file: what is refused changes nothing; applied, it
# makes the paths that the fabric has, and all of them carry data; changes of
# the file change what differs, and nothing else, under a program that compares
# every byte.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

clos=$lib/../../Documentation/examples/topology-clos.json
file=$tmp/topo.json

# edit FILTER: the example with a third host, changed by FILTER.
edit()
{
	jq '.hosts += [{ name: "h2", address: "2001:db8:102::1", t0: 0,
			 number: 2 }] | '"$1" "$clos" > "$file"
}

# All that the device has been told.
configuration()
{
	h0 -j format show
	h0 -j template show
	h0 -j dest show
	h0 -j path rules
	h0 -j port show
	h0 -j profile show evs
}

# applies LINE...: topo apply prints these lines, the names of objects being *,
# and when asked again finds nothing to do.
applies()
{
	printf '%s\n' "$@" > "$tmp/wanted"
	h0 topo apply "$file" > "$tmp/lines" || return
	cat "$tmp/lines"
	sed 's/topo-[0-9a-f]\{8\}/*/g' "$tmp/lines" | diff - "$tmp/wanted" &&
		[ "$(h0 topo apply "$file")" = "nothing to do" ] &&
		[ "$(h0 -j topo apply "$file")" = "[]" ]
}

# apply_refused STATUS SENTENCE ARG...: and all is as before.
apply_refused()
{
	local wanted=$1 sentence=$2 status=0

	shift 2
	configuration > "$tmp/before"
	h0 topo apply "$file" "$@" > "$tmp/out" 2> "$tmp/err" || status=$?
	configuration > "$tmp/after"
	echo "status $status:"
	cat "$tmp/out" "$tmp/err"
	[ "$status" -eq "$wanted" ] && grep -qF -- "$sentence" "$tmp/err" &&
		[ ! -s "$tmp/out" ] && cmp "$tmp/before" "$tmp/after"
}

# Outer destinations of h0's queue pairs, or of the path that FILTER selects.
sids()
{
	h0 -j qp show dev mrc0 paths | jq -r ".[].paths[] | ${1:-.} | .sid" |
		sort
}

takes_paths_of_fabric()
{
	diff <(sids) <(fabric paths h0 h1 | awk '{ print $4 }' | sort)
}

# Without a route for it: the device does it, as the topology says.
decapsulates()
{
	[ "$(counter "$1" decapsulated_pkts)" -gt 0 ]
}

all_paths_carry()
{
	[ "$(sids 'select(.tx_pkts > 0)' | wc -l)" -eq 16 ]
}

check "three hosts and four planes come up" fabric up --hosts 3
check "devices on both hosts, with GIDs" devices_up device_add 6
edit .
check "the file has no mistake" h0 topo check "$file"

# --- nothing is touched ----------------------------------------------------------

edit '.hosts[1].t0 = 7'
check "a file with a mistake is refused" apply_refused 1 "there is no T0 7"
edit '.planes = 3'
check "and one with other planes" apply_refused 1 "3 planes, mrc0 has 4 ports"
edit .
check "a device that is none" apply_refused 2 "nope" dev nope
check_fails "those who may not change anything are refused" "not permitted" \
	nobody topo apply - < "$file"
check_equal "and have changed nothing" "$(h0 -j format show)" '[]'
check "a dry run tells all commands" grep -q "^profile ev topo-.* index 15 " \
	<(h0 topo apply "$file" dry-run)
check_equal "and has changed nothing" "$(h0 -j format show)" '[]'
h0 profile add mine dev mrc0 mode auto count 8
h0 dest add 2001:db8:102::1 dev mrc0 profile mine
check "a destination that was made by hand is not replaced" apply_refused 1 \
	"2001:db8:102::1/128 of mrc0 is not of a topology"
check "another one is none of its business" \
	h0 dest del 2001:db8:102::1 dev mrc0
h0 dest add 2001:db8:77::/48 dev mrc0 profile mine

# --- from nothing ------------------------------------------------------------------

check "apply, on the host that has the address" applies \
	"port set dev mrc0 port 1 usid fcbb:bb00:3000::/48" \
	"port set dev mrc0 port 2 usid fcbb:bb00:3100::/48" \
	"port set dev mrc0 port 3 usid fcbb:bb00:3200::/48" \
	"port set dev mrc0 port 4 usid fcbb:bb00:3300::/48" \
	"format add * dev mrc0 mode srv6 width 4" \
	"profile add * dev mrc0 mode explicit format * count 16 field 4/0xf" \
	"template add * dev mrc0 block 32 usid 16 ev-bits 4 dest-bits 24 field $(
	)fcbbbb00/32,1/4,plane/4,00/8,2/4,plane/4,0/4,ev@0/4,dest@0/4,plane/4,$(
	)dest@4/8,dest@12/4,plane/4,dest@16/8" \
	"profile add * dev mrc0 mode explicit format * count 4 field 4" \
	"template add * dev mrc0 block 32 usid 16 ev-bits 4 dest-bits 12 field $(
	)fcbbbb00/32,1/4,plane/4,00/8,dest@0/4,plane/4,dest@4/8" \
	"dest add 2001:db8:101::1/128 dev mrc0 profile * template * number 0x101301" \
	"dest add 2001:db8:102::1/128 dev mrc0 profile * template * number 0x302"
check_equal "a dry run then has nothing to do" \
	"$(h0 topo apply "$file" dry-run)" "# nothing to do"
check "and on the peer" on h1 mrcctl topo apply "$file"

# --- under traffic -------------------------------------------------------------------

check "a program that compares every byte begins" verify_begin -o write -t 8
check "its paths are those that the fabric has" takes_paths_of_fabric
check "all paths carry packets" wait_for "$patience" all_paths_carry
check "by all switches" uses .
check "and end at the devices" decapsulates h1
check "at both" decapsulates h0

edit '.deny = ["t1-2-3"] | del(.hosts[2])'
check "deny a T1, take a host out" applies \
	"path deny dev mrc0 port 3 usid 2203" \
	"dest del 2001:db8:102::1/128 dev mrc0" \
	"template del * dev mrc0" \
	"profile del * dev mrc0"
check "nothing goes by that T1 any more" uses '^t1-(.-[012]|[013]-3)'
check "the queue pair has the same paths" takes_paths_of_fabric

edit '.deny = ["t0-0-0:t1-0-1", "t1-1-2:t0-1-1"]'
check "deny links instead, and put the host back" applies \
	"path deny dev mrc0 port 1 usid 1000 next 2001" \
	"path deny dev mrc0 port 2 usid 2102 next 1101" \
	"profile add * dev mrc0 mode explicit format * count 4 field 4" \
	"template add * dev mrc0 block 32 usid 16 ev-bits 4 dest-bits 12 field $(
	)fcbbbb00/32,1/4,plane/4,00/8,dest@0/4,plane/4,dest@4/8" \
	"dest add 2001:db8:102::1/128 dev mrc0 profile * template * number 0x302" \
	"path allow dev mrc0 port 3 usid 2203"
check "nothing goes over those links" uses '^t1-(0-[023]|1-[013]|[23]-)'

edit '.t1.count = 3'
check "one T1 less in each plane" applies \
	"profile add * dev mrc0 mode explicit format * count 12 field 4/0xf" \
	"dest replace 2001:db8:101::1/128 dev mrc0 profile * template * number 0x101301" \
	"profile del * dev mrc0" \
	"path allow dev mrc0 port 1 usid 1000 next 2001" \
	"path allow dev mrc0 port 2 usid 2102 next 1101"
check "leaves three" uses '^t1-.-[012]'

h0 path deny dev mrc0 usid 2201
h0 port set dev mrc0 port 2 usid none
edit .
check "all of them again" applies \
	"port set dev mrc0 port 2 usid fcbb:bb00:3100::/48" \
	"profile add * dev mrc0 mode explicit format * count 16 field 4/0xf" \
	"dest replace 2001:db8:101::1/128 dev mrc0 profile * template * number 0x101301" \
	"profile del * dev mrc0"
check "but for what the operator has denied" uses '^t1-([013]-|2-[023])'
h0 path allow dev mrc0 usid 2201
check "all switches carry data again" uses .
check "the queue pair has all paths" takes_paths_of_fabric

h0 cc add quick dev mrc0 algorithm nscc
read -r profile template < <(h0 -j dest show 2001:db8:101::1 |
	jq -r '.[] | "\(.profile) \(.template)"')
check "the operator chooses how a peer is controlled" h0 dest replace \
	2001:db8:101::1 dev mrc0 profile "$profile" template "$template" \
	number 0x101301 cc quick
check_equal "which is no difference" "$(h0 topo apply "$file")" "nothing to do"

# A profile that was interrupted while it was made is made anew.
edit '.t1.count = 2'
name=$(h0 topo apply "$file" dry-run | sed -n 's/^profile add \([^ ]*\) .*/\1/p')
h0 profile add "$name" dev mrc0 mode explicit state init
check "what was left unfinished is finished" applies \
	"profile del * dev mrc0" \
	"profile add * dev mrc0 mode explicit format * count 8 field 4/0xf" \
	"dest replace 2001:db8:101::1/128 dev mrc0 profile * template * number 0x101301 cc quick" \
	"profile del * dev mrc0"
check "and used" uses '^t1-.-[01]'

check "the program has verified all it sent" verify_end
check_equal "no queue pair failed" "$(counter h0 unresponsive_remote_events)" 0
check_equal "what was made by hand is still there" \
	"$(h0 -j dest show 2001:db8:77::/48 | jq -r '.[].profile')" mine

edit '.hosts = [.hosts[0]] | .deny = []'
check "without peers nothing is left" h0 topo apply "$file"
check "but where paths end" json_is '4' 'map(select(.usid)) | length' port show
check_equal "and that" "$(h0 -j dest show | jq -c 'map(.dst)')" \
	'["2001:db8:77::/48"]'
check_equal "no format" "$(h0 -j format show)" '[]'
