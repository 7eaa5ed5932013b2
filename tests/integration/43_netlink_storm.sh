#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Random netlink messages about a device and its objects, right ones and broken
# ones, and probes, while a program that compares every byte runs over the
# device. What a seed finds can be had again.
#
# Environment: STORM_MESSAGES for each of the seeds STORM_SEEDS.

. "$(dirname "$0")/lib.sh"

messages=${STORM_MESSAGES:-6000}
seeds=${STORM_SEEDS:-1 2}

storm()
{
	on h0 /usr/bin/python3 "$lib/netstorm.py" mrc0 "$messages" "$1" \
		"$(address_of h1 6)"
}

# A broken message may have made something under any name.
remove_all()
{
	local object

	for object in dest profile template format cc; do
		on h0 mrcctl -j "$object" show dev mrc0 | jq -r \
			--arg object "$object" \
			'.[] | "\($object) del \(.dst // .name) dev mrc0"'
	done > "$tmp/batch"
	cat "$tmp/batch"
	on h0 mrcctl -b "$tmp/batch"
}

check "two hosts come up" fabric simple --links 2
check "devices on both hosts, with GIDs" devices_up device_add 6
check "a program that compares every byte begins" verify_begin -o write -t 8
for seed in $seeds; do
	check "$messages messages of seed $seed are done or refused in words" \
		storm "$seed"
	printed | note
	check "all ports are used" on h0 mrcctl port set dev mrc0 port 1 up
	check "the program goes on" verify_goes_on
done
check "it has verified all it sent" verify_end
check "what is left can be removed" remove_all
for object in format profile template dest cc; do
	check_equal "no $object is left" \
		"$(on h0 mrcctl -j "$object" show dev mrc0)" '[]'
done
