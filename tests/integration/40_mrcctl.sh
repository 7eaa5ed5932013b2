#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Every command of mrcctl, in text and in JSON; what the kernel refuses, in
# which words; who may do what; namespaces that cannot see each other; events.
# (What mrcctl itself refuses is tested without a kernel in tests/control.)

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

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

# --- the module loads itself ---------------------------------------------------

check "two hosts come up" fabric simple --links 2
check "the module loads when it is asked for" h0 dev show
check "it is there" test -d /sys/module/mrc

# --- events are recorded from here on --------------------------------------------

listens()
{
	# Sk Eth Pid Groups: generic netlink is 16.
	on h0 awk -v pid="$1" '$2 == 16 && $3 == pid && $4 !~ /^0+$/ { found = 1 }
		END { exit !found }' /proc/net/netlink
}

ip netns exec h0 mrcctl -j monitor > "$tmp/events" &
monitor=$!
ip netns exec h1 mrcctl monitor > "$tmp/events-h1" &
check "the monitor listens" wait_for "$patience" listens "$monitor"

# event FILTER: an event for which jq's FILTER holds has been seen.
event()
{
	jq -e -s "map(select($1)) | length > 0" "$tmp/events"
}

# --- devices -------------------------------------------------------------------

check "dev add" h0 dev add mrc0 netdev p0,p1
check "dev show" grep -q "port 2 state up netdev p1 mtu" <(h0 dev show)
check "dev show, in JSON" json_is '["mrc0",[1,"p0","up"],[2,"p1","up"]]' \
	'.[0] | [.dev, (.ports[] | [.port, .netdev, .state])]' dev show
check "dev show NAME, in JSON" json_is '"mrc0"' '.[].dev' dev show mrc0
check "dev show, with counters" \
	json_is '"number"' '.[].stats.tx_pkts | type' -s dev show mrc0
check "pretty JSON is JSON" json_is '"mrc0"' '.[].dev' -p dev show
check "dev set" h0 dev set mrc0 burst 3
check "the burst is shown" json_is 3 '.[].burst' dev show mrc0
check "icrc, at first" json_is '"auto"' '.[].icrc' dev show mrc0
check "dev set, two at once" h0 dev set mrc0 icrc always burst 4
check "both are shown" json_is '["always",4]' '.[] | [.icrc, .burst]' dev show
check "in text, too" grep -q " burst 4 icrc always$" <(h0 dev show)
check "and back" h0 dev set mrc0 icrc auto burst 3
check "both are shown" grep -q " burst 3 icrc auto$" <(h0 dev show)
check "port show" grep -qE "^mrc0 +2 p1 +[0-9]+ up +[0-9]+ +-$" <(h0 port show)
check "port show, in JSON" json_is '["p0","p1"]' 'map(.netdev)' \
	port show dev mrc0
check_equal "stats show leaves out zeros" "$(h0 stats show dev mrc0)" mrc0
check "stats show all" grep -qE "^ +tx_pkts +0$" <(h0 stats show all)
check "stats show, in JSON" \
	json_is '"mrc0"' '.[] | select(.stats.rx_drops >= 0) | .dev' stats show
check "the counters are those of the RDMA core" same_counters
check "qp show: there is none" json_is '[]' '.' qp show
check "a port that is down is shown" ip -n h0 link set p1 down
check "with its state" json_is '["up","down"]' 'map(.state)' port show
check "and comes up again" ip -n h0 link set p1 up
check "with its state" wait_for "$patience" \
	json_is '["up","up"]' 'map(.state)' port show

check "a name that exists is refused" refused "exists" \
	dev add mrc0 netdev mgmt
check "a port that is in use is refused" refused "netdev" \
	dev add mrc5 netdev p0
check "a port named twice is refused" refused "twice" \
	dev add mrc5 netdev mgmt,mgmt
check "the loopback device is refused" refused "Ethernet" \
	dev add mrc5 netdev lo
check "a wrong name is refused" refused "name" dev add 'mrc%d' netdev mgmt
check "burst 0 is refused" refused "burst" dev set mrc0 burst 0
check "an unknown device is not shown" refused "nope" dev show nope
check "nor deleted" refused "nope" dev del nope
check "nor are its paths shown" refused "nope" path show dev nope
check "nor its queue pairs" refused "nope" qp show dev nope
check "nor its ports" refused "nope" port show dev nope

# --- paths ---------------------------------------------------------------------

