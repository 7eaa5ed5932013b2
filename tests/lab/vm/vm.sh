#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Run a command in a guest: an installed stock kernel on the root file system of
# this machine (read-only over 9p, under a tmpfs overlay), with the module, provider
# and CLI of build/ installed. Nothing on the machine is changed.
#
#   vm.sh run [options] COMMAND [ARG...]   exit status is the command's
#   vm.sh shell [options] [COMMAND...]     COMMAND, then a shell
#   vm.sh kernels                          the kernels tests use by default
#
#   --kver V       kernel to boot (default: newest of "vm.sh kernels")
#   --timeout S    time limit in seconds (default 300)
#   --out DIR      copy to DIR what the command leaves in $VM_OUT, the
#                  kernel log (dmesg) and the console
#   --share DIR    make DIR writable in the guest (may be repeated)
#   --env N=VALUE  set a variable in the guest (may be repeated)
#   --plain        install nothing from build/
#   --allow-dmesg  problems in the kernel log do not fail the run
#
# Environment: VM_MEM (MiB, default 3072), VM_SMP (CPUs, default 2),
# VM_ACCEL (kvm or tcg, default: kvm where it boots a guest), VM_APPEND (more
# for the kernel's command line, as slub_debug=FZP).
#
# Status 124: time limit; 125: the guest died; 126: problems in the kernel log.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mrc/vm

kver=
limit=300
out=
plain=
allow_dmesg=
shares=()
env=()
tmp=
products=
guest=

die()
{
	echo "vm: $*" >&2
	exit 2
}

# shellcheck source=tests/lab/vm/products.sh
. "$here/products.sh"

# Print the newest installed kernel of each supported series.
default_kernels()
{
	local series v newest

	for series in 6.1 6.12; do
		newest=
		while read -r v; do
			if [ -d "/lib/modules/$v/kernel" ]; then
				newest=$v
			fi
		done < <(find /boot -name "vmlinuz-$series.*" -printf '%f\n' |
			 sed 's/^vmlinuz-//' | sort -V)
		if [ "$newest" ]; then
			echo "$newest"
		fi
	done
}

# Print the modules that reach the root file system, in loading order.
initramfs_modules()
{
	local module

	for module in virtio_pci virtio_console 9pnet_virtio 9p overlay; do
		modprobe -S "$kver" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

uncompressed()
{
	case $1 in
	*.xz)	xz -dc "$1" ;;
	*.zst)	zstd -dcq "$1" ;;
	*)	cat "$1" ;;
	esac
}

# Build the initramfs of $kver, unless the cache has one for this kernel and its init.
make_initramfs()
{
	local dir module name

	initramfs=$cache/initramfs-$kver
	if [ "$initramfs" -nt "$here/initramfs-init" ] &&
	   [ "$initramfs" -nt "$here/vm.sh" ] &&
	   [ "$initramfs" -nt "/lib/modules/$kver/modules.dep" ]; then
		return
	fi

	dir=$tmp/initramfs
	mkdir -p "$dir"/{bin,dev,proc,modules}
	cp /bin/busybox "$dir/bin/"
	install -m 755 "$here/initramfs-init" "$dir/init"
	while read -r module; do
		name=$(basename "$module")
		name=${name%.ko*}.ko
		uncompressed "$module" > "$dir/modules/$name"
		echo "$name" >> "$dir/modules/order"
	done < <(initramfs_modules)
	(cd "$dir" && find . | cpio -o -H newc --quiet) > "$tmp/initramfs.cpio"
	mv "$tmp/initramfs.cpio" "$initramfs"
}

# Print the arguments of QEMU that select accelerator $1. Under emulation, "-cpu max"
# with ERMS and FSRM makes memcpy() copy byte by byte: these flags are removed.
accel_args()
{
	if [ "$1" = kvm ]; then
		echo "-accel kvm -cpu host"
	else
		echo "-accel tcg,thread=multi -cpu max,-erms,-fsrm,-pclmulqdq"
	fi
}

# Boot a guest under KVM as far as its first user process.
probe_kvm()
{
	# shellcheck disable=SC2046
	timeout -k 1 20 qemu-system-x86_64 $(accel_args kvm) -m 512 \
		-nodefaults -display none -no-reboot \
		-kernel "/boot/vmlinuz-$kver" -initrd "$initramfs" \
		-append "console=ttyS0 quiet vm.probe panic=-1" \
		-serial "file:$tmp/probe" || true
	grep -qs 'vm: alive' "$tmp/probe"
}

# Set $accel. /dev/kvm may open and still not run a guest: boot one to find out, once
# for each host kernel.
choose_accel()
{
	local cached

	cached=$cache/accel-$(uname -r)
	if [ "${VM_ACCEL:-}" ]; then
		accel=$VM_ACCEL
		return
	fi
	if [ ! -w /dev/kvm ]; then
		accel=tcg
		return
	fi
	if [ ! -e "$cached" ]; then
		if { probe_kvm; } > /dev/null 2>&1; then
			echo kvm > "$cached"
		else
			echo tcg > "$cached"
		fi
	fi
	accel=$(cat "$cached")
}

write_env()
{
	local pair

	printf 'export VM_CWD=%q VM_KVER=%q VM_ACCEL=%q VM_TTY=/dev/hvc0\n' \
		"$PWD" "$kver" "$accel"
	for pair in "${env[@]}"; do
		printf 'export %s=%q\n' "${pair%%=*}" "${pair#*=}"
	done
}

