#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In a guest with the packages: install those of the next version, whose number is the
# argument, while a device carries traffic.
set -euo pipefail

# shellcheck source=tests/packages/traffic.sh
. "${0%/*}/traffic.sh"

# Its programs poll: with pauses, so that the build has the processors.
old=$(< /sys/module/mrc/version)
while [ ! -e /tmp/stop ]; do
	pingpong 200 > /dev/null || exit
	echo >> /tmp/rounds
	sleep 2
done &
traffic=$!

# As in run.sh, which has filled the cache; ccache compares the language, too.
export PATH=/usr/lib/ccache:$PATH CCACHE_DIR=/var/cache/ccache LANG=C.UTF-8
time dpkg -i /srv/packages/next-*.deb
ccache -s
before=$(wc -l < /tmp/rounds)
until [ "$(wc -l < /tmp/rounds)" -gt $((before + 1)) ]; do
	kill -0 "$traffic"
	sleep 0.1
done
touch /tmp/stop
wait "$traffic"
[ "$(< /sys/module/mrc/version)" = "$old" ]

mrcctl -n a dev del mrc0
mrcctl -n b dev del mrc1
modprobe -r mrc
modprobe mrc
[ "$(< /sys/module/mrc/version)" = "$1" ]
dkms status
