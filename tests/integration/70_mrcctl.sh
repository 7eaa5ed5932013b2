#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Commands of mrcctl for devices, ports, paths and counters, in text and in JSON;
# refusals of the kernel and their messages; privileges; network namespaces, which do
# not see each other's devices; events (mrcctl monitor). netlink.py sends requests
# that mrcctl does not send. (What mrcctl itself refuses is tested without a kernel in
# tests/control.)

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

text_fits()
{
	h0 "$@" > "$tmp/text" || return
	awk 'length > 80 { print; bad = 1 } END { exit bad }' "$tmp/text"
}

# The RDMA core shows counters by port, under the same names.
same_counters()
{
	diff <(h0 -j stats show | jq -r '.[].stats | keys[]' | sort) \
		<(find /sys/class/infiniband/mrc0/ports/1/hw_counters \
			-type f ! -name lifespan -printf '%f\n' | sort)
}

# --- the module is loaded on demand ------------------------------------------

check "two hosts come up" fabric simple --links 2
check "dev show loads the module" h0 dev show
check "the module is loaded after dev show" test -d /sys/module/mrc

# --- the monitor records events from here on ---------------------------------

listens()
{
	# Sk Eth Pid Groups: generic netlink is 16.
	on h0 awk -v pid="$1" '$2 == 16 && $3 == pid && $4 !~ /^0+$/ { found = 1 }
		END { exit !found }' /proc/net/netlink
}

ip netns exec h0 mrcctl -j monitor > "$tmp/events" &
monitor=$!
ip netns exec h1 mrcctl monitor > "$tmp/events-h1" &
check "mrcctl monitor listens for events" \
	wait_for "$patience" listens "$monitor"

# event FILTER: the monitor has recorded an event for which jq's FILTER holds.
event()
{
	jq -e -s "map(select($1)) | length > 0" "$tmp/events"
}

# --- devices -------------------------------------------------------------------

check "dev add creates mrc0 with two ports" h0 dev add mrc0 netdev p0,p1
check "dev show reports port 2 of mrc0" \
	grep -q "port 2 state up netdev p1 mtu" <(h0 dev show)
check "dev show in JSON reports mrc0 with its ports" \
	json_is '["mrc0",[1,"p0","up"],[2,"p1","up"]]' \
	'.[0] | [.dev, (.ports[] | [.port, .netdev, .state])]' dev show
check "dev show mrc0 in JSON reports mrc0 only" \
	json_is '"mrc0"' '.[].dev' dev show mrc0
check "dev show -s in JSON has counters" \
	json_is '"number"' '.[].stats.tx_pkts | type' -s dev show mrc0
check "dev show -p prints valid JSON" json_is '"mrc0"' '.[].dev' -p dev show
check "dev set burst 3 succeeds" h0 dev set mrc0 burst 3
check "dev show reports burst 3" json_is 3 '.[].burst' dev show mrc0
check "dev show reports icrc auto of a new device" \
	json_is '"auto"' '.[].icrc' dev show mrc0
check "dev show reports peer-ports trust of a new device" \
	json_is '"trust"' '.[]["peer-ports"]' dev show mrc0
check "dev set icrc and burst in one command succeeds" \
	h0 dev set mrc0 icrc always burst 4
check "dev show in JSON reports icrc always and burst 4" \
	json_is '["always",4]' '.[] | [.icrc, .burst]' dev show
check "dev show in text reports burst 4 and icrc always" \
	grep -q " burst 4 icrc always peer-ports trust$" <(h0 dev show)
check "dev set icrc auto burst 3 succeeds" h0 dev set mrc0 icrc auto burst 3
check "dev show in text reports burst 3 and icrc auto" \
	grep -q " burst 3 icrc auto peer-ports trust$" <(h0 dev show)
check "dev set peer-ports ignore succeeds" h0 dev set mrc0 peer-ports ignore
check "dev show in JSON reports peer-ports ignore" \
	json_is '"ignore"' '.[]["peer-ports"]' dev show
check "dev set peer-ports with an unknown word is refused" \
	exits_with 1 dev set mrc0 peer-ports never
check "dev set peer-ports trust succeeds" h0 dev set mrc0 peer-ports trust
check "port show reports port 2 as a table row" \
	grep -qE "^mrc0 +2 p1 +[0-9]+ up +[0-9]+ +([0-9]+|-) +-$" <(h0 port show)
check "port show in JSON reports the net devices" \
	json_is '["p0","p1"]' 'map(.netdev)' \
	port show dev mrc0
check_equal "stats show leaves out counters that are 0" \
	"$(h0 stats show dev mrc0)" mrc0
