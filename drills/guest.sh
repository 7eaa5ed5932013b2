#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The part of the drills that runs in the guest: the drills of the arguments, one
# after the other. Each leaves its files in $VM_OUT/NAME, among them "status" with
# 0 or 1.
set -uo pipefail

tmp=$(mktemp -d)
drill_out=$VM_OUT
. "$(dirname "$0")/../tests/lab/hosts.sh"
. "$(dirname "$0")/drill.sh"

cat > "$VM_OUT/machine.json" <<END
{"date":"$(date -u +%F)","kernel":"$(uname -r)",
"accelerator":"${VM_ACCEL:-none}","cpus":$(nproc),
"burst":$drill_burst,"message":$drill_message}
END

# Load modules before anything is measured, not at their first use.
modprobe -a sch_netem sch_tbf sch_red
drill_set_up "$(drill_network_of "$1")" ||
	{ dump; echo "drills: no fabric" >&2; exit 1; }
# Traffic uses all CPUs, but faults must happen on time: this script has a higher
# priority. Softirqs, which process all packets of the network, have a higher one yet.
renice -n -10 -p $$ > /dev/null
pgrep -x 'ksoftirqd/[0-9]+' | xargs renice -n -15 -p > /dev/null
for name in "$@"; do
	echo "$name: $(drill_lines "$name" title)"
	status=0
	drill_run "$name" > "$tmp/$name" 2>&1 || status=1
	echo "$status" > "$VM_OUT/$name/status"
	[ "$status" -ne 0 ] || continue
	cat "$tmp/$name"
	cp "$tmp/$name" "$VM_OUT/$name/failure"
	dump > "$VM_OUT/$name/dump"
	# The next drill begins with an undisturbed fabric.
	drill_tear_down
	drill_set_up "$drill_network" || exit 1
done
drill_tear_down
wait_for "$patience" modprobe -r mrc || { echo "mrc does not unload" >&2; exit 1; }
