#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The bash completion of mrcctl, called as bash calls it.
#
#   completion.sh FILE
set -uo pipefail

# shellcheck disable=SC1090
. "${1:?usage: completion.sh FILE}"
cd "$(dirname "$0")/../.." || exit
failed=0

# offered WORD: the last completion offers WORD.
offered()
{
	local reply

	for reply in "${COMPREPLY[@]}"; do
		[ "$reply" != "$1" ] || return 0
	done
	return 1
}

# completes LINE WORD...: the completion of the last word of LINE offers each WORD.
completes()
{
	local line=$1 word

	shift
	read -ra COMP_WORDS <<< "$line"
	[[ $line != *" " ]] || COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_mrcctl
	for word in "$@"; do
		if ! offered "$word"; then
			echo "# '$line' is not completed to '$word'" \
			     "but to: ${COMPREPLY[*]}"
			failed=1
		fi
	done
}

# offers_not LINE WORD: the completion of the last word of LINE does not offer WORD.
offers_not()
{
	completes "$1"
	if offered "$2"; then
		echo "# '$1' is completed to '$2', which must not be offered"
		failed=1
	fi
}

completes "mrcctl cc " show add set del help
completes "mrcctl cc add c dev mrc0 " algorithm lb window gamma mpr
completes "mrcctl cc set c lb r" rotation reps
completes "mrcctl cc set c gamma 0.8 " algorithm
completes "mrcctl cc add c algorithm n" none nscc
completes "mrcctl dev set mrc0 " burst cc icrc peer-ports
completes "mrcctl dev set mrc0 icrc a" auto always
completes "mrcctl dev set mrc0 icrc always " burst cc peer-ports
completes "mrcctl dev set mrc0 peer-ports " trust ignore
completes "mrcctl port set dev mrc0 port 1 " up down usid
completes "mrcctl dev set mrc0 cc d" default
completes "mrcctl " dev format profile template dest path topo cc qp port \
	stats monitor help
completes "mrcctl " save restore
completes "mrcctl save " dev
completes "mrcctl restore READ" README.md
completes "mrcctl p" path port profile
completes "mrcctl -j -n host d" dev
completes "mrcctl dev " show add set del help
completes "mrcctl path f" flush
completes "mrcctl path add " dev dst ev port sid
completes "mrcctl path add dev mrc0 " dst ev port sid
completes "mrcctl path replace dev mrc0 " dst ev port sid srh
offers_not "mrcctl path add dev mrc0 " dev
completes "mrcctl path del dev mrc0 dst ::1 " ev
completes "mrcctl dev add mrc0 " netdev
completes "mrcctl dev add mrc0 netdev l" lo
completes "mrcctl dev add mrc0 netdev lo,l" lo,lo
completes "mrcctl qp show " dev qpn paths
completes "mrcctl qp set dev mrc0 qpn 2 " profile cc timeout linear exp mpr \
	mpr-dest wimm wimm-dest trim-nack dynamic-mpr svc-time svc-time-dest
completes "mrcctl qp set dev mrc0 qpn 2 trim-nack " on off
completes "mrcctl port " show set help
completes "mrcctl port set dev mrc0 " port up down
completes "mrcctl stats show " dev all
completes "mrcctl peer show " dev
completes "mrcctl metrics " dev peers file openmetrics
completes "mrcctl metrics file READ" README.md
offers_not "mrcctl metrics dev mrc0 openmetrics " openmetrics
completes "mrcctl monitor " dev group
completes "mrcctl monitor dev mrc0 group p" ports paths
completes "mrcctl top " dev interval sort
completes "mrcctl top sort r" rate rtt
completes "mrcctl probe " dev dst
completes "mrcctl probe dev mrc0 dst ::1 " src port ev count interval timeout \
	tclass op ports
offers_not "mrcctl probe dev mrc0 dst ::1 " dst
completes "mrcctl format " show add set del help
completes "mrcctl format add f dev mrc0 " mode width state
completes "mrcctl format add f mode s" srv6 stev
completes "mrcctl profile add p mode " auto explicit generated
completes "mrcctl profile add p state o" offline online
completes "mrcctl profile ev " dev index deny
completes "mrcctl profile ev p dev mrc0 " index port bits deny allow
completes "mrcctl template " show add set del help
completes "mrcctl template add t dev mrc0 " field ev-bits dest-bits srh
completes "mrcctl template add t dev mrc0 srh " field block
completes "mrcctl dest " show add replace del help
completes "mrcctl dest add ::/0 dev mrc0 profile p " template number cc
completes "mrcctl path show " state usid
completes "mrcctl path show state b" bad backup
completes "mrcctl path " deny allow rules
completes "mrcctl path deny dev mrc0 usid 2203 " next port dst ev
completes "mrcctl topo e" export
completes "mrcctl topo export READ" README.md
completes "mrcctl topo export README.md " format switch
completes "mrcctl topo export README.md format " linux frr sonic
completes "mrcctl topo import README.md " dev host
completes "mrcctl topo " show check apply help
completes "mrcctl topo check READ" README.md
completes "mrcctl topo show fabric " host to
completes "mrcctl topo apply fabric " host dev dry-run fresh
offers_not "mrcctl topo apply fabric dry-run " dry-run
exit "$failed"
