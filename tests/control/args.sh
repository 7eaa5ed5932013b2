#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Arguments of mrcctl: which it refuses, with which message and status, and which it
# accepts. Needs neither root nor the module: a command with valid arguments ends with
# status 2, of a request that the kernel could not serve (there is no device nomrc0).
#
#   args.sh MRCCTL
set -uo pipefail

. "$(dirname "$0")/lib.sh"

# refuses WORD ARG...: mrcctl ARG... prints one message with WORD on standard
# error and ends with status 1.
refuses()
{
	local word=$1

	shift
	run "$@"
	[ "$status" -eq 1 ] && one_sentence && grep -qF -- "$word" "$tmp/err"
	verdict $? "mrcctl $* is refused: $word"
}

# accepts ARG...: mrcctl accepts the arguments (status 0, or 2 from the kernel).
accepts()
{
	run "$@"
	[ "$status" -eq 2 ] || [ "$status" -eq 0 ]
	verdict $? "mrcctl $* is accepted"
}

# prints WORD ARG...: mrcctl ARG... prints WORD on standard output and ends with
# status 0.
prints()
{
	local word=$1

	shift
	run "$@"
	[ "$status" -eq 0 ] && grep -qF -- "$word" "$tmp/out" &&
		[ ! -s "$tmp/err" ]
	verdict $? "mrcctl $* prints: $word"
}

# --- help and options --------------------------------------------------------

run
[ "$status" -eq 1 ] && grep -q '^Usage: ' "$tmp/err"
verdict $? "mrcctl without arguments prints its usage and fails"
prints "Usage:" help
prints "Usage:" -h
prints "Usage:" --help
prints "mrcctl 0" -V
prints "mrcctl dev add" dev help
prints "mrcctl path flush" path help
prints "mrcctl cc show" cc help
prints "mrcctl format show" format help
prints "mrcctl profile ev" profile help
prints "mrcctl template show" template help
prints "mrcctl dest show" dest help
prints "mrcctl topo apply" topo help
prints "mrcctl qp show" qp help
prints "mrcctl port show" port help
prints "mrcctl peer show" peer help
prints "mrcctl stats show" stats help
prints "mrcctl metrics" metrics help
prints "mrcctl monitor" monitor help
prints "mrcctl probe dev" probe help
prints "mrcctl save" save help
prints "mrcctl restore" restore help
run -x
[ "$status" -eq 1 ] && grep -q "'x'" "$tmp/err"
verdict $? "mrcctl -x names the unknown option"
refuses "-n nowhere" -n nowhere dev show
refuses "-n /nowhere" -n /nowhere dev show
refuses "'dev' is not an argument with '-b'" -b /dev/null dev

# --- objects and commands ----------------------------------------------------

refuses "'device' is not an object" device show
refuses "'sho' is not a command of 'dev'" dev sho
refuses "'change' is not a command of 'path'" path change
refuses "'add' is not a command of 'qp'" qp add
refuses "'add' is not an argument" monitor add
refuses "group" monitor group nobody
accepts dev
accepts path
accepts qp

# --- devices -----------------------------------------------------------------

long=$(printf 'x%.0s' {1..64})
list=lo$(printf ',lo%.0s' {1..32})
refuses "'name' is missing" dev add
refuses "'netdev' is missing" dev add nomrc0
refuses "'netdev' needs a value" dev add nomrc0 netdev
refuses "'netdev' is given twice" dev add nomrc0 netdev lo netdev lo
refuses "empty name" dev add nomrc0 netdev lo,
refuses "empty name" dev add nomrc0 netdev ,lo
refuses "'netdev' is empty" dev add nomrc0 netdev ""
refuses "more than 32" dev add nomrc0 netdev "$list"
refuses "no-such-dev" dev add nomrc0 netdev lo,no-such-dev
refuses "$long" dev add nomrc0 netdev "$long"
refuses "'name' is longer than 63" dev add "$long" netdev lo
refuses "'name' is empty" dev add "" netdev lo
refuses "'mtu' is not an argument" dev add nomrc0 mtu 1500 netdev lo
refuses "'extra' is not an argument" dev add nomrc0 netdev lo extra
refuses "'name' is missing" dev del
refuses "'mrc1' is not an argument" dev del nomrc0 mrc1
refuses "'burst', 'cc', 'icrc' or 'peer-ports' is missing" dev set nomrc0
refuses "'burst many'" dev set nomrc0 burst many
refuses "'mrc1' is not an argument" dev show nomrc0 mrc1
accepts dev show
accepts dev show nomrc0
accepts dev show dev nomrc0
accepts -s -d -j -p dev show nomrc0

