#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Scenarios of the drills: which mistakes drills/scenario.py refuses, with file, line and
# word, and that all drills are right. Needs neither root nor a kernel.
#
#   drills.sh SCENARIO
set -uo pipefail

. "$(dirname "$0")/lib.sh"

# Write a scenario that is right to $tmp/x.drill.
right()
{
	cat > "$tmp/x.drill" <<-'END'
	title A T1 is cut
	says Nothing but this.
	topology pair-4x100g
	seed 7
	beside 1 2
	qps 2
	hold 2ms
	do 100 cut t1-1-2 silent
	until 20ms bad 7
	do 100 impair h0:p0 loss 1% delay 10us
	flap 50 100 h0:p0,h0:p1 4ms 1.5ms 3
	do 100 restore t1-1-2
	until 30ms logged any words # and a comment
	bound gap 5rtt
	bound rate 95%
	END
}

# accepts NAME: $tmp/x.drill is right.
accepts()
{
	run "$tmp/x.drill"
	[ "$status" -eq 0 ] && [ ! -s "$tmp/err" ]
	verdict $? "$1"
}

# refuses LINE WORDS TEXT: a scenario whose line LINE is TEXT is refused with one message
# that names file, line and WORDS. Without TEXT the line is missing.
refuses()
{
	local line=$1 words=$2 text=${3:-}

	right
	if [ "$text" ]; then
		sed -i "${line}s|.*|$text|" "$tmp/x.drill"
	else
		sed -i "${line}d" "$tmp/x.drill"
		line=$(wc -l < "$tmp/x.drill")
	fi
	run "$tmp/x.drill"
	[ "$status" -eq 1 ] && [ "$(wc -l < "$tmp/err")" -eq 1 ] &&
		grep -qF -- "$tmp/x.drill:$line: $words" "$tmp/err"
	verdict $? "'${text:-line $1 is missing}' is refused: $words"
}

right
accepts "a scenario with every kind of step is accepted"
refuses 3 "pair-9: there is no such topology" "topology pair-9"
refuses 1 "heading: unknown word" "heading A T1 is cut"
refuses 4 "topology: twice" "topology pair-4x100g"
refuses 4 "seven: not a whole number" "seed seven"
refuses 5 "9: not in the range 0 to 3" "beside 9 2"
refuses 6 "0: not in the range 1 to 256" "qps 0"
refuses 6 "h0:0: not a flow" "flows h0:0"
refuses 6 "h2: topology pair-4x100g has no such host" "flows 0:2"
refuses 6 "size: not an option of the network" "network size 4"
refuses 6 "speed: not a setting of a CC profile" "cc speed 4"
refuses 7 "2: not a time: the unit is none of" "hold 2"
refuses 7 "2m: not a time: the unit is none of" "hold 2m"
refuses 7 "soon: not a time" "hold soon"
refuses 7 "0ms: this time is 0 or too large" "hold 0ms"
refuses 7 "2ms: too much" "hold 2ms 2ms"
refuses 7 "hold: something is missing" "hold"
refuses 8 "101: not in the range 0 to 100" "do 101 cut t1-1-2"
refuses 8 "break: unknown action" "do 100 break t1-1-2"
refuses 8 "t1-4-0: topology pair-4x100g has no such link" "do 100 cut t1-4-0"
refuses 8 "h0:p4: topology pair-4x100g has no such link" "do 100 cut h0:p0,h0:p4"
refuses 8 "loudly: a cut can only be silent or long" "do 100 cut t1-1-2 loudly"
refuses 8 "h5: topology pair-4x100g has no such host" "do 0 hold h5"
refuses 8 "join: no flow begins later" "do 100 join"
refuses 8 "port:x: not a rule" "do 100 deny h0 port:x"
refuses 8 "5: not in the range 1 to 4" "do 100 deny h0 port:5"
refuses 9 "17: not in the range 1 to 16" "until 20ms bad 17"
refuses 9 "happy: unknown condition" "until 20ms happy"
refuses 10 "1: not a percentage" "do 100 impair h0:p0 loss 1"
refuses 10 "reorder: not an impairment" "do 100 impair h0:p0 reorder 1%"
refuses 11 "flap: something is missing" "flap"
refuses 14 "speed: there is no such bound" "bound speed 5"
refuses 14 "5: not a time" "bound gap 5"
refuses 15 "gap: two bounds" "bound gap 5us"
refuses 15 "95: not a percentage" "bound rate 95"
refuses 2 "says: is missing"
refuses 1 "title: is missing"

run
verdict "$status" "all drills and the list of missed bounds are right"

echo "1..$n"
[ "$failed" -eq 0 ]
