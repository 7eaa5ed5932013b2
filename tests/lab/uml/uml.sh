#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Run a command in user-mode Linux: the kernel of kernel.sh as a process of this
# machine, on its root file system (read-only, under a tmpfs overlay), with the
# module, provider and CLI of build/ installed. Nothing on the machine is changed.
#
#   uml.sh run [options] COMMAND [ARG...]   exit status is the command's
#   uml.sh shell [options] [COMMAND...]     COMMAND, then a shell
#   uml.sh build [options]                  kernel and modules only
#
#   --kind K       virtual  virtual time: computation takes no time, waiting costs
#                           nothing (default)
#                  native   real time, one processor
#                  debug    real time, with what the kernel offers against misuse of
#                           memory, locks and references
#                  debug-virtual
#                           that kernel in virtual time: interrupts come only where the
#                           guest waits, but no verdict depends on the machine
#                  coverage virtual time, and the module counts which of its lines
#                           are run
#   --seed N       for all random numbers of the guest: in virtual time, runs with
#                  the same seed are the same (virtual: default 1; others: random)
#   --timeout S    limit in seconds of real time (default 300)
#   --out DIR      copy to DIR what the command leaves in $VM_OUT, the kernel log
#                  (dmesg) and the console
#   --share DIR    make DIR writable in the guest (may be repeated)
#   --env N=VALUE  set a variable in the guest (may be repeated)
#   --spin US      virtual: a program that runs for US microseconds of real time
#                  without a system call waits in a loop, and time passes (default
#                  0: time stops); the result then depends on the machine unless US
#                  is longer than any computation
#   --plain        install nothing from build/
#   --allow-dmesg  problems in the kernel log do not fail the run
#
# In virtual time a program that spins on memory without a system call stops time
# for ever; the limit ends it. Programs that poll completion queues or read the time
# stamp counter work: see poll.c and patches/virtual-time.patch.
#
# Environment: VM_MEM (MiB, default 3072), VM_APPEND (more for the kernel's command
# line).
#
# Status 124: time limit; 125: the guest died; 126: problems in the kernel log.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
vm=$here/../vm
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mrc/vm

name=uml
kind=virtual
seed=
spin=0

# Clock of a virtual run at its start in ns: later than any file of the machine.
epoch=2000000000000000000

# shellcheck source=tests/lab/vm/guest.sh
. "$vm/guest.sh"

virtual_time()
{
	[[ $kind == *virtual || $kind == coverage ]]
}

# Print the numbers of the processors that this process may use.
processors()
{
	local range

	# shellcheck disable=SC2046
	for range in $(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status |
			tr , ' '); do
		seq "${range%-*}" "${range#*-}"
	done
}

# Set $processor to one that no other guest has, until this process ends, or to any: the
# kernel and its processes are processes of this machine that wait for each other, at
# each system call and page fault, and take twice as long when each wakes the other on
# another processor.
choose_processor()
{
	local n fd

	for n in $(processors); do
		exec {fd}> "$cache/processor-$n.lock"
		if flock -n "$fd"; then
			processor=$n
			return
		fi
		exec {fd}>&-
	done
	processor=$(processors | shuf -n 1)
}

# Build in $2 what $1 describes, module or modules, unless nothing has changed: make
# needs a second to find that out.
build_module()
{
	local stamp=$2/built

	if [ "$stamp" -nt "$obj/key" ] && [ -z "$(find -L "$2" -type f \
		\( -name '*.[ch]' -o -name 'Kbuild' \) ! -name '*.mod.c' \
		-newer "$stamp" -print -quit)" ]; then
		return
	fi
	touch "$stamp.new"
	make --no-print-directory -s -j"$(nproc)" -C "$obj" ARCH=um \
		M="$2" "${@:3}" modules > "$2/log" 2>&1 ||
		{ cat "$2/log" >&2; die "$1 does not build"; }
	mv "$stamp.new" "$stamp"
}

