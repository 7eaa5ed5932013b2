#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Build the module for kernels that are configured differently from Debian's.
#
#   configs.sh [NAME...]	rows of the table below; default: all
#
# A configuration is "allnoconfig" of Debian's kernel source, the options that
# the module depends on, and the options of its row. The kernel is prepared for
# external modules, not built. The cache directory keeps it, so that later runs
# compile the module only.
#
# Without a built kernel there is no list of exported symbols. The last column
# names those that cannot exist in this configuration; a module that needs one of
# them is reported.

. scripts/lint-lib.sh

tree=$(linux_source) || exit
cache=$(dirname "$tree")/configs-$(basename "$tree")
build=$build/configs

# NAME | OPTIONS | SYMBOLS (regular expression)
#
# minimal	BRIDGE_NETFILTER, SEG6 (IPV6_SEG6_LWTUNNEL), CGROUP_RDMA and
#		tracing are off: what they declare is missing, or expands to
#		nothing
# ipv6-module	IPv6 and the options that "minimal" lacks are modules or on:
#		IS_ENABLED() and IS_BUILTIN() differ
# no-dma-buf	DMA_SHARED_BUFFER is off; INFINIBAND_USER_MEM selects it, so
#		verbs for processes are off as well
# debug		lockdep, RCU and sleep checks, which Debian's kernels lack, see
#		every lock: initialisers and assertions are compiled
table()
{
	cat <<-'END'
	minimal | BRIDGE_NETFILTER=n IPV6_SEG6_LWTUNNEL=n CGROUP_RDMA=n FTRACE=n | nf_bridge|br_netfilter|seg6_|rdmacg_|trace_
	ipv6-module | IPV6=m NETFILTER_ADVANCED=y BRIDGE=m BRIDGE_NETFILTER=m IPV6_SEG6_LWTUNNEL=y LWTUNNEL=y CGROUPS=y CGROUP_RDMA=y FTRACE=y ENABLE_DEFAULT_TRACERS=y | $^
	no-dma-buf | INFINIBAND_USER_ACCESS=n DMA_SHARED_BUFFER=n | dma_buf_|dma_resv_|ib_umem_
	debug | DEBUG_KERNEL=y PROVE_LOCKING=y DEBUG_ATOMIC_SLEEP=y DEBUG_OBJECTS=y DEBUG_OBJECTS_WORK=y DEBUG_OBJECTS_TIMERS=y | $^
	END
}

# Options without which there is no module. NET_FOU selects NET_UDP_TUNNEL.
base=(64BIT=y SMP=y MODULES=y MODULE_UNLOAD=y PCI=y PRINTK=y HIGH_RES_TIMERS=y
      NET=y INET=y IPV6=y NETDEVICES=y NETFILTER=y NET_FOU=m NET_UDP_TUNNEL=m
      INFINIBAND=m INFINIBAND_USER_ACCESS=m CRC32=y)

# The base, but for options that OPTIONS set as well, and OPTIONS.
fragment()
{
	local option

	for option in "${base[@]}"; do
		case " $* " in
		*" ${option%=*}="*) ;;
		*) echo "CONFIG_$option" ;;
		esac
	done
	[ $# -eq 0 ] || printf 'CONFIG_%s\n' "$@"
}

# Options of file $2 that kernel $1 does not have: a dependency is missing.
missing_options()
{
	local config=$cache/$1/.config option

	while read -r option; do
		case $option in
		*=n) ! grep -q "^${option%=n}=" "$config" ;;
		*) grep -qx "$option" "$config" ;;
		esac || echo "$1: the configuration has no $option"
	done < "$2"
}

# prepare NAME OPTION...: does nothing if OPTIONS are those of the last run.
prepare()
{
	local name=$1 dir=$cache/$1

	shift
	mkdir -p "$dir"
	fragment "$@" > "$dir/wanted"
	if cmp -s "$dir/wanted" "$dir/prepared"; then
		return
	fi
	rm -f "$dir/prepared"
	# What was compiled for the old configuration.
	rm -rf "${build:?}/$name"
	KCONFIG_ALLCONFIG=$dir/wanted make -s -C "$tree" O="$dir" ARCH=x86_64 \
		allnoconfig 2>&1 &&
		make -s -C "$tree" O="$dir" ARCH=x86_64 -j "$(nproc)" \
			modules_prepare 2>&1 || return
	[ -z "$(missing_options "$name" "$dir/wanted" | tee /dev/stderr)" ] ||
		return
	mv "$dir/wanted" "$dir/prepared"
}

compile()
{
	local dir=$build/$1

	mkdir -p "$dir"
	scripts/link-tree.sh "$dir"
	make -C "$cache/$1" M="$dir" ARCH=x86_64 W=1 KBUILD_MODPOST_WARN=1 \
		KCFLAGS=-Werror -j "$(nproc)" modules > "$dir/log" 2>&1 &&
		return
	grep -E "^$dir/.*(warning|error):|section mismatch" "$dir/log" ||
		grep -v 'modpost: .* undefined!$' "$dir/log" | tail -n 20
	return 1
}

# Symbols matching $2 that the module of configuration $1 needs.
impossible()
{
	nm -u "$build/$1/mrc.o" | awk '{ print $2 }' | grep -E "^($2)" |
		sed "s/^/$1: does not exist: /"
}

# run NAME OPTIONS SYMBOLS
run()
{
	# shellcheck disable=SC2086 # a list of words
	prepare "$1" $2 && compile "$1" && ! impossible "$1" "$3"
}

mkdir -p "$cache" "$build"
exec 9>"$cache/lock"
flock 9

status=0
while IFS='|' read -r name options symbols; do
	name=${name// /}
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	run "$name" "$options" "${symbols# }" ||
		{ echo "$name: failed"; status=1; }
done < <(table)
exit "$status"
