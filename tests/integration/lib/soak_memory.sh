# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Memory and objects of a soak (soak.sh). After each cycle as many pages are pinned, and as
# many objects of verbs and of the configuration exist, as after the first. What the
# kernel has allocated may vary from cycle to cycle: it is recorded, and judged by its
# trend at the end.

: "${tmp:?}" "${patience:?}" "${soak_hosts:?}"

# shellcheck source=tests/integration/lib/memory.sh
. "$(dirname "${BASH_SOURCE[0]}")/memory.sh"

# Caches that files, processes and their memory fill, which have nothing to do with a
# device; the kernel frees their objects when it needs the memory.
foreign="(.*inode.*|dentry|radix_tree_node|vm_area_struct|anon_vma.*|maple_node|fil.*"
foreign+="|fs_cache|mm_struct|task_struct|signal_cache|sighand_cache|pid.*"
foreign+="|cred.*|kernfs.*|lsm_.*|buffer_head|ext4.*|jbd2.*|names_cache|seq_file|vmap_area"
foreign+="|ovl.*|9p.*|shmem.*|proc.*|fsnotify.*|Acpi.*|biovec.*|bio-.*|kmalloc-rcl-.*"
foreign+="|task_delay_info|thread_stack.*|uts_.*|user_namespace|delayacct.*|mnt_cache)"

shrink_caches()
{
	local cache

	for cache in /sys/kernel/slab/*; do
		[ -L "$cache" ] || echo 1 > "$cache/shrink"
	done 2> /dev/null
}

# memory_note CYCLE: what the kernel has allocated, as lines "CYCLE NAME N".
memory_note()
{
	shrink_caches
	echo "$1 kernel-KiB $(kernel_memory)"
	awk -v cycle="$1" -v foreign="^$foreign\$" 'NR > 2 && $1 !~ foreign {
		print cycle, $1, $2 }' /proc/slabinfo
}

# What verbs and configuration consist of.
objects()
{
	local host

	rdma resource show | sort
	for host in $soak_hosts; do
		on "$host" mrcctl save | sort
	done
}

# What the cycles after this one must not exceed.
objects_note()
{
	objects > "$tmp/objects"
	soak_pinned=$(pinned)
}

objects_are_those()
{
	objects > "$tmp/objects.now" && diff "$tmp/objects" "$tmp/objects.now"
}

nothing_is_left()
{
	if ! wait_for "$patience" objects_are_those; then
		echo "objects that the first cycle did not leave (>):"
		objects_are_those
		return 1
	fi
	wait_for "$patience" pinned_is "$soak_pinned" && return
	echo "$(pinned) pages are pinned, after the first cycle $soak_pinned"
	return 1
}

# trends CYCLES: for each name in lines "CYCLE NAME N" of $tmp/memory, by how much the
# mean of the last third of the cycles is above that of the first third. Each without a
# tenth of the cycles at either end, which a burst of allocations may have hit. (Not the
# median: the kernel counts the slab of each processor as full, so a cache whose need
# does not change has now 8, now 9 slabs of 85 objects, and medians are a toss.) The
# first eighth, in which caches fill, is left out. "! " stands before those that exceed the
# margin: a constant, which differs for KiB and objects, and a quarter of an object (a
# KiB) for each cycle between the middles of the thirds. What grows by an object (a page)
# in each cycle exceeds it as soon as there are 200 cycles.
trends()
{
	awk -v cycles="$1" '
	function mean(name, from, n,    i, j, v, sorted, sum) {
		for (i = 0; i < n; i++) {
			v = value[name, from + i] + 0
			for (j = i; j > 0 && sorted[j - 1] > v; j--)
				sorted[j] = sorted[j - 1]
			sorted[j] = v
		}
		j = int(n / 10)
		for (i = j; i < n - j; i++)
			sum += sorted[i]
		return sum / (n - 2 * j)
	}
	{ value[$2, $1] = $3; names[$2] = 1 }
	END {
		skip = int((cycles + 7) / 8)
		n = int((cycles - skip) / 3)
		if (n < 1) {
			print "too few cycles for a trend"
			exit
		}
		for (name in names) {
			kib = name ~ /-KiB$/
			margin = (kib ? 256 : 64) + (kib ? 1 : 0.25) * (cycles - skip - n)
			first = mean(name, skip, n)
			last = mean(name, cycles - n, n)
			grown = last - first
			if (grown > margin)
				bad = 1
			if (grown > margin || grown > margin / 4 || kib)
				printf("%s%s: %d at first, %d at last, margin %d\n",
				       grown > margin ? "! " : "  ", name, first, last,
				       margin)
		}
		exit bad
	}' "$tmp/memory"
}
