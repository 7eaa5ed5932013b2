#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A run that is to be repeated: traffic over four planes of 100 Gb/s, whose counters
# are left in $VM_OUT/counters. For tests/lab/check.sh.
set -euo pipefail

tmp=$(mktemp -d)
# shellcheck source=tests/lab/hosts.sh
. "$(dirname "$0")/hosts.sh"

fabric up --topology "$lab/topologies/pair-4x100g.conf"
device_add h0
device_add h1
paths_add h0 h1
paths_add h1 h0
verify -o write_imm -s 65536 -n 300
for host in h0 h1; do
	on "$host" mrcctl stats show all
done > "$VM_OUT/counters"
"$lab/link/link.py" -a show >> "$VM_OUT/counters"
