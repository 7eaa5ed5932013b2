#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# CC profiles: every mrcctl command in text and JSON, refusals of the kernel and their
# messages; running queue pairs (mrc_verify) follow each change of the profile; expiry
# of the RTO and its message in the kernel log.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

check "two hosts come up" fabric simple --links 2
check "devices on both hosts, with GIDs" devices_up device_add 6

# --- commands ------------------------------------------------------------------

all="window 300000 rate 10000 base-rtt 200000 trims 1 target-delay 150000 \
jitter 20000 fi 20480 fi-scale 0.25 eta 614 gamma 0.8 max-md-jump 0.5 \
adjust-bytes 33000 adjust-period 200000 qa-threshold 0 qa-gate 3 disable-qa 1 \
reo-wnd-path 1000000 reo-wnd-any 2000000 timeout 16 linear 7 exp 25 mpr 512 \
nack-retry 1"
# shellcheck disable=SC2086
check "cc add with all parameters succeeds" \
	h0 cc add quick dev mrc0 algorithm nscc \
	lb reps $all
check "cc show reports all parameters in text" grep -qx \
	"quick dev mrc0 algorithm nscc lb reps $all state online users 0" \
	<(h0 cc show)
check "cc show reports parameters in JSON" \
	json_is '[["quick","nscc","reps",300000,"0.8",512,1]]' \
	'map([.name, .algorithm, .lb, .window, .gamma, .mpr, .["nack-retry"]])' cc show
check "cc set of parameters to default succeeds" \
	h0 cc set quick dev mrc0 mpr default \
	timeout default linear default exp default gamma default lb default
check "cc show does not report parameters that are default" \
	json_is '["reps",null]' \
	'["reps", (.[] | .lb // .mpr // .gamma // .exp)]' cc show quick
check "cc add with a window, offline, succeeds" \
	h0 cc add small dev mrc0 window 65536 state offline
check "cc show NAME reports that profile only" grep -qx \
	"small dev mrc0 window 65536 state offline users 0" \
	<(h0 cc show small dev mrc0)

for bad in "rate 0" "rate 2000001" "base-rtt 0" "base-rtt 1000000001" \
	   "trims 2" "disable-qa 2" "reo-wnd-path 1000000001" \
	   "reo-wnd-any 1000000001" "timeout 0" "timeout 25" "linear 8" "exp 26" \
	   "mpr 32" "mpr 32768" "nack-retry 2"; do
	# shellcheck disable=SC2086
	check "cc set $bad is refused" refused "${bad% *} is ${bad#* }, not " \
		cc set small dev mrc0 $bad
done
for bad in "window 4095:max_cwnd" "window 1073741825:max_cwnd" \
	   "target-delay 0:target_delay" "target-delay 1000000001:target_delay" \
	   "jitter 1000000001:jitter" "fi-scale 256.1:fi_scale" \
	   "fi 16777217:fi" "eta 16777217:eta" "gamma 1.1:gamma" "gamma 0:gamma" \
	   "max-md-jump 1.1:max_md_jump" "adjust-bytes 0:adjust_bytes" \
	   "adjust-period 0:adjust_period" "qa-gate 31:qa_gate"; do
	# shellcheck disable=SC2086
	check "cc set ${bad%:*} is refused" \
		refused "${bad#*:}.* is out of range" \
		cc set small dev mrc0 ${bad%:*}
done
check "cc set mpr 1000 is refused" refused "no power of 2" \
	cc set small dev mrc0 mpr 1000
check "cc add with an unknown algorithm is refused" \
	refused "no algorithm cubic, use none, fixed or nscc" \
	cc add c dev mrc0 algorithm cubic
check "cc add with an unknown load balancer is refused" \
	refused "no load balancer random, use rotation or reps" \
	cc add c dev mrc0 lb random
check "the refused commands have changed no CC profile" json_is \
	'[["quick",300000],["small",65536]]' 'map([.name, .window])' cc show
check "cc add of an existing profile is refused" refused "cc small exists" \
	cc add small dev mrc0
check "cc add with the name default is refused" \
	refused "default stands for no profile" cc add default dev mrc0
check "dev set cc of an offline profile is refused" \
	refused "bring it online first" \
	dev set mrc0 cc small
check "dev set cc of an unknown profile is refused" \
	refused "no cc nope" dev set mrc0 cc nope
check "cc add with an invalid mpr in state init succeeds" \
	h0 cc add raw dev mrc0 mpr 1000 state init
check "taking a CC profile with an invalid mpr offline is refused" \
	refused "no power of 2" \
	cc set raw dev mrc0 state offline
check "taking a CC profile with an invalid mpr online is refused" \
	refused "no power of 2" cc set raw dev mrc0 state online
check "a CC profile with a corrected mpr goes offline" \
	h0 cc set raw dev mrc0 mpr 256 state offline
check "a CC profile goes online" h0 cc set raw dev mrc0 \
	state online
check "taking an online CC profile to init is refused" \
	refused "offline" cc set raw dev mrc0 state init
check "an online CC profile goes offline" h0 cc set raw dev mrc0 state offline
check "cc del of an offline profile succeeds" h0 cc del raw dev mrc0
check "cc set state online of profile small succeeds" \
	h0 cc set small dev mrc0 state online

# --- queue pairs that run ------------------------------------------------------

