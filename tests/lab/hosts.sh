# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Shell library of integration tests, drills, benchmark and demonstration: devices,
# paths, GIDs, counters, perftest and verified traffic on the hosts of the test
# network; to be sourced in a guest. Host h<i> has device mrc<i>. The caller
# provides a directory for temporary files, $tmp.
: "${tmp:?}"

lab=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$lab/../.." && pwd)
# What "make tools" builds.
programs=$root/build/tests

# Time limits in seconds. An emulated machine is slow, and slower when the host is
# busy; generous limits cost nothing when a condition holds early.
patience=60
pair_limit=100
farewell=20

in_virtual_time()
{
	[ "${VM_TIME:-}" = virtual ]
}

# A pipe that nobody writes to.
exec {silence}<> <(:)

# sleep_us N: wait for N microseconds, without another process.
sleep_us()
{
	local fraction

	printf -v fraction '%06d' $(($1 % 1000000))
	read -r -t "$(($1 / 1000000)).$fraction" -u "$silence" || true
}

# wait_for LIMIT COMMAND [ARG...]: repeat COMMAND until it succeeds, for LIMIT
# seconds at most, every 100 ms. In virtual time COMMAND takes no time, and each packet
# that programs send meanwhile takes real time: there the first interval is a
# millisecond, and the next ones grow by a quarter.
wait_for()
{
	local end=$((SECONDS + $1)) interval=100000

	! in_virtual_time || interval=1000
	shift
	until "$@" > /dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep_us "$interval"
		interval=$((interval * 5 / 4))
		[ "$interval" -le 100000 ] || interval=100000
	done
}

fabric()
{
	if ! in_virtual_time; then
		"$lab/fabric.sh" "$@"
		return
	fi
	PORT_QDISC=$(port_qdisc) "$lab/fabric.sh" "$@" || return
	case $1 in
	up|simple|restore)
		limit_ports ;;
	esac
}

# In virtual time a link without a rate carries any amount of data in no time, so time
# would stop while a program sends. Ports that have no queue get a rate: a low one, as
# each packet takes real time, but one at which the window of 1 MiB (34 ms) ends before
# a timeout of the requester.
port_rate=250mbit

port_qdisc()
{
	echo "netem rate $port_rate limit 10000"
}

limit_ports()
{
	local host port _

	ip netns list | while read -r host _; do
		[[ $host == h[0-9]* ]] || continue
		ip -n "$host" -o link show type veth |
			sed -n 's/^[0-9]*: \(p[0-9]*\)@.*qdisc noqueue.*/\1/p' |
			while read -r port; do
				echo "qdisc add dev $port root $(port_qdisc)"
			done | tc -n "$host" -batch - || return
	done
}

# on HOST COMMAND [ARG...]: run COMMAND in the namespace of HOST. mrcctl enters it
# itself, without a program before it and a sysfs of its own: it is run often.
on()
{
	if [ "$2" = mrcctl ]; then
		mrcctl -n "$1" "${@:3}"
	else
		ip netns exec "$@"
	fi
}

# address_of HOST 6|4|mgmt. The addresses of a host are always the same; starting
# fabric.sh for them is slow.
address_of()
{
	local id6 id4 mgmt file=$tmp/address-$1

	[ -s "$file" ] || fabric addr "$1" > "$file"
	read -r id6 id4 mgmt < "$file"
	case $2 in
	6)	echo "$id6" ;;
	4)	echo "$id4" ;;
	mgmt)	echo "$mgmt" ;;
	esac
}

# device_add HOST [PORTS]: create device mrc<i> with all (or the listed) ports.
device_add()
{
	local host=$1 ports=${2:-}

	[ "$ports" ] || ports=$(fabric ports "$host")
	on "$host" mrcctl dev add "mrc${host#h}" netdev "$ports"
}

# link_add HOST: create device mrc<i> with the first port, with rdma(8).
link_add()
{
	on "$1" rdma link add "mrc${1#h}" type mrc netdev p0
}

# The RDMA core waits 1 s for the link-layer address of a peer, which a slow guest whose
# links have just come up may exceed.
neighbours_known()
{
	local family

	for family; do
		on h0 ping -q -c 1 -W 3 "$(address_of h1 "$family")" || return
	done
}

# devices_up ADD FAMILY...: create a device on h0 and on h1 with ADD (device_add or
# link_add), and wait until both have the GIDs of their identities of each FAMILY and h0
# reaches h1.
devices_up()
{
	local add=$1

	shift
	"$add" h0 && "$add" h1 && wait_for "$patience" have_gids "$@" &&
		wait_for "$patience" neighbours_known "$@"
}

