#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Python programs compile.

. scripts/lint-lib.sh

mapfile -t list < <({ programs python3; files '*.py'; } | sort -u)
PYTHONPYCACHEPREFIX=$build/pycache /usr/bin/python3 -m py_compile "${list[@]}"
