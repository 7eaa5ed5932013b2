#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# checkpatch (strict) over what runs in user space. The shim imitates the
# kernel's headers, and thus cannot please checkpatch.

. scripts/lint-lib.sh

# Habits of the kernel that do not hold in user space.
ignore=PREFER_KERNEL_TYPES,USE_NEGATIVE_ERRNO,PREFER_FALLTHROUGH
ignore+=,PREFER_DEFINED_ATTRIBUTE_MACRO,NEW_TYPEDEFS,MACRO_ARG_REUSE
ignore+=,MACRO_ARG_PRECEDENCE,PREFER_SCNPRINTF,STRLCPY,STRCPY
ignore+=,CAMELCASE,PREFER_ALLOC,ENOSYS,NAKED_SSCANF,VOLATILE
ignore+=,PRINTK_WITHOUT_KERN_LEVEL,SPLIT_STRING,BIT_MACRO
ignore+=,CONST_STRUCT,AVOID_EXTERNS

linux=$(linux_source) || exit
mapfile -t list < <(files 'userspace/*.[ch]' 'tests/*.[ch]' 'bench/*.[ch]' |
		    grep -v '^tests/shim/')
silent checkpatch "FILE_PATH_CHANGES,$ignore" "${list[@]}"
