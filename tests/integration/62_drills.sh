#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The quick drills of drills/, without their clock: links of a limited rate with
# ECN and shallow queues, and faults; paths and queue pairs get into the states
# that the drills wait for, every byte is right, and what did not get lost is
# not sent again. How fast that is, "make drills" tells.

. "$(dirname "$0")/lib.sh"

drill_out=$tmp/drills
drill_hurry=1
. "$(dirname "$0")/../../drills/drill.sh"

# grown DRILL COUNTER: over both hosts, while it ran.
grown()
{
	jq -s --arg name "$2" 'map(.[].stats[$name] // 0) |
		.[0] + .[1] - .[2] - .[3]' "$drill_out/$1"/{after,before}-h?
}

# Of a hundred packets hardly one is sent again that was not lost (none, but for
# a guest that stands still for longer than an answer may take).
not_again()
{
	local again sent lost

	again=$(grown "$1" retrans_pkts)
	sent=$(grown "$1" tx_pkts)
	lost=$(drill_dropped)
	echo "$again of $sent packets sent again, $lost dropped"
	[ $((100 * (again - lost))) -le "$sent" ]
}

# What has arrived is right. In the last line of a run that breaks, a request of
# the receiver that failed counts as an error, too: credits need paths as well.
all_right()
{
	tail -n 1 "$drill_out/$1/progress"
	! grep '"progress":true' "$drill_out/$1/progress" |
		grep -q '"errors":[1-9]'
}

check "slow links with ECN and shallow queues" drill_set_up
for name in $(cd "$drill_dir" && grep -l "^quick$" -- *.drill); do
	name=${name%.drill}
	check "$name: $(drill_lines "$name" title)" drill_run "$name"
	check "$name: every byte is right" all_right "$name"
	if [ "$(drill_lines "$name" outcome)" = broken ]; then
		continue
	fi
	check_equal "$name: no queue pair fails" \
		"$(grown "$name" unresponsive_remote_events)" 0
	[ "$name" != 00-calm ] ||
		check "$name: what is not lost is not sent again" \
			not_again "$name"
done
