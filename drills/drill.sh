# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Execution of drills; to be sourced after hosts.sh. A drill is a file NAME.drill
# of lines that begin with one of these words:
#
#   title TEXT          what happens
#   says TEXT           one sentence on what the drill shows
#   quick               the drill is also a test of "make test"
#   on NETWORK          one of the networks below (default: standard)
#   flows FLOW...       traffic between many hosts, in the syntax of mrc_crowd;
#                       without it h0 writes to h1. Flows that begin later (+) do
#                       not count as goodput
#   beside PLANE T1     repeat the drill with TCP, MPTCP and RoCE (beside.sh); RoCE
#                       takes the path of this plane and T1
#   with ARG...         further arguments of mrc_verify, or of mrc_crowd
#   icrc always         the devices of all hosts require the ICRC
#   hold SECONDS        pause while traffic flows
#   do LEFT ACTION...   a fault or its end, after which LEFT percent of the
#                       undisturbed goodput are possible (-: not judged). ACTION is
#                       cut, impair, impair-down, restore, blackout (fabric.sh);
#                       join, leave: start and stop the flows that begin later;
#                       busy MS EVERY, idle: real-time processes take all CPUs for
#                       MS ms every EVERY ms, until idle;
#                       deny, allow HOST,.. RULE,..: add or delete deny rules on
#                       hosts; a rule is port:N or usid:N
#   until CONDITION...  wait until CONDITION holds, one of the until_ functions
#                       below; the drill fails if it does not within $patience s
#   outcome broken      queue pairs are expected to fail
#   bound settled N     the goodput in the second half of the time up to the
#                       next action is at least N percent of what is left
#   bound gap N         after an action the goodput is below half of what is
#                       left for at most N ms in a row
#   bound again N       at most N packets are retransmitted in the whole drill
#   bound beyond N      at most N packets are retransmitted in excess of those that
#                       queues of switches dropped (if nothing else loses packets)
#   bound uneven N      the packets of each plane differ by at most N percent from
#                       the mean of all planes
#   bound fair N        Jain's index of the bytes that queue pairs have sent is at
#                       least N percent
#   bound share N       each flow has at least N percent of the mean goodput
#   bound back N        a path that is GOOD again carries data within N ms
#   bound queue N       before the first action the mean queueing delay is at most
#                       N percent of the target delay of congestion control
#
# report.py judges the bounds: time never decides whether a drill has failed. Its
# other input is left in $drill_out/NAME.
: "${tmp:?}" "${root:?}" "${programs:?}" "${patience:?}" "${drill_out:?}"

drill_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
drill_verify=$programs/mrc_verify

drill_crowd=$programs/mrc_crowd

# Each packet takes a path of its own.
drill_burst=1
# Four packets. At most 128 messages that consume a receive WQE are in flight
# (max_wimm). With one packet each the limit would be reached while a loss is
# repaired, and in-order delivery would stop. Four messages arrive in 10 ms.
drill_message=16384
drill_depth=256

. "$drill_dir/beside.sh"

# --- networks ---------------------------------------------------------------
#
# Mbit/s, KiB, and microseconds each way. Rates are low, so that an emulated machine
# has idle time at full load: the links limit the goodput, not the CPUs.

# The CC profile has the total rate of the links of a host. It determines how fast
# windows grow; the growth for the default of 25 Gb/s would fill any queue here
# within a round trip.

# Two hosts, 4 planes of 2 T0 and 4 T1. The delay is 5 ms, and 1 ms of processing;
# three busy links on the way add 8 ms of serialisation per packet. The rest of the
# target delay is less than the queue length from which packets are marked. The hosts
# are one guest without other load, so the reordering windows are below the default.
drill_network_standard()
{
	drill_hosts="h0 h1"
	drill_fabric=()
	drill_rate=12
	drill_queue=64
	drill_ecn=8
	drill_delay=2500
	drill_cc="algorithm nscc rate 48 window 110000 base-rtt 6000000 target-delay 9000000"
	drill_cc+=" reo-wnd-path 8000000 reo-wnd-any 16000000"
}

