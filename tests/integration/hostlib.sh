# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What tests, demo and benchmark do with the hosts of the test network; to be
# sourced in a guest. Host h<i> has device mrc<i>. The caller provides a
# directory for temporary files, $tmp.
: "${tmp:?}"

lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# An emulated machine is slow, and more so when the host is busy: limits are
# generous, they cost nothing when all is well.
patience=60

# wait_for LIMIT COMMAND [ARG...]: until COMMAND succeeds, LIMIT seconds at
# most.
wait_for()
{
	local end=$((SECONDS + $1))

	shift
	until "$@" > /dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		read -r -t 0.1 <> <(:) || true
	done
}

fabric()
{
	"$lib/fabric.sh" "$@"
}

# on HOST COMMAND [ARG...]
on()
{
	ip netns exec "$@"
}

# address_of HOST 6|4|mgmt
address_of()
{
	local id6 id4 mgmt

	read -r id6 id4 mgmt < <(fabric addr "$1")
	case $2 in
	6)	echo "$id6" ;;
	4)	echo "$id4" ;;
	mgmt)	echo "$mgmt" ;;
	esac
}

# device_add HOST [PORTS]: make device mrc<i> of all (or the listed) ports.
device_add()
{
	local host=$1 ports=${2:-}

	[ "$ports" ] || ports=$(fabric ports "$host")
	on "$host" mrcctl dev add "mrc${host#h}" netdev "$ports"
}

device_del()
{
	on "$1" mrcctl dev del "mrc${1#h}"
}

# gid_find DEVICE ADDRESS: index of an address in the GID table of port 1.
gid_find()
{
	local gid

	gid=$(/usr/bin/python3 - "$2" <<-'END'
		import ipaddress, sys
		a = ipaddress.ip_address(sys.argv[1])
		if a.version == 4:
		    a = ipaddress.ip_address("::ffff:" + str(a))
		print(a.exploded)
	END
	)
	grep -lx "$gid" -r "/sys/class/infiniband/$1/ports/1/gids" |
		sed 's,.*/,,' | sort -n | head -n 1
}

# gid_index HOST 6|4: index in the GID table of the host's identity.
gid_index()
{
	gid_find "mrc${1#h}" "$(address_of "$1" "$2")"
}

# counter HOST NAME [PORT]: value of a hardware counter. Like GIDs it is read
# here: the copies of a device in other namespaces have no such counters.
counter()
{
	local dir=/sys/class/infiniband/mrc${1#h}/ports/${3:-1}

	cat "$dir/hw_counters/$2"
}

listening()
{
	[ "$(on "$1" ss -Hltn "sport = :$2")" ]
}

# perftest PROGRAM [ARG...]: run it between h1 (server) and h0 (client) with
# the same arguments; the client's output is left in $tmp/client. The control
# connection goes over the management network.
perftest()
{
	local program=$1 server status=0

	shift
	# Without a function between, so that it can be killed.
	ip netns exec h1 \
		timeout -k 5 "${perftest_limit:-120}" "$program" -d mrc1 \
		-x "$(gid_index h1 "${family:-6}")" "$@" \
		> "$tmp/server" 2>&1 &
	server=$!
	if ! wait_for "$patience" listening h1 18515; then
		echo "the server does not listen:"
		cat "$tmp/server"
		kill "$server"
		return 1
	fi
	on h0 timeout -k 5 "${perftest_limit:-120}" "$program" -d mrc0 \
		-x "$(gid_index h0 "${family:-6}")" "$@" \
		"$(address_of h1 mgmt)" > "$tmp/client" 2>&1 || status=$?
	wait "$server" || status=$?
	if [ "$status" -ne 0 ]; then
		echo "status $status; client:"
		cat "$tmp/client"
		echo "server:"
		cat "$tmp/server"
	fi
	return "$status"
}

# verify [ARG...]: run mrc_verify from h0 to h1, ARG being the client's; leaves
# what they print in $tmp/client and $tmp/server. The client waits for the
# server to listen.
verify()
{
	local program=$lib/../../build/tests/mrc_verify server status=0

	on h1 "$program" -d mrc1 -g "$(gid_index h1 "${family:-6}")" \
		> "$tmp/server" 2>&1 &
	server=$!
	on h0 "$program" -d mrc0 -g "$(gid_index h0 "${family:-6}")" "$@" \
		"$(address_of h1 mgmt)" > "$tmp/client" 2>&1 || status=$?
	wait "$server" || status=$?
	if [ "$status" -ne 0 ]; then
		echo "status $status; client:"
		cat "$tmp/client"
		echo "server:"
		cat "$tmp/server"
	fi
	return "$status"
}

# Print what one needs to understand a failure.
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