path_add()
{
	h0 path add dev mrc0 dst fd00::2 ev "$1" port "$2" \
		sid "fcbb:bb00:1200:2203:1201:32$1::"
}

check "path add" path_add 10 1
check "path add, another" path_add 11 2
check "path add, another peer" h0 path add sid fcbb::9 port 1 ev 10 \
	dst fd00::3 dev mrc0
check "path show" grep -qE "^10 +1 idle +0 .* fcbb:bb00:1200:2203:1201:3210::$" \
	<(h0 path show)
check "path show, in JSON" json_is \
	'[["fd00::2",10,1],["fd00::2",11,2],["fd00::3",10,1]]' \
	'map([.dst, .ev, .port])' path show
check "path show by peer" json_is '["fcbb::9"]' 'map(.sid)' \
	path show dst fd00::3
check "path show by port" json_is '[11]' 'map(.ev)' path show dev mrc0 port 2
check "path show by a peer without paths" json_is '[]' '.' \
	path show dst fd00::4
check "the table fits 80 columns" text_fits path show
check "an ev in use is refused" refused "ev 10" path add dev mrc0 \
	dst fd00::2 ev 10 port 2 sid fcbb::1
check "a port that is none is refused" refused "port 3 of a device with 2" \
	path add dev mrc0 dst fd00::2 ev 12 port 3 sid fcbb::1
check "a group as sid is refused" refused "sid" path add dev mrc0 \
	dst fd00::2 ev 12 port 1 sid ff02::1
check "a group as dst is refused" refused "dst" path add dev mrc0 \
	dst ff02::1 ev 12 port 1 sid fcbb::1
check "an IPv4 dst is refused" refused "IPv4" path add dev mrc0 \
	dst 10.0.0.1 ev 12 port 1 sid fcbb::1
check "path del of an unknown ev is refused" refused "ev 12" \
	path del dev mrc0 dst fd00::2 ev 12
check "path del of an unknown peer is refused" refused "ev 12" \
	path del dev mrc0 dst fd00::4 ev 12
check "path flush of an unknown peer is refused" refused "dst" \
	path flush dev mrc0 dst fd00::4
check "path replace" h0 path replace dev mrc0 dst fd00::2 ev 10 port 1 \
	sid fcbb::10 srh fcbb::11
check "it leads another way" json_is '[["fcbb::10","fcbb::11"]]' \
	'map(select(.dst == "fd00::2" and .ev == 10)) | map([.sid, .srh])' path show
check "by the same port only" refused "ev 10 leaves by port 1: for another port delete it first" \
	path replace dev mrc0 dst fd00::2 ev 10 port 2 sid fcbb::10
check "a path that was not there is added" h0 path replace dev mrc0 \
	dst fd00::2 ev 12 port 2 sid fcbb::12
check "and shown" json_is '[[10,1],[11,2],[12,2]]' 'map([.ev, .port])' \
	path show dst fd00::2
check "path del" h0 path del dev mrc0 dst fd00::2 ev 10
check "another one" h0 path del dev mrc0 dst fd00::2 ev 12
check "the paths are gone" json_is '[11,10]' 'map(.ev)' path show
check "path flush of a peer" h0 path flush dev mrc0 dst fd00::2
check "its paths are gone" json_is '["fd00::3"]' 'map(.dst)' path show
check "path flush" h0 path flush dev mrc0
check "all paths are gone" json_is '[]' '.' path show

# --- many paths: batches, limits, dumps in many parts --------------------------------

for peer in {1..3}; do
	for ev in {1..256}; do
		echo "path add dev mrc0 dst fd00::$peer ev $ev" \
		     "port $((ev % 2 + 1)) sid fcbb:bb00:$ev::$peer"
	done
done > "$tmp/batch"
check "a batch of 768 paths" h0 -b "$tmp/batch"
check "one more is refused" refused "256 paths" path add dev mrc0 \
	dst fd00::2 ev 257 port 1 sid fcbb::1
check "all are shown once" json_is '[768,768]' \
	'[length, (map([.dst, .ev]) | unique | length)]' path show
check "and in order" json_is true \
	'. == sort_by(.dst)' path show
check_equal "and to a reader with small buffers" \
	"$(on h0 /usr/bin/python3 "$lib/netlink.py" count mrc0)" 768

# --- refusals that mrcctl does not provoke -----------------------------------------

check "a device of one port" on h1 mrcctl dev add mrc1 netdev p0
check "malformed messages are refused" on h1 /usr/bin/python3 \
	"$lib/netlink.py" refusals mrc1 \
	"$(on h1 cat /sys/class/net/mgmt/ifindex)"

