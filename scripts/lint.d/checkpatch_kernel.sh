#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# checkpatch (strict) over what runs in the kernel.

. scripts/lint-lib.sh

linux=$(linux_source) || exit
mapfile -t list < <(files 'kernel/*.[ch]' 'uapi/*.h' 'tests/lab/link/*.[ch]')
silent checkpatch FILE_PATH_CHANGES "${list[@]}"