# qp_uses "ALGORITHM LB" FILTER: the queue pair of h0 has this congestion control and
# load balancer, and jq's FILTER holds for its congestion window.
qp_uses()
{
	json_is "[\"${1// /\",\"}\",true]" \
		"map([.algorithm, .lb, (.cwnd | $2)])[]" qp show dev mrc0
}

dst=$(address_of h1 6)
check "mrc_verify starts" verify_begin -o write -t 8
check "the queue pair uses NSCC without a profile" \
	qp_uses "nscc rotation" '. >= 4096'
check "dev set cc small succeeds under traffic" h0 dev set mrc0 cc small
check "the window of the queue pair keeps to profile small" \
	qp_uses "nscc rotation" '. <= 65536'
check "dev show reports the CC profile in JSON" \
	json_is '"small"' '.[].cc' dev show mrc0
check "dev show reports the CC profile in text" \
	grep -q " cc small$" <(h0 dev show mrc0)
check "cc set of the window succeeds under traffic" \
	h0 cc set small dev mrc0 window 131072
check "the window of the queue pair keeps to the changed profile" \
	qp_uses "nscc rotation" '. <= 131072'
check "cc set of the load balancer succeeds under traffic" \
	h0 cc set small dev mrc0 lb reps
check "the queue pair has the changed load balancer" \
	qp_uses "nscc reps" '. <= 131072'
check "cc set algorithm none succeeds under traffic" \
	h0 cc set small dev mrc0 algorithm none
check "the queue pair has no congestion control" \
	qp_uses "none reps" '. > 1000000000'
check "mrc_verify goes on with algorithm none" verify_goes_on
check "dev set cc of a profile with NSCC succeeds under traffic" \
	h0 dev set mrc0 cc quick burst 4
check "the queue pair has NSCC" qp_uses "nscc rotation" '. <= 300000'
check "mrc_verify goes on with NSCC" verify_goes_on

check "an automatic EV profile is created" \
	h0 profile add few dev mrc0 mode auto count 8
check "dest add with CC profile small succeeds under traffic" \
	h0 dest add "$dst" dev mrc0 profile few cc small
check "the queue pair has the CC profile of the destination" \
	qp_uses "none reps" '. > 1000000000'
check "dest show reports the CC profile in text" \
	grep -qx "$dst/128 dev mrc0 profile few cc small" \
	<(h0 dest show)
check "dest show reports the CC profile in JSON" \
	json_is '"small"' '.[].cc' dest show
check "cc del of a profile in use by a destination is refused" \
	refused "cc small is in use by 1" cc del small dev mrc0
check "taking a CC profile in use by a destination offline is refused" \
	refused "in use by 1" \
	cc set small dev mrc0 state offline
check "dest replace with an unknown CC profile is refused" \
	refused "no cc nope" \
	dest replace "$dst" dev mrc0 profile few cc nope
check "dest replace without a CC profile succeeds" \
	h0 dest replace "$dst" dev mrc0 profile few
check "the queue pair has the CC profile of the device" \
	qp_uses "nscc rotation" '. <= 300000'
check "cc del of the unused profile small succeeds" h0 cc del small dev mrc0
check "dev set cc default succeeds under traffic" h0 dev set mrc0 cc default
check "the queue pair uses NSCC without a profile after cc default" \
	qp_uses "nscc rotation" '. >= 4096'
check "mrc_verify ends after all changes, every byte is right" verify_end

check "dev set cc of a profile with NSCC succeeds without traffic" \
	h0 dev set mrc0 cc quick
check "a second mrc_verify starts" verify_begin -o write -t 8
check "the new queue pair starts with NSCC" \
	qp_uses "nscc rotation" '. <= 300000'
check "the second mrc_verify ends, every byte is right" verify_end
check_equal "no queue pair of h0 failed before the test of retries" \
	"$(counter h0 unresponsive_remote_events)" 0

# --- retries -------------------------------------------------------------------

failed_qps()
{
	[ "$(counter h0 unresponsive_remote_events)" -eq "$1" ]
}

check "mrc_verify with an infinite ACK timeout starts" \
	verify_begin -o write -t 8 \
	--ack-timeout 0
# h0 still receives, which makes it send packets that can expire.
for port in p0 p1; do
	check "$port of h0 drops all it sends" \
		on h0 tc qdisc replace dev "$port" \
		root netem loss 100%
done
check "cc set of a short timeout and few retries succeeds" \
	h0 cc set quick dev mrc0 timeout 12 \
	linear 1 exp 0
check "the queue pair fails after the retries of the profile" \
	wait_for "$patience" failed_qps 1
check "the kernel log names the peer of the failed queue pair and the reason" \
	grep -q "mrc0: QP .* peer $dst does not acknowledge on any path" <(dmesg)
verify_end > "$tmp/end" 2>&1

# --- privileges --------------------------------------------------------------

check "cc show works without privileges" unprivileged cc show
for command in "cc add c dev mrc0" "cc set quick dev mrc0 window 300000" \
	       "cc del quick dev mrc0" "dev set mrc0 cc quick"; do
	# shellcheck disable=SC2086
	check_fails "'$command' is refused without privileges" \
		"not permitted" unprivileged $command
done
check_equal "cc show on h1 reports no CC profile of h0" \
	"$(on h1 mrcctl -j cc show)" '[]'
