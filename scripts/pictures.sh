#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Make the pictures of programs in Documentation/figures anew:
#
#   pictures.sh [dashboard] [fabric] [wireshark]     default: all
#
#   dashboard   mrc-dashboard.png: Prometheus with the metrics of a quarter of an hour in
#               virtual time, in which a link loses packets and a cable dies. Also prints what
#               each expression of mrc-dashboard.json returns, and when alerts fired, and
#               fails if one returns nothing.
#   fabric      mrcd-fabric.svg: what "mrcd validate" draws of a link that loses packets
#   wireshark   wireshark.png: a retransmission in tests/dissector/real.pcap
#
# As root, after "make ready". Products of the way there are in build/pictures; KEEP=yes
# draws the dashboard from those of the last run. Packages that only the pictures need are
# not installed; what is missing is named.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
parts=$here/pictures
out=$root/build/pictures
figures=$root/Documentation/figures
port=19090
# Seconds of real time that a guest may take.
limit=1800

die()
{
	echo "pictures: $*" >&2
	exit 2
}

# needs PACKAGE=FILE...: FILE, of Debian's PACKAGE, is there, or can be run.
needs()
{
	local pair missing=()

	for pair; do
		[ -e "${pair#*=}" ] || command -v "${pair#*=}" > /dev/null ||
			missing+=("${pair%%=*}")
	done
	[ ${#missing[@]} -eq 0 ] ||
		die "missing packages: ${missing[*]}"
}

# guest NAME SCRIPT: run it in virtual time; what it leaves is in $out/NAME.
guest()
{
	rm -rf "${out:?}/$1"
	mkdir -p "$out/$1"
	"$root/tests/lab/uml/uml.sh" run --timeout "$limit" --out "$out/$1" "$parts/$2" \
		> "$out/$1/log" 2>&1 || die "$1 failed, see $out/$1/log"
}

# publish PICTURE NAME: with few colours, so that it is small.
publish()
{
	pngquant --force --strip --output "$figures/$2" 64 "$1"
	optipng -quiet -o 5 "$figures/$2"
}

fabric()
{
	guest fabric fabric.sh
	cp "$out/fabric/mrcd-fabric.svg" "$figures/"
}

# Prometheus on the data of the guest, without anything to scrape.
prometheus_begin()
{
	printf 'scrape_configs: []\n' > "$out/prometheus.yml"
	prometheus "--config.file=$out/prometheus.yml" \
		"--storage.tsdb.path=$out/dashboard/tsdb" \
		"--storage.tsdb.retention.time=100y" \
		"--web.console.templates=$out/consoles" \
		--web.console.libraries=/usr/share/doc/prometheus/examples/console_libraries \
		"--web.listen-address=127.0.0.1:$port" &> "$out/prometheus.log" &
	server=$!
	trap 'kill "$server"; wait "$server" || true' EXIT
	until grep -q "Server is ready" "$out/prometheus.log"; do
		kill -0 "$server" || die "see $out/prometheus.log"
		sleep 0.2
	done
}

prometheus_end()
{
	kill "$server"
	wait "$server" || true
	trap - EXIT
}

# screenshot URL WIDTH HEIGHT FILE
screenshot()
{
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars \
		--user-data-dir="$out/chromium" --force-device-scale-factor=1.5 \
		--window-size="$2,$3" --virtual-time-budget=20000 \
		--screenshot="$4" "$1" &> "$out/chromium.log"
	[ -s "$4" ] || die "no screenshot, see $out/chromium.log"
}

dashboard()
{
	local url=http://127.0.0.1:$port

	[ "${KEEP:-}" ] || guest dashboard monitored.sh
	mkdir -p "$out/consoles"
	"$parts/dashboard.py" console "$out/dashboard" "$out/consoles/mrc.html"
	prometheus_begin
	"$parts/dashboard.py" check "$url" "$out/dashboard"
	screenshot "$url/consoles/mrc.html" 980 800 "$out/dashboard.png"
	prometheus_end
	convert "$out/dashboard.png" -trim +repage -bordercolor white -border 12 \
		"$out/trimmed.png"
	publish "$out/trimmed.png" mrc-dashboard.png
}

wireshark()
{
	"$parts/wireshark.sh" "$out/wireshark.png"
	publish "$out/wireshark.png" wireshark.png
}

wanted=("$@")
[ $# -gt 0 ] || wanted=(dashboard fabric wireshark)
mkdir -p "$out"
for picture in "${wanted[@]}"; do
	case $picture in
	dashboard)
		needs prometheus=/usr/share/prometheus/web chromium=chromium \
			imagemagick=convert pngquant=pngquant optipng=optipng ;;
	fabric)	;;
	wireshark)
		needs wireshark=/usr/bin/wireshark xvfb=Xvfb xdotool=xdotool \
			imagemagick=import pngquant=pngquant optipng=optipng ;;
	*)
		die "there is no picture $picture" ;;
	esac
done
for picture in "${wanted[@]}"; do
	"$picture"
done
