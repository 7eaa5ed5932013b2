# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Shell library for two guests that NICs join (vm.sh pair): this one is host h0, the other
# one h1, both without a namespace of their own. To be sourced after hosts.sh, of which
# it replaces some functions; those that use only these work as in the test network.

# on HOST COMMAND [ARG...]: run COMMAND on HOST, on h1 without input.
on()
{
	local host=$1

	shift
	if [ "$host" = h1 ]; then
		"$lab/vm/peer.sh" "${on_h1:-run}" "$@"
	else
		"$@"
	fi
}

# address_of HOST 6|mgmt
address_of()
{
	case $2 in
	6)	echo "2001:db8:10${1#h}::1" ;;
	mgmt)	echo "192.168.100.$((${1#h} + 1))" ;;
	esac
}

# gid_index HOST 6: index in the GID table of the host's address.
gid_index()
{
	local dir=/sys/class/infiniband/mrc${1#h}/ports/1/gids

	on "$1" grep -lx "$(gid_of "$(address_of "$1" 6)")" "$dir/0" "$dir/1" "$dir/2" "$dir/3" |
		sed 's|.*/||; q'
}

# counter HOST NAME
counter()
{
	on "$1" cat "/sys/class/infiniband/mrc${1#h}/ports/1/hw_counters/$2"
}

# listening HOST PORT: a TCP socket on HOST listens on PORT.
listening()
{
	[ "$(on "$1" ss -Hltn "sport = :$2")" ]
}

# verify_begin [ARG...]: a run of mrc_verify from h0 to h1 until verify_end. The server
# keeps its count in the directory that both guests share.
verify_begin()
{
	local program=$programs/mrc_verify

	ln -sf "$VM_PAIR/count" "$tmp/count"
	: > "$tmp/count"
	"$lab/vm/peer.sh" run "$program" -d mrc1 -g "$(gid_index h1 6)" --progress 50 \
		--count "$VM_PAIR/count" > "$tmp/progress" 2> "$tmp/server" &
	verify_server=$!
	"$program" -d mrc0 -g "$(gid_index h0 6)" -D 86400 "$@" "$(address_of h1 mgmt)" \
		> "$tmp/client" 2>&1 &
	verify_client=$!
	verify_goes_on && return
	show_files client progress
	return 1
}

# ports_up HOST MTU PORT...: take these ports up, give them the address of the host, and
# that of the other host a route over each. What QEMU's e1000e makes of TCP over IPv6
# has wrong checksums: segments are made by the kernel.
ports_up()
{
	local host=$1 mtu=$2 number=${1#h} port hops=()

	shift 2
	on "$host" sysctl -qw net.ipv6.conf.all.keep_addr_on_down=1 || return
	for port; do
		on "$host" ethtool -K "$port" tso off || return
		echo "link set $port up mtu $mtu" >&3
		echo "addr add fe80::$((number + 1))/64 dev $port nodad" >&3
		echo "addr add $(address_of "$host" 6)/128 dev $port nodad" >&3
		hops+=(nexthop via "fe80::$((2 - number))" dev "$port")
	done 3> "$tmp/ports"
	echo "route replace $(address_of "h$((1 - number))" 6)/128" \
		"src $(address_of "$host" 6) ${hops[*]}" > "$tmp/route-$host"
	cat "$tmp/ports" "$tmp/route-$host" | on_h1=feed on "$host" ip -6 -batch -
}

# port_returns HOST PORT: take PORT, which was taken down, up again. It has kept the
# address of the host, and lost the link-local one, which is the next hop of the other
# host, and its route.
port_returns()
{
	{
		echo "link set $2 up"
		echo "addr replace fe80::$((${1#h} + 1))/64 dev $2 nodad"
		cat "$tmp/route-$1"
	} | on_h1=feed on "$1" ip -6 -batch -
}

# ports_down HOST PORT...
ports_down()
{
	local host=$1 port

	shift
	for port; do
		echo "link set $port down"
		echo "addr flush dev $port"
	done > "$tmp/ports"
	on_h1=feed on "$host" ip -6 -batch - < "$tmp/ports"
}

# pair_up MTU PORT...: devices with these ports on both hosts, which reach each other.
pair_up()
{
	local mtu=$1 host ports

	shift
	ports=$(IFS=,; echo "$*")
	for host in h0 h1; do
		ports_up "$host" "$mtu" "$@" &&
			on "$host" mrcctl dev add "mrc${host#h}" netdev "$ports" || return
	done
	wait_for "$patience" have_gids 6 &&
		wait_for "$patience" ping -q -c 1 -W 3 "$(address_of h1 6)"
}

# pair_down PORT...
pair_down()
{
	local host

	for host in h0 h1; do
		on "$host" mrcctl dev del "mrc${host#h}" &&
			ports_down "$host" "$@" || return
	done
}
