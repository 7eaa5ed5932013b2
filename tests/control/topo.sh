#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# mrcctl topo without a kernel: the examples of the documentation and their schema,
# the message of every mistake, the drawings of "topo show", and the commands that
# "topo apply" would carry out.
#
#   topo.sh MRCCTL
set -uo pipefail

. "$(dirname "$0")/lib.sh"

here=$(dirname "$(readlink -f "$0")")
docs=$(cd "$here/../../Documentation" && pwd)
clos=$docs/examples/topology-clos.json
small=$docs/examples/topology-small.json

# prints WORD ARG...: mrcctl topo ARG... prints WORD and ends with status 0.
prints()
{
	local word=$1

	shift
	run topo "$@"
	[ "$status" -eq 0 ] && grep -qF -- "$word" "$tmp/out" &&
		[ ! -s "$tmp/err" ]
	verdict $? "topo $1 ${2##*/}${3:+ ${*:3}} prints '$word'"
}

# refuses WORD ARG...: mrcctl topo ARG... prints one message with WORD and ends
# with status 1.
refuses()
{
	local word=$1

	shift
	run topo "$@"
	[ "$status" -eq 1 ] && one_sentence && grep -qF -- "$word" "$tmp/err"
	verdict $? "topo $1 is refused: $word"
}

# valid FILE: FILE conforms to the schema.
valid()
{
	python3 - "$docs/topology.schema.json" "$1" <<- END
		import json, sys, jsonschema
		schema, file = (json.load(open(name)) for name in sys.argv[1:])
		jsonschema.Draft202012Validator(schema).validate(file)
	END
}

# mistake WORDS FILTER: the example, changed by jq's FILTER, is refused with one
# message with WORDS, and no command is printed.
mistake()
{
	jq "$2" "$clos" > "$tmp/file"
	refuses "$1" apply "$tmp/file" host h0 dev mrc0 dry-run fresh
}

# invalid WORDS FILTER: as "mistake"; the file does not conform to the schema either.
invalid()
{
	mistake "$@"
	! valid "$tmp/file" > "$tmp/out" 2> "$tmp/err"
	verdict $? "the schema refuses the file with: $1"
}

# --- examples -----------------------------------------------------------------

for file in "$clos" "$small"; do
	valid "$file" > "$tmp/out" 2> "$tmp/err"
	verdict $? "${file##*/} conforms to the schema"
	prints "no mistakes" check "$file"
	python3 -c 'import sys
sys.exit(open(sys.argv[1]).read() not in open(sys.argv[2]).read())' \
		"$file" "$docs/topology.md" > "$tmp/out" 2> "$tmp/err"
	verdict $? "topology.md shows the contents of ${file##*/}"
done
"$here/topo_model.py" "$mrcctl" "$docs/topology.schema.json" 100 \
	> "$tmp/out" 2> "$tmp/err"
verdict $? "topo show and topo apply agree with a model over random topologies"

# --- invalid files -----------------------------------------------------------

refuses "'file' is missing" check
refuses "'file' is missing" apply
refuses "$tmp/none" check "$tmp/none"
printf '{\n"planes": 4,\n"block" "x"\n}\n' > "$tmp/file"
refuses "line 3, column 11" check "$tmp/file"
printf '{ "planes": 4, "planes": 5 }' > "$tmp/file"
refuses "duplicate object key" check "$tmp/file"
invalid "the file is an array, give an object" '[]'
invalid "spines: there is no such key, remove it or use one of: planes" \
	'.spines = 4'
invalid "t1.uplinks: there is no such key" '.t1.uplinks = 4'
invalid "hosts[1].T0: there is no such key" '.hosts[1].T0 = 4'
invalid "planes: this is a string, give a whole number" '.planes = "4"'
invalid "planes: this is missing" 'del(.planes)'
invalid "planes: 33 is out of range, use 1 to 32" '.planes = 33'
invalid "hosts[0]: this is a string, give an object" '.hosts[0] = "h0"'
invalid "hosts[0].name: this is missing" 'del(.hosts[0].name)'
invalid "hosts[1].t0: this is missing" 'del(.hosts[1].t0)'
invalid "t0: this is missing" 'del(.t0)'
invalid "hosts: this is missing" 'del(.hosts)'
invalid "block: \"fcbb:bb00\" is no prefix" '.block = "fcbb:bb00"'
mistake "block: \"fcbb:bb01::/24\" has bits set after its first 24" \
	'.block = "fcbb:bb01::/24"'
