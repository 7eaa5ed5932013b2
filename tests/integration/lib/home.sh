# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# How tests have buffers wait for a home processor.

# So that many buffers are in flight from h0, whatever round trips congestion control
# measures.
no_congestion_window()
{
	on h0 mrcctl cc add none dev mrc0 algorithm none state online &&
	on h0 mrcctl dev set mrc0 cc none
}

# no_softirqs MS: those of processor 1 do not run for MS milliseconds. The module
# mrc_bh_off is loaded.
no_softirqs()
{
	taskset -c 1 sh -c "echo $1 > /sys/module/mrc_bh_off/parameters/ms"
}

# all_at_home QPS: h1 has QPS queue pairs, and processor 1 is the home of each.
all_at_home()
{
	[ "$(on h1 mrcctl -j qp show |
	     jq --argjson qps "$1" 'length == $qps and all(.home == 1)')" = true ]
}
