#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In a guest: run the test scripts named in the arguments, one after the other.
# A script that exceeds its time limit or ends with a status other than 0 or 1
# is reported as a failure here; so is, in the kind debug of user-mode Linux, memory
# that the module lost; in the kind coverage the counts of lines that were run are left in
# $VM_OUT. Environment: TEST_LIMIT, seconds for each script.

tests=$(cd "$(dirname "$0")/.." && pwd)
limit=${TEST_LIMIT:-420}

# An emulated processor may keep a breakpoint that the kernel had in place of an
# instruction while it replaced it, if packets come meanwhile: it traps, and the guest
# dies. So what makes the kernel replace instructions where packets pass happens here,
# before there is load.
#
# The first socket that wants to know when packets came, as ping has one, switches that on
# in netif_rx_internal(), and the last one off. Have one as long as the guest lives.
keep_timestamps()
{
	perl -e 'use Socket;
		 use constant SO_TIMESTAMP => 29;
		 socket(my $socket, AF_INET, SOCK_DGRAM, 0) or die "socket: $!";
		 setsockopt($socket, SOL_SOCKET, SO_TIMESTAMP, 1) or die "setsockopt: $!";
		 fork // die "fork: $!" or sleep' < /dev/null > /dev/null
}

# The first ICMP error over a link makes inet_getpeer() have a random number made, once.
send_icmp_error()
{
	local socket tries=100

	ip netns add icmp
	ip -batch - <<- END
	link add icmp type veth peer name icmp netns icmp
	addr add 2001:db8:ffff::1/64 dev icmp nodad
	link set icmp up
	END
	ip -n icmp -batch - <<- END
	addr add 2001:db8:ffff::2/64 dev icmp nodad
	link set icmp up
	END
	exec {socket}<> /dev/udp/2001:db8:ffff::2/9
	while echo >&"$socket" && [ $((tries -= 1)) -gt 0 ]; do
		sleep 0.05
	done 2> /dev/null
	exec {socket}>&-
	ip netns del icmp
	[ "$tries" -gt 0 ] || echo "# no ICMP error has come"
}

echo "# kernel $(uname -r)"
if [ "${VM_ACCEL:-}" = tcg ]; then
	keep_timestamps
	send_icmp_error
fi
for name in "$@"; do
	echo "# $name"
	start=$SECONDS
	timeout -k 10 "$limit" bash "$tests/$name.sh"
	status=$?
	case $status in
	0|1)	;;
	124)	echo "not ok - $name: time limit of $limit s exceeded" ;;
	*)	echo "not ok - $name: ended with status $status" ;;
	esac
	"$tests/../lab/fabric.sh" down
	[ "${VM_KIND:-}" != coverage ] || "$tests/lib/coverage.sh"
	[[ ${VM_KIND:-} != debug* ]] || "$tests/lib/leaks.sh" "$name"
	echo "# $name ended after $((SECONDS - start)) s"
done