# Eight hosts, 2 planes of 2 racks (T0) of four; as many uplinks as downlinks. There
# are more links, so each is slower: a packet takes 8.3 ms on each of three links,
# 25 ms of the target delay. The rest is less than two packets in each queue: when all
# links are needed in full, random choice alone causes such queues. When all flows
# start at once, round trips exceed the ACK timeout that programs request.
drill_network_crowd()
{
	drill_hosts="h0 h1 h2 h3 h4 h5 h6 h7"
	drill_fabric=(--hosts 8 --planes 2)
	drill_rate=4
	drill_queue=64
	drill_ecn=8
	drill_delay=6000
	drill_cc="algorithm nscc rate 8 window 110000 base-rtt 14000000 target-delay 60000000"
	drill_cc+=" timeout 18"
}

# The same, with the strategy reps: paths of packets without ECN mark are reused.
drill_network_recycling()
{
	drill_network_crowd
	drill_cc+=" lb reps"
}

# The same as crowd, with switches that trim packets whose DSCP requests it instead of
# dropping them. The queue of a receiver's port holds the initial flight of seven
# senders.
drill_network_trimming()
{
	drill_network_crowd
	drill_fabric+=(--trim 1)
	drill_queue=32
	drill_cc+=" trims 1"
	[ -e /sys/module/sch_trim ] ||
		insmod "$root/build/$(uname -r)/trim/sch_trim.ko"
}

