#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# mrcctl topo with the fabric as a topology file: a refused file changes nothing; an
# applied file makes exactly the paths of the fabric, and all of them carry data; an
# edited file changes only what differs, under traffic of mrc_verify, which compares
# every byte.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

clos=$root/Documentation/examples/topology-clos.json
file=$tmp/topo.json

# edit FILTER: the example with a third host, changed by FILTER.
edit()
{
	jq '.hosts += [{ name: "h2", address: "2001:db8:102::1", t0: 0,
			 number: 2 }] | '"$1" "$clos" > "$file"
}

# Print the configuration of the device that topo apply may change.
configuration()
{
	h0 -j format show
	h0 -j template show
	h0 -j dest show
	h0 -j path rules
	h0 -j port show
	h0 -j profile show evs
}

# applies LINE...: topo apply prints these lines, with * for names of objects; a
# second topo apply finds nothing to do.
applies()
{
	printf '%s\n' "$@" > "$tmp/wanted"
	h0 topo apply "$file" > "$tmp/lines" || return
	cat "$tmp/lines"
	sed 's/topo-[0-9a-f]\{8\}/*/g' "$tmp/lines" | diff - "$tmp/wanted" &&
		[ "$(h0 topo apply "$file")" = "nothing to do" ] &&
		[ "$(h0 -j topo apply "$file")" = "[]" ]
}

# apply_refused STATUS SENTENCE ARG...: topo apply fails with them and changes
# nothing.
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

# sids [FILTER]: outer destinations of the paths of h0's queue pairs that FILTER
# selects.
sids()
{
	h0 -j qp show dev mrc0 paths | jq -r ".[].paths[] | ${1:-.} | .sid" |
		sort
}

# The queue pair has exactly the paths of the fabric.
has_paths_of_fabric()
{
	diff <(sids) <(fabric paths h0 h1 | awk '{ print $4 }' | sort)
}

# decapsulates HOST: the device, not the stack, decapsulates: it has the uSID prefixes
# of the topology.
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
check "topo check finds no mistake in the file" h0 topo check "$file"

# --- refusals ----------------------------------------------------------------

edit '.hosts[1].t0 = 7'
check "topo apply of a file with a mistake changes nothing" \
	apply_refused 1 "there is no T0 7"
edit '.planes = 3'
check "topo apply of a file with three planes to four ports changes nothing" \
	apply_refused 1 "3 planes, mrc0 has 4 ports"
edit .
check "topo apply to an unknown device changes nothing" \
	apply_refused 2 "nope" dev nope
check_fails "topo apply without privileges is refused" "not permitted" \
	unprivileged topo apply - < "$file"
check_equal "topo apply without privileges has created no format" \
	"$(h0 -j format show)" '[]'
check "topo apply dry-run prints the commands" \
	grep -q "^profile ev topo-.* index 15 " \
	<(h0 topo apply "$file" dry-run)
check_equal "topo apply dry-run has created no format" \
	"$(h0 -j format show)" '[]'
h0 profile add mine dev mrc0 mode auto count 8
h0 dest add 2001:db8:102::1 dev mrc0 profile mine
check "topo apply does not replace a destination that an operator has added" \
	apply_refused 1 \
	"2001:db8:102::1/128 of mrc0 is not part of a topology"
check "the destination that an operator has added can be deleted" \
	h0 dest del 2001:db8:102::1 dev mrc0
h0 dest add 2001:db8:77::/48 dev mrc0 profile mine

# --- without a configuration -------------------------------------------------

check "topo apply on h0 makes the configuration for the host with its address" \
	applies \
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
check_equal "topo apply dry-run after apply has nothing to do" \
	"$(h0 topo apply "$file" dry-run)" "# nothing to do"
check "topo apply on h1 succeeds" on h1 mrcctl topo apply "$file"

# --- under traffic -------------------------------------------------------------------

check "mrc_verify starts" verify_begin -o write -t 8
check "the queue pair has the paths of the fabric after topo apply" \
	has_paths_of_fabric
check "all 16 paths carry packets after topo apply" \
	wait_for "$patience" all_paths_carry
check "all T1 switches carry data after topo apply" uses .
check "mrc1 decapsulates packets" decapsulates h1
check "mrc0 decapsulates packets" decapsulates h0

edit '.deny = ["t1-2-3"] | del(.hosts[2])'
check "topo apply denies a T1 and removes a host" applies \
	"path deny dev mrc0 port 3 usid 2203" \
	"dest del 2001:db8:102::1/128 dev mrc0" \
	"template del * dev mrc0" \
	"profile del * dev mrc0"