check "stats show all reports counters that are 0" \
	grep -qE "^ +tx_pkts +0$" <(h0 stats show all)
check "stats show in JSON reports rx_drops of mrc0" \
	json_is '"mrc0"' '.[] | select(.stats.rx_drops >= 0) | .dev' stats show
check "stats show has the names of the RDMA core's counters" same_counters
check "qp show without queue pairs reports none" json_is '[]' '.' qp show
check "the net device p1 is taken down" ip -n h0 link set p1 down
check "port show reports port 2 down" \
	json_is '["up","down"]' 'map(.state)' port show
check "the net device p1 is brought up" ip -n h0 link set p1 up
check "port show reports port 2 up" wait_for "$patience" \
	json_is '["up","up"]' 'map(.state)' port show

check "dev add with the name of an existing device is refused" \
	refused "exists" \
	dev add mrc0 netdev mgmt
check "dev add with a port of another device is refused" refused "netdev" \
	dev add mrc5 netdev p0
check "dev add with the same port twice is refused" refused "twice" \
	dev add mrc5 netdev mgmt,mgmt
check "dev add with the loopback device is refused" refused "Ethernet" \
	dev add mrc5 netdev lo
check "dev add with an invalid name is refused" \
	refused "name" dev add 'mrc%d' netdev mgmt
check "dev set burst 0 is refused" refused "burst" dev set mrc0 burst 0
check "dev show of an unknown device is refused" refused "nope" dev show nope
check "dev del of an unknown device is refused" refused "nope" dev del nope
check "path show of an unknown device is refused" \
	refused "nope" path show dev nope
check "qp show of an unknown device is refused" refused "nope" qp show dev nope
check "port show of an unknown device is refused" \
	refused "nope" port show dev nope

# --- paths ---------------------------------------------------------------------

path_add()
{
	h0 path add dev mrc0 dst fd00::2 ev "$1" port "$2" \
		sid "fcbb:bb00:1200:2203:1201:32$1::"
}

check "path add of ev 10 on port 1 succeeds" path_add 10 1
check "path add of ev 11 on port 2 succeeds" path_add 11 2
check "path add of ev 10 to another peer succeeds" \
	h0 path add sid fcbb::9 port 1 ev 10 \
	dst fd00::3 dev mrc0
check "path show reports the path with ev 10 as a table row" \
	grep -qE "^10 +1 idle +0 .* fcbb:bb00:1200:2203:1201:3210::$" \
	<(h0 path show)
check "path show in JSON reports all three paths" json_is \
	'[["fd00::2",10,1],["fd00::2",11,2],["fd00::3",10,1]]' \
	'map([.dst, .ev, .port])' path show
check "path show dst reports the path of that peer only" \
	json_is '["fcbb::9"]' 'map(.sid)' \
	path show dst fd00::3
check "path show port reports the path of that port only" \
	json_is '[11]' 'map(.ev)' path show dev mrc0 port 2
check "path show dst of a peer without paths reports none" json_is '[]' '.' \
	path show dst fd00::4
check "path show prints at most 80 columns" text_fits path show
check "path add of an ev in use is refused" refused "ev 10" path add dev mrc0 \
	dst fd00::2 ev 10 port 2 sid fcbb::1
check "path add on port 3 of 2 is refused" refused "port 3 of a device with 2" \
	path add dev mrc0 dst fd00::2 ev 12 port 3 sid fcbb::1
check "path add with a multicast sid is refused" \
	refused "sid" path add dev mrc0 \
	dst fd00::2 ev 12 port 1 sid ff02::1
check "path add with a multicast dst is refused" \
	refused "dst" path add dev mrc0 \
	dst ff02::1 ev 12 port 1 sid fcbb::1
check "path add with an IPv4 dst is refused" refused "IPv4" path add dev mrc0 \
	dst 10.0.0.1 ev 12 port 1 sid fcbb::1
check "path del of an unknown ev is refused" refused "ev 12" \
	path del dev mrc0 dst fd00::2 ev 12
check "path del of an unknown peer is refused" refused "ev 12" \
	path del dev mrc0 dst fd00::4 ev 12
check "path flush of an unknown peer is refused" refused "dst" \
	path flush dev mrc0 dst fd00::4
check "path replace with another sid and srh succeeds" \
	h0 path replace dev mrc0 dst fd00::2 ev 10 port 1 \
	sid fcbb::10 srh fcbb::11
check "path show reports the replaced sid and srh" \
	json_is '[["fcbb::10","fcbb::11"]]' \
	'map(select(.dst == "fd00::2" and .ev == 10)) | map([.sid, .srh])' path show
