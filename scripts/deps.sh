#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Install the Debian packages that building and testing need. Does nothing,
# quickly, when they are all there; needs root otherwise.
set -euo pipefail

# Build: kernel module, provider, CLI, man pages.
packages=(
	build-essential
	libibverbs-dev
	libjansson-dev
	libmnl-dev
	linux-headers-6.12-amd64
	linux-headers-amd64
	pandoc
	pkg-config
)

# Run: stock kernels in QEMU, the fabric, unmodified RDMA programs.
packages+=(
	busybox-static
	cpio
	ethtool
	fio
	gojq
	ibverbs-providers
	ibverbs-utils
	iperf3
	iproute2
	iputils-ping
	jq
	kmod
	libfabric-bin
	libgloo-dev
	linux-image-6.12-amd64
	linux-image-amd64
	nvme-cli
	openmpi-bin
	perftest
	procps
	python3
	python3-jsonschema
	python3-mpi4py
	python3-pyverbs
	python3-yaml
	qemu-system-x86
	qperf
	rdma-core
	rdmacm-utils
	socat
	tcpdump
	tshark
	ucx-utils
	util-linux
	xz-utils
	zstd
)

# Check: KUnit on UML, static analysis, sanitizers.
packages+=(
	bc
	bison
	clang
	codespell
	flex
	libclang-rt-14-dev
	libelf-dev
	libssl-dev
	linux-source-6.12
	lua-check
	python3-sphinx
	shellcheck
	sparse
	valgrind
)

# Package: Debian packages, and what monitoring systems make of the metrics.
packages+=(
	debhelper
	debootstrap
	dh-dkms
	lintian
	python3-prometheus-client
)

missing_packages()
{
	dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" \
		2>/dev/null | awk '$2 == "installed" { print $1 }' | sort -u |
		comm -13 - <(printf '%s\n' "${packages[@]}" | sort -u)
}

mapfile -t missing < <(missing_packages)
if [ ${#missing[@]} -eq 0 ]; then
	"${0%/*}/frr.sh" || echo "deps: no FRR, its test will be skipped" >&2
	exec "${0%/*}/daemons.sh"
fi

if [ "$(id -u)" -ne 0 ]; then
	echo "deps: missing packages: ${missing[*]}" >&2
	echo "deps: run 'make deps' as root to install them" >&2
	exit 1
fi

echo "deps: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt_install=(apt-get install -y -q --no-install-recommends
	     -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)

# Package lists of a fresh machine may be absent or too old to be served.
if ! "${apt_install[@]}" "${missing[@]}"; then
	apt-get update -q
	"${apt_install[@]}" "${missing[@]}"
fi
"${0%/*}/daemons.sh"
"${0%/*}/frr.sh" || echo "deps: no FRR, its test will be skipped" >&2