mistake "block: 30 bits are not possible" '.block = "fcbb:bb00::/30"'
invalid "usid_bits: 15 is no multiple of 4" '.usid_bits = 15'
invalid "paths: 257 is out of range" '.paths = 257'
mistake "paths: 3 paths are fewer than planes" '.paths = 3'
invalid "t0.usids: usid or count is given too" '.t0.usids = ["1p00", "1p01"]'

# --- uSIDs --------------------------------------------------------------------

mistake "t1.usid: \"2pn\" has 3 digits, write 4, as uSIDs have 16 bits" \
	'.t1.usid = "2pn"'
invalid "t1.usid: \"2pgg\" is no uSID" '.t1.usid = "2pgg"'
mistake "t1.usid: number 16 does not fit the digits n of \"2p0n\"" \
	'.t1 = { count: 17, usid: "2p0n" }'
mistake "t0: plane 16 does not fit the digits p of \"1p00\"" \
	'.first_plane = 13 | .t1.usid = "2ppn" | .host_usid = "3ppn"'
mistake "\"2p0p\" are not adjacent" '.t1.usids = ["2p0p"] | del(.t1.count, .t1.usid)'
mistake "\"2p00\" and \"20p1\" have the plane in different places" \
	'.t1.usids = ["2p00", "20p1"] | del(.t1.count, .t1.usid)'
mistake "t1.usids[1]: uSID \"0000\" is zero" \
	'.t1.usids = ["2p00", "0000"] | del(.t1.count, .t1.usid)'
mistake "hosts[1].usid: \"3pnn\" has a digit n, which is the number, add that" \
	'del(.hosts[1].number)'
mistake "hosts[0].usid: this is missing" '.hosts[1].usid = "3p01" | del(.host_usid)'
mistake "a block of 32 bits and 4 uSIDs of 28 do not fit 128 bits" \
	'.usid_bits = 28 | .t0.usid = "1p0000n" | .t1.usid = "2p0000n" |
	 .host_usid = "3p0000n"'
mistake "h0 and h1 both have uSID 3000 in plane 0" \
	'.hosts[1].number = 0 | .hosts[1].t0 = 0'
jq '.hosts[1].number = 0' "$clos" > "$tmp/file"
prints "no mistakes" check "$tmp/file"
mistake "t0-0-1 and t1-0-0 both have uSID 1001 in plane 0" \
	'.t1.usids = ["1p01"] | del(.t1.count, .t1.usid)'
mistake "t1-2-1 and h1 both have uSID 3201 in plane 2" \
	'.t1 = { usids: [["2000", "2001"], ["2100", "2101"],
			 ["2200", "3201"], ["2300", "2301"]] }'

# --- planes -------------------------------------------------------------------

mistake "plane 2 has 3 switches, plane 0 has 4" \
	'.t1 = { usids: [["2000", "2001", "2002", "2003"],
			 ["2100", "2101", "2102", "2103"],
			 ["2200", "2201", "2202"],
			 ["2300", "2301", "2302", "2303"]] }'
mistake "the lists are for 1 planes, give one for each of the 4" \
	'.t1 = { usids: [["2000", "2001"]] }'
mistake "hosts[1].t0: the host is attached to 3 planes of 4" \
	'.hosts[1].t0 = [1, 1, 1]'

# --- hosts --------------------------------------------------------------------

mistake "hosts[1].t0: there is no T0 2, use 0 to 1" '.hosts[1].t0 = 2'
mistake "hosts[1].t0[3]: there is no T0 7" '.hosts[1].t0 = [1, 1, 1, 7]'
invalid "hosts[1].address: \"host\" is no IPv6 address" \
	'.hosts[1].address = "host"'
mistake "hosts[1].address: \"10.0.0.1\" is no IPv6" \
	'.hosts[1].address = "10.0.0.1"'
mistake "hosts[1].address: \"fd00::1/64\" is no IPv6 address or prefix" \
	'.hosts[1].address = "fd00::1/64"'
mistake "both have name h0" '.hosts[1].name = "h0"'
mistake "both have address 2001:db8:100::1/128" \
	'.hosts[1].address = .hosts[0].address'
