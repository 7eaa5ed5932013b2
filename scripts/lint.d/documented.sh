#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Functions of the module that are not static have kernel-doc.

. scripts/lint-lib.sh

undocumented()
{
	awk '
	/^\/\*\*?$/ { documented = ($0 == "/**") }
	/^[a-z].*\(/ && !start { start = $0; line = FNR }
	/;$/ { start = "" }
	/^{/ && start {
		if (start !~ /^static|=/ && !documented)
			print FILENAME ":" line ": " start
		start = ""
		documented = 0
	}
	/^}/ { start = ""; documented = 0 }
	' "$@"
}

mapfile -t list < <(files 'kernel/*.c')
silent undocumented "${list[@]}"
