#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Findings of luacheck in Lua scripts. What Wireshark defines is listed here, for the
# versions of Lua that versions of Wireshark have.

. scripts/lint-lib.sh

wireshark=(base bit DissectorTable expert Field frametype gui_enabled Listener
	   MENU_STAT_UNSORTED NSTime Pref Proto ProtoExpert ProtoField register_menu
	   report_failure Struct TextWindow)
status=0

mapfile -t list < <(files '*.lua')
for lua in lua52 lua54; do
	luacheck --no-config --no-color --no-cache --quiet --std "$lua" \
		--max-line-length 92 \
		--read-globals "${wireshark[@]}" -- "${list[@]}" || status=1
done
while read -r file; do
	[ "$(wc -l < "$file")" -le 900 ] ||
		{ echo "$file: more than 900 lines"; status=1; }
done < <(files '*.lua')
exit "$status"
