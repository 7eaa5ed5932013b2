#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Programs of monitoring systems for the tests: Debian's packages are unpacked into the
# cache, not installed, because installing them would start their services.
#
#   daemons.sh         fetch what is missing
#   daemons.sh --dir   print the directory: usr/bin/prometheus, promtool,
#                      prometheus-node-exporter
set -euo pipefail

packages=(prometheus prometheus-node-exporter)
dir=${XDG_CACHE_HOME:-$HOME/.cache}/mrc/daemons

if [ "${1:-}" = --dir ]; then
	echo "$dir"
	exit
fi

fetch()
{
	local stage=$1

	cd "$stage"
	apt-get download -q -o APT::Sandbox::User=root "${packages[@]}" || {
		apt-get update -q
		apt-get download -q -o APT::Sandbox::User=root "${packages[@]}"
	}
	mkdir root
	for deb in ./*.deb; do
		dpkg -x "$deb" root
	done
}

mkdir -p "${dir%/*}"
exec 9> "$dir.lock"
flock 9
for package in "${packages[@]}"; do
	if [ ! -x "$dir/usr/bin/$package" ]; then
		stage=$(mktemp -d "$dir.XXXXXX")
		trap 'rm -rf "$stage"' EXIT
		(fetch "$stage")
		rm -rf "$dir"
		mv "$stage/root" "$dir"
		break
	fi
done
