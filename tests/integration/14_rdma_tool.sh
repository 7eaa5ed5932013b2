#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# rdma(8): "resource show" for the objects of running programs, with the details
# that the driver adds, "statistic show", and devices that belong to one network
# namespace (mode exclusive). Programs: ib_send_bw, rping, ibv_rc_pingpong.
#
# Needs: stock kernel: in UML netlink aligns numbers of 64 bits with attributes that
# rdma(8) does not expect among those of a driver.

. "$(dirname "$0")/lib/test.sh"

# shows KIND PATTERN: "rdma resource show KIND" has a line of mrc0 or mrc1 that
# matches PATTERN. Call it with wait_for: a dump fails while objects are created
# and deleted.
shows()
{
	if ! rdma -dd resource show "$1" > "$tmp/res" 2>&1; then
		tail -n 5 "$tmp/res"
		return 1
	fi
	grep -E "mrc[01].*$2" "$tmp/res" || { cat "$tmp/res"; return 1; }
}

# Start ib_send_bw with an SRQ; it owns the objects that are shown until end().
begin()
{
	perftest_server ib_send_bw -s 4096 -D 300 --use-srq || return
	ip netns exec h0 ib_send_bw -d mrc0 -x "$(gid_index h0 6)" \
		-s 4096 -D 300 --use-srq "$(address_of h1 mgmt)" \
		> "$tmp/client" 2>&1 &
	client=$!
	wait_for "$patience" shows qp 'state RTS.*sq_outstanding'
}

# Start rping on both hosts, connected by the connection manager, until end().
rping_begin()
{
	local addr

	modprobe rdma_ucm || return
	addr=$(address_of h1 6)
	ip netns exec h1 timeout -k 5 "$pair_limit" rping -s -a "$addr" \
		> "$tmp/server" 2>&1 &
	server=$!
	wait_for "$patience" cm_listens "$server" || return
	ip netns exec h0 timeout -k 5 "$pair_limit" rping -c -a "$addr" \
		> "$tmp/client" 2>&1 &
	client=$!
}

# connected DEVICE FROM TO: the cm_id of the queue pair of DEVICE is connected from
# address FROM to address TO.
connected()
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

# only_in_namespace I: mrc<I> is visible in the namespace of h<I>, and not in the
# first namespace.
only_in_namespace()
{
	on "h$1" rdma dev show "mrc$1" || return
	! rdma dev show "mrc$1" 2> /dev/null
}

# gid_in_namespace HOST: index of HOST's IPv6 GID, read in its namespace: the device
# is not visible here, and rdma(8) does not show GIDs.
gid_in_namespace()
{
	local wanted dir=/sys/class/infiniband/mrc${1#h}/ports/1/gids

	wanted=$(gid_of "$(address_of "$1" 6)")
	# shellcheck disable=SC2016
	on "$1" bash -c 'cd "$1" && grep -lx "$2" *' - "$dir" "$wanted"
}

pingpong()
{
	local gid server status=0

	gid=$(gid_in_namespace h1) || return
	on h1 timeout 60 ibv_rc_pingpong -d mrc1 -g "$gid" -n 100 &
	server=$!
	wait_for "$patience" listening h1 18515 || return
	gid=$(gid_in_namespace h0) || return
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

check "ib_send_bw with an SRQ runs on mrc0 and mrc1" begin
check "resource show qp lists a QP with sq_outstanding and rq_fetched" \
	wait_for "$patience" \
	shows qp 'sq_outstanding.*rq_fetched'
check "resource show cq lists a CQ with cqe and moderation_count" \
	wait_for "$patience" \
	shows cq 'cqe .*moderation_count'
check "resource show mr lists an MR with mrlen and windows" \
	wait_for "$patience" \
	shows mr 'mrlen.*windows'
check "resource show pd lists a PD with users" wait_for "$patience" \
	shows pd 'users'
check "resource show ctx lists a context with pid" wait_for "$patience" \
	shows ctx 'pid'
check "resource show srq lists an SRQ of type BASIC" wait_for "$patience" \
	shows srq 'type BASIC'
name="resource show srq lists an SRQ with wqes and waiting of the driver"
case $(uname -r) in
6.1.*)	skip "$name" "this kernel has no SRQ callback of the driver" ;;
*)	check "$name" wait_for "$patience" shows srq 'type BASIC.*wqes.*waiting' ;;
esac
check "statistic show reports send_bytes above 0" \
	wait_for "$patience" statistics
check "ib_send_bw leaves no QP when it is killed" end

check "two rping programs start" rping_begin
h0=$(address_of h0 6)
h1=$(address_of h1 6)
check "resource show cm_id lists the listening rping server" \
	wait_for "$patience" \
	shows cm_id "state LISTEN .*src-addr $h1:7174"
check "resource show cm_id lists the connection of the rping client" \
	wait_for "$patience" \
	connected mrc0/1 "$h0:[0-9]+" "$h1:7174"
check "resource show cm_id lists the connection of the rping server" \
	wait_for "$patience" \
	connected mrc1/1 "$h1:7174" "$h0:[0-9]+"
check "the rping programs leave no QP when they are killed" end

fabric down
check "rdma system set netns exclusive succeeds without hosts" \
	wait_for "$patience" \
	rdma system set netns exclusive
check "two hosts come up in exclusive mode" fabric simple
for i in 0 1; do
	check "mrc$i is created in exclusive mode" link_add "h$i"
	check "rdma dev set mrc$i netns h$i succeeds" \
		rdma dev set "mrc$i" netns "h$i"
	check "mrc$i is visible in the namespace of h$i only" only_in_namespace "$i"
	check "mrc$i has its IPv6 GID in the namespace of h$i" \
		wait_for "$patience" gid_in_namespace "h$i"
done
check "ibv_rc_pingpong runs between the namespaces of h0 and h1" pingpong
fabric down
check "rdma system set netns shared succeeds without hosts" \
	wait_for "$patience" shared_mode
