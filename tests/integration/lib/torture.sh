# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Rounds of random work of many processes at once (mrc_torture); to be sourced after
# test.sh. Objects of verbs are made, used and destroyed, objects change under traffic,
# processes are killed at any point, packets are repeated, damaged and forged, netlink
# requests and dumps arrive, and devices, ports, namespaces, addresses and routes come
# and go. Where the kernel can, allocations fail as well. After a round the kernel log
# is clean, no page is pinned, all devices can be removed and the module unloads.
#
#	h0:p0,p1 ---- p0,p1:h1		mrc0, mrc1: they stay
#	              raw:h1 --- h1:raw	raw1, and a host without a device
#	v0:q ------------ q:v1		vol0, vol1: they come and go, with the namespaces
#
# On the debug kernel the driver lets others run between any two blocks of its code
# (module/mrc_yield.c); where build/yielding has such a driver for another kernel, this
# one is loaded.
#
# A round has a seed, from which everything that processes do follows. All kinds of
# work are counted; one that never succeeds shows that a part of this does nothing.

: "${tmp:?}" "${programs:?}" "${tests:?}" "${root:?}" "${patience:?}" "${tests_failed:?}"

# shellcheck source=tests/integration/lib/memory.sh
. "$(dirname "${BASH_SOURCE[0]}")/memory.sh"

program=$programs/mrc_torture
# shellcheck disable=SC2034
seed=${TORTURE_SEED:-1}
work=${TORTURE_WORK:-100}
storm=$tests/tools/netlink/storm.py
# The driver that lets others run; how many of its blocks run between two delays.
yielding=$root/build/yielding/$(uname -r)/mrc.ko
yield_one_in=${TORTURE_YIELD:-60}
# Addresses between h1 and the host without a device.
raw_host=2001:db8:1ff::1
raw_dev=2001:db8:1fe::
# Allocations of workers that fail, in per cent.
failing=2

# --- the driver ---------------------------------------------------------------

# load_driver SEED
load_driver()
{
	local module options=("one_in=$yield_one_in" "seed=$1")

	if modinfo -F depends mrc | grep -q mrc_yield; then
		modprobe mrc_yield "${options[@]}" && modprobe mrc &&
			[ "$(< /sys/module/mrc_yield/parameters/one_in)" = \
			  "$yield_one_in" ]
		return
	fi
	[ -e "$yielding" ] || { modprobe mrc; return; }
	for module in $(modinfo -F depends "$yielding" | tr , ' '); do
		[ "$module" = mrc_yield ] || modprobe "$module" || return
	done
	insmod "$programs/$(uname -r)/mrc_yield.ko" "${options[@]}" &&
		insmod "$yielding"
}

unload_all()
{
	unload && { [ ! -d /sys/module/mrc_yield ] || rmmod mrc_yield; }
}

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
	vol_addresses "$1"
	vol_addresses "$(other "$1")"
	on "v$1" mrcctl dev add "vol$1" netdev q
}

# paths_of DEVICE NETNS DST: explicit paths to DST.
paths_of()
{
	local n

	for n in 1 2 3; do
		echo "path add dev $1 dst $3 ev $n port 1 sid fcbb:bb00:$n::"
	done | on "$2" mrcctl -b -
}

vol_paths()
{
	paths_of "vol$1" "v$1" "2001:db8:2::$(other "$1")"
}

# vol_KIND I: one change of v$I, vol$I or its port. Each may fail.

vol_dev_del()		{ on "v$1" mrcctl dev del "vol$1"; }
vol_link_del()		{ rdma link delete "vol$1"; }
vol_netns_del()		{ ip netns del "v$1"; }
vol_port_del()		{ ip -n "v$1" link del q; }
vol_port_down()		{ ip -n "v$1" link set q down; }
vol_addr_flush()	{ ip -n "v$1" addr flush dev q; }
vol_mtu()		{ ip -n "v$1" link set q mtu $((1280 + RANDOM % 4000)); }
vol_move()		{ ip -n "v$1" link set q netns "v$(other "$1")" name r; }
vol_path_flush()	{ on "v$1" mrcctl path flush dev "vol$1"; }
vol_mac()		{ ip -n "v$1" link set q address "02:00:00:00:00:1$1"; }

vol_rename_port()
{
	ip -n "v$1" link set q name r && ip -n "v$1" link set r name q
}

vol_rename()
{
	rdma dev set "vol$1" name volx && rdma dev set volx name "vol$1"
}

vol_two_del()
{
	local status=0

	on "v$1" mrcctl dev del "vol$1" &
	rdma link delete "vol$1" || status=$?
	# One of them finds it.
	wait $! || return "$status"
}

# --- the devices that stay ----------------------------------------------------

# What ends connections lasts a moment only: there is to be traffic.

