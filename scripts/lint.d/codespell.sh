#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Spelling. -L: words of the field that look like mistakes.

. scripts/lint-lib.sh

mapfile -t list < <(files . | grep -v '^COPYING')
codespell -L ans,clos,inflight "${list[@]}"
