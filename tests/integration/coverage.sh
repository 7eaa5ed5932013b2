#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Run tests in virtual time with a module that counts which of its lines are run, and
# print for each source file of the layers above the core how many were, and which were
# not. The status is non-zero if a test failed, or if fewer lines were run than PERCENT.
#
#   coverage.sh [TEST...]     default: all that can run in virtual time
#
# Environment: PERCENT (default 90); KEEP=yes adds to the counts of earlier runs.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
counts=$root/build/test/uml-coverage

[ -n "${KEEP:-}" ] || rm -rf "$counts"
status=0
"$here/run.sh" --uml coverage "$@" || status=1
"$root/tests/core/coverage.py" "$counts" "${PERCENT:-90}" path net control verbs ||
	status=1
exit "$status"
