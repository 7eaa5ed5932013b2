#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Findings of shellcheck in shell scripts and shell libraries.

. scripts/lint-lib.sh

mapfile -t list < <({ programs 'bash|/sh|busybox'; files '*.sh'; } | sort -u)
shellcheck "${list[@]}"