mistake "both have port 7 of its T0" \
	'.hosts[].port = 7 | .hosts[].t0 = 0'

# --- deny --------------------------------------------------------------------

mistake "deny[0]: \"t1-0-4\": there is no such switch, tier 1 has 4" \
	'.deny = ["t1-0-4"]'
mistake "deny[0]: \"t1-4-0\": there is no plane 4, use 0 to 3 or *" \
	'.deny = ["t1-4-0"]'
invalid "deny[1]: \"h0:t0-0-0\" is no switch or link" \
	'.deny = ["t1-0-0", "h0:t0-0-0"]'
mistake "\"t1-0-0:t1-0-1\" is no link" '.deny = ["t1-0-0:t1-0-1"]'
mistake "\"t0-0-0:t1-1-0\" is no link" '.deny = ["t0-0-0:t1-1-0"]'
mistake "deny: plane 2 has no path from h0 to h1" \
	'.deny = ["t1-2-0", "t1-2-1", "t0-2-0:t1-2-2", "t0-2-1:t1-2-3"]'
mistake "h1 is unreachable from h0, no plane has a path left" \
	'.deny = ["t1-*-0", "t1-*-1", "t1-*-2", "t1-*-3"]'
mistake "h1 is unreachable from h0, they are attached to different T0s of plane 0" \
	'del(.t1)'
mistake "deny[0]: h1 is attached to t0-3-1 and would have no path in plane 3" \
	'.deny = ["t0-3-1"]'
jq '.t0.count = 3 | .deny = ["t0-*-2", "t1-0-0", "t0-1-1:t1-1-2"]' "$clos" \
	> "$tmp/file"
prints "no mistakes" check "$tmp/file"

# --- interfaces ----------------------------------------------------------------

ports='.t0.down = { name: "Ethernet", step: 4 } | .hosts[].port = 7 |
	.hosts[1].t0 = 1 | .t0.up = { name: "Ethernet", first: 64, step: 4 }'
jq "$ports" "$clos" > "$tmp/file"
prints "no mistakes" check "$tmp/file"
valid "$tmp/file" > "$tmp/out" 2> "$tmp/err"
verdict $? "the schema accepts names of interfaces"
invalid "link_local: \"fc00::\" is no link-local address" '.link_local = "fc00::"'
mistake "link_local: \"fe80::1:0001\" has bits set in its last 16" \
	'.link_local = "fe80::1:0001"'
invalid "t0.down.name: this is missing" '.t0.down = { first: 1 }'
invalid "t0.up.step: 0 is out of range" '.t0.up = { name: "e", step: 0 }'
invalid "t0.up.name: \"a b\" is no name of an interface" '.t0.up = { name: "a b" }'
mistake "hosts[0].port: this is missing, add it, since t0.down names" \
	'.t0.down = { name: "Ethernet" }'
mistake "hosts[0].port: its T0 has Ethernet28 for a T1 already" \
	"$ports | .t0.up.first = 20"
mistake "t1.up: T1s are the highest tier" '.t1.up = { name: "Ethernet" }'

# --- export --------------------------------------------------------------------

# exports FORMAT SWITCH: topo export prints exactly the standard input.
exports()
{
	cat > "$tmp/wanted"
	run topo export "$tmp/file" format "$1" switch "$2"
	[ "$status" -eq 0 ] && [ ! -s "$tmp/err" ] &&
		diff "$tmp/wanted" "$tmp/out" > "$tmp/err"
	verdict $? "topo export prints the configuration of $2 for $1"
}

jq "$ports"' | .t1.count = 2 | .link_local = "fe80::ff:fe00:0"' "$clos" > "$tmp/file"
exports linux t0-2-1 <<'END'
# t0-2-1: ip -batch FILE
address replace fe80::ff:fe00:1201/64 dev Ethernet64
address replace fe80::ff:fe00:1201/64 dev Ethernet68
address replace fe80::ff:fe00:1201/64 dev Ethernet28
route replace fcbb:bb00:1201::/48 encap seg6local action End flavors next-csid lblen 32 nflen 16 dev sr0
route replace fcbb:bb00:2200::/48 via fe80::ff:fe00:2200 dev Ethernet64
route replace fcbb:bb00:2201::/48 via fe80::ff:fe00:2201 dev Ethernet68
route replace fcbb:bb00:3201::/48 via fe80::ff:fe00:3201 dev Ethernet28
route replace blackhole fcbb:bb00::/32
END
exports frr t1-0-1 <<'END'
! t1-0-1: vtysh -f FILE
interface t0-0-0
 ipv6 address fe80::ff:fe00:2001/64
