#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Random work of many processes at once (mrc_torture): objects of verbs are made, used
# and destroyed, objects change under traffic, processes are killed at any point,
# packets are repeated and damaged, netlink requests and dumps arrive, and devices,
# ports, namespaces, addresses and routes come and go. Where the kernel can, allocations
# fail as well. Afterwards the kernel log is clean, no page is pinned, all devices can
# be removed and the module unloads.
#
#	h0:p0,p1 ---- p0,p1:h1		mrc0, mrc1: they stay
#	v0:q ------------ q:v1		vol0, vol1: they come and go, with the namespaces
#
# A round has a seed, from which everything that processes do follows; in virtual time
# also when they do it.
#
# Environment: TORTURE_SEED, seed of the first round (1); TORTURE_SECONDS, for how long
# further rounds begin, with the seeds after it (0); TORTURE_WORK, actions of a round
# in per cent (100).
#
# Also: several processors: objects are destroyed while they are used.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/memory.sh
. "$(dirname "$0")/lib/memory.sh"

program=$programs/mrc_torture
seed=${TORTURE_SEED:-1}
work=${TORTURE_WORK:-100}
storm=$tests/tools/netlink/storm.py
# Allocations of workers that fail, in per cent.
failing=2

# --- devices that come and go -------------------------------------------------

# other I: the other of 0 and 1.
other()
{
	echo $((1 - $1))
}

vol_netns()
{
	ip netns add "v$1" &&
		ip netns exec "v$1" sysctl -qw net.ipv6.conf.all.accept_dad=0 \
			net.ipv6.conf.default.accept_dad=0
}

vol_port()
{
	ip link add name q netns v0 mtu 4500 type veth peer name q netns v1
}

# The far end has the address whose last digit is the other one.
vol_addresses()
{
	ip -n "v$1" link set q up
	ip -n "v$1" addr add "2001:db8:2::$1/64" dev q nodad
	ip -n "v$1" addr add "10.201.0.$(($1 + 1))/24" dev q
}

vol_all()
{
	vol_netns "$1"
	vol_port
	vol_addresses 0
	vol_addresses 1
	on "v$1" mrcctl dev add "vol$1" netdev q
}

vol_paths()
{
	local n

	for n in 1 2 3; do
		echo "path add dev vol$1 dst 2001:db8:2::$(other "$1") ev $n port 1 sid fcbb:bb00:$n::"
	done | on "v$1" mrcctl -b -
}

# One change of v$1, vol$1 or its port: the first and the last numbers build.
vol_change()
{
	local i=$1

	case $2 in
	[0-5]|2?)
		vol_all "$i" ;;
	6)	on "v$i" mrcctl dev del "vol$i" ;;
	7)	rdma link delete "vol$i" ;;
	8)	ip netns del "v$i" ;;
	9)	ip -n "v$i" link del q ;;
	10)	ip -n "v$i" link set q down ;;
	11)	ip -n "v$i" addr flush dev q ;;
	12)	ip -n "v$i" link set q mtu $((1280 + RANDOM % 4000)) ;;
	13)	ip -n "v$i" link set q netns "v$(other "$i")" ;;
	14)	ip -n "v$i" link set q name r && ip -n "v$i" link set r name q ;;
	15)	rdma dev set "vol$i" name volx && rdma dev set volx name "vol$i" ;;
	16)	vol_paths "$i" ;;
	17)	on "v$i" mrcctl path flush dev "vol$i" ;;
	18)	ip -n "v$i" link set q address "02:00:00:00:00:1$i" ;;
	19)	on "v$i" mrcctl dev del "vol$i" & rdma link delete "vol$i"; wait ;;
	esac
}

# --- the devices that stay ----------------------------------------------------

stay_change()
{
	local host=h$1 dev=mrc$1

	case $2 in
	0|1)	on "$host" mrcctl port set dev "$dev" port 1 down ;;
	2)	ip -n "$host" link set p1 down ;;
	3|4)	on "$host" mrcctl port set dev "$dev" port 1 up
		ip -n "$host" link set p1 up ;;
	5)	ip -n "$host" addr add "2001:db8:77::$RANDOM/128" dev p0 ;;
	6)	ip -n "$host" addr flush dev p0 to 2001:db8:77::/64 ;;
	7)	on "$host" mrcctl dev set "$dev" burst $((1 + RANDOM % 16)) ;;
	8)	ip -n "$host" -6 route flush cache ;;
	9)	ip -n "$host" link set p1 mtu $((1280 + RANDOM % 3000)) ;;
	esac
}