# --- who may do what -------------------------------------------------------------

check "everybody may see devices" nobody dev show
check "and paths" nobody path show
check "and counters" nobody stats show
for command in "dev add mrc7 netdev mgmt" "dev del mrc0" \
	       "dev set mrc0 burst 1" "dev set mrc0 icrc always" \
	       "path flush dev mrc0" \
	       "path del dev mrc0 dst fd00::1 ev 1" \
	       "path add dev mrc0 dst fd00::9 ev 1 port 1 sid fcbb::1" \
	       "path replace dev mrc0 dst fd00::9 ev 1 port 1 sid fcbb::1" \
	       "qp show"; do
	# shellcheck disable=SC2086
	check_fails "but not: $command" "not permitted" nobody $command
done

# Root in a user namespace is nobody outside of it, and names of devices are
# global.
own_device()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		unshare --user --map-root-user --net bash -c \
		"ip link add v0 type veth peer name v1 && mrcctl $1"
}

check "root of a user namespace may look" own_device "dev show"
check_fails "but not make devices" "not permitted" \
	own_device "dev add mrc7 netdev v0"

# What is in a network namespace of his own is his.
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
# Before that the map is that of everybody.
check "a network namespace of his own" wait_for "$patience" \
	grep -q 65534 "/proc/$owner/uid_map"
check "has ports" owned ip link add v0 type veth peer name v1
check "of which root of the machine makes a device" \
	owned mrcctl dev add mrc7 netdev v0
for command in "dev set mrc7 burst 2" "port set dev mrc7 port 1 down" \
	       "path add dev mrc7 dst fd00::9 ev 1 port 1 sid fcbb::1" \
	       "path deny dev mrc7 port 1" "cc add c dev mrc7" "qp show"; do
	# shellcheck disable=SC2086
	check "its owner may: $command" owned_by_user $command
done
check_fails "but not delete it" "not permitted" owned_by_user dev del mrc7
kill "$owner"
check "it goes with its namespace" wait_for "$patience" \
	test ! -e /sys/class/infiniband/mrc7
check "nothing has changed" json_is 768 length path show

# --- namespaces ----------------------------------------------------------------------

check_fails "h1 does not see the device of h0" "no mrc device mrc0" \
	on h1 mrcctl dev show mrc0
check_fails "nor may it delete it" "no mrc device mrc0" \
	on h1 mrcctl dev del mrc0
check_fails "nor change its paths" "no mrc device mrc0" \
	on h1 mrcctl path flush dev mrc0
check_equal "its own device is the only one" \
	"$(on h1 mrcctl -j dev show | jq -c 'map(.dev)')" '["mrc1"]'
check_equal "its paths are none" "$(on h1 mrcctl -j path show)" '[]'
check_equal "option -n enters a namespace" \
	"$(mrcctl -n h1 -j dev show | jq -c 'map(.dev)')" '["mrc1"]'
check_equal "and there is none outside" "$(mrcctl -j dev show)" '[]'

# --- the end, and what the monitor has seen ----------------------------------------

check "dev del" h0 dev del mrc0
check "it is gone" json_is '[]' '.' dev show
check "event: device added" wait_for "$patience" \
	event '.event == "dev-add" and .dev == "mrc0"'
check "event: port down" wait_for "$patience" event \
	'.event == "port" and .port == 2 and .netdev == "p1" and .state == "down"'
check "event: port up" wait_for "$patience" \
	event '.event == "port" and .port == 2 and .state == "up"'
check "event: device deleted" wait_for "$patience" \
	event '.event == "dev-del" and .dev == "mrc0"'
check "events carry the time, in order" \
	jq -e -s 'map(.time_ns) | . == sort and .[0] > 1e18' "$tmp/events"
check "no event of h1 is among them" \
	jq -e -s 'map(.dev) | unique == ["mrc0"]' "$tmp/events"
check "and h1 was told of its own only" wait_for "$patience" \
	grep -q "mrc1 dev-add$" "$tmp/events-h1"
check_equal "in text, and of no other" \
	"$(grep -c mrc0 "$tmp/events-h1")" 0

check "a device whose net device goes" h0 dev add mrc0 netdev p1
check "goes with it" ip -n h0 link del p1
check "and is not shown any more" wait_for "$patience" \
	json_is '[]' '.' dev show
check "event: it is gone" wait_for "$patience" eval \
	'[ "$(grep -c dev-del "$tmp/events")" -eq 2 ]'
kill "$monitor"
