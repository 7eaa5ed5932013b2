# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Library of the tests of mrcctl, which they run on host h0; to be sourced after
# test.sh:
#
#	. "$(dirname "$0")/lib/mrcctl.sh"
: "${tmp:?}"

# at HOST ARG...: run mrcctl in the namespace of HOST.
at()
{
	on "$1" mrcctl "${@:2}"
}

# h0 ARG...: the same on h0.
h0()
{
	at h0 "$@"
}

# unprivileged ARG...: run mrcctl on h0 as a user without capabilities.
unprivileged()
{
	on h0 setpriv --reuid 65534 --regid 65534 --clear-groups mrcctl "$@"
}

# json_is WANTED FILTER ARG...: jq's FILTER applied to the output of "mrcctl -j
# ARG..." on h0 yields WANTED.
json_is()
{
	local wanted=$1 filter=$2 got

	shift 2
	got=$(h0 -j "$@" | jq -c "$filter") || return
	echo "got $got, wanted $wanted"
	[ "$got" = "$wanted" ]
}

# exits_with STATUS ARG...: mrcctl ARG... on h0 ends with STATUS; its output is
# left in $tmp/out and $tmp/err.
exits_with()
{
	local wanted=$1 status=0

	shift
	h0 "$@" > "$tmp/out" 2> "$tmp/err" || status=$?
	echo "status $status:"
	cat "$tmp/err"
	[ "$status" -eq "$wanted" ]
}

# one_sentence SENTENCE: $tmp/err is one message of mrcctl that contains SENTENCE.
one_sentence()
{
	[ "$(wc -l < "$tmp/err")" -eq 1 ] &&
		grep -q -- "^mrcctl: .*$1" "$tmp/err"
}

# refused SENTENCE ARG...: the kernel refuses mrcctl ARG..., with one message that
# contains SENTENCE.
refused()
{
	exits_with 2 "${@:2}" && one_sentence "$1"
}