# --- paths -------------------------------------------------------------------

path=(dev nomrc0 dst fd00::2 ev 1 port 1 sid fcbb:bb00::)
for key in dev dst ev port sid; do
	without=()
	for ((i = 0; i < ${#path[@]}; i += 2)); do
		[ "${path[i]}" = "$key" ] || without+=("${path[@]:i:2}")
	done
	refuses "'$key' is missing" path add "${without[@]}"
	refuses "'$key' needs a value" path add "${without[@]}" "$key"
	refuses "'$key' is given twice" path add "${path[@]}" "$key" 1
done
accepts path add "${path[@]}"
accepts path add sid fcbb:bb00:: port 1 ev 0xffffffff dst fd00::2 dev nomrc0
accepts path add "${path[@]}" srh fcbb:bb00::
accepts path replace "${path[@]}" srh fcbb:bb00::
refuses "'sid' is missing" path replace "${path[@]:0:8}"
refuses "'srh 1.2.3.4'" path add "${path[@]}" srh 1.2.3.4
refuses "'dst fd00::x'" path add dev nomrc0 dst fd00::x ev 1 port 1 sid ::1
refuses "'dst 1.2.3'" path add dev nomrc0 dst 1.2.3 ev 1 port 1 sid ::1
refuses "'sid 1.2.3.4'" path add dev nomrc0 dst fd00::2 ev 1 port 1 sid 1.2.3.4
refuses "'ev x'" path add dev nomrc0 dst fd00::2 ev x port 1 sid ::1
refuses "'ev -1'" path add dev nomrc0 dst fd00::2 ev -1 port 1 sid ::1
refuses "'ev 1x'" path add dev nomrc0 dst fd00::2 ev 1x port 1 sid ::1
refuses "'ev  1'" path add dev nomrc0 dst fd00::2 ev " 1" port 1 sid ::1
refuses "'ev 4294967296'" path del dev nomrc0 dst fd00::2 ev 4294967296
refuses "'ev 99999999999999999999'" path del dev nomrc0 dst fd00::2 \
	ev 99999999999999999999
refuses "'port 0'" path show port 0
refuses "'port 33'" path show port 33
refuses "'state up': not one of idle backup good" path show state up
refuses "'usid x'" path show usid x
accepts path show state bad usid 2203
refuses "'sid' is not an argument" path del dev nomrc0 dst fd00::2 ev 1 sid ::1
refuses "'ev' is missing" path del dev nomrc0 dst fd00::2
refuses "'dev' is missing" path flush
refuses "'dev' is missing" path flush dst fd00::2
accepts path flush dev nomrc0
accepts path show dst 10.0.0.1 dev nomrc0 port 32

refuses "'usid zz'" path deny dev nomrc0 usid zz
refuses "'usid x'" path deny dev nomrc0 usid x
refuses "'sid' is not an argument" path deny dev nomrc0 sid ::1
refuses "'dev' is missing" path deny port 1
accepts path deny dev nomrc0 usid 0x2203 next 1201
accepts path allow dev nomrc0 dst fd00::/16 ev 1 port 2
accepts path rules dev nomrc0

# --- formats, profiles, templates, destinations ----------------------------------

refuses "'dev' is missing" format add f mode udp
refuses "'mode xyz': not one of udp stev srv6 srv6-srh" \
	format add f dev nomrc0 mode xyz
refuses "'state up': not one of init offline online" \
	format set f dev nomrc0 state up
refuses "'name' is missing" format del dev nomrc0
accepts format add f dev nomrc0 mode udp width 8,8
accepts format show f dev nomrc0
refuses "'mode fixed': not one of auto explicit generated" \
	profile add p dev nomrc0 mode fixed
refuses "'index' is missing" profile ev p dev nomrc0 port 1 bits 1
refuses "'bits 0x1': not hexadecimal digits" \
	profile ev p dev nomrc0 index 1 port 1 bits 0x1
refuses "not 1 to 64 digits" profile ev p dev nomrc0 index 1 port 1 \
	bits "${long}00"
refuses "exclude each other" profile ev p dev nomrc0 index 1 deny allow
refuses "'seed 0x1ffffffffffffffff'" profile set p dev nomrc0 \
	seed 0x1ffffffffffffffff
accepts profile add p dev nomrc0 mode generated format f count 16 active 8 \
	min-active 4 seed 1 packet 4096 events good field 8=0x10/0xff:0-3,8 state offline
accepts profile show evs
refuses "'field' is missing" template add t dev nomrc0
accepts template add t dev nomrc0 field fcbbbb00/32,ev@0/8,plane/4,dest@3/4 \
	block 32 usid 16 ev-bits 8 dest-bits 8 first-plane 1
accepts template add t dev nomrc0 srh field fcbbbb00/32
refuses "'srh' is given twice" template add t dev nomrc0 srh srh field 1/32
refuses "'profile' is missing" dest add ::/0 dev nomrc0
refuses "'dst fd00::/129': the prefix length is not 0 to 128" dest del fd00::/129 dev nomrc0
refuses "'dst 10.0.0.0/33': the prefix length is not 0 to 32" dest del 10.0.0.0/33 dev nomrc0
refuses "'dst fd00::x/64': not an IPv6" dest del fd00::x/64 dev nomrc0
refuses "'dst fd00::/'" dest del fd00::/ dev nomrc0
refuses "'dst fd00::/-1'" dest del fd00::/-1 dev nomrc0
refuses "'dst /64'" dest del /64 dev nomrc0
refuses "'dst' is missing" dest del dev nomrc0
accepts dest add 10.0.0.0/8 dev nomrc0 profile p
accepts dest replace fd00::/16 dev nomrc0 profile p template t number 7 cc c
accepts dest show fd00::/16

refuses "'window -1'" cc set c dev nomrc0 window -1
refuses "'window 4294967295'" cc set c dev nomrc0 window 4294967295
refuses "'gamma x'" cc set c dev nomrc0 gamma x
refuses "'gamma'" cc set c dev nomrc0 gamma 0.
refuses "'gamma'" cc set c dev nomrc0 gamma 0.1234567
refuses "'gamma'" cc set c dev nomrc0 gamma 0.5x
refuses "'fi-scale 4294'" cc set c dev nomrc0 fi-scale 4294
refuses "'dev' is missing" cc del c
accepts cc add c dev nomrc0 algorithm nscc rate 25000 base-rtt 50000 \
	target-delay 40000 jitter 1000 trims 1 window 1000000 state offline \
	"fi" 20480 fi-scale 0.25 eta 614 gamma 0.8 max-md-jump 0.5 \
	adjust-bytes 32768 adjust-period 50000 qa-threshold 0 qa-gate 3 \
	disable-qa 0 lb reps reo-wnd-path 0 reo-wnd-any 0 timeout 14 linear 3 \
	exp 25 mpr 1024 nack-retry 1
accepts cc set c dev nomrc0 gamma default window default algorithm default
accepts cc show c
accepts dev set nomrc0 cc c
accepts dev set nomrc0 cc default burst 8
accepts dev set nomrc0 icrc always
accepts dev set nomrc0 icrc auto burst 8
refuses "'icrc never'" dev set nomrc0 icrc never
accepts dev set nomrc0 peer-ports ignore
accepts dev set nomrc0 peer-ports trust icrc auto
refuses "'peer-ports never'" dev set nomrc0 peer-ports never

# --- save and restore ------------------------------------------------------------

refuses "'extra' is not an argument" save dev nomrc0 extra
accepts save
accepts save dev nomrc0
refuses "'file' is missing" restore
refuses "No such file" restore "$tmp/none"
run restore <(printf 'dev add a netdev lo\nqp show all\n')
[ "$status" -eq 1 ] && grep -q "'save' does not write" "$tmp/err" &&
	grep -q "this error is in line 2 of" "$tmp/err"
verdict $? "restore refuses a command that save does not write, and names the line"
run restore <(printf 'dev add a netdev lo\ndev add  a netdev lo\n')
[ "$status" -eq 1 ] && grep -q "line 1 configures the same object" "$tmp/err"
verdict $? "restore refuses two lines about the same object"
run restore <(printf 'path deny dev a port 1\n')
[ "$status" -eq 1 ] && grep -q "no line 'dev add a'" "$tmp/err"
verdict $? "restore refuses a line about a device without 'dev add'"
run restore <(printf '# nothing\n\npath add dst ::1 # dev\n')
[ "$status" -eq 1 ] && grep -q "an argument is missing" "$tmp/err" &&
	grep -q "this error is in line 3 of" "$tmp/err"
verdict $? "restore refuses a line without a required argument, and names it"

# --- queue pairs, counters, ports, top, probe --------------------------------

refuses "'qpn x'" qp show qpn x
refuses "'paths' is given twice" qp show paths paths
accepts qp show paths qpn 5 dev nomrc0
refuses "'qpn' is missing" qp set dev nomrc0
refuses "'trim-nack maybe'" qp set dev nomrc0 qpn 5 trim-nack maybe
accepts qp set svc-time on mpr 128 qpn 5 wimm 4 dev nomrc0 profile default \
	exp 25
accepts dev limits nomrc0
refuses "'all' is given twice" stats show all all
accepts stats show all
accepts stats all
accepts peer show dev nomrc0
refuses "'5' is not an argument" peer show 5
accepts metrics dev nomrc0 peers 0 openmetrics
refuses "'peers x'" metrics peers x
refuses "'file' " metrics file
accepts port show dev nomrc0
refuses "'nomrc0' is not an argument" port show nomrc0
refuses "'up' or 'down'" port set dev nomrc0 port 1
refuses "'up' or 'down'" port set dev nomrc0 port 1 up down
refuses "'port' is missing" port set dev nomrc0 up
refuses "'port 0'" port set dev nomrc0 port 0 up
accepts port set dev nomrc0 port 1 down

refuses "'interval 99': less than 100 ms" top interval 99
refuses "'sort x': not one of rate rtt ecn loss name" top sort x
prints "mrcctl top" top help
accepts top dev nomrc0 count 1 interval 100
refuses "'dev' is missing" probe dst fd00::2
refuses "'dst' or 'targets' is missing" probe dev nomrc0
refuses "'targets /nowhere'" probe dev nomrc0 targets /nowhere
refuses "'op x'" probe dev nomrc0 dst fd00::2 op x
accepts probe dev nomrc0 dst fd00::2 tclass 40 timeout-ns 5000 op port-status ports f
refuses "'dst x'" probe dev nomrc0 dst x
refuses "'port 0'" probe dev nomrc0 dst fd00::2 port 0
refuses "'ev x'" probe dev nomrc0 dst fd00::2 ev 1,x
refuses "'interval 9': less than 10 ms" probe dev nomrc0 dst fd00::2 interval 9
refuses "'count -1'" probe dev nomrc0 dst fd00::2 count -1
refuses "'again' is not an argument" probe again
accepts probe dev nomrc0 dst fd00::2 src fd00::1 port 1 ev 1,0x2 count 1 \
	interval 10 timeout 1

# --- batch ---------------------------------------------------------------------

printf '# nothing\n\n   \n  dev help # and this\n' > "$tmp/good"
prints "mrcctl dev add" -b "$tmp/good"
input=$tmp/good prints "mrcctl dev add" -b -
printf 'dev help\npath add dev\nqp help\n' > "$tmp/bad"
run -b "$tmp/bad"
[ "$status" -eq 1 ] && grep -qF "'dev' needs a value" "$tmp/err" &&
	grep -qF "line 2 of $tmp/bad" "$tmp/err" &&
	! grep -q "qp show" "$tmp/out"
verdict $? "a batch stops at the first invalid line, and names it"
refuses "-b $tmp/none" -b "$tmp/none"
yes x | head -n 300 | tr '\n' ' ' > "$tmp/words"
run -b "$tmp/words"
[ "$status" -eq 1 ] && grep -q "more than 256 words" "$tmp/err"
verdict $? "a batch line of 300 words is refused"

# --- output --------------------------------------------------------------------

if [ -w /dev/full ]; then
	status=0
	"$mrcctl" help > /dev/full 2> "$tmp/err" || status=$?
	[ "$status" -eq 2 ] && grep -q "cannot write" "$tmp/err"
	verdict $? "mrcctl help fails when its output cannot be written"
fi

[ "$failed" -eq 0 ]
