#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Run a command in a guest: an installed stock kernel on the root file system of
# this machine (read-only over 9p, under a tmpfs overlay), with the module, provider
# and CLI of build/ installed. Nothing on the machine is changed.
#
#   vm.sh run [options] COMMAND [ARG...]   exit status is the command's
#   vm.sh shell [options] [COMMAND...]     COMMAND, then a shell
#   vm.sh pair [options] COMMAND [ARG...]  the same, beside a second guest (peer.sh)
#   vm.sh kernels                          the kernels tests use by default
#
#   --kver V       kernel to boot (default: newest of "vm.sh kernels")
#   --timeout S    time limit in seconds (default 300)
#   --out DIR      copy to DIR what the command leaves in $VM_OUT, the
#                  kernel log (dmesg) and the console
#   --share DIR    make DIR writable in the guest (may be repeated)
#   --env N=VALUE  set a variable in the guest (may be repeated)
#   --plain        install nothing from build/
#   --root DIR     root file system and kernel of the guest are those of DIR
#   --nic MODEL    pair: a NIC of this model of QEMU in each guest, joined to that of the
#                  other guest, after one for control connections (may be repeated)
#   --wires 0|1    used by pair: the end that this guest has of the wires that join the
#                  NICs (wires.py)
#   --allow-dmesg  problems in the kernel log do not fail the run
#
# Environment: VM_MEM (MiB, default 3072), VM_SMP (CPUs, default 2; of each guest of a
# pair half of the machine's), VM_ACCEL (kvm or tcg, default: kvm where it boots a guest),
# VM_APPEND (more for the kernel's command line, as slub_debug=FZP).
#
# Status 124: time limit; 125: the guest died; 126: problems in the kernel log.
set -euo pipefail

vm=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$vm/../../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mrc/vm
name=vm
kver=
guest_root=/
nics=()
wires=
first_wire=100
arguments=("$@")
# Of a pair: the directory that both guests share, and what both are told.
pair=
pair_options=()

# shellcheck source=tests/lab/vm/guest.sh
. "$vm/guest.sh"

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
		modprobe -d "$guest_root" -S "$kver" --show-depends "$module"
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
	if [ "$initramfs" -nt "$vm/initramfs-init" ] &&
	   [ "$initramfs" -nt "$vm/vm.sh" ] &&
	   [ "$initramfs" -nt "$modules/modules.dep" ]; then
		return
	fi

	dir=$tmp/initramfs
	mkdir -p "$dir"/{bin,dev,proc,modules}
	cp /bin/busybox "$dir/bin/"
	install -m 755 "$vm/initramfs-init" "$dir/init"
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
# with ERMS and FSRM makes memcpy() copy byte by byte: these flags are removed, and with
# LA57 the fifth level of page tables. SMAP stays, although guests would be 6 % faster
# without it: with it the driver cannot touch user memory by mistake and get away with it.
accel_args()
{
	if [ "$1" = kvm ]; then
		echo "-accel kvm -cpu host"
	else
		echo "-accel tcg,thread=multi -cpu max,-erms,-fsrm,-pclmulqdq,-la57"
	fi
}

