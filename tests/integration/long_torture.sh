#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Rounds of random work of many processes (lib/torture.sh) for a given time.
#
# Environment: TORTURE_SEED, seed of the first round (1); TORTURE_SECONDS, for how long
# further rounds begin, with the seeds after it (0); TORTURE_WORK, actions of a round
# in per cent (100); TORTURE_YIELD, blocks of the driver between two delays (60).
#
# Also: several processors: objects are destroyed while they are used.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/torture.sh
. "$(dirname "$0")/lib/torture.sh"

torture_begin
end=$((SECONDS + ${TORTURE_SECONDS:-0}))
while run_round "$seed" && [ "$SECONDS" -lt "$end" ]; do
	seed=$((seed + 1))
	echo "# $((end - SECONDS)) s are left"
done
torture_end
