#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The test network: hosts and switches are network namespaces of one kernel.
# Every plane is a separate two-tier fabric with SRv6 uSID forwarding and static
# routes only:
#
#             plane 0                             plane 1 .. 3: the same
#
#      t1-0-0 t1-0-1 t1-0-2 t1-0-3                    T1 switches
#         |  \/ |  \/  |  \/  |
#         |  /\ |  /\  |  /\  |      every T0 to every T1
#         t0-0-0        t0-0-1                        T0 switches
#           |p0           |p0
#      +---------+   +---------+
#      |   h0    |   |   h1    |--- p1 .. p3 to t0-1-1 .. t0-3-1
#      +---------+   +---------+
#           |mgmt         |mgmt
#           +----bridge---+          IPv4, for control connections
#
# Port p<plane> of host h<i> is connected to T0 number i mod <t0> of the plane.
# Switches are called t<tier>-<plane>-<i>. Interfaces of switches have the name of
# the neighbour ("t1-0-2", "h0").
#
# Addresses. The number of a node is its uSID, four hexadecimal digits: kind (1 T0,
# 2 T1, 3 host), plane, index (two digits). All addresses contain it:
#
#   uSID             fcbb:bb00:<uSID>::/48      block of 32 bits, uSIDs of 16
#   MAC address      02:00:00:00:<uSID>         on all ports of the node
#   next hop         fe80::ff:fe00:<uSID>       link-local address of that MAC
#   host identity    2001:db8:1<xx>::1          xx is the index of the host;
#                    10.1<xx>.0.1               both on p0, routed on all planes
#   management       192.168.100.<index + 1>    on mgmt
#
# From h0 to h1 on plane 2 by way of t1-2-3, the destination of the outer
# header is T0, T1, T0, host: fcbb:bb00:1200:2203:1201:3201::. Each switch
# removes its own uSID (End with the next-csid flavour), the host decapsulates
# (End.DT6). Packets to a host identity without SRv6 are routed on every plane too;
# T0s spread them over T1s by a hash of addresses and ports.
#
#   fabric.sh up [--planes 4] [--t0 2] [--t1 4] [--hosts 2] [--mtu 4500] [--known 0]
#            [--rate MBIT [--queue KB] [--ecn KB] [--delay US]]
#            [--link RATE [--queue KB] [--ecn KB] [--trim 1] [--link-delay NS]
#             [--host-delay NS] [--host-jitter NS] [--host-queue KB]
#             [--host-ecn KB] [--seed N]]
#   fabric.sh simple [--links 1] [--mtu 4500] [--known 0] [--link RATE ...]
#                           only h0 and h1, joined by p0 .. p<links - 1>
#   fabric.sh up --topology FILE [...]
#                           options from FILE, others after it
#   fabric.sh down
#   fabric.sh show          nodes, links and their state
#   fabric.sh paths [A [B]] one path per line: plane, verbs port, T1, address
#                           of the outer header, identity of B; without B, the
#                           paths to all others; without A, those of all hosts,
#                           each line with A at its end
#   fabric.sh hosts         one host per line: name, and what "ports" and "addr" print
#   fabric.sh addr HOST     identity (IPv6), identity (IPv4), management
#   fabric.sh ports HOST    interface names, separated by commas
#   fabric.sh cut WHAT [silent|long]
#   fabric.sh impair WHAT NETEM...
#   fabric.sh impair-down WHAT NETEM...
#                           only the direction to the lower side
#   fabric.sh blackout MS   hosts neither send nor receive for MS milliseconds; then
#                           their ports have the qdisc $PORT_QDISC, or none
#   fabric.sh hold HOST on|off
#                           with --link: the host and its neighbours receive nothing
#                           from each other until "off", as if the host stalled;
#                           nothing is lost
#   fabric.sh restore WHAT
#
# With --rate each port of a switch sends that many Mbit/s, from a queue of --queue
# KiB (64) that begins to mark packets at --ecn KiB (a quarter of the queue). Hosts
# send without limit, so that packets queue in the fabric. --delay is added from a
# T0 to a host: a rate-limited port forwards packets without delay after an idle
# period, and without --delay round trips would take no time while queues are empty.
#
# With --link (100g, 2.5g, 400m) every port of hosts and switches is a link of the lab,
# sch_lablink: exact rate, propagation delay (--link-delay, 500), a queue and marks as
# above; with --trim ports of switches trim packets that a full queue cannot hold. Ports
# of hosts add the delay of NIC and driver (--host-delay, and --host-jitter, uniform),
# and have a queue of --host-queue KiB (4096), with marks from --host-ecn KiB (that of
# switches), in which packets of a high priority overtake others. --seed (1) makes jitter and losses of all ports. Neighbours are known from
# the start. Impairments are then "loss P%", "corrupt P%" and "delay TIME" (in addition)
# only. link/link.py shows the links.
#
# With --known 1 neighbours are known from the start and never resolved: no packet waits,
# or is lost, because a neighbour does not answer.
#
# A topology is a file with an option in each line, without dashes: "hosts 8". "kind
# simple" makes it one of "simple". "#" begins a comment.
#
# WHAT is a link A:B between switches, a host port (h0:p2) or a switch, or
# several of these separated by commas. A cut takes the interfaces on the upper side
# down, so that the lower side loses its carrier; a silent cut drops all packets and
# leaves the carrier up; a long cut drops packets of 4 KiB that the upper side sends, and
# no shorter ones. Impaired links lose or delay packets in both directions, as
# the arguments of tc-netem(8) say.
set -euo pipefail

