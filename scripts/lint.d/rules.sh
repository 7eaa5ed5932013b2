#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Functions and tests that the tables of rules name exist.

. scripts/lint-lib.sh

scripts/rule-tables.py Documentation/protocol.md
