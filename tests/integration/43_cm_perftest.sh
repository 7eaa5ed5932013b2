#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# perftest with -R, and qperf, which connect by the connection manager: on one link first,
# then over four planes with SRv6 paths. 40_rdma_cm has the other programs of Debian that
# do.
#
# Needs: stock kernel: in virtual time qperf stops time, and connections of perftest with
# -R are rejected, for a reason that is not known.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/cm_networks.sh"

qperf_listens()
{
	listening h1 19765
}

# Without the tests for UD: qperf makes address handles without a GID, which RoCE
# does not have; the RDMA core refuses them on any device.
qperf_tests=(
	rc_bw rc_bi_bw rc_lat rc_rdma_read_bw rc_rdma_read_lat rc_rdma_write_bw
	rc_rdma_write_lat rc_rdma_write_poll_lat rc_compare_swap_mr
	rc_fetch_add_mr ver_rc_compare_swap ver_rc_fetch_add
)

qperf_all()
{
	run_pair qperf_listens qperf -- qperf "$(address_of h1 4)" -cm1 -t 1 \
		"${qperf_tests[@]}" quit
}

if ! modprobe rdma_ucm; then
	skip_all "no rdma_ucm"
fi
one_link_begins
check "one link: ib_write_bw -R" perftest_cm ib_write_bw -s 65536 -n 100
check "one link: ib_send_lat -R" perftest_cm ib_send_lat -s 64 -n 100
check "one link: ib_send_bw -R -c UD" \
	perftest_cm ib_send_bw -c UD -s 1024 -n 100
one_link_ends

four_planes_begin
check "four planes: ib_write_bw -R" perftest_cm ib_write_bw -s 65536 -n 100
check "four planes: qperf, all tests of RC" qperf_all
