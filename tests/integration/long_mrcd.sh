#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# mrcd and faults of many kinds: none, a host with a slow NIC, two lossy links at once,
# one packet in a hundred and in a thousand, a switch that drops large packets; it is
# killed at any moment; a clock that jumps, a full disk, a topology that is not the
# network's.
#
# Needs: virtual time: minutes of probes must not take as long

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"
. "$(dirname "$0")/lib/mrcd.sh"

# names_only PATTERN: each fault that mrcd has named or revised matches PATTERN.
names_only()
{
	! grep -E '(named|revised): ' "$tmp/log" | grep -vE ": ($1) "
}

# begin [ARG...]: mrcd starts, and has seen the fabric without faults.
begin()
{
	rm -f "$dir/status.json"
	mrcd_start "$@" && await "$patience" probes_more_than 600
}

check "six hosts on three T0s come up" mrcd_fabric
topology
check "six devices get their paths from the topology" devices
check "status and metrics have a disk of their own" \
	mount -t tmpfs -o size=64k mrcd "$dir"

# --- nothing, and slowness -------------------------------------------------------------

slow_nic()
{
	impair t0-0-1 h1 delay "$1" && impair t0-1-1 h1 delay "$1"
}

check "mrcd starts in a calm fabric" begin
check "mrcd probes for a while" probes_go_on 3000
check "nothing is named in a calm period" log_has_not "named"
check "packets to h1 are delayed on both planes" slow_nic 1ms
check "mrcd names h1 as slow" log_has "named: h1 delays" 20
check "mrcd probes on beside a slow host" probes_go_on 2000
check "nothing but h1 is named" names_only h1
check "h1 is fast again" eval "mend t0-0-1 h1 && mend t0-1-1 h1"
check "mrcd knows that h1 is well again" log_has "cleared: h1 "
check "a link delays packets by 1 ms" impair t0-0-0 t1-0-1 delay 1ms
check "mrcd names the slow link" log_has "named: t0-0-0[:>]t1-0-1 delays" 20
check "nothing but h1 and the slow link was named" \
	names_only "h1|t0-0-0[:>]t1-0-1"
check "the slow link is repaired" mend t0-0-0 t1-0-1
check "SIGTERM ends mrcd after slow parts" mrcd_stop

# --- two faults, rare loss --------------------------------------------------------------

check "mrcd starts before two links fail" begin
check "a link at the T0 of the host loses 5 % in one direction" \
	impair t0-0-0 t1-0-2 loss 5%
check "a link at another T0 loses 5 % in one direction" \
	impair t1-1-3 t0-1-1 loss 5%
check "mrcd names the link at its T0" log_has "named: t0-0-0[:>]t1-0-2 loses"
check "mrcd names the link at the other T0" \
	log_has "(named|revised): t0-1-1[:>]t1-1-3 loses"
check "nothing but the two links was named, as loss or as delay" \
	names_only "t0-0-0[:>]t1-0-2|t0-1-1[:>]t1-1-3"
check "both links are repaired" \
	eval "mend t0-0-0 t1-0-2 && mend t1-1-3 t0-1-1"
check "SIGTERM ends mrcd after two faults" mrcd_stop

# --- one packet in a hundred, in one direction --------------------------------------------

# Bytes that h0 has sent on its port to plane 0.
sent_bytes()
{
	ip -n h0 -j -s link show dev p0 | jq '.[0].stats64.tx.bytes'
}

# Of the rate of that port, what h0 sends in a second, in millionths.
share_of_rate()
{
	local before mbps

	mbps=$(on h0 cat /sys/class/net/p0/speed)
	before=$(sent_bytes)
	sleep_us 1000000
	echo $((8 * ($(sent_bytes) - before) / mbps))
}

# As many as without the option: 60 on each of 40 paths.
mrcd_rate=2400
check "mrcd starts at its usual rate" begin
while read -r from to names; do
	check "$from loses 1 % of what it sends to $to" impair "$from" "$to" loss 1%
	check "mrcd names the link from $from to $to within 10 s" \
		log_has "named: ($names) loses" 10
	share=$(share_of_rate)
	check "mrcd uses $share millionths of the rate of a port of h0 for probes, at most 1000" \
		[ "$share" -gt 0 -a "$share" -le 1000 ]
	check "the link from $from to $to is repaired" mend "$from" "$to"
	check "mrcd knows that the link from $from to $to is well" \
		log_has "cleared: ($names)"