# impair_link NETEM...: impair both directions of the link between h0 and h1. Netem
# treats a GSO buffer as one packet: limit buffers to one packet before.
impair_link()
{
	local host limit=()

	if in_virtual_time && [[ " $* " != *" rate "* ]]; then
		limit=(rate "$port_rate")
	fi
	for host in h0 h1; do
		on "$host" ip link set p0 gso_max_segs 1 || return
		on "$host" tc qdisc replace dev p0 root netem limit 10000 \
			"${limit[@]}" "$@" || return
	done
}

device_del()
{
	on "$1" mrcctl dev del "mrc${1#h}"
}

# paths_add FROM [TO]: add all SRv6 paths of the fabric from FROM to TO, or to all
# other hosts, as explicit paths; path i of "fabric paths" to a host has entropy
# value i, from 1.
paths_add()
{
	fabric paths "$@" |
		awk -v dev="mrc${1#h}" '{
			print "path add dev", dev, "dst", $5, "ev", ++n[$5],
			      "port", $2, "sid", $4 }' |
		on "$1" mrcctl -b -
}

# paths_up: add all explicit paths from h0 to h1 and from h1 to h0.
paths_up()
{
	paths_add h0 h1 && paths_add h1 h0
}

# port_of HOST PLANE: name of an interface.  Hosts that share a namespace
# have ports of different names.
port_of()
{
	echo "${hosts_in_root:+$1}p$2"
}

