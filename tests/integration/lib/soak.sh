# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Soak: cycles of traffic of every verb with every byte compared, on the standard fabric,
# while links lose packets, ports flap, paths are denied, removed and added, and processes
# come, go and are killed. After each cycle everything is quiet, and the books of packets,
# objects and memory are checked. To be sourced after test.sh.
#
# One connection lives as long as the run; it is stopped while the books are checked. What
# a cycle does follows from SOAK_SEED and its number.

: "${tmp:?}" "${patience:?}" "${tests_failed:?}"

soak_seed=${SOAK_SEED:-1}
soak_hosts="h0 h1"
soak_planes="0 1 2 3"
# No timer of an idle connection takes longer.
soak_calm_us=2000000
soak_cycles=0

# shellcheck source=tests/integration/lib/soak_books.sh
. "$(dirname "${BASH_SOURCE[0]}")/soak_books.sh"
# shellcheck source=tests/integration/lib/soak_traffic.sh
. "$(dirname "${BASH_SOURCE[0]}")/soak_traffic.sh"
# shellcheck source=tests/integration/lib/soak_faults.sh
. "$(dirname "${BASH_SOURCE[0]}")/soak_faults.sh"
# shellcheck source=tests/integration/lib/soak_memory.sh
. "$(dirname "${BASH_SOURCE[0]}")/soak_memory.sh"

carried_now()
{
	local file n sum=

	for file in /sys/class/infiniband/mrc[01]/ports/*/counters/port_{xmit,rcv}_packets; do
		read -r n < "$file"
		sum+=" $n"
	done
	echo "$sum"
}

nothing_moves()
{
	local before

	before=$(carried_now)
	sleep_us "$soak_calm_us"
	[ "$(carried_now)" = "$before" ]
}

everything_is_quiet()
{
	wait_for "$patience" nothing_moves && return
	echo "packets sent and received by each port of mrc0 and mrc1, twice:"
	carried_now
	sleep_us "$soak_calm_us"
	carried_now
	return 1
}

work_together()
{
	local kind bad=0

	resident_signal CONT && goes_on "before the workers" || return
	start_workers "$1"
	for kind in "${soak_faults[@]}"; do
		fault "$kind" || { bad=1; break; }
	done
	victims || bad=1
	# Until they end it would send as much as it can.
	resident_signal STOP || bad=1
	wait_workers || bad=1
	datagrams > "$tmp/work-ud" 2>&1 || { cat "$tmp/work-ud"; bad=1; }
	return "$bad"
}

soak_cycle()
{
	local n=$1 failed=$tests_failed cycle

	RANDOM=$((soak_seed * 65536 + n))
	soak_cut=
	soak_lost=(0 0)
	choose_faults "$n"
	cycle="cycle $n ($(IFS=,; echo "${soak_faults[*]}"))"
	if [ $((n % 2)) -eq 0 ]; then
		bursts 1
	else
		bursts 65535
	fi
	check "$cycle: every byte is right, no queue pair fails" work_together "$n"
	check "cycle $n: then no packet moves any more" everything_is_quiet
	check "cycle $n: the counters can be read" books_read || return
	check "cycle $n: each port of mrc has counted what tc has" ports_agree
	check "cycle $n: what was sent was received, or dropped by a link" for_both links_agree
	sed "s/^/cycle $n /" "$tmp/check" | note
	check "cycle $n: what was received was accepted or dropped for a reason" \
		for_both reasons_agree
	check "cycle $n: nothing was dropped for an unknown reason" only_known_drops
	check "cycle $n: no queue pair failed that was not meant to" only_meant_failures
	check "cycle $n: bytes that WRITEs have sent were placed" writes_agree
	books_close
	[ "$soak_cycles" -ne 0 ] || objects_note
	check "cycle $n: no object and no pinned page is left" nothing_is_left
	memory_note "$soak_cycles" >> "$tmp/memory"
	soak_cycles=$((soak_cycles + 1))
	[ "$tests_failed" -eq "$failed" ] && return
	{ echo "SOAK_SEED=$soak_seed SOAK_FIRST=$n SOAK_SECONDS=0 repeats cycle $n"
	  dump; } | note
	return 1
}

soak_begin()
{
	local host

	check "two hosts and four planes come up" fabric up --known 1 || return
	check "devices on both hosts, with GIDs" devices_up device_add 6 || return
	check "16 explicit paths in each direction" paths_up || return
	check "packets of each port are counted by tc" edges_open || return
	check "links count the packets that they drop" links_open || return
	for host in $soak_hosts; do
		soak_gid[$host]=$(gid_index "$host" 6)
	done
	: > "$tmp/memory"
	trap 'resident_kill $?; finish' EXIT
	check "a connection begins that lasts as long as the run" resident_begin || return
	resident_signal STOP
	check "the books are opened" books_open
}

# What the first cycle is compared with.
books_open()
{
	everything_is_quiet && books_read && books_close
}

# Before the first cycle of a long run: see cut_all.
soak_settle()
{
	check "all links lose their carrier once" cut_all &&
		check "the books are opened after that" books_open
}

# Each kind of fault has taken place, in a run that was long enough.
each_kind_was_done()
{
	local kind bad=0

	for kind in $counted $carrier $changes kill; do
		echo "$kind: ${soak_done[$kind]:-0}"
		[ "${soak_done[$kind]:-0}" -gt 0 ] || bad=1
	done
	[ "$soak_cycles" -lt 48 ] || return "$bad"
}

# Files that are kept: what the kernel has allocated after each cycle.
soak_end()
{
	[ "$tests_failed" -eq 0 ] || return 0
	resident_signal CONT
	check "the connection that lasted as long as the run ends, every byte is right" \
		resident_end
	check "each kind of fault and change took place" each_kind_was_done
	note < "$tmp/check"
	check "memory of the kernel does not grow with the cycles" \
		trends "$soak_cycles"
	note < "$tmp/check"
	echo "# $soak_cycles cycles, seed $soak_seed: $soak_packets packets sent," \
		"$soak_bytes bytes; lost on links $soak_losses, dropped $soak_drops"
	[ -z "${VM_OUT:-}" ] || cp "$tmp/memory" "$VM_OUT/soak-memory"
}
