#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Datagrams, and what they are there for: programs that meet by way of the
# connection manager, from Debian's packages as they are. On one link first, then
# over four planes with SRv6 paths.

. "$(dirname "$0")/lib.sh"

# cm_program PROGRAM FAMILY [ARG...]: one of librdmacm's examples.
cm_program()
{
	local program=$1 addr

	addr=$(address_of h1 "$2")
	shift 2
	meet cm_listens "$program" -b "$addr" "$@" -- "$program" -s "$addr" "$@"
}

# ping FAMILY [ARG...]: data there and back, compared.
ping()
{
	local addr

	addr=$(address_of h1 "$1")
	shift
	meet cm_listens rping -s -a "$addr" "$@" -- rping -c -a "$addr" "$@"
}

fi_listens()
{
	listening h1 47592
}

# fi_on HOST SUFFIX [ARG...]: libfabric takes the first device it sees, and the
# first address for datagrams, unless it is told which.
fi_on()
{
	local host=$1 suffix=$2

	shift 2
	echo "env FI_VERBS_GID_IDX=$(gid_index "$host" 4)" \
		"fi_pingpong -d mrc${host#h}$suffix -c -I 20 -S 3000 $*"
}

# fi_pair TYPE PROVIDER SUFFIX: endpoints of libfabric, data compared; SUFFIX of its
# name for the device.
fi_pair()
{
	# shellcheck disable=SC2046
	meet fi_listens $(fi_on h1 "$3" -p "$2" -e "$1") -- \
		$(fi_on h0 "$3" -p "$2" -e "$1" "$(address_of h1 4)")
}

qperf_listens()
{
	listening h1 19765
}

# Of the tests for UD it makes address handles without a GID, as InfiniBand has
# them and RoCE has not: the RDMA core refuses them on any device.
qperf_tests=(
	rc_bw rc_bi_bw rc_lat rc_rdma_read_bw rc_rdma_read_lat rc_rdma_write_bw
	rc_rdma_write_lat rc_rdma_write_poll_lat rc_compare_swap_mr
	rc_fetch_add_mr ver_rc_compare_swap ver_rc_fetch_add
)

qperf_all()
{
	meet qperf_listens qperf -- qperf "$(address_of h1 4)" -cm1 -t 1 \
		"${qperf_tests[@]}" quit
}

programs()
{
	check "rping, IPv6" ping 6 -V -C 20 -S 1000
	check "rping, IPv4" ping 4 -V -C 20 -S 1000
	check "ucmatose, IPv6" cm_program ucmatose 6 -c 4 -C 20 -S 3000
	check "ucmatose, IPv4" cm_program ucmatose 4 -c 4 -C 20 -S 3000
	check "udaddy, IPv6" cm_program udaddy 6 -c 4 -C 20 -S 1000
	check "udaddy, IPv4" cm_program udaddy 4 -c 4 -C 20 -S 1000
}

libfabric()
{
	check "fi_pingpong, verbs, messages" fi_pair msg verbs ""
	check "fi_pingpong, verbs with rxm, reliable datagrams" \
		fi_pair rdm "verbs;ofi_rxm" ""
	check "fi_pingpong, verbs, datagrams" fi_pair dgram verbs -dgram
}

if ! modprobe rdma_ucm; then
	skip_all "no rdma_ucm"
fi
check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6 4

check_tap mrc_ud "$lib/../../build/tests/mrc_ud" -d mrc0 -D mrc1 \
	-g "$(gid_index h0 6)"
for program in ib_send_bw ib_send_lat; do
	check "$program -c UD" perftest "$program" -c UD -s 1024 -n 100
	family=4 check "$program -c UD, IPv4, largest datagram" \
		perftest "$program" -c UD -s 4096 -n 100
done
check "ib_send_lat -c UD, inline" \
	perftest ib_send_lat -c UD -s 16 -n 100 -I 64
check "ib_send_bw -c UD, events, both directions" \
	perftest ib_send_bw -c UD -s 1024 -n 100 -e -b
programs
check "ib_write_bw -R" perftest_cm ib_write_bw -s 65536 -n 100
check "ib_send_lat -R" perftest_cm ib_send_lat -s 64 -n 100
check "ib_send_bw -R -c UD" perftest_cm ib_send_bw -c UD -s 1024 -n 100
check_equal "no datagram had a wrong ICRC" \
	"$(counter h0 drop_icrc) $(counter h1 drop_icrc)" "0 0"
check "devices are removed" device_del h0
check "and the other one" device_del h1
fabric down

check "four planes come up" fabric up
check "addresses on all ports" identities_everywhere
check "devices on both hosts, with GIDs" devices_up device_add 6 4
check "paths there and back" paths_up
programs
check "ib_write_bw -R" perftest_cm ib_write_bw -s 65536 -n 100
check "ib_send_bw -c UD" perftest ib_send_bw -c UD -s 1024 -n 100
libfabric
check "qperf, all tests of RC" qperf_all
