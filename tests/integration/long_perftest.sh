#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Unmodified perftest of Debian on the standard fabric, with SRv6 paths over four
# planes, and with the options that the other tests leave out.

. "$(dirname "$0")/lib/test.sh"

if ! modprobe rdma_ucm; then
	skip_all "no rdma_ucm"
fi
check "two hosts and four planes come up" fabric up
check "identities on all ports" identities_on_all_ports
for host in h0 h1; do
	check "device on $host" device_add "$host"
done
check "both hosts have their GIDs" wait_for "$patience" have_gids 6 4
check "16 explicit SRv6 paths from h0 to h1 are added" paths_add h0 h1
check "16 explicit SRv6 paths from h1 to h0 are added" paths_add h1 h0

# Up to 8 MiB.
for program in ib_{send,write,read}_{bw,lat}; do
	check "$program, all sizes" perftest "$program" -a -n 5
done
for program in ib_send_{bw,lat}; do
	check "$program -c UD, all sizes" perftest "$program" -c UD -a -n 20
done
for program in ib_{send,read,atomic}_bw; do
	check "$program -R, 4 QPs" perftest_cm "$program" -n 50 -q 4
done
for program in ib_{write,read,atomic}_lat; do
	check "$program -R" perftest_cm "$program" -n 50
done
# perftest has no events with WRITE.
for program in ib_{read,atomic}_bw ib_{send,read,atomic}_lat; do
	check "$program, events" perftest "$program" -n 50 -e
done
check "ib_send_bw -c UD, 4 QPs, both directions" \
	perftest ib_send_bw -c UD -s 1024 -n 100 -q 4 -b
check "ib_send_lat -c UD, events" perftest ib_send_lat -c UD -s 1024 -n 100 -e
