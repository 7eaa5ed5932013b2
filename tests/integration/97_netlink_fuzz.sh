#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Netlink requests that are made from the specification (mrc_nlfuzz): valid ones, so
# that objects exist and depend on each other, damaged ones, dumps that are interrupted,
# devices that are made and deleted, while queue pairs use what is configured. Each
# request has a verdict and each refusal a text; each command is carried out and refused
# at least once; what was made can be deleted, and then the memory is back.
#
# Environment: FUZZ_MESSAGES, number of requests for each of the seeds FUZZ_SEEDS.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/memory.sh
. "$(dirname "$0")/lib/memory.sh"

messages=${FUZZ_MESSAGES:-8000}
seeds=${FUZZ_SEEDS:-1 2 3}
# KiB that may remain in the kernel's caches.
slack=4096

# Net devices for devices that are made and deleted.
spare_ports()
{
	local name

	for name in s0 s1 s2; do
		ip -n h0 link add "$name" type dummy &&
		ip -n h0 link set "$name" up || return
	done
}

# fuzz SEED: send the requests of a seed.
fuzz()
{
	local qps

	mapfile -t qps < <(on h0 mrcctl -j qp show dev mrc0 | jq '.[].qpn')
	on h0 "$programs/mrc_nlfuzz" -d mrc0 -p "$(address_of h1 6)" \
		-i s0 -i s1 -i s2 "${qps[@]/#/-q}" -n "$messages" -s "$1" | tee -a "$tmp/fuzzed"
	[ "${PIPESTATUS[0]}" -eq 0 ]
}

# Each command has been carried out and refused, whatever the seed.
all_commands()
{
	awk '$3 == "done" && $5 == "refused" {
			done[$1] += $2; refused[$1] += $4 }
		END {
			for (name in done) {
				n++
				if (!done[name] || !refused[name]) {
					print name, done[name], refused[name]
					bad = 1
				}
			}
			exit bad || n < 30
		}' "$tmp/fuzzed"
}

# Commands that delete all objects of a device.
deletions()
{
	local object

	echo "path flush dev $1"
	on h0 mrcctl save dev "$1" | sed -n 's/^path deny /path allow /p'
	echo "dev set $1 cc default"
	for object in dest profile template format cc; do
		on h0 mrcctl -j "$object" show dev "$1" | jq -r \
			--arg object "$object" --arg dev "$1" \
			'.[] | "\($object) del \(.dst // .name) dev \($dev)"'
	done
}

delete_all()
{
	deletions mrc0 > "$tmp/batch"
	cat "$tmp/batch"
	on h0 mrcctl -b "$tmp/batch"
}

# One in millions of requests, whose command was drawn at random, deletes mrc0 itself:
# mrc_nlfuzz says so, and ends.
have_device()
{
	[ ! -e /sys/class/infiniband/mrc0 ] || return 0
	grep "has deleted mrc0" "$tmp/fuzzed" && device_del h1 && devices_up device_add 6
}

delete_others()
{
	local dev

	for dev in fuzz0 fuzz1; do
		[ ! -e "/sys/class/infiniband/$dev" ] ||
			on h0 mrcctl dev del "$dev" || return
	done
}

all_back()
{
	[ "$(kernel_memory)" -le $((before + slack)) ]
}

check "two hosts come up" fabric simple --links 2
check "h0 has net devices that no device uses" spare_ports
check "devices on both hosts, with GIDs" devices_up device_add 6

before=
for seed in $seeds; do
	check "queue pairs are connected before seed $seed" \
		verify_begin -o write -t 8
	check "seed $seed: each of $messages requests has a verdict, and a text if refused" \
		fuzz "$seed"
	printed | note
	kill "$verify_client" "$verify_server" 2> /dev/null
	wait "$verify_client" "$verify_server"
	check "mrc0 is there after seed $seed, or made again" have_device
	printed | note
	check "port 1 of mrc0 is set up after seed $seed" \
		on h0 mrcctl port set dev mrc0 port 1 up
	check "all that seed $seed has made is deleted" delete_all
	check "the devices that seed $seed has made are deleted" delete_others
	for object in format profile template dest cc; do
		check_equal "no $object is left after seed $seed" \
			"$(on h0 mrcctl -j "$object" show dev mrc0)" '[]'
	done
	check "data is sent and every byte is right after seed $seed" \
		verify -o write -n 100
	# The first round fills the caches of the kernel.
	[ -n "$before" ] || before=$(kernel_memory)
done
check "each command was carried out and refused" all_commands
if keeps_freed; then
	skip "kernel memory is back" \
		"the kernel keeps freed memory; kmemleak looks for losses"
else
	check "kernel memory is back" wait_for "$patience" all_back
fi
echo "# $before KiB after the first seed, $(kernel_memory) KiB after the last"
