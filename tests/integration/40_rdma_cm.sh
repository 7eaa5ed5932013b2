#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# UD queue pairs, and the connection manager, which needs them: mrc_ud, perftest with
# UD, and unmodified programs of Debian that connect by the connection manager (rping,
# ucmatose, udaddy, fi_pingpong). On one link first, then over four planes with SRv6
# paths. 43_cm_perftest has perftest with -R, and qperf.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/cm_networks.sh"

# cm_program PROGRAM FAMILY [ARG...]: run an example program of librdmacm.
cm_program()
{
	local program=$1 addr

	addr=$(address_of h1 "$2")
	shift 2
	run_pair cm_listens "$program" -b "$addr" "$@" -- "$program" -s "$addr" "$@"
}

# ping FAMILY [ARG...]: rping, which compares data sent in both directions.
ping()
{
	local addr

	addr=$(address_of h1 "$1")
	shift
	run_pair cm_listens rping -s -a "$addr" "$@" -- rping -c -a "$addr" "$@"
}

fi_listens()
{
	listening h1 47592
}

# fi_on HOST SUFFIX [ARG...]: print the command line of fi_pingpong for HOST. By
# default libfabric uses the first device it finds, and the first address for
# datagrams: name both.
fi_on()
{
	local host=$1 suffix=$2

	shift 2
	echo "env FI_VERBS_GID_IDX=$(gid_index "$host" 4)" \
		"fi_pingpong -d mrc${host#h}$suffix -c -I 20 -S 3000 $*"
}

# fi_pair TYPE PROVIDER SUFFIX: fi_pingpong with endpoints of TYPE, data compared;
# SUFFIX is what libfabric appends to the name of the device.
fi_pair()
{
	# shellcheck disable=SC2046
	run_pair fi_listens $(fi_on h1 "$3" -p "$2" -e "$1") -- \
		$(fi_on h0 "$3" -p "$2" -e "$1" "$(address_of h1 4)")
}

# programs WHERE: run the programs of librdmacm.
programs()
{
	check "$1: rping, IPv6" ping 6 -V -C 20 -S 1000
	check "$1: rping, IPv4" ping 4 -V -C 20 -S 1000
	check "$1: ucmatose, IPv6" cm_program ucmatose 6 -c 4 -C 20 -S 3000
	check "$1: ucmatose, IPv4" cm_program ucmatose 4 -c 4 -C 20 -S 3000
	check "$1: udaddy, IPv6" cm_program udaddy 6 -c 4 -C 20 -S 1000
	check "$1: udaddy, IPv4" cm_program udaddy 4 -c 4 -C 20 -S 1000
}

libfabric()
{
	check "four planes: fi_pingpong, verbs, messages" fi_pair msg verbs ""
	check "four planes: fi_pingpong, verbs with rxm, reliable datagrams" \
		fi_pair rdm "verbs;ofi_rxm" ""
	check "four planes: fi_pingpong, verbs, datagrams" \
		fi_pair dgram verbs -dgram
}

if ! modprobe rdma_ucm; then
	skip_all "no rdma_ucm"
fi
one_link_begins

check_tap mrc_ud "$programs/mrc_ud" -d mrc0 -D mrc1 \
	-g "$(gid_index h0 6)" sqe drop srq
for program in ib_send_bw ib_send_lat; do
	check "one link: $program -c UD, IPv6" \
		perftest "$program" -c UD -s 1024 -n 100
	family=4 check "one link: $program -c UD, IPv4, largest datagram" \
		perftest "$program" -c UD -s 4096 -n 100
done
check "one link: ib_send_lat -c UD, inline" \
	perftest ib_send_lat -c UD -s 16 -n 100 -I 64
check "one link: ib_send_bw -c UD, events, both directions" \
	perftest ib_send_bw -c UD -s 1024 -n 100 -e -b
programs "one link"
one_link_ends

four_planes_begin
programs "four planes"
check "four planes: ib_send_bw -c UD" perftest ib_send_bw -c UD -s 1024 -n 100
libfabric