check "path replace with another port is refused" \
	refused "ev 10 leaves by port 1: for another port delete it first" \
	path replace dev mrc0 dst fd00::2 ev 10 port 2 sid fcbb::10
check "path replace of an unknown ev adds the path" h0 path replace dev mrc0 \
	dst fd00::2 ev 12 port 2 sid fcbb::12
check "path show reports the path that path replace has added" \
	json_is '[[10,1],[11,2],[12,2]]' 'map([.ev, .port])' \
	path show dst fd00::2
check "path del of ev 10 succeeds" h0 path del dev mrc0 dst fd00::2 ev 10
check "path del of ev 12 succeeds" h0 path del dev mrc0 dst fd00::2 ev 12
check "path show does not report the deleted paths" \
	json_is '[11,10]' 'map(.ev)' path show
check "path flush dst of a peer succeeds" h0 path flush dev mrc0 dst fd00::2
check "path show reports no path of the flushed peer" \
	json_is '["fd00::3"]' 'map(.dst)' path show
check "path flush of the device succeeds" h0 path flush dev mrc0
check "path show reports no path after path flush" json_is '[]' '.' path show

# --- many paths: batches, limits, dumps in many parts --------------------------------

for peer in {1..3}; do
	for ev in {1..256}; do
		echo "path add dev mrc0 dst fd00::$peer ev $ev" \
		     "port $((ev % 2 + 1)) sid fcbb:bb00:$ev::$peer"
	done
done > "$tmp/batch"
check "a batch of 768 paths" h0 -b "$tmp/batch"
check "path add of path 257 to a peer is refused" \
	refused "256 paths" path add dev mrc0 \
	dst fd00::2 ev 257 port 1 sid fcbb::1
check "path show reports each of the 768 paths once" json_is '[768,768]' \
	'[length, (map([.dst, .ev]) | unique | length)]' path show
check "path show reports the 768 paths in order of peers" json_is true \
	'. == sort_by(.dst)' path show
check_equal "a reader with small buffers gets all 768 paths" \
	"$(on h0 /usr/bin/python3 "$tests/tools/netlink/netlink.py" count mrc0)" 768

# --- requests that mrcctl does not send --------------------------------------

check "mrc1 with one port is created on h1" on h1 mrcctl dev add mrc1 netdev p0
check "malformed netlink messages are refused" on h1 /usr/bin/python3 \
	"$tests/tools/netlink/netlink.py" refusals mrc1 \
	"$(on h1 cat /sys/class/net/mgmt/ifindex)"

# --- privileges --------------------------------------------------------------

check "dev show works without privileges" unprivileged dev show
check "path show works without privileges" unprivileged path show
check "stats show works without privileges" unprivileged stats show
for command in "dev add mrc7 netdev mgmt" "dev del mrc0" \
	       "dev set mrc0 burst 1" "dev set mrc0 icrc always" \
	       "dev set mrc0 peer-ports ignore" \
	       "path flush dev mrc0" \
	       "path del dev mrc0 dst fd00::1 ev 1" \
	       "path add dev mrc0 dst fd00::9 ev 1 port 1 sid fcbb::1" \
	       "path replace dev mrc0 dst fd00::9 ev 1 port 1 sid fcbb::1" \
	       "qp show"; do
	# shellcheck disable=SC2086
	check_fails "without privileges '$command' is refused" \
		"not permitted" unprivileged $command
done

# Root in a user namespace has no capabilities outside of it; device names are global.
user_ns_mrcctl()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		unshare --user --map-root-user --net bash -c \
		"ip link add v0 type veth peer name v1 && mrcctl $1"
}

check "dev show works for root of a user namespace" user_ns_mrcctl "dev show"
check_fails "dev add is refused for root of a user namespace" "not permitted" \
	user_ns_mrcctl "dev add mrc7 netdev v0"

# The owner of a network namespace may change the devices in it.
setpriv --reuid 65534 --regid 65534 --clear-groups \
	unshare --user --map-root-user --net sleep 86400 &
owner=$!
owned()
{
	nsenter --target "$owner" --net "$@"
}
owned_by_user()
{
	nsenter --target "$owner" --user --net mrcctl "$@"
}
# Until unshare(1) has written the map, it is that of the initial user namespace.
check "a user owns a network namespace" wait_for "$patience" \
	grep -q 65534 "/proc/$owner/uid_map"
check "net devices are created in the namespace of the user" \
	owned ip link add v0 type veth peer name v1
check "root creates mrc7 in the namespace of the user" \
	owned mrcctl dev add mrc7 netdev v0
