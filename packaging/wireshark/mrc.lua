-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- Wireshark dissector of MRC (Multipath Reliable Connection, OCP 1.0, and the extensions
-- of this driver). Documentation/dissector.md explains installation, fields and
-- preferences, Documentation/wire-format.md the packets.
--
-- This file and the folder mrc beside it belong into a folder of Lua plugins; or
--
--	tshark -X lua_script:packaging/wireshark/mrc.lua -r FILE
--
-- The files in the folder do nothing by themselves: Wireshark loads them, too, when it
-- looks for plugins.

local folder = debug.getinfo(1, "S").source:match("^@(.*[/\\])") or ""

local function part(name)
	return assert(loadfile(folder .. "mrc/" .. name .. ".lua"))()
end

local opcodes = part("opcodes")
local json, topology, icrc = part("json"), part("topology"), part("icrc")
local track, paths = part("track"), part("paths")
local fields = part("fields")(opcodes)
local headers = part("headers")(fields, opcodes)
local net = part("net")()
local packets = part("packet")(fields, opcodes, headers, icrc)
local analysis = part("analysis")(fields, headers, track)
local generated = headers.generated

-- D1: 4791 is also the port of RoCEv2; the opcode of BTH tells the two apart.
local PORTS = "4791,4971"
local ROCE_PORT = 4791
-- Keys of packets: frame * MAX_SEGMENTS + number of the packet in the frame.
local MAX_SEGMENTS = 1024

local mrc = Proto("mrc", "Multipath Reliable Connection")
local udp_ports = DissectorTable.get("udp.port")
-- That of RoCEv2, which the UDP port had before.
local roce = udp_ports:get_dissector(ROCE_PORT)
-- The network of the preference, or nil.
local network
-- The last frame that track.lua was told of.
local last_told = 0

mrc.fields = fields.list
mrc.experts = fields.experts
mrc.prefs.ports = Pref.range("UDP ports", PORTS, "UDP destination ports of MRC", 65535)
mrc.prefs.check_icrc = Pref.bool("Check the ICRC", false,
	"Compute the ICRC of each packet, and compare it with that of the packet")
mrc.prefs.topology = Pref.string("Topology file", "",
	"File with the network (Documentation/topology.md), for names of switches and hosts")
mrc.prefs.track = Pref.bool("Relate packets to each other", true,
	"Find retransmissions, and which packets acknowledge which")
mrc.prefs.track_limit = Pref.uint("Packets to relate", track.limit,
	"Number of packets that are remembered for this")
mrc.prefs.paths = Pref.bool("Print a table of paths (tshark)", false,
	"Packets, retransmissions, losses and round trips of each path, when tshark ends")

-- Tree of a packet -------------------------------------------------------------------

local function add_path(packet, this)
	local usids, names, plane
	local hops = {}

	if not this.outer then
		return
	end
	usids, names, plane = topology.path(network, this.outer, this.dst_digits)
	for nth, usid in ipairs(usids) do
		hops[nth] = names[nth] or usid
	end
	packet.plane = plane
	packet.path = table.concat(hops, " > ")
	local item = generated(packet.tree, "path", packet.path)
	for nth, usid in ipairs(usids) do
		generated(item, "path.usid", usid)
		if names[nth] then
			generated(item, "path.node", names[nth])
		end
	end
end

local function add_network(packet, this)
	packet.src, packet.dst, packet.ev = this.src, this.dst, this.ev
	packet.dscp, packet.is_ce = this.dscp, this.is_ce
	generated(packet.tree, "ev", this.ev)
	if this.is_ce then
		generated(packet.tree, "ecn_ce", true)
	end
	add_path(packet, this)
	if packet.plane then
		generated(packet.tree, "plane", packet.plane)
	end
end

-- The number nth of the packets in a UDP payload.
local function dissect_one(tvb, pinfo, root, this, place)
	local packet = {
		tvb = tvb, frame = pinfo.number, time = pinfo.rel_ts, begin = place.begin,
		reported_stop = place.stop, stop = math.min(place.stop, tvb:len()),
		nth = place.nth, segments = place.of, check_icrc = mrc.prefs.check_icrc,
		key = pinfo.number * MAX_SEGMENTS + place.nth - 1,
	}

	packet.icrc_headers = function()
		return net.read_icrc(this)
	end
	packet.tree = root:add(mrc, tvb(packet.begin, packet.stop - packet.begin))
	if place.of > 1 then
		generated(packet.tree, "segment", place.nth)
		generated(packet.tree, "segments", place.of)
	end
	add_network(packet, this)
	packets.add(packet)
	if mrc.prefs.track then
		if place.is_new and analysis.tell(packet) then
			paths.count(packet, track.get(packet.key))
		end
		analysis.add(packet)
	end
	packet.info = analysis.info(packet)
	packet.tree:append_text(", " .. packet.info)
	return packet
