#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What rdma(8) shows and does: objects of processes with what the driver says of
# them, counters, and devices that belong to one namespace.

. "$(dirname "$0")/lib.sh"

# shows KIND PATTERN: an object of that kind of our devices, with what it says. To
# be waited for: a dump fails when objects come and go meanwhile.
shows()
{
	if ! rdma -dd resource show "$1" > "$tmp/res" 2>&1; then
		tail -n 5 "$tmp/res"
		return 1
	fi
	grep -E "mrc[01].*$2" "$tmp/res" || { cat "$tmp/res"; return 1; }
}

# Objects are shown while a program has them.
begin()
{
	perftest_server ib_send_bw -s 4096 -D 300 --use-srq || return
	ip netns exec h0 ib_send_bw -d mrc0 -x "$(gid_index h0 6)" \
		-s 4096 -D 300 --use-srq "$(address_of h1 mgmt)" \
		> "$tmp/client" 2>&1 &
	client=$!
	wait_for "$patience" shows qp 'state RTS.*psn_una'
}

# Two programs that are connected, by the manager, until they are ended.
meet_begin()
{
	local addr

	modprobe rdma_ucm || return
	addr=$(address_of h1 6)
	ip netns exec h1 timeout -k 5 "$meet_limit" rping -s -a "$addr" \
		> "$tmp/server" 2>&1 &
	server=$!
	wait_for "$patience" cm_listens "$server" || return
	ip netns exec h0 timeout -k 5 "$meet_limit" rping -c -a "$addr" \
		> "$tmp/client" 2>&1 &
	client=$!
}

# met DEVICE FROM TO: a connection of the device's queue pair, with its addresses.
met()
{
	local qpn

	qpn=$(rdma resource show qp link "$1" |
		sed -n 's/.* lqpn \([0-9]*\) .*type RC.*/\1/p')
	shows cm_id " lqpn $qpn .*state CONNECT .*src-addr $2 dst-addr $3"
}

end()
{
	kill "$client" "$server"
	wait "$client" "$server"
	wait_for "$patience" none_left
}

none_left()
{
	! rdma resource show qp | grep -q 'mrc.*type RC'
}

statistics()
{
	rdma statistic show link mrc0/1 > "$tmp/stat" || return
	grep -Eq ' send_bytes [1-9]' "$tmp/stat"
}

# A device of mode "exclusive" is seen where it was put, and nowhere else.
alone()
{
	on "h$1" rdma dev show "mrc$1" || return
	! rdma dev show "mrc$1" 2> /dev/null
}

# GID of a device that this namespace does not see; rdma(8) has none.
gid_there()
{
	local wanted dir=/sys/class/infiniband/mrc${1#h}/ports/1/gids

	wanted=$(gid_of "$(address_of "$1" 6)")
	# shellcheck disable=SC2016
	on "$1" bash -c 'cd "$1" && grep -lx "$2" *' - "$dir" "$wanted"
}

pingpong()
{
	local gid server status=0

	gid=$(gid_there h1) || return
	on h1 timeout 60 ibv_rc_pingpong -d mrc1 -g "$gid" -n 100 &
	server=$!
	wait_for "$patience" listening h1 18515 || return
	gid=$(gid_there h0) || return
	on h0 timeout 60 ibv_rc_pingpong -d mrc0 -g "$gid" -n 100 \
		"$(address_of h1 mgmt)" || status=$?
	wait "$server" || status=$?
	return "$status"
}

shared_mode()
{
	rdma system set netns shared
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6

check "a program that uses the device" begin
check "resource show qp" wait_for "$patience" \
	shows qp 'sq_taken.*rq_taken'
check "resource show cq" wait_for "$patience" \
	shows cq 'cqe .*moderation_count'
check "resource show mr" wait_for "$patience" \
	shows mr 'mrlen.*windows'
check "resource show pd" wait_for "$patience" \
	shows pd 'users'
check "resource show ctx" wait_for "$patience" \
	shows ctx 'pid'
check "resource show srq" wait_for "$patience" \
	shows srq 'type BASIC'
name="resource show srq, with what the driver says"
case $(uname -r) in
6.1.*)	skip "$name" "this kernel does not ask the driver" ;;
*)	check "$name" wait_for "$patience" shows srq 'type BASIC.*wqes.*waiting' ;;
esac
check "statistic show" wait_for "$patience" statistics
check "the program ends and leaves nothing" end

check "programs that meet" meet_begin
h0=$(address_of h0 6)
h1=$(address_of h1 6)
check "resource show cm_id, of who listens" wait_for "$patience" \
	shows cm_id "state LISTEN .*src-addr $h1:7174"
check "of who has called" wait_for "$patience" \
	met mrc0/1 "$h0:[0-9]+" "$h1:7174"
check "of who was called" wait_for "$patience" \
	met mrc1/1 "$h1:7174" "$h0:[0-9]+"
check "the programs end and leave nothing" end

fabric down
check "exclusive mode" wait_for "$patience" \
	rdma system set netns exclusive
check "two hosts come up again" fabric simple
for i in 0 1; do
	check "device on h$i again" link_add "h$i"
	check "rdma dev set mrc$i netns h$i" rdma dev set "mrc$i" netns "h$i"
	check "mrc$i is in h$i only" alone "$i"
	check "its GID is there" wait_for "$patience" gid_there "h$i"
done
check "ibv_rc_pingpong from namespace to namespace" pingpong
fabric down
check "shared mode" wait_for "$patience" shared_mode