lab=${0%/*}
state=/run/mrc-fabric
block=fcbb:bb00
quiet_sysctls=(
	# Addresses are usable immediately, and only the tests send.
	net.ipv6.conf.{all,default}.accept_dad=0
	net.ipv6.conf.{all,default}.accept_ra=0
	net.ipv6.conf.{all,default}.router_solicitations=0
	net.ipv4.conf.{all,default}.rp_filter=0
)
switch_sysctls=(
	"${quiet_sysctls[@]}"
	net.ipv4.conf.{all,default}.forwarding=1
	net.ipv6.conf.{all,default}.forwarding=1
	net.ipv6.conf.{all,default}.seg6_enabled=1
	# A switch stops using a port immediately when it loses its carrier.
	net.ipv4.conf.{all,default}.ignore_routes_with_linkdown=1
	net.ipv6.conf.{all,default}.ignore_routes_with_linkdown=1
)
host_sysctls=(
	"${quiet_sysctls[@]}"
	net.ipv6.conf.{all,default}.seg6_enabled=1
)

die()
{
	echo "fabric: $*" >&2
	exit 2
}

# Set variable $1 to the uSID of the node of kind $2, plane $3 and index $4. (No
# command substitution here and below: forks are slow in an emulated guest.)
usid()
{
	printf -v "$1" '%x%x%02x' "$2" "$3" "$4"
}

# The plan: for each namespace, the lines of two batches of ip(8). Routes are in a
# batch of their own because taking an interface down removes the routes over it.
declare -A setup=() routes=()
host_nodes=""
switch_nodes=""
links=""

# Pending changes by namespace, as lines for ip(8) and tc(8): all changes are planned
# first, and then carried out in all namespaces at the same time. Deletions may fail:
# the object may be gone already.
declare -A ip_lines=() tc_lines=() tc_deletions=()
ip_force=
# Links of all namespaces, as lines for link.py.
link_lines=""
link_count=0

do_lines()
{
	if [ "${tc_deletions[$1]:-}" ]; then
		tc -n "$1" -force -batch - <<< "${tc_deletions[$1]}" \
			2> /dev/null || true
	fi
	[ ! "${tc_lines[$1]:-}" ] || tc -n "$1" -batch - <<< "${tc_lines[$1]}"
	[ ! "${ip_lines[$1]:-}" ] ||
		ip -n "$1" ${ip_force:+-force} -batch - <<< "${ip_lines[$1]}"
}

do_all_lines()
{
	local ns job
	local -A running=()

	for ns in "${!ip_lines[@]}" "${!tc_lines[@]}" "${!tc_deletions[@]}"; do
		[ ! "${running[$ns]:-}" ] || continue
		do_lines "$ns" &
		running[$ns]=$!
	done
	do_link_lines
	for job in "${running[@]}"; do
		wait "$job"
	done
}

do_link_lines()
{
	[ ! "$link_lines" ] || "$lab/link/link.py" batch - <<< "$link_lines"
}

setup()
{
	setup[$1]+="${*:2}"$'\n'
}

route()
{
	routes[$1]+="route replace ${*:2}"$'\n'
}

# Join node $1, interface $2, uSID $3 with node $4, interface $5, uSID $6.
join_nodes()
{
	links+="link add name $2 netns $1 mtu $mtu"
	links+=" address 02:00:00:00:${3:0:2}:${3:2:2} type veth"
	links+=" peer name $5 netns $4 mtu $mtu"
	links+=" address 02:00:00:00:${6:0:2}:${6:2:2}"$'\n'
	setup "$1" "link set $2 up"
	setup "$4" "link set $5 up"
	if [ "$link" ]; then
		plan_link "$1" "$2"
		plan_link "$4" "$5"
	fi
	if [ "$link" ] || [ "$known" -gt 0 ]; then
		plan_neighbour "$1" "$2" "$6"
		plan_neighbour "$4" "$5" "$3"
	fi
}

# Neighbour $3 of interface $2 of node $1 is known: at the rate of links of the lab
# more packets come than the kernel keeps while it resolves an address. With the routes,
# because an interface that is taken down forgets it, too.
plan_neighbour()
{
	routes[$1]+="neigh replace fe80::ff:fe00:$3 lladdr"
	routes[$1]+=" 02:00:00:00:${3:0:2}:${3:2:2} dev $2 nud permanent"$'\n'
}

# Link of port $2 of node $1, as a line for link.py. Each has a seed of its own.
plan_link()
{
	local line="-n $1 set $2 rate $link delay ${link_delay}ns"

	line+=" seed $((seed * 65536 + link_count))"
	if [[ $1 == h* ]]; then
		line+=" host-delay ${host_delay}ns host-jitter ${host_jitter}ns"
		line+=" limit ${host_queue}k ecn ${host_ecn}k bands on"
	else
		line+=" limit ${queue}k ecn ${ecn}k"
		if [ "$trim" -gt 0 ]; then
			[[ $2 == h* ]] && line+=" trim lasthop" ||
				line+=" trim fabric"
		fi
	fi
	link_lines+=$line$'\n'
	link_count=$((link_count + 1))
}

# seg6local routes use a dummy device, which no cut takes down.
add_node()
{
	setup "$1" "link set lo up"
	setup "$1" "link add sr0 type dummy"
	setup "$1" "link set sr0 up"
}

add_switch()
{
	local name=$1 id=$2

	switch_nodes+="netns add $name"$'\n'
	add_node "$name"
	route "$name" "$block:$id::/48 encap seg6local action End" \
		"flavors next-csid lblen 32 nflen 16 dev sr0"
	route "$name" "blackhole $block::/32"
}

add_host()
{
	local i=$1

	host_nodes+="netns add h$i"$'\n'
	add_node "h$i"
	links+="link add name mgmt netns h$i type veth"
	links+=" peer name h$i netns mgmt"$'\n'
	setup mgmt "link set h$i master bridge up"
	setup "h$i" "link set mgmt up"
	setup "h$i" "addr add 192.168.100.$((i + 1))/24 dev mgmt"
}

# Set $id6 and $id4 to the start of host $1's identities.
identity()
{
	printf -v id6 '2001:db8:1%02d' "$1"
	printf -v id4 '10.1%02d' "$1"
}

# Identity of host $1, once its p0 exists.
add_identity()
{
	local id6 id4

	identity "$1"
	setup "h$1" "addr add $id6::1/128 dev p0 nodad"
	setup "h$1" "addr add $id4.0.1/32 dev p0"
}

# Route host $2's identity in namespace $1 over pairs of uSID and device.
route_host()
{
	local ns=$1 host=$2 hops="" src4="" src6="" id6 id4

	shift 2
	while [ $# -gt 0 ]; do
		hops+=" nexthop via inet6 fe80::ff:fe00:$1 dev $2"
		shift 2
	done
	if [[ $ns == h* ]]; then
		identity "${ns#h}"
		src4="src $id4.0.1"
		src6="src $id6::1"
	fi
	identity "$host"
	route "$ns" "$id6::/48 $src6 ${hops//inet6 /}"
	route "$ns" "$id4.0.0/16 $src4 $hops"
}

plan_plane()
{
	local p=$1 i j h up down

	for ((j = 0; j < t1; j++)); do
		usid up 2 "$p" "$j"
		add_switch "t1-$p-$j" "$up"
	done
	for ((i = 0; i < t0; i++)); do
		usid down 1 "$p" "$i"
		add_switch "t0-$p-$i" "$down"
		for ((j = 0; j < t1; j++)); do
			usid up 2 "$p" "$j"
			join_nodes "t0-$p-$i" "t1-$p-$j" "$down" \
				   "t1-$p-$j" "t0-$p-$i" "$up"
			route "t0-$p-$i" "$block:$up::/48" \
				"via fe80::ff:fe00:$up dev t1-$p-$j"
			route "t1-$p-$j" "$block:$down::/48" \
				"via fe80::ff:fe00:$down dev t0-$p-$i"
		done
	done
	for ((h = 0; h < hosts; h++)); do
		plan_host_port "$p" "$h"
	done
}

# Port $1 of host $2, and the routes to the host on that plane.
plan_host_port()
{
	local p=$1 h=$2 i=$(($2 % t0)) j id down up ups=() tier

	usid id 3 "$p" "$h"
	usid down 1 "$p" "$i"
	join_nodes "h$h" "p$p" "$id" "t0-$p-$i" "h$h" "$down"

	route "h$h" "$block:$id::/48 encap seg6local action End.DT6" \
		"table 255 dev sr0"
	for tier in 1 2; do
		route "h$h" "$block:$tier${id:1:1}00::/40" \
			"via fe80::ff:fe00:$down dev p$p"
	done
	route "t0-$p-$i" "$block:$id::/48 via fe80::ff:fe00:$id dev h$h"
	route_host "t0-$p-$i" "$h" "$id" "h$h"

	for ((j = 0; j < t1; j++)); do
		route_host "t1-$p-$j" "$h" "$down" "t0-$p-$i"
		usid up 2 "$p" "$j"
		ups+=("$up" "t1-$p-$j")
	done
	for ((j = 0; j < t0; j++)); do
		[ "$j" -eq "$i" ] || route_host "t0-$p-$j" "$h" "${ups[@]}"
	done
}

# Routes from each host to each other host, over all planes.
plan_host_routes()
{
	local h peer p hops next

	for ((h = 0; h < hosts; h++)); do
		for ((peer = 0; peer < hosts; peer++)); do
			[ "$h" -ne "$peer" ] || continue
			hops=()
			for ((p = 0; p < planes; p++)); do
				neighbour next "$p" "$h" "$peer"
				hops+=("$next" "p$p")
			done
			route_host "h$h" "$peer" "${hops[@]}"
		done
	done
}

# Set variable $1 to the uSID of the next hop from port $2 of host $3 to host $4.
neighbour()
{
	if [ "$kind" = simple ]; then
		usid "$1" 3 "$2" "$4"
	else
		usid "$1" 1 "$2" "$(($3 % t0))"
	fi
}

plan()
{
	local p h a b

	host_nodes+="netns add mgmt"$'\n'
	setup mgmt "link add bridge type bridge"
	setup mgmt "link set bridge up"
	for ((h = 0; h < hosts; h++)); do
		add_host "$h"
	done
	for ((p = 0; p < planes; p++)); do
		if [ "$kind" = simple ]; then
			usid a 3 "$p" 0
			usid b 3 "$p" 1
			join_nodes h0 "p$p" "$a" h1 "p$p" "$b"
		else
			plan_plane "$p"
		fi
	done
	for ((h = 0; h < hosts; h++)); do
		add_identity "$h"
	done
	plan_host_routes
}

# Save what "restore" and "down" need.
save_plan()
{
	local ns

	mkdir -p "$state"/{setup,routes,down,impaired,long}
	declare -p "${options[@]}" > "$state/config"
	for ns in "${!setup[@]}"; do
		printf '%s' "${setup[$ns]}" > "$state/setup/$ns"
		printf '%s' "${routes[$ns]:-}" > "$state/routes/$ns"
	done
}

# Create the namespaces of batch $1 with the sysctl settings $2 and more. The settings
# are made once, in a namespace that creates the others: with the value 3 a new
# namespace inherits the settings of its creator.
create_nodes()
{
	local inherit=/proc/sys/net/core/devconf_inherit_init_net saved

	saved=$(< "$inherit")
	echo 3 > "$inherit"
	ip netns add mrc-mould
	nsenter --net=/run/netns/mrc-mould sysctl -qw "${@:2}"
	nsenter --net=/run/netns/mrc-mould ip -batch - <<< "$1"
	ip netns del mrc-mould
	echo "$saved" > "$inherit"
}

# Limit the rate of interface $2 of switch $1, at its root or, if $3 is "below", below
# netem, which has handle 1:. The token bucket holds two packets, so that bursts are
# spread as on a wire. (A qdisc cannot be moved: handles differ in the two places.)
shape()
{
	local at=root tbf=2 red=3 least=$((ecn << 10)) limit=$((queue << 10))
	local lines

	if [ "${3:-}" = below ]; then
		at="parent 1:1"
		tbf=4
		red=5
	fi
	lines="qdisc replace dev $2 $at handle $tbf: tbf rate ${rate}mbit"
	lines+=" burst $((2 * mtu + 1000)) limit $limit"$'\n'
	# Above the upper threshold red with ecn marks every packet. Packets are
	# dropped only when the queue is full (nodrop), ECN-capable or not.
	lines+="qdisc replace dev $2 parent $tbf:1 handle $red: red"
	lines+=" limit $limit min $least max $((2 * least)) avpkt $mtu"
	lines+=" burst $((4 * least / 3 / mtu + 1)) bandwidth ${rate}mbit"
	lines+=" probability 1 ecn nodrop"$'\n'
	tc_lines[$1]+=$lines
}

# Interfaces of switch $1 to its neighbours, according to the plan.
switch_ports()
{
	local line

	while read -r line; do
		[[ ! $line =~ ^link\ set\ (.*-.*|h[0-9]*)\ up ]] ||
			echo "${BASH_REMATCH[1]}"
	done < "$state/setup/$1"
}

# Queues of interface $2 of namespace $1: netem, if the interface has a delay or $3
# and more are arguments of netem, and then the queue that limits the rate.
plan_port()
{
	local netem=("${@:3}")

	if [ "$delay" -gt 0 ] && [[ $1:$2 == t0-*:h* ]]; then
		netem=(delay "${delay}us" "${netem[@]}")
	fi
	if [ ${#netem[@]} -eq 0 ]; then
		shape "$1" "$2"
		return
	fi
	tc_lines[$1]+="qdisc replace dev $2 root handle 1: netem limit 10000"
	tc_lines[$1]+=" ${netem[*]}"$'\n'
	if limited "$1"; then
		shape "$1" "$2" below
	fi
}

shape_node()
{
	local dev

	for dev in $(switch_ports "$1"); do
		plan_port "$1" "$dev"
	done
	do_lines "$1"
}

configure_node()
{
	local ip=(ip -n "$1" -batch -)

	if [[ $1 == t0-* || $1 == h* ]]; then
		# The shell writes the settings itself: sysctl(8) is one more program.
		# shellcheck disable=SC2016
		ip=(nsenter --net="/run/netns/$1" sh -ec
		    'for ip in ipv4 ipv6; do
			echo 1 > /proc/sys/net/$ip/fib_multipath_hash_policy
		     done
		     exec ip -batch -')
	fi
	"${ip[@]}" <<< "${setup[$1]}${routes[$1]:-}"
	if [ "$rate" -gt 0 ] && [[ $1 == t?-* ]]; then
		shape_node "$1"
	fi
}

build()
{
	local ns jobs=() job

	create_nodes "$host_nodes" "${host_sysctls[@]}"
	if [ "$switch_nodes" ]; then
		create_nodes "$switch_nodes" "${switch_sysctls[@]}"
	fi
	# For each link ip(8) leaves the files of two namespaces open.
	(ulimit -n 16384 && exec ip -batch -) <<< "$links"
	for ns in "${!setup[@]}"; do
		configure_node "$ns" &
		jobs+=($!)
	done
	for job in "${jobs[@]}"; do
		wait "$job"
	done
	if [ "$link" ]; then
		# Ports lose what they send until the kernel has activated them.
		for ns in "${!setup[@]}"; do
			link_lines+="-n $ns wait"$'\n'
		done
		do_link_lines
	fi
}

# Options of "up", as variables: "down" and the others read them again.
options=(kind planes t0 t1 hosts mtu known rate queue ecn delay trim link link_delay
	 host_delay host_jitter host_queue host_ecn seed)

# Set option $1 (without dashes) to $2. On failure, set $complaint.
set_option()
{
	case $kind:$1 in
	up:planes|up:t0|up:t1|up:hosts|up:rate|up:queue|up:ecn|up:delay|up:trim)	;;
	simple:links|simple:queue|simple:ecn)	;;
	*:mtu|*:known|*:seed|*:link-delay|*:host-delay|*:host-jitter|*:host-queue|*:host-ecn)	;;
	*:link)
		[[ $2 =~ ^[1-9][0-9]*(\.[0-9]+)?[kmgt]$ ]] ||
			{ complaint="$1 takes a rate such as 100g, not '$2'"; return 1; }
		link=$2
		return
		;;
	*)
		complaint="unknown option '$1'"
		return 1
		;;
	esac
	[[ $2 =~ ^(0|[1-9][0-9]{0,9})$ ]] ||
		{ complaint="$1 takes a number, not '$2'"; return 1; }
	case $1 in
	links)	planes=$2 ;;
	*)	printf -v "${1//-/_}" %s "$2" ;;
	esac
}

set_kind()
{
	kind=$1
	if [ "$kind" = simple ]; then
		planes=1 t0=0 t1=0
	fi
}

# Set the options of topology $1.
read_topology()
{
	local name value more line=0 text

	[ -r "$1" ] || die "there is no topology '$1'"
	while read -r text || [ "$text" ]; do
		line=$((line + 1))
		read -r name value more <<< "${text%%#*}"
		[ "$name" ] || continue
		[ "$value" ] || die "$1:$line: '$name' needs a value"
		[ ! "$more" ] || die "$1:$line: '$more' is too much"
		if [ "$name" = kind ]; then
			[[ $value == up || $value == simple ]] ||
				die "$1:$line: kind is up or simple, not '$value'"
			set_kind "$value"
		else
			set_option "$name" "$value" || die "$1:$line: $complaint"
		fi
	done < "$1"
}

check_range()
{
	if [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
		die "$kind: $1 must be $3 to $4, not $2"
	fi
}

check_options()
{
	check_range "the number of planes" "$planes" 1 16
	check_range "the number of hosts" "$hosts" 2 99
	if [ "$kind" = up ]; then
		check_range "the number of T0 switches" "$t0" 1 99
		check_range "the number of T1 switches" "$t1" 1 99
	fi
	check_range trim "$trim" 0 1
	check_range known "$known" 0 1
	[ "$ecn" -gt 0 ] || ecn=$((queue / 4))
	if [ "$link" ]; then
		if [ "$rate" -gt 0 ] || [ "$delay" -gt 0 ]; then
			die "$kind: --link excludes --rate and --delay"
		fi
		[ "$host_ecn" -gt 0 ] || host_ecn=$ecn
		check_range --ecn "$ecn" 1 "$queue"
		check_range --host-queue "$host_queue" 1 4000000
		return
	fi
	[ "$trim" -eq 0 ] || die "$kind: --trim needs --link"
	if [ "$ecn" -lt 8 ] || [ $((2 * ecn)) -gt "$queue" ]; then
		die "$kind: --ecn must be at least 8 and at most half of --queue"
	fi
}

# Set defaults and options of "up" and "simple"; save_plan saves them for the
# other commands.
configure()
{
	local complaint

	planes=4 t0=2 t1=4 hosts=2 mtu=4500 known=0 rate=0 queue=64 ecn=0 delay=0
	trim=0 link="" link_delay=500 host_delay=0 host_jitter=0
	host_queue=4096 host_ecn=0 seed=1
	set_kind "$1"
	shift
	while [ $# -gt 1 ]; do
		case $1 in
		--topology)	read_topology "$2" ;;
		--*)		set_option "${1#--}" "$2" || die "$kind: $complaint" ;;
		*)		die "$kind: unknown option '$1'" ;;
		esac
		shift 2
	done
	[ $# -eq 0 ] || die "$kind: $1 needs a value"
	check_options
}

fabric_up()
{
	[ ! -e "$state" ] || die "the fabric is already up"
	configure "$@"
	plan
	save_plan
	trap fabric_down EXIT
	build
	trap - EXIT
}

load_config()
{
	[ -e "$state/config" ] || die "the fabric is not up"
	local lines

	# Make the variables of the file global.
	lines=$(< "$state/config")
	eval "${lines//declare --/declare -g}"
}

fabric_down()
{
	local ns lines=""

	[ -e "$state" ] || return 0
	for ns in "$state"/setup/*; do
		lines+="netns del ${ns##*/}"$'\n'
	done
	# Some do not exist if "up" has failed.
	ip -force -batch - <<< "$lines" 2> /dev/null || true
	rm -rf "$state"
}

