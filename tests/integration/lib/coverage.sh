#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In a guest of the kind coverage: leave in $VM_OUT/gcov the counts of lines of the
# module that were run, with links to what gcov(1) needs beside them. The kernel keeps
# the counts of a module that has been unloaded.
set -euo pipefail

out=${VM_OUT:?}/gcov

cd /sys/kernel/debug/gcov
find . -type d -exec mkdir -p "$out/{}" \;
# The size of these files is 0 before they are read.
find . -name '*.gcda' -exec sh -c 'cat "$1" > "$2/$1"' sh {} "$out" \;
find . -name '*.gcno' -exec cp -P {} "$out/{}" \;
