#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Attributes of queue pairs that verbs have not: what they change on the wire (a
# scripted peer), that the application sets them without privileges and the operator by
# mrcctl, and that a queue pair that is bound to an EV profile uses its paths only.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

has_gids()
{
	gid_index "$1" 6 && gid_index "$1" 4
}

# play FILE HOST TARGET: as in 92_scripted_peer.
play()
{
	"$programs/mrc_peer" -d mrc1 -N "/run/netns/h0" -i p0 \
		-m "$(on h1 cat /sys/class/net/p0/address)" \
		-6 "$(address_of h0 6),$(address_of h1 6)" \
		-4 "$(address_of h0 4),$(address_of h1 4)" \
		"$tests/scenarios/$1"
}

check "two hosts come up" fabric simple
check "mrc1 is created on h1" link_add h1
check "mrc1 has the GIDs of h1" wait_for "$patience" has_gids h1
# What mrcctl shows of the queue pairs while mrc_peer plays.
play round_trip > "$tmp/round_trip" 2>&1 &
player=$!
while kill -0 "$player" 2> /dev/null; do
	on h1 mrcctl -j qp show dev mrc1
	sleep 0.2
done > "$tmp/qps"
import_tap < "$tmp/round_trip"

# base_rtts STATE: base round trips of queue pairs with svc-time STATE, in ms, and whether
# the smoothed ones are those of the application, 4 ms.
base_rtts()
{
	jq -s -c --arg state "$1" 'flatten | map(select(.["svc-time"] == $state and
			.base_rtt_ns > 0)) |
		[(map(.base_rtt_ns / 1000000 | floor) | unique),
		 all(.srtt_ns >= 4000000)]' "$tmp/qps"
}
check_equal "with svc-time congestion control subtracts the service time of the peer" \
	"$(base_rtts on)" '[[0],true]'
check_equal "without svc-time congestion control takes it for a part of the round trip" \
	"$(base_rtts off)" '[[4],true]'

check "mrc1 sends without regard to queues and reordering" careless h1
check_tap "mrc_peer scenarios for attributes" play attributes

# qp_attr GROUP...: mrc_qp_attr between the two devices.
qp_attr()
{
	"$programs/mrc_qp_attr" -d mrc0 -D mrc1 -g "$(gid_index h0 6)" "$@"
}

# As a user without capabilities, who may open the device.
qp_attr_unprivileged()
{
	chmod a+rw /dev/infiniband/uverbs* &&
		setpriv --reuid 65534 --regid 65534 --clear-groups \
			"$programs/mrc_qp_attr" -d mrc0 -D mrc1 \
			-g "$(gid_index h0 6)" "$@"
}

check "mrc0 is created on h0" link_add h0
check "mrc0 has the GIDs of h0" wait_for "$patience" has_gids h0
check_tap "attributes set by an application without privileges" \
	qp_attr_unprivileged limits ranges states
check "packets need a millisecond each way" \
	impair_link delay 1ms
check_tap "messages that consume a receive work request" qp_attr wimm

# --- mrcctl ----------------------------------------------------------------------

check "dev limits reports the window in text" \
	grep -q " mpr-min 128 mpr-max 16384 mpr-unit 128" <(h0 dev limits mrc0)
check "dev limits reports capabilities in JSON" \
	json_is '[128,["trim-nack","dynamic-mpr","svc-time"],["udp","stev","srv6","srv6-srh"],["auto","explicit","generated"]]' \
	'.[0] | [."mpr-min", ."qp-features", .formats, .profiles]' dev limits mrc0
check "dev limits reports algorithms in JSON" \
	json_is '["none","fixed","nscc"]' '.[0].algorithms | sort_by(["none","fixed","nscc"] | index(.))' dev limits