stay_addr_flush()	{ ip -n "h$1" addr flush dev p0 to 2001:db8:77::/64; }
stay_burst()		{ on "h$1" mrcctl dev set "mrc$1" burst $((1 + RANDOM % 16)); }
stay_route_flush()	{ ip -n "h$1" -6 route flush cache; }

moment()
{
	sleep_us $((RANDOM * 2))
}

stay_port_down()
{
	on "h$1" mrcctl port set dev "mrc$1" port 2 down
	moment
	on "h$1" mrcctl port set dev "mrc$1" port 2 up
}

stay_link_down()
{
	ip -n "h$1" link set p1 down
	moment
	ip -n "h$1" link set p1 up
}

stay_mtu()
{
	ip -n "h$1" link set p1 mtu $((1280 + RANDOM % 3000))
	moment
	ip -n "h$1" link set p1 mtu 4500
}

stay_addr_add()
{
	ip -n "h$1" addr add "2001:db8:77::$(printf %x $RANDOM)/128" dev p0
}

# The route to the other host leads elsewhere for a moment.
stay_route()
{
	local dst
	dst=$(address_of "h$(other "$1")" 6)

	ip -n "h$1" -6 route add blackhole "$dst" metric 1 || return
	moment
	ip -n "h$1" -6 route del blackhole "$dst" metric 1
}

stay_neigh()
{
	ip -n "h$1" -6 neigh flush dev p0
	ip -n "h$1" -6 neigh flush dev p1
}

stay_paths()
{
	paths_of "mrc$1" "h$1" "$(address_of "h$(other "$1")" 6)"
	on "h$1" mrcctl path flush dev "mrc$1"
}

# --- what others look at meanwhile --------------------------------------------

look_resource()		{ rdma -dd resource show qp && rdma -dd resource show cq; }
look_statistic()	{ rdma statistic show; }
look_dev()		{ rdma -dd dev show; }
look_path()		{ on "h$1" mrcctl -j path show dev "mrc$1"; }
look_qp()		{ on "h$1" mrcctl -j qp show dev "mrc$1"; }

look_sysfs()
{
	cat "/sys/class/infiniband/mrc$1/ports/1/hw_counters/"* \
		"/sys/class/infiniband/mrc$1/ports/1/gids/"*
}

look_probe()
{
	on "h$1" mrcctl probe dev "mrc$1" \
		dst "$(address_of "h$(other "$1")" 6)" count 1
}

mapfile -t churns < <(declare -F |
	sed -n 's/^declare -f \(\(vol\|stay\|look\)_.*\)/\1/p' |
	grep -v -e 'vol_\(netns\|port\|addresses\|down\|all\)$')
# Changes that make what others destroy.
builders=(vol_all vol_all vol_all vol_paths)