# Add a 9p export of directory $1 with tag $2 and further options $3 to $qemu.
share_args()
{
	qemu+=(-fsdev "local,id=$2,path=$1,security_model=none,multidevs=remap$3"
	       -device "virtio-9p-pci,fsdev=$2,mount_tag=$2")
}

# Print the kernel argument that sets the TSC frequency. The emulated TSC is that of
# the machine; a guest that calibrates it against timers, which are late while the
# machine is busy, gets a wrong clock. (bogomips is twice the TSC frequency in MHz.)
tsc_arg()
{
	[ "$accel" = tcg ] || return 0
	awk '/^bogomips/ { printf "tsc_early_khz=%d", $3 * 500; exit }' \
		/proc/cpuinfo
}

qemu_args()
{
	local tag=0 dir

	# shellcheck disable=SC2054,SC2207
	qemu=(qemu-system-x86_64 $(accel_args "$accel")
	      -smp "${VM_SMP:-2}" -m "${VM_MEM:-3072}"
	      -nodefaults -display none -no-reboot
	      -kernel "/boot/vmlinuz-$kver" -initrd "$initramfs"
	      -serial "file:$tmp/console"
	      -chardev stdio,id=tty,signal=off
	      -device virtio-serial-pci -device virtconsole,chardev=tty)
	qemu+=(-append "console=ttyS0 quiet oops=panic panic=-1 mitigations=off
		nokaslr audit=0 tsc=reliable no_timer_check $(tsc_arg)
		rcupdate.rcu_cpu_stall_timeout=60
		${products:+vm.products} ${VM_APPEND:-}")
	share_args / root ,readonly=on
	if [ "$products" ]; then
		share_args "$products" products ,readonly=on
	fi
	share_args "$tmp/vm" vm ""
	for dir in "${shares[@]}"; do
		share_args "$dir" "share$tag" ""
		tag=$((tag + 1))
	done
}

prepare()
{
	if [ -z "$kver" ]; then
		kver=$(default_kernels | tail -n 1)
	fi
	modules=/lib/modules/$kver
	[ -r "/boot/vmlinuz-$kver" ] || die "no kernel /boot/vmlinuz-$kver"
	[ "$(id -u)" -eq 0 ] || die "must be run as root"

	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	mkdir -p "$cache" "$tmp/vm/out"
	exec 9> "$cache/lock"
	flock 9
	make_initramfs
	choose_accel
	if [ -z "$plain" ]; then
		install_products
	fi
	exec 9>&-
	cp "$here/guest-init" "$tmp/vm/"
	printf '%s\n' "${shares[@]}" | sed '/^$/d' > "$tmp/vm/shares"
	write_env > "$tmp/vm/env"
	qemu_args
}

# Copy results to $out and return the exit status of the run.
conclude()
{
	local qemu_status=$1 status problems

	if [ "$out" ]; then
		mkdir -p "$out"
		cp -r "$tmp/vm/out/." "$out/"
		cp "$tmp/console" "$out/console"
		if [ -e "$tmp/vm/dmesg" ]; then
			cp "$tmp/vm/dmesg" "$out/"
		fi
	fi
	if [ ! -e "$tmp/vm/status" ]; then
		echo "vm: end of the console:" >&2
		tail -n 60 "$tmp/console" >&2
		if [ "$qemu_status" -eq 124 ] || [ "$qemu_status" -eq 137 ]; then
			echo "vm: time limit of $limit s exceeded" >&2
			return 124
		fi
		echo "vm: the guest died (QEMU status $qemu_status)" >&2
		return 125
	fi

	status=$(cat "$tmp/vm/status")
	if ! problems=$("$here/dmesg-problems" < "$tmp/vm/dmesg") && [ -z "$allow_dmesg" ]; then
		printf 'vm: problems in the kernel log:\n%s\n' "$problems" >&2
		if [ "$status" -eq 0 ]; then
			status=126
		fi
	fi
	return "$status"
}

run()
{
	local status=0

	[ $# -gt 0 ] || die "run: which command?"
	prepare
	printf '%q ' "$@" > "$tmp/vm/cmd"
	timeout -k 5 "$limit" "${qemu[@]}" < /dev/null &
	guest=$!
	# A signal that ends this script ends the guest.
	trap 'kill "$guest"; wait "$guest"; exit 143' INT TERM HUP
	wait "$guest" || status=$?
	trap - INT TERM HUP
	conclude "$status"
}

shell()
{
	local status=0 size

	[ -t 0 ] || die "shell: standard input is not a terminal"
	size=$(stty size)
	env+=(VM_INTERACTIVE=1 "VM_ROWS=${size% *}" "VM_COLS=${size#* }"
	      "TERM=${TERM:-linux}")
	prepare
	{
		if [ $# -gt 0 ]; then
			printf '%q ' "$@"
			echo
		fi
		echo "exec bash -i"
	} > "$tmp/vm/cmd"
	"${qemu[@]}" || status=$?
	stty sane
	allow_dmesg=1
	conclude "$status"
}

verb=${1:-help}
[ $# -eq 0 ] || shift
while [[ ${1:-} == --* ]]; do
	case $1 in
	--kver)		kver=${2:?}; shift ;;
	--timeout)	limit=${2:?}; shift ;;
	--out)		out=${2:?}; shift ;;
	--share)	shares+=("$(realpath "${2:?}")"); shift ;;
	--env)		env+=("${2:?}"); shift ;;
	--plain)	plain=1 ;;
	--allow-dmesg)	allow_dmesg=1 ;;
	*)		die "unknown option $1" ;;
	esac
	shift
done

case $verb in
run)		run "$@" ;;
shell)		shell "$@" ;;
kernels)	default_kernels ;;
*)		sed -n '4,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