# Set $obj and $kver, and build the module and the queue discipline of links in
# $build, while no other run of this tree does so.
prepare_kernel()
{
	local variant=lab flags=() yielding=()

	mkdir -p "$root/build"
	exec 9> "$root/build/uml-lock"
	flock 9
	case $kind in
	debug*)		variant=debug ;;
	coverage)	variant=coverage; flags=(GCOV_PROFILE=y) ;;
	esac
	obj=$("$here/kernel.sh" "$variant")
	kver=$(cat "$obj/release")
	modules=$obj/modules/usr/lib/modules/$kver
	build=$root/build/$kver
	"$root/scripts/link-tree.sh" "$build"
	if [ -d "$root/build/tests" ]; then
		prepare_test_modules
		[ "$variant" != debug ] || flags=("${yielding[@]}")
	fi
	build_module "the module" "$build" "${flags[@]}"
	mkdir -p "$build/link"
	ln -sf "$here/../link/Kbuild" "$here"/../link/sch_lablink.[ch] "$build/link/"
	build_module sch_lablink "$build/link"
	exec 9>&-
}

# Build the modules of the integration tests, as "make tools" does for other kernels, and
# set $yielding to what makes the driver call mrc_yield, which does nothing unless asked.
prepare_test_modules()
{
	local dir=$root/build/tests/$kver

	mkdir -p "$dir"
	cp -rsf "$root/tests/integration/module/." "$dir/"
	build_module "the modules of the tests" "$dir" "MRC_UAPI=$root/uapi"
	yielding=(KCFLAGS=-fsanitize-coverage=trace-pc
		  "KBUILD_EXTRA_SYMBOLS=$dir/Module.symvers")
}

prepare()
{
	local variables=(VM_ACCEL=uml "VM_KIND=$kind" VM_TTY=/dev/tty0)

	case $kind in
	virtual|native|debug|debug-virtual|coverage) ;;
	*)	die "there is no kind $kind" ;;
	esac
	if virtual_time; then
		limit_hint=" in real time: a program that spins stops virtual time"
		variables+=(VM_TIME=virtual)
	fi
	new_guest
	prepare_kernel
	if [ -z "$plain" ]; then
		install_products
	fi
	# Polling has to take time: see poll.c.
	if virtual_time && [ -e "$root/build/tests/poll.so" ]; then
		variables+=("LD_PRELOAD=$root/build/tests/poll.so")
	fi
	share_with_guest "${variables[@]}"
	# perftest reads the frequency of the processor, which UML does not show.
	{
		sed '/^$/d; /^cpu MHz/d; /^processor.*: 1$/Q' /proc/cpuinfo
		echo "cpu MHz		: 1000.000"
	} > "$tmp/vm/cpuinfo"

	# The command line, which is mixed into random numbers, does not differ between
	# runs, clones and machines: the guest finds $tmp as the working directory of the
	# UML process.
	cp "$here/uml-init" "$tmp/vm/"
	ln -s "$obj" "$tmp/kernel"
	# shellcheck disable=SC2054
	guest=("$obj/linux" "mem=${VM_MEM:-3072}M" root=/dev/root
	       rootfstype=hostfs rootflags=/ ro init=/proc/self/cwd/vm/uml-init
	       "VM_PRODUCTS=${products:+yes}"
	       con=null con0=fd:0,fd:1 con1=null,fd:3 console=tty1
	       quiet oops=panic panic=-1)
	# One processor receives for all hosts and switches. What arrives at one instant
	# anywhere waits in one queue, which must not be a place where packets are lost.
	if virtual_time; then
		guest+=(time-travel=inf-cpu "time-travel-start=$epoch"
			"time_travel_spin_us=$spin"
			sysctl.net.core.netdev_max_backlog=1000000)
		seed=${seed:-1}
	fi
	# UML_SEED is read by a patch of the kernel. Addresses, on which the size of the
	# guest's memory depends, must be the same, too, and the machine's /dev/random
	# (rng_init) must not be mixed in.
	[ -z "$seed" ] || guest=(env "UML_SEED=$seed" setarch -R "${guest[@]}"
				 initcall_blacklist=rng_init)
	# shellcheck disable=SC2206
	guest+=(${VM_APPEND:-})
	choose_processor
	guest=(taskset -c "$processor" "${guest[@]}")
	# The kernel's console is descriptor 3.  UML makes a session, which the machine's
	# scheduler takes for a group of its own, in which "nice" means nothing to others:
	# the group gets the same nice value.
	guest=(env -C "$tmp" TMPDIR=/dev/shm
	       setsid bash -c '{ nice > /proc/self/autogroup; } 2> /dev/null
			       exec "$@" 3> console' uml "${guest[@]}")
}

own_option()
{
	case $1 in
	--kind)	kind=${2:?} ;;
	--seed)	seed=${2:?} ;;
	--spin)	spin=${2:?} ;;
	*)	return 1 ;;
	esac
}

verb_build()
{
	prepare_kernel
}

guest_main "$@"
