# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# For tests about mrcctl, on host h0; after lib.sh:
#
#	. "$(dirname "$0")/ctllib.sh"
: "${tmp:?}"

# (Without sysfs, which "ip netns exec" mounts: this is done often.)
h0()
{
	nsenter --net=/run/netns/h0 mrcctl "$@"
}

# As somebody without privileges.
nobody()
{
	on h0 setpriv --reuid 65534 --regid 65534 --clear-groups mrcctl "$@"
}

# json_is WANTED FILTER ARG...: what FILTER makes of the output of "mrcctl -j
# ARG..." is WANTED.
json_is()
{
	local wanted=$1 filter=$2 got

	shift 2
	got=$(h0 -j "$@" | jq -c "$filter") || return
	echo "got $got, wanted $wanted"
	[ "$got" = "$wanted" ]
}

# ends STATUS ARG...: with this status; what it says is left in $tmp/out and
# $tmp/err.
ends()
{
	local wanted=$1 status=0

	shift
	h0 "$@" > "$tmp/out" 2> "$tmp/err" || status=$?
	echo "status $status:"
	cat "$tmp/err"
	[ "$status" -eq "$wanted" ]
}

# one_sentence SENTENCE: that is one message, with SENTENCE in it.
one_sentence()
{
	[ "$(wc -l < "$tmp/err")" -eq 1 ] &&
		grep -q -- "^mrcctl: .*$1" "$tmp/err"
}

# refused SENTENCE ARG...: by the kernel, in one sentence with SENTENCE in it.
refused()
{
	ends 2 "${@:2}" && one_sentence "$1"
}
