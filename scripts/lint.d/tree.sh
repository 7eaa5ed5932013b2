#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What is compiled is listed, and nothing else; no version numbers; no file
# that is too long to be read.

. scripts/lint-lib.sh

status=0
while read -r file; do
	grep -qF "${file%.c}.o" Kbuild ||
		{ echo "$file: not in Kbuild"; status=1; }
done < <(files 'kernel/*.c')
while read -r file; do
	[ -e "${file%.o}.c" ] ||
		{ echo "Kbuild: no source of $file"; status=1; }
done < <(grep -o 'kernel/[^ ]*\.o' Kbuild)
! grep -rnE 'LINUX_VERSION_CODE|KERNEL_VERSION\(' kernel || status=1
while read -r file; do
	[ "$(wc -l < "$file")" -le 900 ] ||
		{ echo "$file: more than 900 lines"; status=1; }
done < <(files '*.[ch]')
git ls-files | grep -E '\.(o|ko|a|so|mod)$' && status=1
exit "$status"