done <<'EOF'
t0-0-0 t1-0-2 t0-0-0[:>]t1-0-2
t1-1-3 t0-1-0 t0-1-0:t1-1-3|t1-1-3>t0-1-0
t1-0-1 t0-0-2 t0-0-2:t1-0-1|t1-0-1>t0-0-2
t0-1-1 h1 h1:t0-1-1|t0-1-1>h1
EOF
check "nothing but the four links was named" names_only \
	"t0-0-0[:>]t1-0-2|t0-1-0:t1-1-3|t1-1-3>t0-1-0|t0-0-2:t1-0-1|t1-0-1>t0-0-2|h1:t0-1-1|t0-1-1>h1"
check "SIGTERM ends mrcd after 1 % loss" mrcd_stop

check "mrcd starts before a link loses a little" begin
check "a link loses 0.1 % in one direction" impair t0-0-0 t1-0-3 loss 0.1%
check "mrcd names the link that loses 0.1 %" \
	log_has "named: t0-0-0[:>]t1-0-3 loses about 0" 600
check "nothing but the link that loses 0.1 % was named" \
	names_only "t0-0-0[:>]t1-0-3"
check "the link that lost 0.1 % is repaired" mend t0-0-0 t1-0-3
check "SIGTERM ends mrcd after a rare loss" mrcd_stop
mrcd_rate=

# --- a switch that drops large packets ----------------------------------------------------

# drop_large SWITCH: it drops packets of 4 KiB and more, and probes pass.
drop_large()
{
	local port

	for port in t0-0-{0..2}; do
		ip netns exec "$1" tc qdisc add dev "$port" clsact &&
			ip netns exec "$1" tc filter add dev "$port" egress \
				protocol ipv6 u32 match u16 0x1000 0xf000 at 4 \
				action drop || return
	done
}

# drop_nothing SWITCH: end that.
drop_nothing()
{
	local port

	for port in t0-0-{0..2}; do
		ip netns exec "$1" tc qdisc del dev "$port" clsact || return
	done
}

check "mrcd starts before a switch turns grey" begin
check "h0 sends packets of 4 KiB to h1, every byte is compared" \
	verify_begin -o write_imm
check "t1-0-1 drops packets of 4 KiB" drop_large t1-0-1
check "mrcd names the switch, or its link to the T0 of h0, for data packets alone" \
	log_has "named: (t1-0-1|t0-0-0[:>]t1-0-1) loses data packets, but not probes" 10
check "nothing else was named while a switch was grey" \
	names_only "t1-0-1|t0-0-0[:>]t1-0-1"
check "every byte arrives while t1-0-1 drops packets of 4 KiB" verify_end
check "t1-0-1 forwards packets of any size again" drop_nothing t1-0-1
check "SIGTERM ends mrcd after a grey switch" mrcd_stop

# --- killed -----------------------------------------------------------------------------

rule='[["::/0",1,"1000","2002"]]'

# Moments after the start, in ms, from before the first probe to after the rule.
killed_at_moments()
{
	local ms

	for ms in 1 20 150 400 900 1700 3000 5000; do
		mrcd_start deny on && sleep_us $((ms * 1000))
		mrcd_stop -KILL
		[ $? -eq 137 ] || return
		rm -f "$dir/status.json"
	done
}

check "a link loses 20 %" impair t0-0-0 t1-0-2 loss 20%
check "mrcd is killed at eight moments" killed_at_moments
check "mrcd starts after it was killed" mrcd_start deny on
check "there is one rule, against the link" await "$patience" has_rules "$rule"
check "mrcd that has a rule is killed" eval 'mrcd_stop -KILL; [ $? -eq 137 ]'
check "the link is repaired while no mrcd runs" mend t0-0-0 t1-0-2
rm -f "$dir/status.json"
check "mrcd starts after the repair" mrcd_start deny on
check "mrcd takes back the rule that has no reason any more" \
	await 90 has_rules '[]'
check "the message says why" logged "allow port 1 usid 1000 next 2002: its fault was not found again"