end

local function set_columns(pinfo, list)
	local text = list[1].info

	if #list > 1 then
		text = string.format("%d packets: %s ... %s", #list, text, list[#list].info)
	end
	pinfo.cols.protocol = "MRC"
	pinfo.cols.info:set(text)
end

-- Whether packets of a frame are to be told to track.lua: once, in the order of frames.
-- On the first of two passes tshark has the fields of other dissectors only if there is
-- a filter; then packets are told on the second.
local function is_new(pinfo, this)
	return pinfo.number > last_told and this.has_fields and not this.is_quoted
end

local function dissect(tvb, pinfo, root)
	local starts, this = packets.split(tvb), net.read(pinfo)
	local list, new = {}, is_new(pinfo, this)

	for nth, begin in ipairs(starts) do
		local stop = starts[nth + 1] or tvb:reported_len()

		if begin < tvb:len() then
			list[#list + 1] = dissect_one(tvb, pinfo, root, this, {
				nth = nth, of = #starts, begin = begin, stop = stop, is_new = new,
			})
		end
	end
	if new then
		last_told = pinfo.number
	end
	set_columns(pinfo, list)
	return tvb:len()
end

-- Packets to the port of RoCEv2 that are not of MRC, and datagrams, which have the
-- format of RoCEv2, belong to its dissector.
local function is_for_roce(tvb, pinfo)
	local code = tvb(0, 1):uint()

	if opcodes.is_mrc(code) then
		return false
	end
	return roce and (pinfo.dst_port == ROCE_PORT or not opcodes.is_datagram(code))
end

-- A packet that is malformed, or that was cut by the capture, ends the call with an
-- error, after it has been shown as such.
local function call_roce(tvb, pinfo, root)
	local is_whole, len = pcall(roce.call, roce, tvb, pinfo, root)

	return is_whole and len or tvb:len()
end

function mrc.dissector(tvb, pinfo, root)
	if tvb:len() == 0 then
		return 0
	elseif is_for_roce(tvb, pinfo) then
		return call_roce(tvb, pinfo, root)
	end
	local code = tvb(0, 1):uint()
	if not opcodes.is_mrc(code) and not opcodes.is_datagram(code) then
		return 0
	end
	return dissect(tvb, pinfo, root)
end

-- Set-up ---------------------------------------------------------------------------------

function mrc.init()
	track.reset()
	paths.reset()
	last_told = 0
end

local ports_now

local function use_ports(ports)
	if ports == ports_now then
		return
	elseif ports_now then
		udp_ports:remove(ports_now, mrc)
		if roce then
			udp_ports:add(ROCE_PORT, roce)
		end
	end
	udp_ports:add(ports, mrc)
	ports_now = ports
end

local function use_topology(name)
	local file, err

	network = nil
	if name == "" then
		return
	end
	file, err = json.read(name)
	if file then
		network, err = topology.build(file)
	end
	if not network then
		report_failure("mrc: topology: " .. err)
	end
end

function mrc.prefs_changed()
	use_ports(mrc.prefs.ports)
	use_topology(mrc.prefs.topology)
	track.limit = mrc.prefs.track_limit
end

use_ports(mrc.prefs.ports)
udp_ports:add_for_decode_as(mrc)

-- A listener has two purposes: Wireshark collects the fields of other dissectors while it
-- reads a file only if something has a filter, and tshark calls draw() at the end.
local listener = Listener.new("frame", "mrc")

function listener.packet()
end

function listener.draw()
	if mrc.prefs.paths and not gui_enabled() then
		print(paths.text())
	end
end

local function show_paths()
	local window = TextWindow.new("MRC paths")

	window:set(paths.text())
end

if gui_enabled() then
	register_menu("MRC paths", show_paths, MENU_STAT_UNSORTED)
end