exit
interface t0-0-1
 ipv6 address fe80::ff:fe00:2001/64
exit
segment-routing
 srv6
  locators
   locator mrc
    prefix fcbb:bb00:2001::/48 block-len 32 node-len 16
    behavior usid
   exit
  exit
  static-sids
   sid fcbb:bb00:2001::/48 locator mrc behavior uN
  exit
 exit
exit
ipv6 route fcbb:bb00:1000::/48 fe80::ff:fe00:1000 t0-0-0
ipv6 route fcbb:bb00:1001::/48 fe80::ff:fe00:1001 t0-0-1
ipv6 route fcbb:bb00::/32 blackhole
END
run topo export "$tmp/file" format sonic switch t0-3-0
jq -e '.INTERFACE["Ethernet28|fe80::ff:fe00:1300/64"] == {} and
	.SRV6_MY_LOCATORS.mrc == { prefix: "fcbb:bb00:1300::", block_len: "32",
		node_len: "16" } and
	.SRV6_MY_SIDS == { "mrc|fcbb:bb00:1300::/48":
		{ action: "uN", decap_dscp_mode: "uniform" } } and
	.STATIC_ROUTE["default|fcbb:bb00:2301::/48"] ==
		{ nexthop: "fe80::ff:fe00:2301", ifname: "Ethernet68" } and
	.STATIC_ROUTE["default|fcbb:bb00::/32"] == { blackhole: "true" } and
	(.STATIC_ROUTE | length) == 4' "$tmp/out" > "$tmp/err"
verdict $? "topo export prints tables for SONiC"
run -j topo export "$clos" format linux
[ "$(jq -r '[.[].switch] | "\(length) \(first) \(last)"' "$tmp/out")" = \
	"24 t0-0-0 t1-3-3" ] &&
	[ "$(jq -r '[.[].config | contains("fe80::")] | all' "$tmp/out")" = true ]
verdict $? "topo export -j has the configuration of each switch"
run topo export "$small" format linux switch t0-1-0
[ "$(grep -c '^route replace .* via fe80::310[123] dev node[123]$' "$tmp/out")" -eq 3 ]
verdict $? "topo export prints the routes of a plane with one switch"
refuses "'switch t2-0-0': no such switch" export "$clos" format linux switch t2-0-0
refuses "'switch' is missing: each has a file of its own" \
	export "$clos" format sonic
refuses "'format cisco': not one of linux frr sonic" export "$clos" format cisco
jq '.usid_bits = 20 | .t0.usid = "1ppnn" | .t1.usid = "2ppnn" | .host_usid = "3ppnn"' \
	"$clos" > "$tmp/file"
refuses "switches shift by whole bytes" export "$tmp/file" format linux
jq '.hosts[0].name = "a-name-of-16-by."' "$clos" > "$tmp/file"
refuses "name of 16 bytes, give one of 15 in t0" \
	export "$tmp/file" format frr switch t0-0-0

# --- import --------------------------------------------------------------------

# import_mistake WORDS FILTER: the path file, changed by FILTER, is refused.
import_mistake()
{
	jq "$2" "$tmp/system" > "$tmp/file"
	refuses "$1" import "$tmp/file" dev mrc0 host fd00::1
}

# Selectors of NVIDIA's example: the digit of the plane occurs in each uSID, and bits 0
# and 1 of the selector are the plane, from 0.
cat > "$tmp/system" <<'END'
{ "fd00:0::1": {
    "fd00::2": [ { "plane": 0, "template_data": "2001:db8:0:101::",
	"template_mask": "0:0:70::", "ps_mask": 28, "ps_list": [ 4, 19 ] } ],
    "fd00::5": [ { "plane": 0, "template_data": "2001:db8::1:104:0:0",
	"template_mask": "0:0:70:7003:70::", "ps_mask": 8188,
	"ps_list": [ 1156, 1188, 4723 ] },
      { "plane": 1, "template_data": "2001:db9::", "template_mask": "::",
	"ps_mask": 0, "ps_list": [ 0 ] } ] } }
