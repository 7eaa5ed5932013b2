#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Build build/yielding/KVER/mrc.ko, the driver that lets others run between any two
# blocks of its code (mrc_yield.c), unless nothing has changed.
#
#   yielding.sh KVER KERNEL_DIR [VARIABLE=VALUE...]
#
# The modules of the tests have been built. VARIABLEs are those of Kbuild.
set -euo pipefail

kver=${1:?usage: yielding.sh KVER KERNEL_DIR}
kernel=${2:?usage: yielding.sh KVER KERNEL_DIR}
shift 2
root=$(cd "$(dirname "$0")/../../.." && pwd)
dir=$root/build/yielding/$kver
symbols=$root/build/tests/$kver/Module.symvers

"$root/scripts/link-tree.sh" "$dir"
if [ "$dir/mrc.ko" -nt "$symbols" ] && [ -z "$(find -L "$dir" -type f \
	\( -name '*.[ch]' -o -name Kbuild \) ! -name '*.mod.c' \
	-newer "$dir/mrc.ko" -print -quit)" ]; then
	exit
fi
make --no-print-directory -s -j"$(nproc)" -C "$kernel" "M=$dir" \
	KCFLAGS=-fsanitize-coverage=trace-pc "KBUILD_EXTRA_SYMBOLS=$symbols" "$@" \
	modules > "$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 1; }
touch "$dir/mrc.ko"