# Print the paths from host $1 to host $2, with $3 at the end of each line.
paths_between()
{
	local a=$1 b=$2 end=${3:-} p j src t1_id dst host id6 id4

	identity "$b"
	for ((p = 0; p < planes; p++)); do
		usid src 1 "$p" "$((a % t0))"
		usid dst 1 "$p" "$((b % t0))"
		usid host 3 "$p" "$b"
		for ((j = 0; j < t1; j++)); do
			usid t1_id 2 "$p" "$j"
			echo "$p $((p + 1)) t1-$p-$j" \
				"$block:$src:$t1_id:$dst:$host:: $id6::1$end"
		done
	done
}

# Likewise from host $1 to all others.
paths_from()
{
	local b

	for ((b = 0; b < hosts; b++)); do
		[ "$b" -eq "$1" ] || paths_between "$1" "$b" "${2:-}"
	done
}

fabric_paths()
{
	local a

	load_config
	if [ "${2:-}" ]; then
		paths_between "${1#h}" "${2#h}"
	elif [ "${1:-}" ]; then
		paths_from "${1#h}"
	else
		for ((a = 0; a < hosts; a++)); do
			paths_from "$a" " h$a"
		done
	fi
}

fabric_addr()
{
	local id6 id4

	identity "${1#h}"
	echo "$id6::1 $id4.0.1 192.168.100.$((${1#h} + 1))"
}

