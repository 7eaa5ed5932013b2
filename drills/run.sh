#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Failure drills: the standard fabric with slow links, ECN and shallow queues
# in one guest, traffic of which every byte is compared, and faults. See
# Documentation/drills.md.
#
#   run.sh           KVER=<version> selects the kernel (default: the newest),
#                    DRILLS="name ..." the drills (default: all in this folder)
#
# Leaves in build/drills/: index.html, JSON and SVG of each drill, and the files from
# which they were made. The status is non-zero if a drill could not be carried out, a
# queue pair failed unexpectedly, or a byte was wrong; a missed bound is reported and
# is no failure.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
vm=$root/tests/lab/vm/vm.sh
out=$root/build/drills

# KVER may name several kernels, for make to build; use the last.
kver=${KVER:-}
kver=${kver##* }
if [ -z "$kver" ]; then
	kver=$("$vm" kernels | tail -n 1)
fi
if [ ! -e "$root/build/$kver/mrc.ko" ]; then
	echo "drills: no module for kernel ${kver:-?} (run make)" >&2
	exit 1
fi

read -ra drills <<< "${DRILLS:-}"
if [ ${#drills[@]} -eq 0 ]; then
	mapfile -t drills < <(find "$here" -name '*.drill' -printf '%f\n' |
			      sed 's/\.drill$//' | sort)
fi
for name in "${drills[@]}"; do
	if [ ! -e "$here/$name.drill" ]; then
		echo "drills: there is no drill $name" >&2
		exit 1
	fi
done

rm -rf "$out"
mkdir -p "$out"
echo "drills: booting a guest with kernel $kver"
"$vm" run --kver "$kver" --out "$out" --timeout "${DRILLS_LIMIT:-2700}" \
	"$here/guest.sh" "${drills[@]}"
status=$?
echo "$SECONDS" > "$out/seconds"
/usr/bin/python3 "$here/report.py" "$out" "$status" "${drills[@]}"
