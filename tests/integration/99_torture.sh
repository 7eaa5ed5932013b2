#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A short round of random work of many processes (lib/torture.sh), always of the same
# seed; "make torture" runs many long ones.
#
# Needs what finds misuse of memory and locks, that is the debug kernel.
#
# Real time: interrupts are to come at any point.

. "$(dirname "$0")/lib/test.sh"

export TORTURE_WORK=${TORTURE_WORK:-15}
# shellcheck source=tests/integration/lib/torture.sh
. "$(dirname "$0")/lib/torture.sh"

can_fail || skip_all "the kernel finds no misuse of memory and locks"

torture_begin
run_round "$seed"
torture_end
