#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Cycles of traffic of every verb beside faults (lib/soak.sh) for a given time, with a
# rest after each; at the end the trend of what the kernel has allocated.
#
# Environment: SOAK_SECONDS, for how long cycles begin (in virtual time 8 hours, else 0:
# three cycles); SOAK_PERIOD, seconds from one to the next, unless one takes longer (60);
# SOAK_SEED (1); SOAK_FIRST, number of the first cycle (0); SOAK_WORK, messages of a cycle
# in per cent (100).

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/soak.sh
. "$(dirname "$0")/lib/soak.sh"

seconds=0
! in_virtual_time || seconds=28800
seconds=${SOAK_SECONDS:-$seconds}
period=${SOAK_PERIOD:-60}
first=${SOAK_FIRST:-0}
least=3

# rest: until the next cycle is due.
rest()
{
	local left=$((begin + soak_cycles * period - SECONDS))

	[ "$left" -le 0 ] || sleep_us $((left * 1000000))
}

soak_begin && soak_settle || exit
begin=$SECONDS
while soak_cycle $((first + soak_cycles)); do
	[ "$soak_cycles" -lt "$least" ] || [ $((SECONDS - begin)) -lt "$seconds" ] || break
	[ "$seconds" -eq 0 ] || rest
done
soak_end
