# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What tests of mrcctl that need no kernel share: they are called with the
# program, and report in TAP.

mrcctl=${1:?usage: $0 MRCCTL}
suite=$(basename "$0" .sh)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
failed=0

# verdict STATUS NAME: report a test, with what run() has left if it failed.
verdict()
{
	local result=$1 name=$2

	n=$((n + 1))
	if [ "$result" -eq 0 ]; then
		echo "ok $n - $suite: $name"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $n - $suite: $name"
	sed 's/^/# /' "$tmp/out" "$tmp/err"
}

# run ARG...: leaves $status, and what mrcctl prints in $tmp/out and $tmp/err;
# it reads $input if that is set.
# shellcheck disable=SC2034 # tests look at $status
run()
{
	status=0
	"$mrcctl" "$@" > "$tmp/out" 2> "$tmp/err" < "${input:-/dev/null}" ||
		status=$?
}

# Is one sentence all that it has printed, and that on standard error?
one_sentence()
{
	[ "$(wc -l < "$tmp/err")" -eq 1 ] &&
		grep -q '^mrcctl: ' "$tmp/err" && [ ! -s "$tmp/out" ]
}
