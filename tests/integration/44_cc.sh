#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# CC profiles: every command in text and JSON, what is refused and in which
# words, and that queue pairs which run follow each change.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

check "two hosts come up" fabric simple --links 2
check "devices on both hosts, with GIDs" devices_up device_add 6

# --- commands ------------------------------------------------------------------

all="window 300000 rate 10000 base-rtt 200000 trims 1 target-delay 150000 \
jitter 20000 fi 20480 fi-scale 0.25 eta 614 gamma 0.8 max-md-jump 0.5 \
adjust-bytes 33000 adjust-period 200000 qa-threshold 0 qa-gate 3 disable-qa 1 \
reo-path 1000000 reo-time 2000000 timeout 16 linear 7 exp 25 mpr 512"
# shellcheck disable=SC2086
check "cc add, with everything" h0 cc add quick dev mrc0 algorithm nscc \
	lb reps $all
check "cc show" grep -qx \
	"quick dev mrc0 algorithm nscc lb reps $all state online users 0" \
	<(h0 cc show)
check "cc show, in JSON" json_is '[["quick","nscc","reps",300000,"0.8",512]]' \
	'map([.name, .algorithm, .lb, .window, .gamma, .mpr])' cc show
check "a value is taken back" h0 cc set quick dev mrc0 mpr default \
	timeout default linear default exp default gamma default lb default
check "and not shown any more" json_is '["reps",null]' \
	'["reps", (.[] | .lb // .mpr // .gamma // .exp)]' cc show quick
check "cc add, the least" h0 cc add small dev mrc0 window 65536 state offline
check "cc show NAME" grep -qx \
	"small dev mrc0 window 65536 state offline users 0" \
	<(h0 cc show small dev mrc0)

for bad in "rate 0" "rate 2000001" "base-rtt 0" "base-rtt 1000000001" \
	   "trims 2" "disable-qa 2" "reo-path 1000000001" \
	   "reo-time 1000000001" "timeout 0" "timeout 25" "linear 8" "exp 26" \
	   "mpr 32" "mpr 2048"; do
	# shellcheck disable=SC2086
	check "$bad is refused" refused "${bad% *} is ${bad#* }, not " \
		cc set small dev mrc0 $bad
done
for bad in "window 4095:max_cwnd" "window 1073741825:max_cwnd" \
	   "target-delay 0:target_delay" "target-delay 1000000001:target_delay" \
	   "jitter 1000000001:jitter" "fi-scale 256.1:fi_scale" \
	   "fi 16777217:fi" "eta 16777217:eta" "gamma 1.1:gamma" "gamma 0:gamma" \
	   "max-md-jump 1.1:max_md_jump" "adjust-bytes 0:adjust_bytes" \
	   "adjust-period 0:adjust_period" "qa-gate 31:qa_gate"; do
	# shellcheck disable=SC2086
	check "${bad%:*} is refused" refused "${bad#*:}.* is out of range" \
		cc set small dev mrc0 ${bad%:*}
done
check "mpr 1000 is refused" refused "no power of 2" \
	cc set small dev mrc0 mpr 1000
check "an unknown algorithm is refused" \
	refused "no algorithm cubic, use none, fixed or nscc" \
	cc add c dev mrc0 algorithm cubic
check "an unknown load balancer is refused" \
	refused "no load balancer random, use rotation or reps" \
	cc add c dev mrc0 lb random
check "nothing has come of that" json_is \
	'[["quick",300000],["small",65536]]' 'map([.name, .window])' cc show
check "one that exists is refused" refused "cc small exists" \
	cc add small dev mrc0
check "a name that means none is refused" \
	refused "default stands for no profile" cc add default dev mrc0
check "what is offline is no default" refused "bring it online first" \
	dev set mrc0 cc small
check "an unknown one neither" refused "no cc nope" dev set mrc0 cc nope
check "in init it may be wrong" h0 cc add raw dev mrc0 mpr 1000 state init
check "but not offline" refused "no power of 2" \
	cc set raw dev mrc0 state offline
check "nor online" refused "no power of 2" cc set raw dev mrc0 state online
check "until it is right" h0 cc set raw dev mrc0 mpr 256 state offline
check "and not back in init unless it is offline" h0 cc set raw dev mrc0 \
	state online
