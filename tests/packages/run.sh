#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What the Debian packages do in a clean Debian 12: lintian has no complaint; they are
# installed for kernel 6.1, where DKMS builds the module and traffic runs in a guest, by
# the six commands of README.md;
# kernel 6.12 arrives, and DKMS builds the module for it; they are upgraded while a
# device carries traffic; nothing is left when they are purged.
#
#   run.sh DIR         packages of DIR, as scripts/deb.sh has left them
#
# The clean root is made by debootstrap once, in the cache, and used under an overlay;
# nothing else on this machine is changed. The first run takes some minutes more. The
# guests are emulated where KVM is not available.
set -uo pipefail

debs=$(cd "${1:?usage: run.sh DIR}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
vm=$root/tests/lab/vm/vm.sh
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mrc
clean=$cache/clean-root
version=$(< "$root/VERSION")
packages=(mrc-dkms ibverbs-provider-mrc libmrc1 libmrc-dev mrc-utils mrc-doc)
tmp=$(mktemp -d)
passed=0
failed=0
n=0

check()
{
	local name=$1

	shift
	n=$((n + 1))
	if "$@" > "$tmp/check" 2>&1; then
		passed=$((passed + 1))
		echo "ok $n - packages: $name"
		return 0
	fi
	failed=$((failed + 1))
	echo "not ok $n - packages: $name"
	tail -n 40 "$tmp/check" | sed 's/^/# /'
	return 1
}

# --- the clean root -----------------------------------------------------------

# in_root DIR COMMAND [ARG...]: run COMMAND in the root DIR, as its administrator.
in_root()
{
	local dir=$1

	shift
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive \
		unshare --mount --pid --fork --mount-proc="$dir/proc" \
		chroot "$dir" "$@"
}

# What a host has before the packages come. What vm.sh needs of it is busybox.
before=(busybox-static iproute2 iputils-ping kmod linux-image-amd64 systemd)
# What comes with them, and the kernel that comes later, are downloaded once.
later=(ccache dkms ibverbs-utils libc6-dev libjansson4 libmnl0 linux-headers-amd64 procps
       rdma-core libibverbs-dev linux-headers-6.12-amd64 linux-image-6.12-amd64)

# Services are not started in a root that nobody boots. One that was made from other
# lists of packages is made again.
make_clean_root()
{
	local new=$clean.new contents="${before[*]} ${later[*]}"

	! grep -qxF "$contents" "$clean/.complete" 2> /dev/null || return 0
	rm -rf "$new" "$clean"
	debootstrap --variant=minbase --include=ca-certificates bookworm "$new" ||
		return
	printf '#!/bin/sh\nexit 101\n' > "$new/usr/sbin/policy-rc.d"
	chmod 755 "$new/usr/sbin/policy-rc.d"
	cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d "$new/etc/apt/"
	rm -f "$new"/etc/apt/apt.conf.d/*docker*
	cp /etc/resolv.conf "$new/etc/"
	in_root "$new" apt-get update -q || return
	in_root "$new" apt-get install -y -q --no-install-recommends \
		"${before[@]}" || return
	in_root "$new" apt-get install -y -q --download-only "${later[@]}" ||
		return
	echo "$contents" > "$new/.complete"
	mv "$new" "$clean"
}

host=$tmp/host

begin()
{
	mkdir -p "$tmp/upper" "$tmp/work" "$host"
	mount -t overlay -o "lowerdir=$clean,upperdir=$tmp/upper,workdir=$tmp/work" \
		clean "$host" &&
	mkdir -p "$host/srv/packages" &&
	cp "$debs"/*.deb "$here/traffic.sh" "$here/upgrade.sh" "$tmp/six" \
		"$host/srv/packages/"
}

finish()
{
	# A guest that was interrupted may still use the root.
	! mountpoint -q "$host" || umount "$host" || umount --lazy "$host"
	mountpoint -q "$host" || rm -rf "$tmp"
}

trap finish EXIT

# kernel SERIES: the kernel of the host of that series.
kernel()
{
	find "$host/lib/modules" -maxdepth 1 -name "$1.*" -printf '%f\n' |
		sort -V | tail -n 1
}

# --- checks ---------------------------------------------------------------------

lintian_is_content()
{
	lintian --fail-on error,warning \
		--suppress-tags initial-upload-closes-no-bugs "$debs"/*.changes
}

# Twice from the same commit.
reproducible()
{
	mkdir -p "$tmp/a" "$tmp/b"
	cmp "$("$root/scripts/dist.sh" "$tmp/a")" \
	    "$("$root/scripts/dist.sh" "$tmp/b")"
}

# file_of PACKAGE: its file.
file_of()
{
	compgen -G "$debs/$1_$version-1_*.deb"
}

# Write the six commands of README.md to $tmp/six, one a line, each behind the host or
# the hosts on which it runs: "a", "b" or "ab". The first one installs the packages.
take_six_commands()
{
	sed -n '/^### Six commands/,/^###* [^S]/ {
		s/^\ta, b# /ab /p
		s/^\t\([ab]\)# /\1 /p
	}' "$root/README.md" > "$tmp/six"
	cat "$tmp/six"
	[ "$(wc -l < "$tmp/six")" -eq 6 ] &&
		head -n 1 "$tmp/six" | grep -q '^ab apt install .*\./\*\.deb$'
}

# As in README.md. Nobody is there to answer questions.
install_packages()
{
	echo 'APT::Get::Assume-Yes "true";' > "$host/etc/apt/apt.conf.d/90assume-yes"
	in_root "$host" sh -ec "cd /srv/packages
		$(sed -n '1s/^ab //p' "$tmp/six")"
}

# dkms_built SERIES: DKMS has installed the module of this version for that kernel.
dkms_built()
{
	local kver ko

	kver=$(kernel "$1")
	in_root "$host" dkms status | tee "$tmp/status"
	grep -q "^mrc/$version, $kver, x86_64: installed" "$tmp/status" || return
	ko=$(find "$host/lib/modules/$kver/updates" -name 'mrc.ko*') || return
	[ "$ko" ] && [ "$(modinfo -F version "$ko")" = "$version" ]
}

in_guest()
{
	local series=$1

	shift
	(cd / && "$vm" run --plain --root "$host" --kver "$(kernel "$series")" \
		--out "$tmp/out" --timeout 1800 "$@")
}

install_kernel()
{
	in_root "$host" apt-get install -y -q --no-install-recommends \
		linux-headers-6.12-amd64 linux-image-6.12-amd64
}

units_are_valid()
{
	in_root "$host" systemd-analyze verify --man=no \
		/lib/systemd/system/mrc.service \
		/lib/systemd/system/mrc-metrics.service \
		/lib/systemd/system/mrc-metrics.timer \
		/lib/systemd/system/mrcd.service 2>&1 |
		tee "$tmp/verify"
	! grep -i mrc "$tmp/verify"
}

# A program of the MRC API is built with what libmrc-dev brings, and finds the library.
# It knows no device: there is none.
links_libmrc()
{
	cp "$root/userspace/libmrc/examples/write.c" "$host/srv/packages/" &&
		in_root "$host" sh -c 'cd /srv/packages &&
			cc -Wall -o write write.c -lmrc -libverbs &&
			ldd write | grep "libmrc.so.1 => /"'
}

# At boot the configuration is restored; metrics and mrcd run only on request.
units_are_enabled()
{
	[ -L "$host/etc/systemd/system/multi-user.target.wants/mrc.service" ] &&
	[ ! -e "$host/etc/systemd/system/timers.target.wants/mrc-metrics.timer" ] &&
	[ ! -e "$host/etc/systemd/system/multi-user.target.wants/mrcd.service" ]
}

# The packages of the next version, for the upgrade: the same files.
next_version()
{
	local dir=$tmp/next package

	mkdir -p "$dir"
	for package in "${packages[@]}"; do
		dpkg-deb -R "$(file_of "$package")" "$dir/$package" || return
		sed -i "s/^Version: .*/Version: $version.1-1/; s/(= $version-1)/(= $version.1-1)/" \
			"$dir/$package/DEBIAN/control"
	done
	mv "$dir/mrc-dkms/usr/src/mrc-$version" \
		"$dir/mrc-dkms/usr/src/mrc-$version.1"
	echo "$version.1" > "$dir/mrc-dkms/usr/src/mrc-$version.1/VERSION"
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$version.1\"/" \
		"$dir/mrc-dkms/usr/src/mrc-$version.1/dkms.conf"
	sed -i "s/$version/$version.1/g" "$dir/mrc-dkms/DEBIAN/postinst" \
		"$dir/mrc-dkms/DEBIAN/prerm"
	sed -i "s,usr/src/mrc-$version/,usr/src/mrc-$version.1/,; /VERSION$/d; /dkms.conf$/d" \
		"$dir/mrc-dkms/DEBIAN/md5sums"
	for package in "${packages[@]}"; do
		dpkg-deb --root-owner-group -b "$dir/$package" \
			"$host/srv/packages/next-$package.deb" || return
	done
}

# DKMS builds the module of the next version once here, and forgets it. In a guest that is
# emulated it would take an hour; with the compiler's cache it takes minutes.
build_next()
{
	in_root "$host" sh -ec "
		apt-get install -y -q --no-install-recommends ccache
		export PATH=/usr/lib/ccache:\$PATH CCACHE_DIR=/var/cache/ccache
		dpkg-deb -x /srv/packages/next-mrc-dkms.deb /
		dkms add mrc/$version.1
		dkms build mrc/$version.1 -k $(kernel 6.12)
		ccache -s
		dkms remove mrc/$version.1 --all
		rm -r /usr/src/mrc-$version.1"
}

purge()
{
	in_root "$host" sh -c 'mkdir -p /etc/mrc && echo "# saved" > /etc/mrc/mrc.conf'
	in_root "$host" apt-get purge -y -q "${packages[@]}"
}

# Names with "mrc" anywhere but in the records of dpkg, apt and logs; memrchr() is one
# of libc.
nothing_is_left()
{
	rm -rf "$host/srv/packages"
	find "$host" -xdev \( -path "$host/var/log" -o -path "$host/var/cache" -o \
		-path "$host/var/lib/apt" -o -path "$host/var/lib/dpkg" -o \
		-path "$host/proc" -o -path "$host/usr/src/linux-*" \) -prune -o \
		-name '*mrc*' ! -name 'memrchr*' -print | grep -v '/lib/modules/.*/kernel/' \
		> "$tmp/left"
	in_root "$host" dpkg-query -W 'mrc*' 'libmrc*' 'ibverbs-provider-mrc' \
		2> /dev/null | grep . >> "$tmp/left"
	grep -l '/mrc\.ko' "$host"/lib/modules/*/modules.dep >> "$tmp/left"
	cat "$tmp/left"
	[ ! -s "$tmp/left" ]
}

check "lintian finds neither errors nor warnings" lintian_is_content
check "README.md has six commands, of which the first installs the packages" \
	take_six_commands
check "the source tarball is the same when it is made again" reproducible
if ! check "a clean Debian with kernel 6.1 is made" make_clean_root ||
   ! check "it is mounted" begin; then
	echo "$passed passed, $failed failed, 0 skipped"
	exit 1
fi
check "the packages are installed by the first command of README.md" install_packages
check "DKMS has built the module for 6.1" dkms_built 6.1
check "a program links the library of libmrc-dev" links_libmrc
check "systemd accepts the units" units_are_valid
check "mrc.service is enabled, mrc-metrics.timer and mrcd.service are not" units_are_enabled
check "the other commands of README.md lead to traffic on 6.1" \
	in_guest 6.1 bash /srv/packages/traffic.sh
check "kernel 6.12 is installed" install_kernel
check "DKMS has built the module for 6.12" dkms_built 6.12
check "the other commands of README.md lead to traffic on 6.12" \
	in_guest 6.12 bash /srv/packages/traffic.sh
check "packages of the next version are made" next_version
check "DKMS builds the module of the next version" build_next
check "they are installed while a device carries traffic, which goes on, and the next load takes the new module" \
	in_guest 6.12 bash /srv/packages/upgrade.sh "$version.1"
check "the packages are purged" purge
check "nothing is left of them" nothing_is_left

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
