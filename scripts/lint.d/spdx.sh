#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Sources state their licence.

. scripts/lint-lib.sh

status=0
while read -r file; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' ||
		{ echo "$file: no SPDX line"; status=1; }
done < <(files '*.[ch]' '*.sh' '*.py' '*.lua' '*Makefile' Kbuild)
exit "$status"
