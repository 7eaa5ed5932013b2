# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# What a guest has above the root file system of the machine: modules, provider and
# CLI of build/. The caller defines root, cache, tmp, die(), kver, and modules, the
# directory of the kernel's modules.

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
# cached until the kernel's modules or aliases and dependencies of these change.
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
		rm -rf "$cache/modules-$kver-"*
		mv "$base" "$index"
	fi
	mkdir -p "$dest/updates"
	cp "$index"/modules.* "$dest/"
	cp "$@" "$dest/updates/"
}
