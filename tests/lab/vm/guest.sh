# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154,SC2034
#
# What vm.sh and uml.sh have in common: options, what a guest has above the root file
# system of the machine (module, provider and CLI of build/), how it starts and ends.
# To be sourced by a script that ends with: guest_main "$@". The script sets
#
#   name            of the script, for messages
#   vm              the directory of this file
#   root, cache     the top of the tree; what is kept between runs
#   kver, modules   the kernel, and the directory of its modules (by prepare)
#   limit_hint      why a guest may exceed its time limit, or nothing
#   boots           how often a guest may be booted that dies or hangs before it has begun
#                   its command (1)
#
# and defines
#
#   prepare                make $tmp with new_guest, then call share_with_guest; set
#                          the array guest to the command that runs the guest, with
#                          its kernel's console in $tmp/console
#   own_option NAME VALUE  take an option that the other script does not have
#   verb_NAME [ARG...]     carry out command NAME, which the other script does not have

limit=300
limit_hint=
boots=1
# Seconds from the start of a guest to its first process; it takes 6 to 30.
boot_limit=180
out=
plain=
allow_dmesg=
shares=()
env=()
tmp=
products=
guest=()

die()
{
	echo "$name: $*" >&2
	exit 2
}

# Fill $products, the layer above the guest's root file system. A layer must not have
# a directory where the root has a link (/lib).
install_products()
{
	local build=$root/build/$kver ko kos=()

	products=$tmp/products
	mkdir -p "$products"
	for ko in "$build/mrc.ko" "$build/link/sch_lablink.ko"; do
		[ ! -e "$ko" ] || kos+=("$ko")
	done
	# On the debug kernel of user-mode Linux it lets others run, if a test wants that.
	if modinfo -F depends "$build/mrc.ko" 2> /dev/null | grep -q mrc_yield; then
		kos+=("$root/build/tests/$kver/mrc_yield.ko")
	fi
	if [ ${#kos[@]} -gt 0 ]; then
		install_modules "$products$(realpath /lib/modules)/$kver" "${kos[@]}"
	fi
	if [ -d "$root/build/lib" ]; then
		make -s -C "$root" install-userspace DESTDIR="$products" \
			> "$tmp/install.log" 2>&1 ||
			{ cat "$tmp/install.log" >&2; die "install failed"; }
	fi
}

# Print what depmod takes from modules $1...
depmod_input()
{
	local ko

	for ko; do
		echo "${ko##*/}"
		modinfo -F alias "$ko"
		modinfo -F depends "$ko"
		modinfo -F softdep "$ko"
	done
}

# Install modules $2... in $1. depmod reads thousands of modules, so its result is
# cached for each state of the kernel's modules and of the aliases and dependencies of
# these; results that no run has used for a day are removed. Several runs may do this at
# the same time.
install_modules()
{
	local dest=$1 key index base

	shift
	key=$({ depmod_input "$@"; stat -c %Y "$modules/modules.dep"; } |
		sha1sum | cut -c 1-16)
	index=$cache/modules-$kver-$key
	if [ ! -d "$index" ]; then
		base=$tmp/depmod/lib/modules/$kver
		mkdir -p "$base/updates"
		ln -s "$modules/kernel" "$base/kernel"
		cp "$modules"/modules.{order,builtin*} "$base/"
		cp "$@" "$base/updates/"
		depmod -b "$tmp/depmod" "$kver"
		rm -r "$base/kernel" "$base/updates"
		find "$cache" -maxdepth 1 -name "modules-$kver-*" -mtime +0 \
			-exec rm -rf {} +
		mv "$base" "$index.$$"
		mv -T "$index.$$" "$index" 2> /dev/null || rm -rf "$index.$$"
	fi
	touch "$index"
	mkdir -p "$dest/updates"
	cp "$index"/modules.* "$dest/"
	cp "$@" "$dest/updates/"
}

new_guest()
{
	[ "$(id -u)" -eq 0 ] || die "must be run as root"
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	mkdir -p "$cache" "$tmp/vm/out"
}

# share_with_guest NAME=VALUE...: fill $tmp/vm, which guest-init describes; the guest
# has these variables and those of the options.
share_with_guest()
{
	local pair

	cp "$vm/guest-init" "$tmp/vm/"
	printf '%s\n' "${shares[@]}" | sed '/^$/d' > "$tmp/vm/shares"
	for pair in "VM_CWD=$PWD" "VM_KVER=$kver" "$@" "${env[@]}"; do
		printf 'export %s=%q\n' "${pair%%=*}" "${pair#*=}"
	done > "$tmp/vm/env"
}

# Copy results to $out and return the exit status of the run.
conclude()
{
	local guest_status=$1 status problems

	if [ "$out" ]; then
		mkdir -p "$out"
		cp -r "$tmp/vm/out/." "$out/"
		cp "$tmp/console" "$out/console"
		if [ -e "$tmp/vm/dmesg" ]; then
			cp "$tmp/vm/dmesg" "$out/"
		fi
	fi
	if [ ! -e "$tmp/vm/status" ]; then
		echo "$name: end of the console:" >&2
		tail -n 60 "$tmp/console" >&2
		if [ "$guest_status" -eq 124 ] || [ "$guest_status" -eq 137 ]; then
			echo "$name: time limit of $limit s exceeded$limit_hint" >&2
			return 124
		fi
		echo "$name: the guest died (status $guest_status)" >&2
		return 125
	fi

	status=$(cat "$tmp/vm/status")
	if ! problems=$("$vm/dmesg-problems" < "$tmp/vm/dmesg") &&
	   [ -z "$allow_dmesg" ]; then
		printf '%s: problems in the kernel log:\n%s\n' \
			"$name" "$problems" >&2
		if [ "$status" -eq 0 ]; then
			status=126
		fi
	fi
	return "$status"
}

# Wait until process $1, a guest, has begun its command; if it does not, it has ended.
has_begun()
{
	local end=$((SECONDS + boot_limit))

	while [ ! -e "$tmp/vm/began" ] && kill -0 "$1" 2> /dev/null; do
		[ "$SECONDS" -lt "$end" ] || kill "$1"
		sleep 0.2
	done
	[ -e "$tmp/vm/began" ]
}

run()
{
	local status=0 process

	[ $# -gt 0 ] || die "run: which command?"
	prepare
	printf '%q ' "$@" > "$tmp/vm/cmd"
	while :; do
		timeout -k 5 "$limit" "${guest[@]}" < /dev/null &
		process=$!
		# A signal that ends this script ends the guest.
		# shellcheck disable=SC2064
		trap "kill $process; wait $process; exit 143" INT TERM HUP
		if [ "$boots" -eq 1 ] || has_begun "$process"; then
			break
		fi
		boots=$((boots - 1))
		wait "$process" || true
		tail -n 40 "$tmp/console" >&2
		echo "$name: the guest did not boot; once more" >&2
	done
	wait "$process" || status=$?
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
	"${guest[@]}" || status=$?
	stty sane
	allow_dmesg=1
	conclude "$status"
}

# guest_main [ARG...]: the command line of the script; its head is the help.
guest_main()
{
	local verb=${1:-help}

	[ $# -eq 0 ] || shift
	while [[ ${1:-} == --* ]]; do
		case $1 in
		--timeout)	limit=${2:?}; shift ;;
		--out)		out=${2:?}; shift ;;
		--share)	shares+=("$(realpath "${2:?}")"); shift ;;
		--env)		env+=("${2:?}"); shift ;;
		--plain)	plain=1 ;;
		--allow-dmesg)	allow_dmesg=1 ;;
		*)		own_option "$1" "${2:-}" ||
					die "unknown option $1"
				shift ;;
		esac
		shift
	done

	case $verb in
	run)	run "$@" ;;
	shell)	shell "$@" ;;
	*)	if ! declare -F "verb_$verb" > /dev/null; then
			sed -n '4,/^set/s/^# \{0,1\}//p' "$0" >&2
			exit 2
		fi
		"verb_$verb" "$@" ;;
	esac
}
