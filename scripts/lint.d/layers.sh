#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Dependencies run one way: main -> control, verbs -> net -> path -> core -> uapi.

. scripts/lint-lib.sh

wrong_includes()
{
	grep -nE '^#include "(path|net|verbs|control)/' kernel/core/*.[ch]
	grep -nE '^#include "(net|verbs|control)/' kernel/path/*.[ch]
	grep -nE '^#include "(verbs|control)/' kernel/net/*.[ch]
	grep -nE '^#include "control/' kernel/verbs/*.[ch]
}

silent wrong_includes
