# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# What a guest has above the root file system of the machine: module, provider and
# CLI of build/. The caller defines root, cache, tmp, die(), kver, and modules, the
# directory of the kernel's modules.

# Fill $products, the layer above the guest's root file system. A layer must not have
# a directory where the root has a link (/lib).
install_products()
{
	local ko=$root/build/$kver/mrc.ko

	products=$tmp/products
	mkdir -p "$products"
	if [ -e "$ko" ]; then
		install_module "$ko" \
			"$products$(realpath /lib/modules)/$kver"
	fi
	if [ -d "$root/build/lib" ]; then
		make -s -C "$root" install-userspace DESTDIR="$products" \
			> "$tmp/install.log" 2>&1 ||
			{ cat "$tmp/install.log" >&2; die "install failed"; }
	fi
}

# Install module $1 in $2. depmod reads thousands of modules, so its result is cached
# until the kernel's modules or the module's aliases and dependencies change.
install_module()
{
	local ko=$1 dest=$2 key index base

	key=$({ modinfo -F alias "$ko"; modinfo -F depends "$ko"
		modinfo -F softdep "$ko"
		stat -c %Y "$modules/modules.dep"; } |
		sha1sum | cut -c 1-16)
	index=$cache/modules-$kver-$key
	if [ ! -d "$index" ]; then
		base=$tmp/depmod/lib/modules/$kver
		mkdir -p "$base/updates"
		ln -s "$modules/kernel" "$base/kernel"
		cp "$modules"/modules.{order,builtin*} "$base/"
		cp "$ko" "$base/updates/mrc.ko"
		depmod -b "$tmp/depmod" "$kver"
		rm "$base/kernel" "$base/updates/mrc.ko"
		rmdir "$base/updates"
		rm -rf "$cache/modules-$kver-"*
		mv "$base" "$index"
	fi
	mkdir -p "$dest/updates"
	cp "$index"/modules.* "$dest/"
	cp "$ko" "$dest/updates/mrc.ko"
}
