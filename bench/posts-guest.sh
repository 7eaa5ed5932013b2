#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The guest's part of posts.py: bandwidth with 64 KiB, one plane, by how the program posts
# and waits. Every measurement is one line of JSON in $VM_OUT/results: what perftest calls
# peak and average.
set -uo pipefail

tmp=$(mktemp -d)
. "$(dirname "$0")/../tests/lab/hosts.sh"
. "$(dirname "$0")/systems.sh"

rounds=${BENCH_ROUNDS:-3}
placement=shared
size=65536
# Bytes of a measurement.
volume=$((1 << 30))

# Queue depth, lists, queue pairs, events instead of polling (there are none for WRITE).
ways=("ib_write_bw -t 1" "ib_write_bw -t 2" "ib_write_bw -t 4" "ib_write_bw -t 8"
      "ib_write_bw -t 16" "ib_write_bw -t 32" "ib_write_bw -t 64" "ib_write_bw -t 128"
      "ib_write_bw -t 128 -l 16" "ib_write_bw -t 128 -q 4" "ib_write_bw -t 128 -q 4 -l 16"
      "ib_send_bw -t 128" "ib_send_bw -t 128 -e" "ib_send_bw -t 128 -q 4 -e")

# Perftest counts the messages of each queue pair.
messages()
{
	local qps=1

	[[ ! $1 =~ -q\ ([0-9]+) ]] || qps=${BASH_REMATCH[1]}
	echo $((volume / size / qps))
}

# Print peak and average, Gb/s.
measure_way()
{
	# shellcheck disable=SC2086
	perftest_value '$3, $4' "$size" $1 --report_gbits -n "$(messages "$1")"
}

fabric simple --mtu 4500 || die "the fabric does not come up"
mrc_up 1
for ((round = 1; round <= rounds; round++)); do
	for way in "${ways[@]}"; do
		label=$way
		read -r peak average < <(measure_way "$way") || die "$label failed"
		printf '  round %d of %d  %-30s peak %7.2f average %7.2f Gb/s\n' \
			"$round" "$rounds" "$way" "$peak" "$average"
		echo "{\"way\":\"$way\",\"peak\":$peak,\"average\":$average}" \
			>> "$VM_OUT/results"
	done
done