fabric_hosts()
{
	local h ports

	ports=$(fabric_ports)
	load_config
	for ((h = 0; h < hosts; h++)); do
		printf '%s ' "h$h" "$ports"
		fabric_addr "h$h"
	done
}

fabric_ports()
{
	local p list=p0

	load_config
	for ((p = 1; p < planes; p++)); do
		list+=,p$p
	done
	echo "$list"
}

# Print "namespace interface" for each interface that a cut of $1 takes down.
cut_points()
{
	local h plane

	case $1 in
	h*:p*)
		h=${1%%:*}
		plane=${1##*:p}
		if [ "$kind" = simple ]; then
			echo "h$((1 - ${h#h})) p$plane"
		else
			echo "t0-$plane-$((${h#h} % t0)) $h"
		fi
		;;
	t0-*:t1-*)
		echo "${1##*:} ${1%%:*}" ;;
	t1-*:t0-*)
		echo "${1%%:*} ${1##*:}" ;;
	t?-*)
		switch_ports "$1" | sed "s/^/$1 /" ;;
	esac
}

# Interface $2 exists in namespace $1.
has_port()
{
	local line

	[ -e "$state/setup/$1" ] || return
	while read -r line; do
		[ "$line" != "link set $2 up" ] || return 0
	done < "$state/setup/$1"
	return 1
}

