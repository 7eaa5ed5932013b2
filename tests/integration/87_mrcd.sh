#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# mrcd on a fabric of three T0s: a link that loses packets in one direction is named
# within ten seconds, its paths are denied, and permitted again after the repair; dry
# run and limits; rules of others stay; a killed daemon finds its rules again, and
# "withdraw" removes them; a topology that does not match is reported.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"
. "$(dirname "$0")/lib/mrcd.sh"

# The link from t0-0-0 to t1-0-2 loses one packet in ten, in this direction.
lose()
{
	impair t0-0-0 t1-0-2 loss "$1"
}

repair()
{
	mend t0-0-0 t1-0-2
}

link=t0-0-0:t1-0-2

check "six hosts on three T0s come up" mrcd_fabric
topology
check "six devices get their paths from the topology" devices

# --- dry run -------------------------------------------------------------------------

check "mrcd starts" mrcd_start
check "mrcd probes" await "$patience" probes_more_than 1500
check_equal "mrcd loses no probe in a healthy fabric" \
	"$(mrcd status dir "$dir" json | jq -c '[.lost, .faults]')" '[0,[]]'
check "the link $link loses 10 % in one direction" lose 10%
check "mrcd names the link $link within 10 s" \
	log_has "named: t0-0-0[:>]t1-0-2 loses" 10
check "mrcd reports the rule of a dry run" \
	log_has "would deny port 1 usid 1000 next 2002"
check_equal "a dry run adds no rule" "$(rules)" '[]'
check "the status shows the link, with evidence" \
	await "$patience" eval "mrcd status dir '$dir' | grep -q '^t0-0-0.*loss.* packets on'"
check "the metrics show the link" await "$patience" grep -q \
	'^mrcd_fault_rate_ratio{part="t0-0-0.t1-0-2",kind="loss"}' "$dir/mrcd.prom"
check "SIGTERM ends mrcd after a dry run" mrcd_stop
check "nothing else was named" log_has_not "(named|revised): (t0-0-0[:>]t1-0-[^2]|t0-[^0]|t1|h|plane)"

# --- rules ---------------------------------------------------------------------------

check "an operator denies another link" \
	h0 path deny dev mrc0 port 2 usid 1100 next 2101
both='[[null,2,"1100","2101"],["::/0",1,"1000","2002"]]'
check "mrcd starts with deny on" mrcd_start deny on
check "mrcd denies the paths over the link" \
	await "$patience" has_rules "$both"
check "mrcd is killed" eval 'mrcd_stop -KILL; [ $? -eq 137 ]'
check_equal "the rules are still there" "$(rules)" "$both"
rm "$dir/status.json"
check "mrcd starts again" mrcd_start deny on
check "mrcd finds its rule" log_has "rule port 1 usid 1000 next 2002 was left"
check "mrcd names the link again" log_has "named: t0-0-0[:>]t1-0-2 loses"
check "the link is repaired while mrcd runs" repair
check "mrcd knows that the fault is over" log_has "cleared: t0-0-0[:>]t1-0-2"
check "mrcd permits the paths again, and leaves the rule of the operator" \
	await "$patience" has_rules '[[null,2,"1100","2101"]]'
check "the link loses everything" lose 100%
check "mrcd denies the paths again" await "$patience" has_rules "$both"
check "SIGTERM ends mrcd that has rules" mrcd_stop
check_equal "its rules end with mrcd" "$(rules)" '[[null,2,"1100","2101"]]'

rm "$dir/status.json"
check "mrcd starts with a share of 20 %" mrcd_start deny on share 20
check "mrcd does not deny one of four paths then" \
	log_has "t1-0-2 is not denied: too many paths of the plane"
check_equal "there is no rule" "$(rules)" '[[null,2,"1100","2101"]]'
check "SIGTERM ends mrcd with a small share" mrcd_stop
check "a rule is left by a daemon that does not start again" \
	h0 path deny dev mrc0 dst ::/0 port 1 usid 1000 next 2002
check "mrcd withdraw removes it, and no other" \
	eval 'on h0 mrcd withdraw && has_rules "[[null,2,\"1100\",\"2101\"]]"'

# --- before a job ----------------------------------------------------------------------

# validates STATUS: mrcd validate ends with it.
validates()
{
	local status=0

	on h0 mrcd validate topology "$topo" rate 400 seconds 12 \
		picture "$tmp/fabric.svg" jsonl "$tmp/results.jsonl" \
		> "$tmp/out" || status=$?
	cat "$tmp/out"
	[ "$status" -eq "$1" ]
}
lose 20%
check "mrcd validate finds the link" validates 1
check "its table shows the link" grep -q '^t0-0-0:t1-0-2 .*<- broken' "$tmp/out"
check "its picture has one red link" \
	eval '[ "$(grep -c "<line.*#c8102e" "$tmp/fabric.svg")" -eq 1 ]'
check "its results are a line of JSON" eval \
	'jq -e ".node == \"h0\" and .[\"mrc-probe/loss_t0-0-0_t1-0-2\"] > 0.05" "$tmp/results.jsonl"'
check "the link is repaired after the validation" repair
check "mrcd validate finds nothing then" validates 0

# --- bad input -------------------------------------------------------------------------

rm "$dir/status.json"
jq '.t1.usid = "5pnn"' "$topo" > "$tmp/other.json"
topo=$tmp/other.json
check "mrcd starts with a topology that does not match" mrcd_start deny on
check "mrcd reports that the paths are others" \
	log_has "has paths that are none of"
check "SIGTERM ends mrcd with another topology" mrcd_stop
check_fails "mrcd refuses a topology with mistakes" "planes" \
	on h0 mrcd run topology <(jq 'del(.planes)' "$topo") dir "$dir"
