#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Random netlink messages (storm.py), valid and invalid, about a device, its
# objects and probes, while mrc_verify, which compares every byte, runs over the
# device. A seed determines the messages, so that a failure can be reproduced.
#
# Environment: STORM_MESSAGES, number of messages for each of the seeds STORM_SEEDS.
#
# Also: several processors: netlink messages arrive while data is sent.

. "$(dirname "$0")/lib/test.sh"

messages=${STORM_MESSAGES:-6000}
seeds=${STORM_SEEDS:-1 2}

storm()
{
	on h0 /usr/bin/python3 "$tests/tools/netlink/storm.py" mrc0 "$messages" "$1" \
		"$(address_of h1 6)"
}

# Remove all objects: a random message may have created one with any name.
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
check "mrc_verify starts" verify_begin -o write -t 8
for seed in $seeds; do
	check "each of $messages messages of seed $seed is carried out or refused with an error text" \
		storm "$seed"
	printed | note
	check "port 1 of mrc0 is set up after seed $seed" \
		on h0 mrcctl port set dev mrc0 port 1 up
	check "mrc_verify goes on after seed $seed" verify_goes_on
done
check "mrc_verify ends, every byte is right" verify_end
check "the objects that the messages have created can be deleted" remove_all
for object in format profile template dest cc; do
	check_equal "no $object is left after deletion" \
		"$(on h0 mrcctl -j "$object" show dev mrc0)" '[]'
done
