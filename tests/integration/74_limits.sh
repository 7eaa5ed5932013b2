#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Limits of the configuration of a device: as many formats, templates, profiles, CC
# profiles, deny rules, destinations and explicit paths as Documentation/testing.md
# says can be created, one more is refused in words, and after the deletion of one
# another can be created.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

destinations=262144
# An explicit path takes 16 slots of 1,048,576 if it is the only one to its peer.
peers=65536

# lines N COMMAND: COMMAND with %d replaced by each number up to N.
lines()
{
	awk -v n="$1" -v command="$2" 'BEGIN {
		for (i = 1; i <= n; i++)
			printf command "\n", i
	}'
}

# dsts N BEGIN END: commands for N addresses fd00:1::HEX.
dsts()
{
	awk -v n="$1" -v begin="$2" -v end="$3" 'BEGIN {
		for (i = 1; i <= n; i++)
			printf "%s fd00:1::%x:%x %s\n", begin, i / 65536,
			       i % 65536, end
	}'
}

# created N: the commands of $tmp/batch succeed; there are N of them.
created()
{
	[ "$(wc -l < "$tmp/batch")" -eq "$1" ] && h0 -b "$tmp/batch"
}

# object_limit KIND ARG...: 256 objects of KIND.
object_limit()
{
	local kind=$1

	shift
	lines 256 "$kind add x%d dev mrc0 $*" > "$tmp/batch"
	check "256 objects can be created: $kind" created 256
	check "one more is refused in words: $kind" \
		refused "there are 256 ${kind}s, the most possible" \
		"$kind" add more dev mrc0 "$@"
	check "one can be deleted: $kind" h0 "$kind" del x7 dev mrc0
	check "then another can be created: $kind" \
		h0 "$kind" add more dev mrc0 "$@"
}

check "two hosts come up" fabric simple
check "a device on h0" device_add h0

object_limit format mode udp width 16
object_limit template ev-bits 8 dest-bits 16 \
	field fcbbbb00/32,ev@0/8,1/8,dest@0/16,1/16,1/16,1/16,1/16
object_limit profile mode auto count 16
object_limit cc algorithm fixed

lines 256 "path deny dev mrc0 ev %d" > "$tmp/batch"
check "256 deny rules can be added" created 256
check "one more deny rule is refused in words" \
	refused "there are 256 rules, the most possible" path deny dev mrc0 ev 257
check "a deny rule can be removed" h0 path allow dev mrc0 ev 7
check "then another deny rule can be added" h0 path deny dev mrc0 ev 257

dsts "$destinations" "dest add" "dev mrc0 profile x1" > "$tmp/batch"
check "$destinations destinations can be added" created "$destinations"
check "one more destination is refused in words" \
	refused "there are $destinations destinations, the most possible" \
	dest add fd00:2::1 dev mrc0 profile x1
check "a destination can be deleted" h0 dest del fd00:1::7 dev mrc0
check "then another destination can be added" \
	h0 dest add fd00:2::1 dev mrc0 profile x1

dsts "$peers" "path add dev mrc0 dst" "ev 1 port 1 sid fcbb:bb00:1::1" \
	> "$tmp/batch"
check "explicit paths to $peers peers can be added" created "$peers"
check "an explicit path to one more peer is refused in words" \
	refused "paths take 1048576 of 1048576 slots, dst needs 16 more" \
	path add dev mrc0 dst fd00:2::1 ev 1 port 1 sid fcbb:bb00:1::1
check "a second path to a peer that has room is added" \
	h0 path add dev mrc0 dst fd00:1::7 ev 2 port 1 sid fcbb:bb00:1::1
check "the paths to a peer can be deleted" \
	h0 path flush dev mrc0 dst fd00:1::7
check "then an explicit path to another peer can be added" \
	h0 path add dev mrc0 dst fd00:2::1 ev 1 port 1 sid fcbb:bb00:1::1
check "all paths can be deleted" h0 path flush dev mrc0
