#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What must be refused is refused with the right status, and a process that
# writes nonsense into its rings hurts only its own queue pairs.

. "$(dirname "$0")/lib.sh"

tools=$lib/../../build/tests

link_add()
{
	on "$1" rdma link add "mrc${1#h}" type mrc netdev p0
}

# subtests PROGRAM [ARG...]: run a program that speaks TAP, its results being
# ours.
subtests()
{
	local name status line

	name=${1##*/}
	"$@" > "$tmp/subtests" 2>&1
	status=$?
	while read -r line; do
		case $line in
		ok\ *)		ok "$name: ${line#* - }" ;;
		not\ ok\ *)	not_ok "$name: ${line#* - }" ;;
		'#'*)		echo "$line" ;;
		esac
	done < "$tmp/subtests"
	check_equal "$name ${2:-} runs to its end" \
		"$((status < 2)) $(grep -c '^1\.\.' "$tmp/subtests")" "1 1"
}

check "two hosts come up" fabric simple
check "device on h0" link_add h0
check "device on h1" link_add h1
check "their GIDs" wait_for "$patience" have_gids 6

gid=$(gid_index h0 6)
for group in send post qp resource event wr; do
	subtests "$tools/mrc_bad" -d mrc0 -D mrc1 -g "$gid" "$group"
done
subtests "$tools/mrc_ring" -d mrc0 -D mrc1 -g "$gid"
