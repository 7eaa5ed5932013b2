#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The drills of drills/ that are marked "quick", without measured times:
# rate-limited links with ECN and shallow queues, and faults. Paths and queue
# pairs reach the states that the drills wait for, mrc_verify finds every byte
# right, and there are no spurious retransmissions without a fault. "make drills"
# measures times.
#
# Needs: stock kernel: the drills are written for the clock of QEMU guests.

. "$(dirname "$0")/lib/test.sh"

drill_out=$tmp/drills
drill_hurry=1
. "$(dirname "$0")/../../drills/drill.sh"

# grown DRILL COUNTER: increase during DRILL, summed over both hosts.
grown()
{
	jq -s --arg name "$2" 'map(.[].stats[$name] // 0) |
		.[0] + .[1] - .[2] - .[3]' "$drill_out/$1"/{after,before}-h?
}

# few_spurious DRILL: at most one packet in a hundred is retransmitted without
# having been dropped. (In a guest that never pauses none is; a pause longer than
# the lateness allowed for acknowledgments causes spurious retransmissions.)
few_spurious()
{
	local rtx sent lost

	rtx=$(grown "$1" retrans_pkts)
	sent=$(grown "$1" tx_pkts)
	lost=$(drill_dropped)
	echo "$rtx of $sent packets retransmitted, $lost dropped"
	[ $((100 * (rtx - lost))) -le "$sent" ]
}

# all_right DRILL: mrc_verify has found no wrong message. Only progress lines
# count: in a run that fails, the last line also counts failed requests of the
# receiving side.
all_right()
{
	tail -n 1 "$drill_out/$1/progress"
	! grep '"progress":true' "$drill_out/$1/progress" |
		grep -q '"errors":[1-9]'
}

check "a fabric of slow links with ECN and shallow queues comes up" drill_set_up
for name in $(cd "$drill_dir" && grep -l "^quick$" -- *.drill); do
	name=${name%.drill}
	check "$name: the drill passes: $(drill_lines "$name" title)" drill_run "$name"
	check "$name: every byte is right" all_right "$name"
	if [ "$(drill_lines "$name" outcome)" = broken ]; then
		continue
	fi
	check_equal "$name: no queue pair fails" \
		"$(grown "$name" unresponsive_remote_events)" 0
	[ "$name" != 00-calm ] ||
		check "$name: at most 1 % spurious retransmissions" \
			few_spurious "$name"
done