# --- clock and disk ---------------------------------------------------------------------

check "the link loses 20 % again" impair t0-0-0 t1-0-2 loss 20%
check "mrcd denies its paths" await "$patience" has_rules "$rule"
now=$(date +%s)
# wait_for counts seconds of this clock: it is set back before anything is waited for.
clock_jumps()
{
	date -s "@$((now + 100000))" && sleep_us 3000000 &&
		date -s "@$((now - 100000))" && sleep_us 3000000 &&
		date -s "@$((now + 6))"
}
check "the clock jumps forward by a day, then back by two" clock_jumps
check "mrcd probes on after the clock has jumped" probes_go_on 500
check_equal "the rule has outlasted the jumps" "$(rules)" "$rule"
check "nothing but the link was named when the clock jumped" \
	names_only "t0-0-0[:>]t1-0-2"

full_disk()
{
	! dd if=/dev/zero of="$dir/full" bs=1k 2> /dev/null
}
check "the disk of status and metrics is full" full_disk
check "mrcd reports that it cannot write" log_has "cannot write status or metrics"
sleep_us 11000000
check_equal "mrcd reports it once" "$(grep -c 'cannot write' "$tmp/log")" 1
probes=$(status .probes)
sleep_us 6000000
check_equal "the status stays as it was, and whole" "$(status .probes)" "$probes"
check_equal "the rule is there while the disk is full" "$(rules)" "$rule"
check "the disk has room again" rm "$dir/full"
check "mrcd has written a status, of more probes" \
	await "$patience" probes_more_than "$probes"
check "the link is repaired after the disk" mend t0-0-0 t1-0-2
check "mrcd takes its rule back" await "$patience" has_rules '[]'
check "SIGTERM ends mrcd after full disk and jumping clock" mrcd_stop

# --- a file that is not the network's -----------------------------------------------------

# Cables swapped: what t0-0-0 sends to t1-0-1 and t1-0-2 arrives at the other one, which
# has no route for it.
swap()
{
	ip -n t0-0-0 route replace fcbb:bb00:2001::/48 via fe80::ff:fe00:2002 dev t1-0-2 &&
	ip -n t0-0-0 route replace fcbb:bb00:2002::/48 via fe80::ff:fe00:2001 dev t1-0-1
}

unswap()
{
	ip -n t0-0-0 route replace fcbb:bb00:2001::/48 via fe80::ff:fe00:2001 dev t1-0-1 &&
	ip -n t0-0-0 route replace fcbb:bb00:2002::/48 via fe80::ff:fe00:2002 dev t1-0-2
}

check "mrcd starts before cables are swapped" begin deny on
check "the cables of t0-0-0 to t1-0-1 and t1-0-2 are swapped" swap
check "mrcd names one of the swapped links" \
	log_has "(named|revised): t0-0-0[:>]t1-0-1 loses"
check "mrcd names the other swapped link" \
	log_has "(named|revised): t0-0-0[:>]t1-0-2 loses"
check "nothing but the swapped links was named" \
	names_only "t0-0-0[:>]t1-0-[12]"
check "one of them is not denied: too many paths would be" \
	log_has "is not denied: too many paths of the plane"
check "the cables are as in the file again" unswap
check "mrcd takes its rule back when the cables are right" \
	await "$patience" has_rules '[]'
check "SIGTERM ends mrcd after swapped cables" mrcd_stop

# The file has a fifth T1 on each plane, which is not there; paths lead over it.
check "a topology with switches that are not there" \
	eval "jq '.t1.count = 5' '$topo' > '$tmp/five.json'"
topo=$tmp/five.json
check "six devices get paths over switches that are not there" apply
rm -f "$dir/status.json"
check "mrcd starts with switches that are not there" mrcd_start
check "mrcd names the link to the missing switch of plane 0" \
	log_has "(named|revised): (t1-0-4|t0-0-0[:>]t1-0-4) loses"
check "mrcd names the link to the missing switch of plane 1" \
	log_has "(named|revised): (t1-1-4|t0-1-0[:>]t1-1-4) loses"
check "nothing but missing switches was named" \
	names_only "t1-.-4|t0-.-.[:>]t1-.-4"
check "SIGTERM ends mrcd after missing switches" mrcd_stop
umount "$dir"
