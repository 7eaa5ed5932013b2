#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Functions of the module that nothing of it calls, and struct members that
# nothing reads.

. scripts/lint-lib.sh

scripts/idle/run.sh "$build/idle" "$(tests/lab/vm/vm.sh kernels | tail -n 1)"