check "online" refused "offline" cc set raw dev mrc0 state init
check "from there it goes" h0 cc set raw dev mrc0 state offline
check "cc del" h0 cc del raw dev mrc0
check "cc set" h0 cc set small dev mrc0 state online

# --- queue pairs that run ------------------------------------------------------

# sends WANTED: congestion control, load balancer and window of the queue pair.
sends()
{
	json_is "[\"${1// /\",\"}\",true]" \
		"map([.algorithm, .lb, (.cwnd | $2)])[]" qp show dev mrc0
}

dst=$(address_of h1 6)
check "a program that compares every byte" verify_begin -o write -t 8
check "it has a constant window" sends "fixed rotation" '. == 1048576'
check "dev set cc" h0 dev set mrc0 cc small
check "the window is that of the profile" sends "fixed rotation" '. == 65536'
check "dev show has it" json_is '"small"' '.[].cc' dev show mrc0
check "in text too" grep -q " cc small$" <(h0 dev show mrc0)
check "cc set, the window" h0 cc set small dev mrc0 window 131072
check "takes effect" sends "fixed rotation" '. == 131072'
check "cc set, the load balancer" h0 cc set small dev mrc0 lb reps
check "takes effect" sends "fixed reps" '. == 131072'
check "cc set, no algorithm" h0 cc set small dev mrc0 algorithm none
check "takes effect" sends "none reps" '. > 1000000000'
check "the program goes on" verify_goes_on
check "dev set cc, NSCC" h0 dev set mrc0 cc quick burst 4
check "takes effect" sends "nscc rotation" '. <= 300000'
check "the program goes on" verify_goes_on

check "a destination" h0 profile add few dev mrc0 mode auto count 8
check "with a CC profile" h0 dest add "$dst" dev mrc0 profile few cc small
check "goes before the device" sends "none reps" '. > 1000000000'
check "dest show has it" grep -qx "$dst/128 dev mrc0 profile few cc small" \
	<(h0 dest show)
check "in JSON too" json_is '"small"' '.[].cc' dest show
check "it is in use" refused "cc small is in use by 1" cc del small dev mrc0
check "and does not go offline" refused "in use by 1" \
	cc set small dev mrc0 state offline
check "an unknown one is refused" refused "no cc nope" \
	dest replace "$dst" dev mrc0 profile few cc nope
check "the destination without it" h0 dest replace "$dst" dev mrc0 profile few
check "leaves it to the device" sends "nscc rotation" '. <= 300000'
check "it is free" h0 cc del small dev mrc0
check "dev set, the default" h0 dev set mrc0 cc default
check "is a constant window" sends "fixed rotation" '. == 1048576'
check "the program has verified all it sent" verify_end

check "another begins with a profile" h0 dev set mrc0 cc quick
check "as it begins" verify_begin -o write -t 8
check "it has NSCC" sends "nscc rotation" '. <= 300000'
check "the program has verified all it sent" verify_end
check_equal "no queue pair failed" "$(counter h0 unresponsive_remote_events)" 0

# --- retries -------------------------------------------------------------------

failed_ones()
{
	[ "$(counter h0 unresponsive_remote_events)" -eq "$1" ]
}

check "a program that waits for ever" verify_begin -o write -t 8 \
	--ack-timeout 0
# What comes in makes it send, so that there is something to be given up.
for port in p0 p1; do
	check "nothing gets out by $port" on h0 tc qdisc replace dev "$port" \
		root netem loss 100%
done
check "a profile that gives up" h0 cc set quick dev mrc0 timeout 12 \
	linear 1 exp 0
check "ends it" wait_for "$patience" failed_ones 1
check "the kernel log names the peer and why" \
	grep -q "mrc0: QP .* peer $dst does not answer on any path" <(dmesg)
verify_end > "$tmp/end" 2>&1

# --- who may do what -----------------------------------------------------------

check "everybody may see" nobody cc show
for command in "cc add c dev mrc0" "cc set quick dev mrc0 window 300000" \
	       "cc del quick dev mrc0" "dev set mrc0 cc quick"; do
	# shellcheck disable=SC2086
	check_fails "not everybody: $command" "not permitted" nobody $command
done
check_equal "h1 has none of it" "$(on h1 mrcctl -j cc show)" '[]'