# What others look at while it changes.
look()
{
	case $1 in
	0)	rdma -dd resource show qp ;;
	1)	rdma -dd resource show cq ;;
	2)	rdma -dd resource show mr ;;
	3)	rdma -dd resource show srq ;;
	4)	rdma statistic show ;;
	5)	rdma -dd dev show ;;
	6)	on h0 mrcctl -j path show dev mrc0 ;;
	7)	on h1 mrcctl -j qp show dev mrc1 ;;
	8)	cat /sys/class/infiniband/*/ports/1/hw_counters/* \
			/sys/class/infiniband/*/ports/1/gids/* ;;
	9)	on h0 mrcctl probe dev mrc0 dst "$(address_of h1 6)" count 1 ;;
	esac
}

# churn SEED N: N changes, each of which may fail.
churn()
{
	local n

	RANDOM=$1
	for ((n = 0; n < $2; n++)); do
		case $((RANDOM % 4)) in
		0)	stay_change $((RANDOM % 2)) $((RANDOM % 10)) ;;
		1)	look $((RANDOM % 10)) ;;
		*)	vol_change $((RANDOM % 2)) $((RANDOM % 28)) ;;
		esac
		sleep_us $((RANDOM % 20000))
	done
	# Where the kernel looks for it at the end of the script.
	return 0
} > /dev/null 2>&1

vol_down()
{
	ip netns del v0
	ip netns del v1
	return 0
} 2> /dev/null

# --- rounds -------------------------------------------------------------------

# amount N: as many actions as the round is to have.
amount()
{
	echo $(($1 * work / 100 + 1))
}

# start NAME COMMAND...: a worker, whose output is left in $tmp/work-NAME.
start()
{
	"${@:2}" > "$tmp/work-$1" 2>&1 &
	workers[$!]=$1
}

# torture NAME SEED N [ARG...]: start worker NAME of mrc_torture.
torture()
{
	start "$1-$2" "$program" -l "$tmp/actions" -n "$(amount "$3")" -s "$2" \
		"${@:4}" "$1"
}

start_workers()
{
	local s=$1 stay=(-d mrc0 -d mrc1) vol=(-g -d vol0 -d vol1) fail=()

	! can_fail || fail=(-f)
	torture objects $((s + 1)) 2000 "${stay[@]}"
	torture objects $((s + 2)) 2000 "${stay[@]}" "${fail[@]}"
	torture objects $((s + 3)) 2000 "${vol[@]}"
	torture traffic $((s + 4)) 40 "${stay[@]}"
	torture traffic $((s + 5)) 40 "${stay[@]}" "${fail[@]}"
	torture kill $((s + 6)) 16 "${stay[@]}" "${fail[@]}"
	torture kill $((s + 7)) 16 "${vol[@]}"
	torture packet $((s + 8)) 600 -p h0:p0 -p h1:p0 -p h0:p1
	torture dump $((s + 9)) 160 "${stay[@]}" -d vol0 -d vol1
	start storm on h0 /usr/bin/python3 "$storm" mrc0 "$(amount 200)" "$s" \
		"$(address_of h1 6)"
	start churn churn "$s" "$(amount 32)"
}

# What a worker says that it has done.
report()
{
	sed -n "/made\|completions\|done,/s/^/$1: /p" "$tmp/work-$1" >> "$tmp/reports"
}

# Wait for all workers; fails if one has not ended well.
wait_workers()
{
	local pid bad=0

	for pid in "${!workers[@]}"; do
		wait "$pid" && { report "${workers[$pid]}"; continue; }
		echo "worker ${workers[$pid]}: status $?"
		tail -n 20 "$tmp/work-${workers[$pid]}"
		bad=1
	done
	return "$bad"
}

# work_together SEED: all workers of a round, from start to end.
work_together()
{
	local -A workers=()

	: > "$tmp/actions"
	: > "$tmp/reports"
	start_workers $(($1 * 16))
	wait_workers
}

last_actions()
{
	echo "TORTURE_SEED=$1 repeats the round; the last actions:"
	"$program" -l "$tmp/actions" log | tail -n 60
}

up()
{
	fabric simple --links 2 > /dev/null && devices_up device_add 6 || return
	vol_all 0
	vol_all 1
	return 0
}

no_devices()
{
	! ls /sys/class/infiniband/mrc* /sys/class/infiniband/vol* \
		> /dev/null 2>&1
}

# run_round SEED: a round, and what must hold after it.
run_round()
{
	local failed=$tests_failed pinned_before

	pinned_before=$(pinned)
	check "round $1: two hosts come up" up
	check "round $1: all workers end without a finding" work_together "$1"
	sort "$tmp/reports" | note
	vol_down
	fabric down
	check "round $1: no device is left without namespaces" \
		wait_for "$patience" no_devices
	check "round $1: no page is pinned any more" \
		wait_for "$patience" pinned_is "$pinned_before"
	check "round $1: the module can be unloaded" \
		wait_for "$patience" unload
	check "round $1: the kernel log has no problems" kernel_log_is_clean
	[ "$tests_failed" -eq "$failed" ] || last_actions "$1" | note
	[ "$tests_failed" -eq "$failed" ]
}

if can_fail; then
	check "allocations that may sleep can fail" faults_reach_all
	check "$failing % of allocations fail" faults_at_random "$failing"
fi
end=$((SECONDS + ${TORTURE_SECONDS:-0}))
while run_round "$seed" && [ "$SECONDS" -lt "$end" ]; do
	seed=$((seed + 1))
	echo "# $((end - SECONDS)) s are left"
done
! can_fail || no_faults