END
cat > "$tmp/wanted" <<'END'
path replace dev mrc0 dst fd00::2 ev 4 port 1 sid 2001:db8:10:101::
path replace dev mrc0 dst fd00::2 ev 19 port 4 sid 2001:db8:40:101::
path replace dev mrc0 dst fd00::5 ev 1156 port 1 sid 2001:db8:10:1000:11:104::
path replace dev mrc0 dst fd00::5 ev 1188 port 1 sid 2001:db8:10:1001:11:104::
path replace dev mrc0 dst fd00::5 ev 4723 port 4 sid 2001:db8:40:4003:41:104::
path replace dev mrc0 dst fd00::5 ev 16777216 port 2 sid 2001:db9::
END
run topo import "$tmp/system" dev mrc0 host fd00::1
cmp -s "$tmp/wanted" "$tmp/out" && [ ! -s "$tmp/err" ]
verdict $? "topo import prints the paths of a host"
run -j topo import "$tmp/system" dev mrc0 host fd00::1
[ "$(jq -r '.[] | "path replace dev \(.dev) dst \(.dst) ev \(.ev) port \(.port) sid \(.sid)"' \
	"$tmp/out")" = "$(cat "$tmp/wanted")" ]
verdict $? "topo import -j has the same paths"
import_mistake "'host fd00::1': no such source" '{ "fd00::7": {} }'
import_mistake "fd00:0::1, fd00::5[1]: plane is missing" \
	'.[]["fd00::5"][1].plane = 32'
import_mistake "fd00:0::1, fd00::2[0]: template_mask and ps_mask have not the same" \
	'.[]["fd00::2"][0].ps_mask = 12'
import_mistake "template_data or template_mask is missing" \
	'.[]["fd00::5"][0].template_mask = "x"'
import_mistake "ps_list is missing or no array" '.[]["fd00::5"][0].ps_list = 4'
import_mistake "ps_list has something else" '.[]["fd00::5"][0].ps_list = [ -1 ]'
import_mistake "at most 256 paths" '.[]["fd00::5"][0].ps_list = [ range(257) ]'
import_mistake "a port above 32" \
	'.[]["fd00::2"][0] |= (.ps_mask = 7168 | .ps_list = [ 32 ])'
import_mistake "the destination is no IPv6 address" '.[].x = []'
import_mistake "this is no array of templates" '.[]["fd00::5"] = 1'
refuses "'host' is missing, no local address" import "$tmp/system" dev mrc0
refuses "'dev' is missing" import "$tmp/system"
refuses "$tmp/none" import "$tmp/none" dev mrc0

# --- output ------------------------------------------------------------------

jq '.planes = 0 | .hosts[0].t0 = "x"' "$clos" > "$tmp/file"
run -j topo check "$tmp/file"
[ "$status" -eq 1 ] &&
	[ "$(jq -r '.[].mistakes[].place' "$tmp/out")" = planes ]
verdict $? "topo check -j lists the mistakes of a file"
run -j topo check "$clos"
[ "$status" -eq 0 ] &&
	[ "$(jq -c '.[] | [.planes, .t0, .t1, .hosts, .mistakes]' \
		"$tmp/out")" = '[4,2,4,2,[]]' ]
verdict $? "topo check -j lists no mistake of the example"

cat > "$tmp/wanted" <<'END'
h0 to h1: 4 planes, 16 paths, 3 denied (x)
plane 0, port 1
  h0 -- t0-0-0 1000 --+- t1-0-0 2000 -+-- t0-0-1 1001 -- h1 3001
                      +- t1-0-1 2001 -+
                      x- t1-0-2 2002 -+
                      +- t1-0-3 2003 -+
plane 1, port 2
  h0 -- t0-1-0 1100 --+- t1-1-0 2100 -x-- t0-1-1 1101 -- h1 3101
                      +- t1-1-1 2101 -+
                      +- t1-1-2 2102 -+
                      +- t1-1-3 2103 -+