# identities_on_all_ports: add the identities of h0 and h1 to all their ports in the
# standard fabric: the connection manager looks for an address on the port of the
# route. Neighbour entries are permanent: the connection manager takes a neighbour
# update of another namespace for one of its own if the interface has the same
# number, and ends connections.
identities_on_all_ports()
{
	local host plane port switch id6 id4 mgmt

	for host in h0 h1; do
		read -r id6 id4 mgmt < <(fabric addr "$host")
		for plane in 0 1 2 3; do
			port=$(port_of "$host" "$plane")
			switch=1$plane:0${host#h}
			echo "addr replace $id6/128 dev $port nodad"
			echo "addr replace $id4/32 dev $port"
			echo "neigh replace fe80::ff:fe00:${switch/:/} lladdr" \
				"02:00:00:00:$switch dev $port nud permanent"
		done | on "$host" ip -batch - || return
	done
}

# gid_of ADDRESS: print ADDRESS in the format of a GID in sysfs. (Without other
# programs: starting one is slow in an emulated guest, and this is called often.)
gid_of()
{
	local head tail word words=()

	if [[ $1 != *:* ]]; then
		# shellcheck disable=SC2086
		printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x\n' \
			${1//./ }
		return
	fi
	head=${1%%::*}
	tail=
	[[ $1 != *::* ]] || tail=${1##*::}
	for word in ${head//:/ }; do
		words+=("$word")
	done
	read -ra tail <<< "${tail//:/ }"
	while [ $((${#words[@]} + ${#tail[@]})) -lt 8 ]; do
		words+=(0)
	done
	words+=("${tail[@]}")
	printf -v word '%04x:' "${words[@]/#/0x}"
	echo "${word%:}"
}

# gid_find DEVICE ADDRESS: index of an address in the GID table of port 1, or
# $verbs_port; fails if it is not there (yet).
gid_find()
{
	local dir=/sys/class/infiniband/$1/ports/${verbs_port:-1}/gids wanted gid i=0

	wanted=$(gid_of "$2")
	until [ "${gid:-}" = "$wanted" ]; do
		read -r gid 2> /dev/null < "$dir/$i" || return 1
		i=$((i + 1))
	done
	echo "$((i - 1))"
}

# gid_index HOST 6|4: index in the GID table of the host's identity.
gid_index()
{
	gid_find "mrc${1#h}" "$(address_of "$1" "$2")"
}

# have_gids FAMILY...: both hosts have their identities as GIDs.
have_gids()
{
	local host family

	for host in h0 h1; do
		for family in "$@"; do
			gid_index "$host" "$family" > /dev/null || return
		done
	done
}

# The RDMA core reads counters anew when they are 10 ms old, which takes a jiffy more.
# Where commands take time that has passed by itself.
renew_counters()
{
	! in_virtual_time || sleep_us 20000
}

# counter HOST NAME [PORT]: value of a hardware counter. Like GIDs it is read in the
# first namespace: in others the sysfs entries of a device have no such counters.
counter()
{
	local dir=/sys/class/infiniband/mrc${1#h}/ports/${3:-1} value

	renew_counters
	read -r value < "$dir/hw_counters/$2" && echo "$value"
}

# listening HOST PORT: a TCP socket on HOST listens on PORT.
listening()
{
	nsenter --net="/run/netns/$1" awk -v port="$(printf ':%04X$' "$2")" '
		$2 ~ port && $4 == "0A" { found = 1 }
		END { exit !found }' /proc/self/net/tcp /proc/self/net/tcp6
}

# show_files NAME...: print these files of $tmp.
show_files()
{
	(cd "$tmp" && tail -n +1 "$@")
}

# both_succeeded CLIENT SERVER FILE...: both exit statuses are 0. If not, print them
# and the files of $tmp, the most informative first: a report may be truncated.
both_succeeded()
{
	local client=$1 server=$2

	shift 2
	[ "$((client | server))" -ne 0 ] || return 0
	echo "client: status $client, server: status $server"
	show_files "$@"
	return 1
}

has_ended()
{
	! kill -0 "$1"
}

# wait_pair CLIENT SERVER: wait for these processes, children of this shell, and set
# $client_status and $server_status. When one has failed, the other may wait for it until
# its time is over: it is stopped after $farewell seconds.
wait_pair()
{
	local ended first=0 other=$2

	wait -n -p ended "$1" "$2" || first=$?
	[ "${ended:-}" = "$1" ] || other=$1
	if [ "$first" -ne 0 ]; then
		wait_for "$farewell" has_ended "$other" || kill "$other" || true
	fi
	client_status=0
	server_status=0
	wait "$1" || client_status=$?
	wait "$2" || server_status=$?
}

# run_pair READY SERVER [ARG...] -- CLIENT [ARG...]: run SERVER on h1 and CLIENT on
# h0. The client starts when the command READY PID succeeds, PID being the timeout(1)
# process of the server. Their output is left in $tmp/server and $tmp/client.
run_pair()
{
	local ready=$1 command=() client server client_status server_status

	shift
	until [ "$1" = -- ]; do
		command+=("$1")
		shift
	done
	shift
	ip netns exec h1 timeout -k 5 "$pair_limit" "${command[@]}" \
		> "$tmp/server" 2>&1 &
	server=$!
	if ! wait_for "$patience" "$ready" "$server"; then
		echo "the server does not listen"
		kill "$server"
		wait "$server" || true
		show_files server
		return 1
	fi
	ip netns exec h0 timeout -k 5 "$pair_limit" "$@" > "$tmp/client" 2>&1 &
	client=$!
	wait_pair "$client" "$server"
	both_succeeded "$client_status" "$server_status" client server
}

# cm_listens PID: the child of process PID waits for connections. A listening cm_id
# exists before the connection manager knows its service, and the process sleeps for
# other reasons, too: so one of its threads must wait for an event. (In user-mode Linux
# wchan does not have the function that waits, and KASAN reports the search for it.)
cm_listens()
{
	local child

	on h1 rdma resource show cm_id | grep -q "state LISTEN" || return
	child=$(pgrep -P "$1") || return
	grep -qs ucma_get_event "/proc/$child/task/"*/stack
}

# careless HOST: its device sends whole messages at once and leaves packets a long time
# to arrive, for a scripted peer, which acknowledges what it likes, when it likes.
careless()
{
	on "$1" mrcctl cc add careless dev "mrc${1#h}" algorithm fixed \
		reo-wnd-path 16000000 reo-wnd-any 32000000 state online &&
		on "$1" mrcctl dev set "mrc${1#h}" cc careless
}

# Message of perftest when its measurement of the clock rate failed, as happens on a
# busy host; the device has no part in it.
perftest_clock="Can't produce a report"
perftest_tries=6

# perftest_server PROGRAM [ARG...]: start PROGRAM on h1 and set $server to its
# process. (Not with "on": $! would be the process of a subshell.)
perftest_server()
{
	local program=$1

	shift
	ip netns exec h1 \
		timeout -k 5 "${perftest_limit:-120}" "$program" -d mrc1 \
		-i "${verbs_port:-1}" -x "$(gid_index h1 "${family:-6}")" "$@" \
		> "$tmp/server" 2> "$tmp/server.err" &
	server=$!
	wait_for "$patience" listening h1 18515 && return
	echo "the server does not listen:"
	cat "$tmp/server.err" "$tmp/server"
	kill "$server"
	return 1
}

perftest_once()
{
	local program=$1 client server client_status server_status begin=$SECONDS

	perftest_server "$@" || return
	shift
	ip netns exec h0 \
		timeout -k 5 "${perftest_limit:-120}" "$program" -d mrc0 \
		-i "${verbs_port:-1}" -x "$(gid_index h0 "${family:-6}")" "$@" \
		"$(address_of h1 mgmt)" > "$tmp/client" 2> "$tmp/client.err" &
	client=$!
	wait_pair "$client" "$server"
	both_succeeded "$client_status" "$server_status" \
		{client,server}.err client server && return
	echo "after $((SECONDS - begin)) s"
	return 1
}

# perftest_clocked COMMAND [ARG...]: run COMMAND; repeat it when it fails with the
# message $perftest_clock. The last try is with -F: perftest then ends well without a
# rate (its figures are infinite), and still fails if the device does.
perftest_clocked()
{
	local try status

	for ((try = 1; try <= perftest_tries; try++)); do
		status=0
		"$@" || status=$?
		[ "$status" -ne 0 ] || return 0
		grep -qsF "$perftest_clock" "$tmp"/{client,server}{,.err} ||
			return "$status"
		echo "perftest could not measure the clock's rate" >&2
	done
	"$@" -F
}

# perftest PROGRAM [ARG...]: run PROGRAM on h1 (server) and h0 (client) with the
# same arguments, on port 1 or $verbs_port, with addresses of family 6 or $family;
# the client's output is left in $tmp/client. The control connection uses the
# management network.
perftest()
{
	perftest_clocked perftest_once "$@"
}

# perftest_cm PROGRAM [ARG...]: the same, with the connection manager (-R).
perftest_cm_once()
{
	local program=$1

	shift
	run_pair cm_listens "$program" -R "$@" -- \
		"$program" -R "$@" "$(address_of h1 4)"
}

perftest_cm()
{
	perftest_clocked perftest_cm_once "$@"
}

# verify [ARG...]: run mrc_verify from h0 to h1, with ARG for the client; the output
# is left in $tmp/client and $tmp/server. The client waits until the server listens.
verify()
{
	local program=$programs/mrc_verify
	local server status=0 server_status=0

	on h1 "$program" -d mrc1 -g "$(gid_index h1 "${family:-6}")" \
		> "$tmp/server" 2>&1 &
	server=$!
	on h0 "$program" -d mrc0 -g "$(gid_index h0 "${family:-6}")" "$@" \
		"$(address_of h1 mgmt)" > "$tmp/client" 2>&1 || status=$?
	wait "$server" || server_status=$?
	both_succeeded "$status" "$server_status" client server
}

# More messages than the queue pairs of a test have in flight.
verify_some=300

# verify_begin [ARG...]: start a run of mrc_verify from h0 to h1, with ARG for the
# client, that lasts until verify_end.
verify_begin()
{
	local program=$programs/mrc_verify report_ms=50 light=()

	# 128 KiB in flight: what waits in the queues of ports delays all others.
	if in_virtual_time; then
		report_ms=2
		light=(-s 8192 -t 16)
	fi
	# Discard the progress of an earlier run.
	: > "$tmp/progress"
	: > "$tmp/count"
	# Not with "on": $! would be the process of a subshell.
	ip netns exec h1 "$program" -d mrc1 \
		-g "$(gid_index h1 "${family:-6}")" --progress "$report_ms" \
		--count "$tmp/count" > "$tmp/progress" 2> "$tmp/server" &
	verify_server=$!
	ip netns exec h0 "$program" -d mrc0 \
		-g "$(gid_index h0 "${family:-6}")" -D 86400 "${light[@]}" "$@" \
		"$(address_of h1 mgmt)" > "$tmp/client" 2>&1 &
	verify_client=$!
	verify_goes_on && return
	show_files client server
	return 1
}

# How many messages the server has verified so far is kept in $tmp/count: reading it
# takes no other process, of which each costs 15 ms of real time in virtual time.
verified_more_than()
{
	local n=

	read -r n < "$tmp/count"
	[ "${n:-0}" -gt "$1" ]
}

# Wait until messages that are posted from now on have been verified.
verify_goes_on()
{
	local n=

	read -r n < "$tmp/count"
	wait_for "$patience" verified_more_than $((${n:-0} + verify_some))
}

verify_end()
{
	local status=0

	kill "$verify_client" || status=$?
	wait "$verify_client" || status=$?
	wait "$verify_server" || status=$?
	cat "$tmp/client" "$tmp/server"
	tail -n 1 "$tmp/progress"
	return "$status"
}

# Print what each T1 switch of the standard fabric has received from the T0 of h0,
# as "t1-P-I BYTES".
carried()
{
	# shellcheck disable=SC2046
	"$programs/received" $(echo t1-{0..3}-{0..3}) |
		awk '$2 ~ /^t0-.-0$/ { print $1, $3 }' | sort
}

# carried_more FILE: every T1 switch has received data since FILE was made by
# "carried".
carried_more()
{
	carried > "$tmp/now"
	join "$1" "$tmp/now" | awk '$3 < $2 + 4096 { print $1, $2, $3; bad = 1 }
				    END { exit bad }'
}

# used: print the T1 switches of the standard fabric that receive data from h0 while
# messages are verified. A data packet has 4096 bytes; the few packets of neighbour
# discovery are small.
used()
{
	verify_goes_on || return
	carried > "$tmp/before"
	verify_goes_on || return
	carried > "$tmp/after"
	join "$tmp/before" "$tmp/after" | awk '$3 > $2 + 4096 { printf "%s ", $1 }'
}

# uses PATTERN: the T1 switches that receive data are exactly those that match.
uses()
{
	local wanted got

	wanted=$(printf '%s\n' t1-{0..3}-{0..3} | grep -E "$1" | tr '\n' ' ')
	got=$(used) || return
	echo "used $got, wanted $wanted"
	[ "$got" = "$wanted" ]
}

# rounds_begin: call "round" repeatedly until rounds_end or until it fails, and count
# the rounds that succeed.
rounds_begin()
{
	echo 0 > "$tmp/rounds"
	rm -f "$tmp/rounds_stop"
	rounds > "$tmp/rounds_log" 2>&1 &
	rounds_pid=$!
}

rounds()
{
	local n=0

	while [ ! -e "$tmp/rounds_stop" ]; do
		round || return
		n=$((n + 1))
		echo "$n" > "$tmp/rounds_new" &&
			mv "$tmp/rounds_new" "$tmp/rounds"
	done
}

rounds_past()
{
	[ "$(< "$tmp/rounds")" -gt "$1" ] || ! kill -0 "$rounds_pid"
}

# Wait until a round that starts from now on has succeeded.
rounds_go_on()
{
	wait_for "$patience" rounds_past $(($(< "$tmp/rounds") + 1)) &&
		kill -0 "$rounds_pid" && return
	cat "$tmp/rounds_log"
	return 1
}

# rounds_survive WHAT: rounds, described by WHAT, succeed while a port is cut, while
# a switch is cut as well, and after both are restored.
rounds_survive()
{
	check "port h0:p1 is cut" fabric cut h0:p1
	check "$1 while port h0:p1 is cut" rounds_go_on
	check "switch t1-2-1 drops everything" fabric cut t1-2-1 silent
	check "$1 while port h0:p1 and switch t1-2-1 are cut" rounds_go_on
	check "port h0:p1 is restored" fabric restore h0:p1
	check "switch t1-2-1 is restored" fabric restore t1-2-1
	check "$1 after port h0:p1 and switch t1-2-1 are restored" rounds_go_on
}

rounds_end()
{
	local status=0

	touch "$tmp/rounds_stop"
	wait "$rounds_pid" || status=$?
	[ "$status" -eq 0 ] || cat "$tmp/rounds_log"
	return "$status"
}

# peer_target HOST SID: prepare HOST as target of mrc_peer: a second IPv6 and IPv4
# address, and decapsulation of SRv6 packets for SID.
peer_target()
{
	local id6 id4

	id6=$(address_of "$1" 6)
	id4=$(address_of "$1" 4)
	ip -n "$1" addr add "${id6%1}2/128" dev p0 &&
	ip -n "$1" addr add "${id4%1}2/32" dev p0 &&
	ip -n "$1" -6 route add "$2/48" encap seg6local \
		action End.DT6 table 255 dev sr0
}

# Print the state of fabric, devices, paths, QPs and counters, and the kernel log.
dump()
{
	local dev host

	fabric show 2> /dev/null
	for dev in /sys/class/infiniband/mrc*; do
		[ -e "$dev" ] || continue
		dev=${dev##*/}
		host=h${dev#mrc}
		rdma statistic show link "$dev/1"
		on "$host" mrcctl dev show "$dev"
		on "$host" mrcctl path show dev "$dev"
		on "$host" mrcctl qp show dev "$dev"
	done 2>&1
	echo "kernel log:"
	dmesg | tail -n 60
}