check "t1-2-3 carries no data when the topology denies it" \
	uses '^t1-(.-[012]|[013]-3)'
check "the queue pair has the same paths while a T1 is denied" \
	has_paths_of_fabric

edit '.deny = ["t0-0-0:t1-0-1", "t1-1-2:t0-1-1"]'
check "topo apply denies links instead of a T1 and adds the host" applies \
	"path deny dev mrc0 port 1 usid 1000 next 2001" \
	"path deny dev mrc0 port 2 usid 2102 next 1101" \
	"profile add * dev mrc0 mode explicit format * count 4 field 4" \
	"template add * dev mrc0 block 32 usid 16 ev-bits 4 dest-bits 12 field $(
	)fcbbbb00/32,1/4,plane/4,00/8,dest@0/4,plane/4,dest@4/8" \
	"dest add 2001:db8:102::1/128 dev mrc0 profile * template * number 0x302" \
	"path allow dev mrc0 port 3 usid 2203"
check "t1-0-1 and t1-1-2 carry no data when the topology denies their links" \
	uses '^t1-(0-[023]|1-[013]|[23]-)'

edit '.t1.count = 3'
check "topo apply reduces the planes to three T1 switches" applies \
	"profile add * dev mrc0 mode explicit format * count 12 field 4/0xf" \
	"dest replace 2001:db8:101::1/128 dev mrc0 profile * template * number 0x101301" \
	"profile del * dev mrc0" \
	"path allow dev mrc0 port 1 usid 1000 next 2001" \
	"path allow dev mrc0 port 2 usid 2102 next 1101"
check "T1 0 to 2 of each plane carry data with three T1 switches" \
	uses '^t1-.-[012]'

h0 path deny dev mrc0 usid 2201
h0 port set dev mrc0 port 2 usid none
edit .
check "topo apply restores four T1 switches and a prefix" applies \
	"port set dev mrc0 port 2 usid fcbb:bb00:3100::/48" \
	"profile add * dev mrc0 mode explicit format * count 16 field 4/0xf" \
	"dest replace 2001:db8:101::1/128 dev mrc0 profile * template * number 0x101301" \
	"profile del * dev mrc0"
check "all T1 switches carry data but t1-2-1, which the operator has denied" \
	uses '^t1-([013]-|2-[023])'
h0 path allow dev mrc0 usid 2201
check "all T1 switches carry data after the operator allows t1-2-1" uses .
check "the queue pair has the paths of the fabric after all changes" \
	has_paths_of_fabric

h0 cc add quick dev mrc0 algorithm nscc
read -r profile template < <(h0 -j dest show 2001:db8:101::1 |
	jq -r '.[] | "\(.profile) \(.template)"')
check "dest replace sets a CC profile for a destination of the topology" \
	h0 dest replace \
	2001:db8:101::1 dev mrc0 profile "$profile" template "$template" \
	number 0x101301 cc quick
check_equal "topo apply has nothing to do when a destination has a CC profile" \
	"$(h0 topo apply "$file")" "nothing to do"

# A profile that an interrupted topo apply has left in state init is created anew.
edit '.t1.count = 2'
name=$(h0 topo apply "$file" dry-run | sed -n 's/^profile add \([^ ]*\) .*/\1/p')
h0 profile add "$name" dev mrc0 mode explicit state init
check "topo apply replaces an unfinished profile of two T1 switches" applies \
	"profile del * dev mrc0" \
	"profile add * dev mrc0 mode explicit format * count 8 field 4/0xf" \
	"dest replace 2001:db8:101::1/128 dev mrc0 profile * template * number 0x101301 cc quick" \
	"profile del * dev mrc0"
check "T1 0 and 1 of each plane carry data with two T1 switches" \
	uses '^t1-.-[01]'

check "mrc_verify ends, every byte is right" verify_end
check_equal "no queue pair of h0 failed" \
	"$(counter h0 unresponsive_remote_events)" 0
check_equal "the destination of the operator has kept its profile" \
	"$(h0 -j dest show 2001:db8:77::/48 | jq -r '.[].profile')" mine

edit '.hosts = [.hosts[0]] | .deny = []'
check "topo apply of a file without peers succeeds" h0 topo apply "$file"
check "the uSID prefixes of all ports remain without peers" \
	json_is '4' 'map(select(.usid)) | length' port show
check_equal "only the destination of the operator remains without peers" \
	"$(h0 -j dest show | jq -c 'map(.dst)')" \
	'["2001:db8:77::/48"]'
check_equal "no format remains without peers" "$(h0 -j format show)" '[]'
