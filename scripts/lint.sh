#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Static checks over all tracked files; any finding is a failure.
#
#   lint.sh [STEP...]      default: all steps
#   lint.sh --list         names of the steps
#
# A step is an executable file scripts/lint.d/STEP.sh or scripts/lint.d/STEP.py.
# To add one, add a file: nothing lists it. A step is run without arguments from
# the top of the tree. It succeeds with status 0 and prints what it finds, which
# is shown when it fails. Steps in shell source scripts/lint-lib.sh.
#
# Products go to build/lint. The last line is "N passed, N failed, N skipped".
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
dir=scripts/lint.d
passed=0
failed=0

# Names of all steps.
all_steps()
{
	find "$dir" \( -name '*.sh' -o -name '*.py' \) -perm -u+x \
		-printf '%f\n' | sed 's/\.[^.]*$//' | sort
}

run_step()
{
	local files output

	files=("$dir/$1".[ps][hy])
	if output=$("${files[0]}" 2>&1); then
		echo "ok - lint: $1"
		passed=$((passed + 1))
	else
		echo "not ok - lint: $1"
		printf '%s\n' "$output" | sed 's/^/# /'
		failed=$((failed + 1))
	fi
}

if [ "${1:-}" = --list ]; then
	all_steps
	exit
fi
mkdir -p build/lint
steps=("$@")
if [ ${#steps[@]} -eq 0 ]; then
	mapfile -t steps < <(all_steps)
fi
for step in "${steps[@]}"; do
	run_step "$step"
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
