#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Build the user-mode Linux kernel of the lab, unless the cache has it, and print
# its directory: "linux" is the kernel, "modules" what "make modules_install" made,
# "release" its version.
#
#   kernel.sh lab|debug
#
# "lab" serves virtual and native runs. The source is Debian's linux-source-6.12;
# the build uses a copy made of hard links, with the changes of patches/. The cache is
# outside the repository, so clones share it. The first build takes about 10
# minutes on two cores (debug: 15); its log is in the cache directory.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
root=$(cd "$here/../../.." && pwd)
kind=${1:?usage: kernel.sh lab|debug}
[ -e "$here/config-$kind" ] || [ "$kind" = lab ] ||
	{ echo "kernel.sh: there is no kind $kind" >&2; exit 2; }

# The XSAVE area of the machine in bytes. UML in 6.12 assumes 2696, which AMX and
# whatever follows exceed; ptrace() then fails.
xsave_size()
{
	local program

	program=$(mktemp)
	cc -x c -o "$program" - <<'EOF'
#include <cpuid.h>
#include <stdio.h>

int main(void)
{
	unsigned int a, b = 0, c = 0, d;

	__get_cpuid_count(0xd, 0, &a, &b, &c, &d);
	printf("%u\n", c);
	return 0;
}
EOF
	"$program"
	rm "$program"
}

# Enough for AMX; machines with less share one kernel.
fp_size=11008
size=$(xsave_size)
[ "$size" -le "$fp_size" ] || fp_size=$(((size + 63) / 64 * 64))

tree=$("$root/scripts/linux-source.sh" 6.12)
cache=$(dirname "$tree")
patches=$(cat "$here"/patches/*.patch | sha1sum | cut -c 1-8)
copy=$cache/uml-$(basename "$tree")-fp$fp_size-$patches
obj=$copy-$kind
log=$obj.log

configs=("$here/config")
[ "$kind" = lab ] || configs+=("$here/config-$kind")
key=$(cat "${configs[@]}" "$here/kernel.sh" | sha1sum | cut -c 1-16)

# Print the directory and end if the cache has the kernel.
look()
{
	[ "$(cat "$obj/key" 2> /dev/null)" = "$key" ] || return 0
	echo "$obj"
	exit 0
}

look
# One build at a time: all kinds share the copy of the source.
exec 9> "$cache/uml.lock"
flock -n 9 || { echo "waiting for another build of the UML kernel" >&2; flock 9; }
look
# The kernel is not there until its build has ended.
rm -f "$obj/key"

if [ ! -d "$copy" ]; then
	rm -rf "$copy.new"
	cp -al "$tree" "$copy.new"
	file=arch/x86/um/user-offsets.c
	sed "s/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, $fp_size)/" \
		"$tree/$file" > "$copy.new/$file.new"
	cmp -s "$tree/$file" "$copy.new/$file.new" &&
		{ echo "kernel.sh: $file is not as expected" >&2; exit 1; }
	mv "$copy.new/$file.new" "$copy.new/$file"
	for patch in "$here"/patches/*.patch; do
		# patch(1) writes a new file, so the linked original stays as it is.
		patch -s -d "$copy.new" -p1 < "$patch" >&2
	done
	mv "$copy.new" "$copy"
fi

# What uname(2) tells is mixed into random numbers: runs with the same seed must be the
# same whoever has built the kernel, and when.
build_time="2026-11-01 00:00:00 UTC"
make_kernel()
{
	make -C "$copy" O="$obj" ARCH=um -j"$(nproc)" KBUILD_BUILD_USER=mrc \
		KBUILD_BUILD_HOST=lab KBUILD_BUILD_VERSION=1 \
		KBUILD_BUILD_TIMESTAMP="$build_time" "$@"
}

# Every option of the fragments is in the configuration as it stands there.
check_config()
{
	local line name status=0

	while read -r line; do
		case $line in
		CONFIG_*)	name=${line%%=*} ;;
		"# CONFIG_"*" is not set")
				name=${line#\# }; name=${name%% *} ;;
		*)		continue ;;
		esac
		# A later fragment may have changed it.
		[ "$(cat "${configs[@]}" | grep "^$name=\|^# $name is not set" |
			tail -n 1)" = "$line" ] || continue
		case $line in
		CONFIG_*)	grep -qxF "$line" "$obj/.config" ;;
		*)		! grep -q "^$name=" "$obj/.config" ;;
		esac || { echo "option not taken over: $line" >&2; status=1; }
	done < <(cat "${configs[@]}")
	return "$status"
}

# A line now and then while the build runs.
progress()
{
	local begun=$SECONDS

	while sleep 30; do
		echo "UML kernel ($kind): $((SECONDS - begun)) s," \
			"$(grep -c '^  [A-Z]' "$log") steps of about $1" >&2
	done
}

build()
{
	mkdir -p "$obj"
	make_kernel defconfig
	"$copy/scripts/kconfig/merge_config.sh" -m -O "$obj" \
		"$obj/.config" "${configs[@]}"
	make_kernel olddefconfig
	check_config
	make_kernel linux modules
	rm -rf "$obj/modules"
	make_kernel INSTALL_MOD_PATH="$obj/modules/usr" modules_install
	make -s -C "$copy" O="$obj" ARCH=um kernelrelease | tail -n 1 > "$obj/release"
}

echo "building the UML kernel ($kind) once; log: $log" >&2
: > "$log"
# It must not hold the lock: its sleep outlives the build.
progress "$([ "$kind" = lab ] && echo 2400 || echo 2500)" 9>&- &
watcher=$!
trap 'kill "$watcher" 2> /dev/null' EXIT
# In a condition, a function would continue after a command that failed.
set +e
(set -e; build) > "$log" 2>&1
status=$?
set -e
if [ "$status" -ne 0 ]; then
	tail -n 30 "$log" >&2
	echo "kernel.sh: the UML kernel ($kind) does not build" >&2
	exit 1
fi
echo "$key" > "$obj/key"
echo "$obj"