# Put the array "order" into random order.
shuffle()
{
	local i j swap

	for ((i = ${#order[@]} - 1; i > 0; i--)); do
		j=$((RANDOM % (i + 1)))
		swap=${order[i]}
		order[i]=${order[j]}
		order[j]=$swap
	done
}

# churn SEED N: N changes, each of which may fail. All kinds have their turn.
churn()
{
	local n=0 kind order=()

	RANDOM=$1
	while [ "$n" -lt "$2" ]; do
		if [ $((n % 2)) -eq 0 ]; then
			kind=${builders[RANDOM % ${#builders[@]}]}
		else
			[ ${#order[@]} -gt 0 ] ||
				{ order=("${churns[@]}"); shuffle; }
			kind=${order[-1]}
			unset 'order[-1]'
		fi
		if "$kind" $((RANDOM % 2)) > /dev/null; then
			echo "$kind 1 0" >> "$tmp/counts"
		else
			echo "$kind 0 1" >> "$tmp/counts"
		fi
		sleep_us $((RANDOM % 20000))
		n=$((n + 1))
	done
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

# Random packets of a host that has no device, to objects that come and go.
strangers()
{
	"$programs/mrc_peer" -d raw1 -N /run/netns/raw -i h1 \
		-m "$(on h1 cat /sys/class/net/raw/address)" \
		-6 "$raw_host,${raw_dev}1" -n "$2" -r "$1" storm > "$tmp/strangers" ||
		{ cat "$tmp/strangers"; return 1; }
	echo "stranger-packets $2 0" >> "$tmp/counts"
}

# storm_on I SEED N: random netlink requests about mrc$I.
storm_on()
{
	on "h$1" /usr/bin/python3 "$storm" "mrc$1" "$3" "$2" \
		"$(address_of "h$(other "$1")" 6)" \
		"$(on "h$1" cat /sys/class/net/spare/ifindex)" || return
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
	torture windows $((s + 6)) 100 "${stay[@]}"
	torture queues $((s + 4)) 2000 -d mrc0
	torture queues $((s + 5)) 1000 -d mrc1 "${fail[@]}"
	torture kill $((s + 7)) 16 "${stay[@]}" "${fail[@]}"
	torture kill $((s + 8)) 16 "${vol[@]}"
	torture packet $((s + 9)) 1000 -p h0:p0 -p h1:p0 -p h0:p1
	torture resource $((s + 10)) 1500
	start dump-0 on h0 "$program" -l "$tmp/actions" -n "$(amount 200)" \
		-s $((s + 11)) -d mrc0 dump
	start strangers strangers $((s + 12)) "$(amount 2000)"
	start storm-0 storm_on 0 $((s + 13)) "$(amount 2000)"
	start storm-1 storm_on 1 $((s + 14)) "$(amount 2000)"
	start churn churn $((s + 15)) "$(amount 64)"
}

# Add what a worker has counted to that of the others.
report()
{
	grep '^netlink-[a-z-]* [0-9]* [0-9]*$' "$tmp/work-$1" >> "$tmp/counts"
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

	start_workers $(($1 * 16))
	wait_workers
}

last_actions()
{
	echo "TORTURE_SEED=$1 repeats the round; the last actions:"
	"$program" -l "$tmp/actions" log | tail -n 60
}

# The host without a device, and a device of h1 that it can reach.
raw_up()
{
	ip netns add raw &&
		ip link add name raw netns h1 mtu 4500 type veth \
			peer name h1 netns raw mtu 4500 &&
		ip -n raw link set h1 up && ip -n h1 link set raw up &&
		ip -n h1 addr add "${raw_dev}1/128" dev raw nodad &&
		ip -n h1 addr add "${raw_dev}2/128" dev raw nodad &&
		ip -n raw addr add "$raw_host/128" dev h1 nodad &&
		ip -n raw route add "${raw_dev}/64" dev h1 &&
		ip -n h1 route add "$raw_host/128" dev raw &&
		on h1 mrcctl dev add raw1 netdev raw &&
		wait_for "$patience" gid_find raw1 "${raw_dev}1"
}

# Net devices for devices that netlink requests make.
spares_up()
{
	ip link add name spare netns h0 type veth peer name spare netns h1 &&
		ip -n h0 link set spare up && ip -n h1 link set spare up
}

up()
{
	load_driver "$1" && fabric simple --links 2 > /dev/null &&
		devices_up device_add 6 && raw_up && spares_up || return
	vol_all 0
	vol_all 1
	return 0
}

no_devices()
{
	local dir

	for dir in /sys/class/infiniband/{mrc,vol,raw,spare}*; do
		[ ! -e "$dir" ] || return 1
	done
}

# run_round SEED: a round, and what must hold after it.
run_round()
{
	local failed=$tests_failed pinned_before

	pinned_before=$(pinned)
	check "round $1: the driver is loaded, hosts and devices come up" up "$1"
	check "round $1: all workers end without a finding" work_together "$1"
	vol_down
	ip netns del raw
	fabric down
	check "round $1: no device is left without namespaces" \
		wait_for "$patience" no_devices
	check "round $1: no page is pinned any more" \
		wait_for "$patience" pinned_is "$pinned_before"
	check "round $1: the module can be unloaded" \
		wait_for "$patience" unload_all
	check "round $1: the kernel log has no problems" kernel_log_is_clean
	[ "$tests_failed" -eq "$failed" ] || last_actions "$1" | note
	[ "$tests_failed" -eq "$failed" ]
}

# Print how often each kind of work succeeded and was refused.
counts()
{
	{ "$program" -l "$tmp/actions" counts; cat "$tmp/counts"; } |
		awk '{ done[$1] += $2; refused[$1] += $3 }
		END { for (kind in done) print kind, done[kind], refused[kind] }' | sort
}

# What is refused while something else goes on, as the change of a region that has
# windows, may be refused so often by chance.
chance=100

# Nothing of what is counted has failed always.
all_succeeded()
{
	counts | awk '$1 == "fail-nth" && !can_fail { next }
		!$2 { print $1 ": 0 of " $3; if (!$3 || $3 >= chance) bad = 1 }
		END { exit bad }' can_fail="$(can_fail && echo 1)" chance="$chance"
}

# begin: before the first round.
torture_begin()
{
	: > "$tmp/counts"
	can_fail || return 0
	check "allocations that may sleep can fail" faults_reach_all
	check "$failing % of allocations fail" faults_at_random "$failing"
}

# After the last round.
torture_end()
{
	! can_fail || no_faults
	counts | awk '{ printf "%s %d done, %d refused\n", $1, $2, $3 }' | note
	check "each kind of work has succeeded" all_succeeded
}
