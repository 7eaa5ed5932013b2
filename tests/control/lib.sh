# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Library of the tests of mrcctl that need no kernel. They are called with the path of
# the program, and report in TAP.

mrcctl=${1:?usage: $0 MRCCTL}
suite=$(basename "$0" .sh)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
failed=0

# verdict STATUS NAME: report a test, and the output of the last run() if it failed.
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

# run ARG...: run mrcctl; sets $status, and leaves its output in $tmp/out and
# $tmp/err. Its standard input is $input if that is set.
# shellcheck disable=SC2034 # tests look at $status
run()
{
	status=0
	"$mrcctl" "$@" > "$tmp/out" 2> "$tmp/err" < "${input:-/dev/null}" ||
		status=$?
}

# The last run() has printed one message on standard error and nothing else.
one_sentence()
{
	[ "$(wc -l < "$tmp/err")" -eq 1 ] &&
		grep -q '^mrcctl: ' "$tmp/err" && [ ! -s "$tmp/out" ]
}