# Run "$2 NAMESPACE INTERFACE" for each cut point of $1.
for_cut_points()
{
	local what ns dev found

	load_config
	for what in ${1//,/ }; do
		found=
		while read -r ns dev; do
			has_port "$ns" "$dev" ||
				die "no such link or switch: $what"
			found=1
			"$2" "$ns" "$dev"
		done < <(cut_points "$what")
		[ "$found" ] || die "no such link or switch: $what"
	done
}

cut_with_carrier()
{
	: > "$state/down/$1:$2"
	ip_lines[$1]+="link set $2 down"$'\n'
}

# Set $far_ns and $far_dev to the other end of interface $2 in namespace $1.
far_end()
{
	far_ns=$2
	far_dev=$1
	case $kind:$2 in
	simple:*)
		far_ns=h$((1 - ${1#h}))
		far_dev=$2
		;;
	up:h*)
		far_dev=${1#t0-}
		far_dev=p${far_dev%-*}
		;;
	esac
}

# Drop both directions, each at its sender. Dropping received packets would need an
# ingress hook, whose first user makes the kernel patch its code; emulated processors
# of some versions of QEMU crash when that happens while they forward packets.
cut_silently()
{
	netem=(loss 100%)
	impair_link "$@"
}

# Of the length field of an IPv6 header the bit of 4 KiB is set, and no greater one.
cut_long()
{
	: > "$state/long/$1:$2"
	tc_lines[$1]+="qdisc add dev $2 clsact
filter add dev $2 egress protocol ipv6 u32 match u16 0x1000 0xf000 at 4 action drop
"
}

limited()
{
	[ "$rate" -gt 0 ] && [[ $1 == t?-* ]]
}

impair_end()
{
	: > "$state/impaired/$1:$2"
	if [ "$link" ]; then
		impair_lab_link "$1" "$2" "${netem[@]}"
	else
		plan_port "$1" "$2" "${netem[@]}"
	fi
}

# Loss and delay of the link of port $2 of node $1; the delay is added.
impair_lab_link()
{
	local ns=$1 dev=$2 loss=0 corrupt=0 more=0
	local -A units=([ns]=1 [us]=1000 [ms]=1000000)

	shift 2
	while [ $# -gt 0 ]; do
		if [[ $1:${2:-} =~ ^loss:([0-9.]+%)$ ]]; then
			loss=$2
		elif [[ $1:${2:-} =~ ^corrupt:([0-9.]+%)$ ]]; then
			corrupt=$2
		elif [[ $1:${2:-} =~ ^delay:([1-9][0-9]*)([num]s)$ ]]; then
			more=$((BASH_REMATCH[1] * units[${BASH_REMATCH[2]}]))
		else
			die "links take 'loss P%', 'corrupt P%' and 'delay TIME', not '$*'"
		fi
		shift 2
	done
	link_lines+="-n $ns set $dev loss $loss corrupt $corrupt"
	link_lines+=" delay $((link_delay + more))ns"$'\n'
}

impair_link()
{
	local far_ns far_dev

	far_end "$1" "$2"
	impair_end "$1" "$2"
	impair_end "$far_ns" "$far_dev"
}

# Only an impaired interface is changed: under load each program takes long to start.
repair_end()
{
	[ -e "$state/impaired/$1:$2" ] || return 0
	repaired+=("$state/impaired/$1:$2")
	if [ "$link" ]; then
		impair_lab_link "$1" "$2"
	elif limited "$1"; then
		plan_port "$1" "$2"
	else
		tc_deletions[$1]+="qdisc del dev $2 root"$'\n'
	fi
}

repair_long()
{
	[ -e "$state/long/$1:$2" ] || return 0
	repaired+=("$state/long/$1:$2")
	tc_deletions[$1]+="qdisc del dev $2 clsact"$'\n'
}

# The routes over a link have disappeared with it: restore them too.
reconnect()
{
	[ -e "$state/down/$1:$2" ] || return 0
	repaired+=("$state/down/$1:$2")
	ip_lines[$1]+="link set $2 up"$'\n'
	rerouted[$1]=1
}

repair_link()
{
	local far_ns far_dev

	far_end "$1" "$2"
	repair_end "$1" "$2"
	repair_end "$far_ns" "$far_dev"
	repair_long "$1" "$2"
	reconnect "$1" "$2"
}

# All ports of all hosts lose what they send, for $1 ms.
blackout_links()
{
	local h p dark="" light=""

	for ((h = 0; h < hosts; h++)); do
		for ((p = 0; p < planes; p++)); do
			dark+="-n h$h set p$p loss 100%"$'\n'
			light+="-n h$h set p$p loss 0"$'\n'
		done
	done
	link_lines="$dark""sleep $1ms"$'\n'$light
	do_link_lines
}

# Both ends of each port of host $1 hold what they have sent, or release it.
fabric_hold()
{
	local p far_ns far_dev

	load_config
	[ "$link" ] || die "hold: only with --link"
	for ((p = 0; p < planes; p++)); do
		has_port "$1" "p$p" || die "hold: there is no host '$1'"
		read -r far_ns far_dev < <(cut_points "$1:p$p")
		link_lines+="-n $1 set p$p hold $2"$'\n'
		link_lines+="-n $far_ns set $far_dev hold $2"$'\n'
	done
	do_link_lines
}

# tc(8) is started before the time is measured, and gets all ports in one batch.
fabric_blackout()
{
	local h p dark="" light="" jobs=() pipes=() fd

	load_config
	if [ "$link" ]; then
		blackout_links "$1"
		return
	fi
	for ((p = 0; p < planes; p++)); do
		dark+="qdisc replace dev p$p root netem loss 100%"$'\n'
		if [ "${PORT_QDISC:-}" ]; then
			light+="qdisc replace dev p$p root $PORT_QDISC"$'\n'
		else
			light+="qdisc del dev p$p root"$'\n'
		fi
	done
	modprobe -q sch_netem || true
	for ((h = 0; h < hosts; h++)); do
		exec {fd}> >(exec tc -n "h$h" -batch -)
		jobs+=($!)
		pipes+=("$fd")
		echo "qdisc show dev p0" >&"$fd"
	done > /dev/null
	# After half a second tc(8) has started, most likely; if not, the blackout
	# lasts longer.
	read -r -t 0.5 <> <(:) || true
	for fd in "${pipes[@]}"; do
		printf '%s' "$dark" >&"$fd"
	done
	read -r -t "$(printf '0.%03d' "$1")" <> <(:) || true
	for fd in "${pipes[@]}"; do
		printf '%s' "$light" >&"$fd"
		exec {fd}>&-
	done
	wait "${jobs[@]}"
}

# Links come up together with the routes over them, so that no switch drops packets
# for want of a route. Routes over links that are still down are not restored.
fabric_restore()
{
	local ns ip_force=1 repaired=()
	local -A rerouted=()

	for_cut_points "$1" repair_link
	for ns in "${!rerouted[@]}"; do
		ip_lines[$ns]+=$(< "$state/routes/$ns")
	done
	do_all_lines
	rm -f "${repaired[@]}"
}

fabric_show()
{
	local file ns

	load_config
	echo "$kind: planes $planes, T0 $t0, T1 $t1, hosts $hosts, mtu $mtu," \
	     "rate ${link:-$rate}"
	for file in "$state"/setup/*; do
		ns=${file##*/}
		[ "$ns" != mgmt ] || continue
		ip -n "$ns" -br link show type veth |
			awk -v ns="$ns" '{ sub(/@.*/, "", $1)
				printf "%-10s %-10s %s\n", ns, $1, $2 }'
	done
}

verb=${1:-help}
[ $# -eq 0 ] || shift
case $verb in
up|simple)
	fabric_up "$verb" "$@" ;;
down|show|hosts)
	"fabric_$verb" ;;
paths)
	fabric_paths "$@" ;;
addr|ports)
	"fabric_$verb" "${1:?}" ;;
cut)
	case ${2:-} in
	silent)	for_cut_points "${1:?}" cut_silently ;;
	long)	for_cut_points "${1:?}" cut_long ;;
	*)	for_cut_points "${1:?}" cut_with_carrier ;;
	esac
	do_all_lines
	;;
impair)
	netem=("${@:2}")
	[ ${#netem[@]} -gt 0 ] || die "impair: arguments of netem are missing"
	for_cut_points "${1:?}" impair_link
	do_all_lines
	;;
impair-down)
	netem=("${@:2}")
	[ ${#netem[@]} -gt 0 ] || die "impair-down: arguments of netem are missing"
	for_cut_points "${1:?}" impair_end
	do_all_lines
	;;
blackout)
	[[ ${1:-} =~ ^[0-9]{1,3}$ ]] || die "blackout: milliseconds, up to 999"
	fabric_blackout "$1"
	;;
hold)
	[[ ${2:-} == on || ${2:-} == off ]] || die "hold: HOST on|off"
	fabric_hold "$1" "$2"
	;;
restore)
	fabric_restore "${1:?}" ;;
*)
	sed -n '4,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