for command in "dev set mrc7 burst 2" "port set dev mrc7 port 1 down" \
	       "path add dev mrc7 dst fd00::9 ev 1 port 1 sid fcbb::1" \
	       "path deny dev mrc7 port 1" "cc add c dev mrc7" "qp show"; do
	# shellcheck disable=SC2086
	check "the owner of the namespace may '$command'" owned_by_user $command
done
check_fails "dev del is refused for the owner of the namespace" \
	"not permitted" owned_by_user dev del mrc7
kill "$owner"
check "mrc7 is gone after its namespace is deleted" wait_for "$patience" \
	test ! -e /sys/class/infiniband/mrc7
check "mrc0 has all its 768 paths after the refused commands" \
	json_is 768 length path show

# --- namespaces ----------------------------------------------------------------------

check_fails "dev show on h1 does not find the device of h0" \
	"no mrc device mrc0" \
	on h1 mrcctl dev show mrc0
check_fails "dev del on h1 does not find the device of h0" \
	"no mrc device mrc0" \
	on h1 mrcctl dev del mrc0
check_fails "path flush on h1 does not find the device of h0" \
	"no mrc device mrc0" \
	on h1 mrcctl path flush dev mrc0
check_equal "dev show on h1 reports mrc1 only" \
	"$(on h1 mrcctl -j dev show | jq -c 'map(.dev)')" '["mrc1"]'
check_equal "path show on h1 reports no path" \
	"$(on h1 mrcctl -j path show)" '[]'
check_equal "dev show with option -n h1 reports mrc1 only" \
	"$(mrcctl -n h1 -j dev show | jq -c 'map(.dev)')" '["mrc1"]'
check_equal "dev show in the first namespace reports no device" \
	"$(mrcctl -j dev show)" '[]'

# --- another name --------------------------------------------------------------------

# What udev calls for each new RDMA device: it leaves those without hardware alone.
rename=/lib/udev/rdma_rename
if [ -x "$rename" ]; then
	on h0 "$rename" mrc0 NAME_FALLBACK > "$tmp/rename" 2>&1
	check "mrc0 keeps its name when udev sees it" h0 dev show mrc0
else
	skip "mrc0 keeps its name when udev sees it" "no $rename"
fi
check "rdma(8) renames mrc0" on h0 rdma dev set mrc0 name roce-a
check "dev show reports the new name of mrc0 only" \
	json_is '["roce-a"]' 'map(.dev)' dev show
check_fails "dev show does not find mrc0 by its old name" "no mrc device mrc0" \
	h0 dev show mrc0
check "the renamed device has all its 768 paths" \
	json_is '["roce-a",768]' '[.[0].dev, length]' path show dev roce-a
check "mrcctl sets an attribute of the renamed device" \
	h0 dev set roce-a burst 7
check "the attribute is that of mrc0 when it has its old name again" eval \
	'on h0 rdma dev set roce-a name mrc0 &&
	 json_is 7 ".[].burst" dev show mrc0'

# --- deletion, and events of the monitor -------------------------------------

check "dev del of mrc0 succeeds" h0 dev del mrc0
check "dev show does not report mrc0 after dev del" json_is '[]' '.' dev show
check "the monitor reports dev-add of mrc0" wait_for "$patience" \
	event '.event == "dev-add" and .dev == "mrc0"'
check "the monitor reports port 2 of mrc0 down" wait_for "$patience" event \
	'.event == "port" and .port == 2 and .netdev == "p1" and .state == "down"'
check "the monitor reports port 2 of mrc0 up" wait_for "$patience" \
	event '.event == "port" and .port == 2 and .state == "up"'
check "the monitor reports dev-del of mrc0" wait_for "$patience" \
	event '.event == "dev-del" and .dev == "mrc0"'
check "the events of the monitor are in order of time" \
	jq -e -s 'map(.time_ns) | . == sort and .[0] > 1e18' "$tmp/events"
check "the monitor on h0 reports no event of mrc1" \
	jq -e -s 'map(.dev) | unique == ["mrc0"]' "$tmp/events"
check "the monitor on h1 reports dev-add of mrc1" wait_for "$patience" \
	grep -q "mrc1 dev-add$" "$tmp/events-h1"
check_equal "the monitor on h1 reports no event of mrc0" \
	"$(grep -c mrc0 "$tmp/events-h1")" 0

check "mrc0 with port p1 only is created" h0 dev add mrc0 netdev p1
check "the net device of the only port of mrc0 is deleted" ip -n h0 link del p1
check "dev show does not report mrc0 after its only net device is deleted" \
	wait_for "$patience" \
	json_is '[]' '.' dev show
check "the monitor reports a second dev-del" wait_for "$patience" eval \
	'[ "$(grep -c dev-del "$tmp/events")" -eq 2 ]'
kill "$monitor"
