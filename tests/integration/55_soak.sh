#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Two short cycles of long_soak (lib/soak.sh), always with the same seed: traffic of every
# verb beside faults and changes of paths, then the books of packets, objects and pinned
# pages.

. "$(dirname "$0")/lib/test.sh"

export SOAK_WORK=${SOAK_WORK:-25}
# shellcheck source=tests/integration/lib/soak.sh
. "$(dirname "$0")/lib/soak.sh"

soak_begin || exit
for cycle in 0 1; do
	soak_cycle "$cycle" || break
done
soak_end
