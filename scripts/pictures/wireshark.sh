#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Wireshark with a retransmission, on a display of its own. For scripts/pictures.sh.
#
#   wireshark.sh FILE.png      what the display shows
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
width=1000
height=700
frame=48
# A packet that was lost, its neighbours, its retransmission, the SACKs that tell of that.
filter="mrc.payload_len && mrc.psn in {12307848..12307851} || frame.number in {58, 60}"
tmp=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2> /dev/null; wait; rm -rf "$tmp"' EXIT

# The window fills the display; of the packet there is the tree, and no bytes.
configure()
{
	mkdir -p "$1"
	cat > "$1/recent_common" <<-END
	gui.geometry_main_x: 0
	gui.geometry_main_y: 0
	gui.geometry_main_width: $width
	gui.geometry_main_height: $height
	gui.geometry_main_maximized: FALSE
	privs.warn_if_elevated: FALSE
	END
	cat > "$1/recent" <<-END
	gui.toolbar_main_show: FALSE
	gui.filter_toolbar_show: TRUE
	gui.byte_view_show: FALSE
	gui.packet_diagram_show: FALSE
	gui.geometry_main_upper_pane: 100
	column.width: %m, 50, %t, 100, %s, 60, %Cus:mrc.plane:0:R, 50, %i, 680
	END
	printf '2001:db8:10%d::1\th%d\n' 0 0 1 1 > "$1/hosts"
	cat > "$1/preferences" <<-END
	gui.column.format: "No.","%m","Time","%t","Source","%s","Plane","%Cus:mrc.plane:0:R","Info","%i"
	gui.layout_type: 1
	gui.update.enabled: FALSE
	nameres.network_name: TRUE
	mrc.topology: $root/Documentation/examples/topology-clos.json
	END
}

display()
{
	Xvfb -displayfd 3 -screen 0 "${width}x${height}x24" -nolisten tcp \
		3> "$tmp/display" 2> "$tmp/xvfb.log" &
	pids+=($!)
	until [ -s "$tmp/display" ]; do
		sleep 0.1
	done
	DISPLAY=:$(< "$tmp/display")
	export DISPLAY
}

# Wireshark shows the file when the title has its name.
loaded()
{
	xdotool search --name "real.pcap"
}

keys()
{
	local key

	for key; do
		xdotool key "$key"
		sleep 0.2
	done
}

display
configure "$tmp/wireshark"
WIRESHARK_CONFIG_DIR=$tmp/wireshark HOME=$tmp XDG_RUNTIME_DIR=$tmp LC_ALL=C.UTF-8 \
	wireshark -X "lua_script:$root/packaging/wireshark/mrc.lua" -g "$frame" \
	-Y "$filter" \
	-r "$root/tests/dissector/real.pcap" &> "$tmp/log" &
pids+=($!)
for ((i = 0; i < 600; i++)); do
	! loaded > /dev/null || break
	sleep 0.1
done
sleep 3
xdotool windowfocus "$(loaded | tail -n 1)" mousemove 300 $((height - 100)) click 1 \
	mousemove 300 $((height - 5))
# From the list to the tree, to the last item (MRC), and open it; the last item of it is
# the analysis, and that of the analysis is the end.
keys Home End Right End Right End
sleep 1
import -window root "$1"