# Boot a guest under KVM as far as its first user process.
probe_kvm()
{
	# shellcheck disable=SC2046
	timeout -k 1 20 qemu-system-x86_64 $(accel_args kvm) -m 512 \
		-nodefaults -display none -no-reboot \
		-kernel "$guest_root/boot/vmlinuz-$kver" -initrd "$initramfs" \
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

# Add a 9p export of directory $1 with tag $2 and further options $3 to $guest.
share_args()
{
	guest+=(-fsdev "local,id=$2,path=$1,security_model=none,multidevs=remap$3"
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

# Add the NICs. The MAC address has the end of the wire and the number of the NIC, by which
# peer.sh finds it.
nic_args()
{
	local model n=0 mac fd

	for model in virtio-net-pci "${nics[@]}"; do
		printf -v mac '02:00:00:00:%02x:%02x' "$wires" "$n"
		fd=$((first_wire + 2 * n + wires))
		guest+=(-netdev "stream,id=nic$n,server=off,addr.type=fd,addr.str=$fd"
		       -device "$model,netdev=nic$n,mac=$mac")
		n=$((n + 1))
	done
}

qemu_args()
{
	local tag=0 dir

	# shellcheck disable=SC2054,SC2207
	guest=(qemu-system-x86_64 $(accel_args "$accel")
	      -smp "${VM_SMP:-2}" -m "${VM_MEM:-3072}"
	      -nodefaults -display none -no-reboot
	      -kernel "$guest_root/boot/vmlinuz-$kver" -initrd "$initramfs"
	      -serial "file:$tmp/console"
	      -chardev stdio,id=tty,signal=off
	      -device virtio-serial-pci -device virtconsole,chardev=tty)
	# Programs keep their addresses, because an emulator translates their code anew for
	# each address: without norandmaps it takes two or three times as long to start one.
	guest+=(-append "console=ttyS0 quiet oops=panic softlockup_panic=1 panic=-1
		mitigations=off nokaslr norandmaps audit=0 tsc=reliable no_timer_check $(tsc_arg)
		rcupdate.rcu_cpu_stall_timeout=60
		${products:+vm.products} ${VM_APPEND:-}")
	[ -z "$wires" ] || nic_args
	share_args "$guest_root" root ,readonly=on
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
	[ "$wires" ] || [ ${#nics[@]} -eq 0 ] || die "--nic joins the guests of a pair"
	modules=$guest_root/lib/modules/$kver
	[ -r "$guest_root/boot/vmlinuz-$kver" ] ||
		die "no kernel $guest_root/boot/vmlinuz-$kver"

	new_guest
	exec 9> "$cache/lock"
	flock 9
	make_initramfs
	choose_accel
	if [ -z "$plain" ]; then
		install_products
	fi
	exec 9>&-
	# QEMU 7.2 may translate a breakpoint that the kernel has in place of an instruction
	# while it replaces it, and keep the translation, when two processors run.
	[ "$accel" != tcg ] || boots=3
	share_with_guest "VM_ACCEL=$accel" VM_TTY=/dev/hvc0
	qemu_args
}

own_option()
{
	case $1 in
	--kver)	kver=${2:?} ;;
	--root)	guest_root=$(realpath "${2:?}") ;;
	--nic)	nics+=("${2:?}") ;;
	--wires)	wires=${2:?} ;;
	*)	return 1 ;;
	esac
}

verb_kernels()
{
	default_kernels
}

# pair_guest END LIMIT ARG...: become a guest of the pair with this time limit, with
# $pair_options and further ARG.
pair_guest()
{
	local end=$1 seconds=$2

	shift 2
	exec "$vm/vm.sh" run "${pair_options[@]}" --wires "$end" --share "$pair" \
		--env "VM_PAIR=$pair" --env "VM_END=$end" --timeout "$seconds" "$@"
}

peer_waits()
{
	[ -e "$pair/waits" ] || ! kill -0 "$1" 2> /dev/null
}

# The guests share the directory $pair. The second one is end 1; it has ended its set-up
# when "waits" is there, and ends when "end" is. Its time limit holds from its own start.
verb_pair()
{
	local peer status=0 peer_status=0 option

	[ $# -gt 0 ] || die "pair: which command?"
	[ ${#shares[@]} -eq 0 ] || die "pair: the guests share no directory but their own"
	[ "$guest_root" = / ] || die "pair: both guests have the root of the machine"
	[ "${VM_WIRED:-}" ] ||
		VM_WIRED=1 exec "$vm/wires.py" "$first_wire" "$((1 + ${#nics[@]}))" \
			"$vm/vm.sh" "${arguments[@]}"
	pair_options=(${kver:+--kver "$kver"} ${plain:+--plain}
		      ${allow_dmesg:+--allow-dmesg})
	for option in "${env[@]}"; do
		pair_options+=(--env "$option")
	done
	for option in "${nics[@]}"; do
		pair_options+=(--nic "$option")
	done
	export VM_SMP=${VM_SMP:-$((($(nproc) + 1) / 2))}
	pair=$(mktemp -d)
	trap 'rm -rf "$pair"' EXIT
	pair_guest 1 "$((limit + 3 * boot_limit))" ${out:+--out "$out/peer"} \
		"$vm/peer.sh" serve &
	peer=$!
	# shellcheck disable=SC2064
	trap "kill $peer 2> /dev/null; wait; exit 143" INT TERM HUP
	until peer_waits "$peer"; do
		sleep 0.2
	done
	if [ -e "$pair/waits" ]; then
		pair_guest 0 "$limit" ${out:+--out "$out"} "$@" &
		# shellcheck disable=SC2064
		trap "kill $peer $! 2> /dev/null; wait; exit 143" INT TERM HUP
		wait $! || status=$?
	fi
	touch "$pair/end"
	wait "$peer" || peer_status=$?
	[ "$peer_status" -eq 0 ] || echo "$name: the second guest: status $peer_status" >&2
	[ "$status" -ne 0 ] || status=$peer_status
	return "$status"
}

guest_main "$@"
