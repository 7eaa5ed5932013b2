#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A process without privileges that misuses a verbs device without the library
# (mrc_verbsfuzz): commands of uverbs, valid and damaged, with any part for the driver;
# methods of its ioctl; mappings at any offset; rings that a second thread fills with
# entries and with anything while doorbells ring; files that are closed with all objects.
# Each command is carried out and refused at least once. Afterwards nothing of the
# process is left, others can use the device, and memory and pinned pages are back.
# Several processes do so at once: commands that wait for others are many.
#
# Environment: FUZZ_COMMANDS, number of commands for each of the seeds FUZZ_SEEDS,
# divided among FUZZ_PROCESSES.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/memory.sh
. "$(dirname "$0")/lib/memory.sh"

commands=${FUZZ_COMMANDS:-20000}
processes=${FUZZ_PROCESSES:-2}
seeds=${FUZZ_SEEDS:-1 2}
# KiB that may remain in the kernel's caches.
slack=4096

# fuzz_one SEED: as a user without capabilities, with enough memory that may be pinned.
fuzz_one()
{
	on h0 prlimit --memlock=unlimited setpriv --reuid 65534 --regid 65534 \
		--clear-groups "$programs/mrc_verbsfuzz" -d mrc0 \
		-g "$(gid_index h0 6)" -n $((commands / processes)) -s "$1"
}

# sum_up FILE...: what the processes have printed, added up; a line that only one of them
# has, such as an error, remains.
sum_up()
{
	awk '$3 == "done" { done[$1] += $2; refused[$1] += $4; next }
		$2 == "steps," { steps += $1; rate += $3; next }
		{ print }
		END {
			for (name in done)
				printf "%-18s %8d done %8d refused\n",
					name, done[name], refused[name]
			printf "%d steps, %d/s\n", steps, rate
		}' "$@" | sort
}

# fuzz SEED: the processes, each with a seed made from this one.
fuzz()
{
	local i pid pids=() failed=0

	for ((i = 0; i < processes; i++)); do
		fuzz_one $(($1 * 1000 + i)) > "$tmp/fuzz.$i" 2>&1 &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || failed=1
	done
	sum_up "$tmp"/fuzz.* | tee -a "$tmp/fuzzed"
	return $failed
}

# Each command and method has been carried out and refused, whatever the seed.
all_kinds()
{
	awk '$3 == "done" { done[$1] += $2; refused[$1] += $4 }
		END {
			for (name in done) {
				n++
				if (name != "any" && (!done[name] || !refused[name])) {
					print name, done[name], refused[name]
					bad = 1
				}
			}
			exit bad || n != 43
		}' "$tmp/fuzzed"
}

# Objects of processes: those of the kernel have no process.
left()
{
	on h0 rdma -j resource show "$1" | jq -c '[.[] | select(.pid)]'
}

nothing_left()
{
	[ "$(left qp)$(left cq)$(left mr)$(left srq)" = "[][][][]" ]
}

all_back()
{
	[ "$(kernel_memory)" -le $((before + slack)) ]
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
check "the verbs device can be opened by everybody" \
	chmod 666 /dev/infiniband/uverbs0

before=
for seed in $seeds; do
	check "seed $seed: $commands commands of $processes processes" \
		fuzz "$seed"
	printed | note
	check "no object of the process is left after seed $seed" \
		wait_for "$patience" nothing_left
	check "others can use the device after seed $seed" verify -o send_imm -n 100
	if [ -z "$before" ]; then
		# The first round fills the caches of the kernel.
		before=$(kernel_memory)
		pinned_before=$(pinned)
	fi
done
check "each command and method was carried out and refused" all_kinds
if keeps_freed; then
	skip "kernel memory is back" \
		"the kernel keeps freed memory; kmemleak looks for losses"
else
	check "kernel memory is back" wait_for "$patience" all_back
fi
check "no page is pinned" wait_for "$patience" pinned_is "$pinned_before"
echo "# $before KiB after the first seed, $(kernel_memory) KiB after the last"
