#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The guest's part of where.py: ib_write_bw of 64 KiB from h0 to h1. While the file
# $1/begin is there and $1/end is not, it has been running for a while. $1/traffic
# tells bytes and seconds between both, and at last what the program reports. LINKS,
# PATHS (of each QP) and QPS are 1, what the device chooses, and 1 without being set.
set -uo pipefail

share=$1
seconds=4
tmp=$(mktemp -d)
. "$(dirname "$0")/../tests/lab/hosts.sh"

# flows BYTES: h0 has sent more than that.
flows()
{
	[ "$(counter h0 tx_bytes)" -gt "$1" ]
}

traffic()
{
	echo "$(counter h0 tx_bytes) $(date +%s%N)"
}

# with_paths HOST: its device gives QPs $PATHS paths.
with_paths()
{
	on "$1" mrcctl profile add some dev "mrc${1#h}" mode auto count "$PATHS" \
		active "$PATHS" state online &&
		on "$1" mrcctl dest add ::/0 dev "mrc${1#h}" profile some
}

fabric simple --links "${LINKS:-1}" --mtu 4500 || exit
devices_up device_add 6 || exit
if [ "${PATHS:-}" ]; then
	with_paths h0 && with_paths h1 || exit
fi
cp /proc/kallsyms "$share/symbols"
perftest ib_write_bw -s 65536 -q "${QPS:-1}" -D $((seconds + 6)) > "$tmp/perftest" 2>&1 &
wait_for "$patience" flows $((64 << 20)) || { cat "$tmp/perftest"; exit 1; }
before=$(traffic)
touch "$share/begin"
# The interval that is measured.
sleep "$seconds"
after=$(traffic)
touch "$share/end"
wait || exit
echo "$before $after $(awk '$1 == 65536 { print $4 }' "$tmp/client")" |
	awk '{ print $3 - $1, ($4 - $2) / 1e9, $5 }' > "$share/traffic"
