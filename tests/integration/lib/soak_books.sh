# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Books of packets of a soak (soak.sh).
#
# Packets of the device are counted three times: by mrc at each port (mrcctl -s port
# show), by tc at the same ports (the edge), and those that links drop by the links. In a
# quiet fabric, since the cycle before and in each direction,
#
#	sent by mrc               = seen at the edge of the sender
#	seen at the sender's edge = seen at the receiver's + dropped by links
#	seen at the receiver's    = received by mrc
#	received by mrc           = accepted, by kind + dropped, by reason
#
# A link that loses its carrier drops packets without counting them: after a cycle with
# such a link ($soak_cut) the first two lines are inequalities. Netem counts a GSO buffer
# as one packet: in cycles in which links drop packets hosts send single packets, in the
# others whole bursts.

: "${tmp:?}" "${soak_hosts:?}" "${soak_planes:?}"

declare -A soak_now soak_was
soak_packets=0
soak_bytes=0
soak_losses=0
soak_drops=0
# Packets that links dropped in this cycle, of those that h0 and h1 have sent; the links
# that lost their carrier.
soak_lost=(0 0)
soak_cut=
# Packets of a cycle that a host is meant to refuse at most: mrc_srq sends to an empty
# queue, mrc_mem to a window that is closed. A message to an empty queue is repeated, after
# each RNR NAK, until there is a receive, which takes a slow guest long; it has at most so
# many packets.
declare -A soak_refusals=([h0]=0 [h1]=8)
soak_rnr_pkts=3

# SRv6 packets (IPv6 in IPv6) and plain ones (UDP): nothing else is sent by the device,
# and nobody else sends these. Action 2 P + 1 counts those that leave port P, from 0,
# action 2 P + 2 those that arrive.
edges_open()
{
	local host p

	for host in $soak_hosts; do
		for p in $soak_planes; do
			echo "qdisc add dev p$p clsact"
			edge_filters "$p" egress $((2 * p + 1))
			edge_filters "$p" ingress $((2 * p + 2))
		done | tc -n "$host" -batch - || return
	done
}

edge_filters()
{
	local protocol

	for protocol in 41 17; do
		echo "filter add dev p$1 $2 protocol ipv6 pref $protocol u32" \
			"match ip6 protocol $protocol 0xff action pass index $3"
	done
}

# Packets that each port of host $1, from 1, has sent and received, as "edge.tx.1 N".
edges_read()
{
	tc -n "$1" -s actions list action gact | awk '
		$1 == "index" { i = $2 - 1 }
		$1 == "Sent" { print "edge." (i % 2 ? "rx" : "tx") "." int(i / 2) + 1, $4
			       n++ }
		END { exit n != 8 }'
}

# ports_read HOST: what mrc has counted at each port.
ports_read()
{
	on "$1" mrcctl -j -s port show | jq -r '.[] | .port as $p | .counters |
		"tx.\($p) \(.tx_pkts)", "rx.\($p) \(.rx_pkts)",
		"discards.\($p) \(.tx_discards)", "bytes.\($p) \(.tx_bytes)"'
}

# Read all counters into soak_now.
books_read()
{
	local host name value

	soak_now=()
	renew_counters
	for host in $soak_hosts; do
		{ ports_read "$host" && edges_read "$host"; } > "$tmp/books" || return
		while read -r name value; do
			soak_now[$host.$name]=$value
		done < "$tmp/books"
		for name in "/sys/class/infiniband/mrc${host#h}"/ports/1/hw_counters/*; do
			read -r value < "$name" || return
			soak_now[$host.${name##*/}]=$value
		done
	done
}

# What is read next is compared with what was read last.
books_close()
{
	local name

	for name in "${!soak_now[@]}"; do
		soak_was[$name]=${soak_now[$name]}
	done
}

# rise HOST NAME...: set $risen to how much these counters of HOST have grown.
rise()
{
	local host=$1 name sum=0

	shift
	for name; do
		sum=$((sum + soak_now[$host.$name] - soak_was[$host.$name]))
	done
	risen=$sum
}

# Packets that host $1 has received, by what became of them. Those that are counted as
# received and as dropped: acknowledgments that are too old, responses of an endpoint
# that nobody awaits.
accepted=(rx_pkts duplicate_request out_of_window_pkts probe_rx sack_rx ack_rx nack_rx
	  endpoint_rx datagram_rx)
counted_twice=(drop_stale drop_ep_response)

drop_names()
{
	printf '%s\n' "${!soak_now[@]}" | sed -n 's/^h0\.\(drop_.*\)/\1/p' | sort
}

# What may be dropped: packets that are late, and one datagram that mrc_ud sends with a
# wrong Q_Key. Whatever is damaged or malformed is a mistake.
known_drops=" drop_no_qp drop_qp_state drop_peer drop_stale drop_window drop_qkey"
known_drops+=" drop_ep_response "