plane 2, port 3
  h0 -- t0-2-0 1200 --+- t1-2-0 2200 -+-- t0-2-1 1201 -- h1 3201
                      +- t1-2-1 2201 -+
                      +- t1-2-2 2202 -+
                      x- t1-2-3 2203 -x
plane 3, port 4
  h0 -- t0-3-0 1300 --+- t1-3-0 2300 -+-- t0-3-1 1301 -- h1 3301
                      +- t1-3-1 2301 -+
                      +- t1-3-2 2302 -+
                      +- t1-3-3 2303 -+
END
jq '.deny = ["t1-2-3", "t0-0-0:t1-0-2", "t1-1-0:t0-1-1"]' "$clos" > "$tmp/file"
run topo show "$tmp/file" host h0 to h1
cmp -s "$tmp/out" "$tmp/wanted" && [ ! -s "$tmp/err" ]
verdict $? "topo show draws planes and paths, and where they are denied"
run topo apply "$tmp/file" host h0 dev mrc0 dry-run fresh
[ "$(grep -c '^path deny' "$tmp/out")" -eq 3 ] &&
	grep -qx "path deny dev mrc0 port 3 usid 2203" "$tmp/out" &&
	grep -qx "path deny dev mrc0 port 1 usid 1000 next 2002" "$tmp/out" &&
	grep -qx "path deny dev mrc0 port 2 usid 2100 next 1101" "$tmp/out"
verdict $? "topo apply makes deny rules from 'deny'"
prints "13 of 16" show "$tmp/file" host h0
jq '.hosts[].name |= . * 15 | .planes = 16 | .first_plane = 16 |
	.usid_bits = 20 | .block = "fcbb:bb00::/32" | .t0.usid = "1ppnn" |
	.t1 = { count: 200, usid: "2ppnn" } | .host_usid = "3ppnn" |
	.hosts[1].address = "2001:db8:1111:2222:3333:4444:5555:6660/124"' \
	"$clos" > "$tmp/file"
name=$(printf 'h1%.0s' {1..15})
self=$(printf 'h0%.0s' {1..15})
run topo show "$tmp/file" host "$self" to "$name"
[ "$status" -eq 0 ] && [ "$(wc -L < "$tmp/out")" -le 80 ] &&
	grep -q "16 planes, 256 paths" "$tmp/out"
verdict $? "topo show draws a large network in at most 80 columns"
run topo show "$tmp/file" host "$self"
[ "$status" -eq 0 ] && [ "$(wc -L < "$tmp/out")" -le 80 ]
verdict $? "topo show prints the table of a large network in at most 80 columns"
refuses "'to h7': no such host" show "$clos" host h0 to h7
refuses "'host h7': no such host" show "$clos" host h7
refuses "name another one" show "$clos" host h0 to h0
refuses "'host' is missing, no local address is one of a host" show "$clos"
refuses "'fresh' needs 'dry-run' and 'dev'" apply "$clos" host h0 fresh
refuses "'fresh' needs 'dry-run' and 'dev'" apply "$clos" host h0 dry-run fresh
run -j topo apply "$clos" host h0 dev mrc0 dry-run fresh
[ "$(jq -c '[.[] | select(.command == "add") | .object]' "$tmp/out")" = \
	'["format","profile","template","dest"]' ]
verdict $? "topo apply -j dry-run lists the commands"
jq '.packet = 4096' "$clos" > "$tmp/file"
prints "count 16 packet 4096 field" apply "$tmp/file" host h0 dev mrc0 \
	dry-run fresh
jq '.hosts[0].t0 = 1 | .hosts[0].usid = "3pxx" | .hosts[0].port = 26' "$clos" \
	> "$tmp/file"
prints "number 0x31a" apply "$tmp/file" host h1 dev mrc0 dry-run fresh

# Names of objects depend on what a host uses of the file: another host does not
# change them.
run topo apply "$clos" host h0 dev mrc0 dry-run fresh
cp "$tmp/out" "$tmp/before"
jq '.hosts += [{ name: "h2", address: "fd00::2", t0: 0, number: 2 }]' "$clos" \
	> "$tmp/file"
run topo apply "$tmp/file" host h0 dev mrc0 dry-run fresh
[ -z "$(comm -23 <(sort "$tmp/before") <(sort "$tmp/out"))" ]
verdict $? "adding a host to the file changes no command of the others"

[ "$failed" -eq 0 ]
