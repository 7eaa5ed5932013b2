#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Build kernel/core for user space with ASan and UBSan and run its KUnit suites in
# a process. Arguments are glob patterns of "suite.case"; default: all.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
build=${BUILD:-$(dirname "$(dirname "$here")")/build}
jobs=$(nproc)

make --no-print-directory -s -j "$jobs" -C "$here" BUILD="$build" all
exec "$build/core/runner" -j "$jobs" "$@"
