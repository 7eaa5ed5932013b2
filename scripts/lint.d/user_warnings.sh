#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The provider and the tool, with every warning an error.

. scripts/lint-lib.sh

for dir in userspace/*/; do
	make -C "$dir" BUILD="$build/user" \
		CFLAGS="-O2 -g -Wall -Wextra -Werror" > "$build/user.log" 2>&1 ||
		{ tail -n 40 "$build/user.log"; exit 1; }
done
