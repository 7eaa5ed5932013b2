#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Kbuild with sparse and W=1, for the newest kernel of each series.

. scripts/lint-lib.sh

status=0
for kver in $(tests/lab/vm/vm.sh kernels); do
	log=$build/$kver.log
	rm -rf "${build:?}/$kver"
	scripts/link-tree.sh "$build/$kver"
	make -C "/lib/modules/$kver/build" M="$build/$kver" C=2 W=1 \
		CF=-D__CHECK_ENDIAN__ -j "$(nproc)" modules \
		> "$log" 2>&1 || { tail -n 40 "$log"; status=1; }
	! grep -E "^$build/.*(warning|error):" "$log" || status=1
done
exit "$status"