# Create the device of host $1 with all paths to the other hosts.
# shellcheck disable=SC2086
drill_host_up()
{
	local dev=mrc${1#h}

	device_add "$1" &&
	on "$1" mrcctl cc add drill dev "$dev" $drill_cc state online &&
	on "$1" mrcctl dev set "$dev" cc drill burst "$drill_burst" &&
	paths_add "$1" && wait_for "$patience" gid_index "$1" 6
}

# drill_set_up [NETWORK]
drill_set_up()
{
	local host jobs=() job status=0

	drill_network=${1:-standard}
	"drill_network_$drill_network" &&
	fabric up "${drill_fabric[@]}" --rate "$drill_rate" \
		--queue "$drill_queue" --ecn "$drill_ecn" \
		--delay "$drill_delay" || return
	for host in $drill_hosts; do
		drill_host_up "$host" &
		jobs+=($!)
	done
	for job in "${jobs[@]}"; do
		wait "$job" || status=1
	done
	return "$status"
}

drill_tear_down()
{
	local host

	for host in $drill_hosts; do
		device_del "$host"
	done
	fabric down
}

# Print the network of drill $1.
drill_network_of()
{
	local network

	network=$(drill_lines "$1" on)
	echo "${network:-standard}"
}

# Print the lines of drill $1 that begin with word $2, without the word.
drill_lines()
{
	sed -n "s/^$2[ \t]*//p" "$drill_dir/$1.drill"
}

drill_bytes()
{
	local bytes

	bytes=$(sed -n '$s/.*"bytes":\([0-9]*\).*/\1/p' "$drill_at/progress")
	echo "${bytes:-0}"
}

drill_verified()
{
	[ "$(drill_bytes)" -gt "$1" ]
}

# More bytes arrive than were in flight when $1 bytes had arrived.
drill_goes_on()
{
	wait_for "$patience" drill_verified $(($1 + drill_depth * drill_message))
}

# --- conditions -------------------------------------------------------------

drill_paths()
{
	nsenter --net="/run/netns/$drill_watched" \
		mrcctl -j qp show dev "mrc${drill_watched#h}" paths
}

# These paths are ASSUMED_BAD for queue pairs of the watched host.
until_bad()
{
	[ "$(drill_paths | jq "[$1] - [.[].paths[] |
		select(.state == \"bad\") | .ev] == []")" = true ]
}

# For these queue pairs the paths of exactly these ports are down.
until_down()
{
	[ "$(drill_paths | jq "([.[].paths[] | select(.state == \"down\") |
		.port] | unique) == [$1]")" = true ]
}

# For these queue pairs all paths are GOOD.
until_good()
{
	[ "$(drill_paths | jq 'all(.[].paths[]; .state == "good")')" = true ]
}

until_failed()
{
	[ "$(counter h0 unresponsive_remote_events)" -gt "$drill_failed" ]
}

# The kernel log of this drill contains the words.
until_logged()
{
	dmesg | sed "1,/drill begins: $drill\$/d" | grep -q -- "$*"
}

# "mrcctl monitor" has reported that a queue pair of h0 to h1 failed with cause $1.
until_reported()
{
	jq -e -s --arg cause "$1" --arg dst "$(address_of h1 6)" \
		'any(.[]; .event == "qp" and .cause == $cause and .dst == $dst)' \
		"$drill_at/events-h0"
}

# Further messages arrive.
until_progress()
{
	drill_goes_on "$(drill_bytes)"
}

# A new run of mrc_verify succeeds.
until_again()
{
	verify -o write -s "$drill_message" -n 500
}

# --- the run ----------------------------------------------------------------

# Record the state of the queue pairs of the watched host ten times a second, with
# their paths if a bound needs them. One mrcctl does it, because starting a program
# takes seconds while the CPUs process packets. The times are those of the queries.
drill_sample()
{
	local fd paths=

	[ ! "$(drill_lines "$drill" "bound back")" ] || paths=" paths"
	exec {fd}<> <(:)
	while [ ! -e "$drill_at/ended" ]; do
		read -r -t 0.1 -u "$fd"
		echo "$EPOCHREALTIME" >&3
		echo "qp show dev mrc${drill_watched#h}$paths"
	done 3> "$drill_at/sampled" |
	nsenter --net="/run/netns/$drill_watched" mrcctl -j -b - \
		> "$drill_at/qps"
}

# Devices are kept from drill to drill, so the setting is reset as well.
drill_set_icrc()
{
	local host icrc

	icrc=$(drill_lines "$drill" icrc)
	for host in $drill_hosts; do
		on "$host" mrcctl dev set "mrc${host#h}" \
			icrc "${icrc:-auto}" || return
	done
}

# Write the counters of all hosts to files $1-*.
drill_count()
{
	local host

	for host in $drill_hosts; do
		on "$host" mrcctl -j -s dev show "mrc${host#h}" \
			> "$drill_at/$1-$host"
	done
}

# Print the number of packets that the queues of the switches dropped.
drill_dropped()
{
	local ns

	for ns in /run/netns/t[01]-*; do
		tc -n "${ns##*/}" -s -j qdisc show
	done | jq -s 'map(.[].drops) | add'
}

drill_pair_begin()
{
	local args

	ip netns exec h1 "$drill_verify" -d mrc1 -g "$(gid_index h1 6)" \
		--progress 10 > "$drill_at/progress" 2> "$drill_at/server" &
	drill_server=$!
	args=$(drill_lines "$drill" with)
	# shellcheck disable=SC2086
	ip netns exec h0 "$drill_verify" -d mrc0 -g "$(gid_index h0 6)" \
		-o write_imm -s "$drill_message" -t "$drill_depth" -D 86400 $args \
		"$(address_of h1 mgmt)" > "$drill_at/client" 2>&1 &
	drill_client=$!
}

drill_crowd_begin()
{
	local host hosts=() flows args

	for host in $drill_hosts; do
		hosts+=(-H "mrc${host#h}/$(gid_index "$host" 6)")
	done
	flows=$(drill_lines "$drill" flows)
	args=$(drill_lines "$drill" with)
	rm -f "$tmp/crowd"
	mkfifo "$tmp/crowd"
	# shellcheck disable=SC2086
	"$drill_crowd" "${hosts[@]}" -s "$drill_message" $args $flows \
		< "$tmp/crowd" > "$drill_at/progress" 2> "$drill_at/client" &
	drill_client=$!
	drill_server=
	exec {drill_talk}> "$tmp/crowd"
}

drill_begin()
{
	local i flows

	# The source of the first flow.
	flows=$(drill_lines "$drill" flows)
	drill_watched=h0
	[ ! "$flows" ] || drill_watched=h${flows%%:*}
	cat > "$drill_at/network.json" <<-END
	{"name":"$drill_network","rate_mbit":$drill_rate,
	"queue_kib":$drill_queue,"ecn_kib":$drill_ecn,
	"delay_us":$drill_delay,"cc":"$drill_cc"}
	END
	drill_jobs=()
	drill_hogs=()
	drill_failed=$(counter h0 unresponsive_remote_events)
	rm -f "$drill_at/ended"
	: > "$drill_at/progress"
	: > "$drill_at/server"
	: > "$drill_at/actions"
	for i in 0 1; do
		ip netns exec "h$i" mrcctl -j monitor > "$drill_at/events-h$i" &
		drill_jobs+=($!)
	done
	drill_set_icrc || return
	drill_count before
	[ "${drill_hurry:-}" ] ||
		[ ! "$(drill_lines "$drill" "bound beyond")" ] ||
		drill_dropped > "$drill_at/before-dropped"
	if [ "$flows" ]; then
		drill_crowd_begin
	else
		drill_pair_begin
	fi
	drill_sample &
	drill_sampler=$!
	wait_for "$patience" drill_verified 0 || return
	head -n 1 /proc/stat > "$drill_at/begin-cpu"
}

# End the run; fail unless it ended as expected: without error, or broken.
drill_end()
{
	local status=0

	head -n 1 /proc/stat > "$drill_at/end-cpu"
	drill_idle
	drill_paths > "$drill_at/paths"
	echo "$EPOCHREALTIME" > "$drill_at/ended"
	wait "$drill_sampler"
	if [ "$(drill_lines "$drill" outcome)" = broken ]; then
		wait "$drill_client" && status=1
		kill "$drill_server"
		wait "$drill_server"
	else
		kill "$drill_client" || status=1
		wait "$drill_client" || status=1
		[ ! "$drill_server" ] || wait "$drill_server" || status=1
	fi
	[ "$drill_server" ] || exec {drill_talk}>&-
	drill_count after
	[ ! -e "$drill_at/before-dropped" ] ||
		drill_dropped > "$drill_at/after-dropped"
	kill "${drill_jobs[@]}"
	wait "${drill_jobs[@]}"
	if [ "$status" -ne 0 ]; then
		cat "$drill_at/client" "$drill_at/server"
		tail -n 1 "$drill_at/progress"
	fi
	return "$status"
}

# drill_rule deny|allow HOST,.. RULE,..
drill_rule()
{
	local host rule

	for host in ${2//,/ }; do
		for rule in ${3//,/ }; do
			echo "path $1 dev mrc${host#h} ${rule/:/ }"
		done | on "$host" mrcctl -b - || return
	done
}

# drill_busy MS EVERY: take all CPUs away at the same time, as a hypervisor does, by
# real-time processes; softirqs have to wait, too.
drill_busy()
{
	local cpu

	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		chrt -f 90 taskset -c "$cpu" /usr/bin/python3 \
			"$drill_dir/busy.py" "$1" "$2" &
		drill_hogs+=($!)
	done
}

drill_idle()
{
	[ ${#drill_hogs[@]} -gt 0 ] || return 0
	kill "${drill_hogs[@]}"
	wait "${drill_hogs[@]}"
	drill_hogs=()
}

drill_act()
{
	local left=$1 action=$2 start=$EPOCHREALTIME

	case $action in
	join|leave)
		echo "$action" >&"$drill_talk" ;;
	busy|idle)
		"drill_$action" "${@:3}" ;;
	deny|allow)
		drill_rule "${@:2}" || return ;;
	*)
		fabric "${@:2}" || return ;;
	esac
	echo "$start $EPOCHREALTIME $left $action ${*:3}" >> "$drill_at/actions"
}

# In a test there are no plots: continue as soon as further messages have arrived.
drill_hold()
{
	local bytes

	bytes=$(drill_bytes)
	[ "${drill_hurry:-}" ] || sleep "$1"
	drill_goes_on "$bytes"
}

drill_step()
{
	case $1 in
	do)	drill_act "${@:2}" ;;
	hold)	drill_hold "$2" ;;
	until)	wait_for "$patience" "until_$2" "${@:3}" ;;
	esac
}

# drill_run NAME: fails if a step or the run fails, and prints the reason.
drill_run()
{
	local step status=0 network

	drill=$1
	network=$(drill_network_of "$drill")
	if [ "$network" != "$drill_network" ]; then
		drill_tear_down
		drill_set_up "$network" || return
	fi
	drill_at=$drill_out/$1
	mkdir -p "$drill_at"
	echo "drill begins: $drill" > /dev/kmsg
	drill_begin || { echo "no message arrives at the start"; status=1; }
	while [ "$status" -eq 0 ] && read -r step <&3; do
		# shellcheck disable=SC2086
		drill_step $step || { echo "failed: $step"; status=1; }
	done 3< "$drill_dir/$drill.drill"
	drill_end || { echo "the run did not end as expected"; status=1; }
	[ "${drill_hurry:-}" ] || [ ! "$(drill_lines "$drill" beside)" ] ||
		beside_run || status=1
	return "$status"
}