port_books()
{
	local host=$1 p=$2 tx edge_tx rx edge_rx discards

	rise "$host" "tx.$p"; tx=$risen
	rise "$host" "edge.tx.$p"; edge_tx=$risen
	rise "$host" "rx.$p"; rx=$risen
	rise "$host" "edge.rx.$p"; edge_rx=$risen
	rise "$host" "discards.$p"; discards=$risen
	echo "$host port $p: mrc sent $tx (refused $discards), edge $edge_tx;" \
		"edge received $edge_rx, mrc $rx"
	[ "$rx" -eq "$edge_rx" ] || return
	[ "$soak_cut" ] || { [ "$discards" -eq 0 ] && [ "$tx" -eq "$edge_tx" ]; return; }
	# The kernel refuses packets before the edge or behind it, for want of a carrier.
	[ "$edge_tx" -le $((tx + discards)) ]
}

ports_agree()
{
	local host p bad=0

	for host in $soak_hosts; do
		for p in $soak_planes; do
			port_books "$host" $((p + 1)) || bad=1
		done
	done
	return "$bad"
}

# What has left host $1 has arrived at the other, or the links have dropped it.
links_agree()
{
	local from=$1 to=h$((1 - ${1#h})) sent arrived lost

	rise "$from" edge.tx.{1..4}; sent=$risen
	rise "$to" edge.rx.{1..4}; arrived=$risen
	lost=${soak_lost[${from#h}]}
	echo "from $from: $sent packets; to $to: $arrived; links dropped $lost" \
		"${soak_cut:+(and some without a carrier)}"
	soak_packets=$((soak_packets + sent))
	soak_losses=$((soak_losses + sent - arrived))
	[ "$sent" -eq $((arrived + lost)) ] && return
	[ "$soak_cut" ] && [ "$sent" -gt $((arrived + lost)) ]
}

# Requests that the responder refuses because no receive is posted, or no access is
# granted, are neither accepted nor dropped. A probe for a queue pair that has
# just ended is both.
reasons_agree()
{
	local host=$1 received accepted_now dropped twice late refused most name

	rise "$host" bytes.{1..4}; soak_bytes=$((soak_bytes + risen))
	rise "$host" rx.{1..4}; received=$risen
	rise "$host" "${accepted[@]}"; accepted_now=$risen
	rise "$host" "${counted_twice[@]}"; twice=$risen
	rise "$host" drop_qp_state; late=$risen
	rise "$host" rnr_nak_tx
	most=$((soak_refusals[$host] + soak_rnr_pkts * risen))
	# shellcheck disable=SC2046
	rise "$host" $(drop_names); dropped=$risen
	soak_drops=$((soak_drops + dropped))
	refused=$((received - accepted_now - dropped + twice))
	echo "$host: received $received = accepted $accepted_now + dropped $dropped" \
		"- counted twice $twice + refused $refused (at most $most are meant)"
	for name in "${accepted[@]}" rnr_nak_tx $(drop_names); do
		rise "$host" "$name"
		[ "$risen" -eq 0 ] || echo "    $name $risen"
	done
	rise "$host" rx_drops
	[ "$risen" -eq "$dropped" ] || { echo "rx_drops grew by $risen"; return 1; }
	[ "$refused" -ge $((-late)) ] && [ "$refused" -le "$most" ]
}

# for_both BOOKS: those of both hosts are right. Both are looked at and printed.
for_both()
{
	local host bad=0

	for host in $soak_hosts; do
		"$1" "$host" || bad=1
	done
	return "$bad"
}

# Bytes of WRITEs that have completed on one host were placed on the other; those of
# processes that were killed may have been placed only.
writes_agree()
{
	local from to bad=0 written

	for from in $soak_hosts; do
		to=h$((1 - ${from#h}))
		rise "$from" rdma_write_bytes; written=$risen
		rise "$to" rdma_write_recv_bytes
		echo "WRITEs from $from: completed $written bytes, placed $risen"
		[ "$written" -le "$risen" ] || bad=1
	done
	return "$bad"
}

only_known_drops()
{
	local host name bad=0

	for host in $soak_hosts; do
		for name in $(drop_names); do
			[[ $known_drops != *" $name "* ]] || continue
			rise "$host" "$name"
			[ "$risen" -eq 0 ] || { echo "$host: $name $risen"; bad=1; }
		done
	done
	return "$bad"
}

# Failures of a cycle that are meant: mrc_rd_atomic destroys the responder of READs, mrc_mem
# writes to a window that is closed. mrc_srq has one more, which mrc does not count.
declare -A soak_failures=([h0.unresponsive_remote_events]=1 [h0.rdma_read_wr_err]=1
			  [h0.rdma_write_wr_err]=1)

only_meant_failures()
{
	local host name most bad=0

	for host in $soak_hosts; do
		for name in unresponsive_remote_events {rdma_read,rdma_write,atomic}_wr_err; do
			most=${soak_failures[$host.$name]:-0}
			rise "$host" "$name"
			echo "$host: $name $risen, at most $most are meant"
			[ "$risen" -le "$most" ] || bad=1
		done
	done
	[ "$bad" -eq 0 ] || dmesg | grep 'mrc[01]: QP' | tail -n 20
	return "$bad"
}
