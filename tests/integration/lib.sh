# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Library of the integration tests. A test is a script NN_name.sh that sources
# this file and is run as root in a guest (run.sh):
#
#	. "$(dirname "$0")/lib.sh"
#	fabric up
#	device_add h0
#	check "what must hold" command args...
#
# Results are TAP lines on standard output. When the script ends, the library
# takes down what was set up, unloads the module and looks at the kernel log;
# each of these can fail the test too. Host h<i> has device mrc<i>.
#
# Rules: a verdict never depends on time. Wait for a condition with wait_for,
# whose limit only says when to stop hoping; never sleep.
set -uo pipefail

lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
test_name=$(basename "$0" .sh)
tmp=$(mktemp -d)

# An emulated machine is slow, and more so when the host is busy: limits are
# generous, they cost nothing when all is well.
patience=60

tests_run=0
tests_failed=0

# --- results ---------------------------------------------------------------

ok()
{
	tests_run=$((tests_run + 1))
	echo "ok $tests_run - $test_name: $1"
}

not_ok()
{
	tests_run=$((tests_run + 1))
	tests_failed=$((tests_failed + 1))
	echo "not ok $tests_run - $test_name: $1"
}

# skip NAME REASON
skip()
{
	tests_run=$((tests_run + 1))
	echo "ok $tests_run - $test_name: $1 # SKIP $2"
}

# skip_all REASON: the whole script cannot run here.
skip_all()
{
	skip "all" "$1"
	exit
}

note()
{
	sed 's/^/# /'
}

# check NAME COMMAND [ARG...]: passes when COMMAND succeeds; what it printed is
# shown when it does not.
check()
{
	local name=$1 status=0

	shift
	"$@" > "$tmp/check" 2>&1 || status=$?
	if [ "$status" -eq 0 ]; then
		ok "$name"
		return 0
	fi
	not_ok "$name"
	{ echo "status $status of: $*"; tail -n 40 "$tmp/check"; } | note
	return 1
}

# check_fails NAME PATTERN COMMAND [ARG...]: passes when COMMAND fails, of its
# own accord (not by a signal or time limit), saying PATTERN (extended regexp).
check_fails()
{
	local name=$1 pattern=$2 status=0

	shift 2
	"$@" > "$tmp/check" 2>&1 || status=$?
	if [ "$status" -ne 0 ] && [ "$status" -lt 124 ] &&
	   grep -qE -- "$pattern" "$tmp/check"; then
		ok "$name"
		return 0
	fi
	not_ok "$name"
	{ echo "status $status, expected a refusal with '$pattern', of: $*"
	  tail -n 40 "$tmp/check"; } | note
	return 1
}

# check_equal NAME GOT WANTED
check_equal()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
		return 0
	fi
	not_ok "$1"
	printf 'got:    %s\nwanted: %s\n' "$2" "$3" | note
	return 1
}

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

# --- hosts, fabric, devices -------------------------------------------------

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

# gid_index HOST 6|4: index in the GID table of the host's identity.
gid_index()
{
	local gid dir=/sys/class/infiniband/mrc${1#h}/ports/1/gids

	gid=$(/usr/bin/python3 - "$(address_of "$1" "$2")" <<-'END'
		import ipaddress, sys
		a = ipaddress.ip_address(sys.argv[1])
		if a.version == 4:
		    a = ipaddress.ip_address("::ffff:" + str(a))
		print(a.exploded)
	END
	)
	on "$1" grep -lx "$gid" -r "$dir" | sed 's,.*/,,' | sort -n | head -n 1
}

# counter HOST NAME [PORT]: value of a hardware counter.
counter()
{
	local dir=/sys/class/infiniband/mrc${1#h}/ports/${3:-1}

	on "$1" cat "$dir/hw_counters/$2"
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
	on h1 timeout -k 5 "${perftest_limit:-120}" "$program" -d mrc1 \
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

# --- begin and end ----------------------------------------------------------

dump()
{
	local dev

	echo "state at the failure of $test_name:"
	"$lib/fabric.sh" show 2> /dev/null
	for dev in /sys/class/infiniband/mrc*; do
		[ -e "$dev" ] || continue
		rdma statistic show link "${dev##*/}/1"
		mrcctl dev show "${dev##*/}"
		mrcctl qp show dev "${dev##*/}"
	done 2>&1
	echo "kernel log:"
	dmesg | tail -n 60
}

unload()
{
	[ ! -d /sys/module/mrc ] || modprobe -r mrc
}

kernel_log_is_clean()
{
	dmesg | sed "1,/test begins: $test_name\$/d" |
		"$lib/vm/dmesg-problems"
}

finish()
{
	local status=$?

	trap - EXIT
	if [ "$status" -ne 0 ]; then
		not_ok "the script runs to its end (status $status)"
	fi
	if [ "$tests_failed" -ne 0 ]; then
		dump | note
	fi
	# shellcheck disable=SC2046
	kill $(jobs -p) 2> /dev/null
	wait
	fabric down
	check "the module unloads" wait_for "$patience" unload
	check "the kernel log is clean" kernel_log_is_clean
	echo "1..$tests_run"
	rm -rf "$tmp"
	exit $((tests_failed != 0))
}

trap finish EXIT
echo "test begins: $test_name" > /dev/kmsg
