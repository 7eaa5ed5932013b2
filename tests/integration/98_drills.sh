#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The drills of drills/ that are marked "smoke", on a stock kernel: rate-limited links
# with ECN and shallow queues, and faults, in real time and without measured times.
# Paths and queue pairs reach the states that the drills wait for, mrc_verify finds every
# byte right, and there are no spurious retransmissions without a fault. "make drills"
# runs all drills in virtual time and measures times.
#
# Needs: stock kernel: virtual time has the drills themselves.

. "$(dirname "$0")/lib/test.sh"

drills=$(cd "$(dirname "$0")/../../drills" && pwd)

# smoke NAME: carry out a drill; its files are left in $tmp/NAME.
smoke()
{
	mkdir "$tmp/$1"
	"$drills/guest.py" "$drills/$1.drill" smoke "$tmp/$1"
}

# grown DRILL COUNTER: increase during DRILL, summed over both hosts.
grown()
{
	jq -s --arg name "$2" 'map([.hosts[][$name] // 0] | add) | .[1] - .[0]' \
		"$tmp/$1"/{before,after}.json
}

# Print the number of packets that the queues of the switches dropped.
dropped()
{
	local ns

	for ns in /run/netns/t[01]-*; do
		tc -n "${ns##*/}" -s -j qdisc show
	done | jq -s 'flatten | map(.drops) | add'
}

# few_spurious DRILL: at most one packet in a hundred is retransmitted without
# having been dropped. (In a guest that never pauses none is; a pause longer than
# the lateness allowed for acknowledgments causes spurious retransmissions.)
few_spurious()
{
	local rtx sent lost

	rtx=$(grown "$1" retrans_pkts)
	sent=$(grown "$1" tx_pkts)
	lost=$(dropped)
	echo "$rtx of $sent packets retransmitted, $lost dropped"
	[ $((100 * (rtx - lost))) -le "$sent" ]
}

for name in $(cd "$drills" && grep -l "^smoke$" -- *.drill); do
	name=${name%.drill}
	check "$name: the drill passes: $(sed -n 's/^title //p' "$drills/$name.drill")" \
		smoke "$name"
	if ! grep -q '^outcome broken$' "$drills/$name.drill"; then
		check_equal "$name: no queue pair fails" \
			"$(grown "$name" unresponsive_remote_events)" 0
	fi
	[ "$name" != 00-calm ] ||
		check "$name: at most 1 % spurious retransmissions" \
			few_spurious "$name"
	device_del h0
	device_del h1
	fabric down
done
