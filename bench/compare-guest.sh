#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The part of compare.sh that runs in the guest: mrc alone, with one port and with four.
# Every measurement is one line of JSON in $VM_OUT/results.
set -uo pipefail

tmp=$(mktemp -d)
. "$(dirname "$0")/../tests/lab/hosts.sh"
. "$(dirname "$0")/systems.sh"

# Bytes of a bandwidth measurement: a second or less natively, seconds in an emulated
# guest.
declare -A volume=([4096]=$((64 << 20)) [65536]=$((512 << 20))
		   [1048576]=$((1 << 30)))
share=1
trips=2000
if [ "${VM_ACCEL:-}" = tcg ]; then
	share=4
	trips=1000
fi
# With one processor, programs that poll would measure slices of its time.
placements=(shared)
[ "$(nproc)" -eq 1 ] || placements+=(own)

fabric simple --links 4 --mtu 4500 || die "the fabric does not come up"
for ((round = 1; round <= ${BENCH_ROUNDS:-2}; round++)); do
	for where in "${placements[@]}"; do
		placement=$where
		[ ${#placements[@]} -eq 1 ] || place "$where"
		for n in 1 4; do
			mrc_up "$n"
			mrc_burst 16
			for size in 4096 65536 1048576; do
				mrc_result write_bw "$size" Gb/s \
					$((volume[$size] / share))
			done
			mrc_result send_lat_events 8 us
			[ "$(nproc)" -eq 1 ] || mrc_result write_lat 8 us
			mrc_down
		done
	done
done
fabric down
