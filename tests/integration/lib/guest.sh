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
# instruction while it replaced it, if packets come meanwhile: it traps for ever, and with
# it the guest. The first ICMP error over a link makes the kernel do that in
# inet_getpeer(), which has a random number made once: cause one before there is load.
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
[ "${VM_ACCEL:-}" != tcg ] || send_icmp_error
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
