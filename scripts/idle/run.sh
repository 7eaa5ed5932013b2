#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Find functions of the module that nothing of the module calls, and members of
# its structs that nothing reads.
#
#   run.sh DIR KVER
#
# DIR gets a copy of the sources and the indexes. semind (Debian's sparse) passes
# over inline functions, so in the copy they are none.
set -euo pipefail

dir=${1:?usage: run.sh DIR KVER}
kver=${2:?usage: run.sh DIR KVER}
here=$(dirname "$(readlink -f "$0")")
root=$(dirname "$(dirname "$here")")

rm -rf "$dir"
mkdir -p "$dir/src" "$dir/index"
cp -r "$root/Kbuild" "$root/kernel" "$root/uapi" "$dir/src/"
find "$dir/src/kernel" -name '*.[ch]' -exec \
	sed -i 's/^static inline /static __maybe_unused /' {} +

IDLE_INDEX=$dir/index IDLE_ROOT=$dir/src make -s -C "/lib/modules/$kver/build" \
	M="$dir/src" C=2 CHECK="$here/index" -j "$(nproc)" modules \
	> "$dir/log" 2>&1 || { tail -n 40 "$dir/log"; exit 1; }
"$here/idle.py" "$dir" "$here/exceptions"
