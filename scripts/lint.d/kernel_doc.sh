#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# kernel-doc comments are well formed.

. scripts/lint-lib.sh

linux=$(linux_source) || exit
mapfile -t list < <(files 'kernel/*.[ch]' 'uapi/*.h')
"$linux/scripts/kernel-doc" -none -Werror -Wreturn -Wshort-desc "${list[@]}"
