-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- One packet from BTH to ICRC: headers, payload, padding, and what the decoder of the
-- driver would refuse. Also finds the packets of a buffer that was captured before it
-- was segmented (GSO) or after it was joined (GRO).

-- Switches mark trimmed packets with these DSCPs.
local DSCP_TRIMMED = { [12] = true, [16] = true }
local BTH_LEN_MIN = 16
-- A buffer of 64 KiB has at most this many packets.
local MAX_SEGMENTS = 1024
local PATH_MTUS = { 256, 512, 1024, 2048, 4096 }

return function(fields, opcodes, headers, icrc)

local packets = {}
local BTH_LEN, ICRC_LEN = opcodes.BTH_LEN, opcodes.ICRC_LEN
local add_expert, generated = headers.add_expert, headers.generated

-- ICRC ---------------------------------------------------------------------------

-- Octets of the ICRC field that are right; nil if that cannot be told.
local function expected_icrc(packet)
	local before = packet.icrc_headers and packet.icrc_headers()
	local len = packet.reported_stop - packet.begin

	if not before or packet.stop < packet.reported_stop then
		return nil
	end
	if packet.segments > 1 then
		-- Each packet of a buffer is sent with lengths of its own, and with IPv4
		-- identifications that count.
		before.udp.len = len + 8
		before.ip.len = len + (before.ip.version == 4 and 28 or 8)
		before.ip.id = before.ip.id and (before.ip.id + packet.nth - 1) % 0x10000
	end
	return icrc.compute(before.ip, before.udp, packet.tvb(packet.begin, len - ICRC_LEN):raw())
end

local function icrc_status(packet, range)
	local expected

	if packet.noicrc and packet.op and packet.op.is_data then
		return range:uint() == 0 and "absent" or "absent, not zero"
	elseif not packet.check_icrc then
		return "not checked"
	end
	expected = expected_icrc(packet)
	if not expected then
		return "not checked"
	end
	return expected == range:raw() and "correct" or "incorrect", expected
end

local function add_icrc(packet)
	local at = packet.reported_stop - ICRC_LEN
	local range, item, status, expected

	if at < packet.at or packet.reported_stop > packet.stop then
		return
	end
	range = packet.tvb(at, ICRC_LEN)
	item = packet.tree:add_le(fields.by_name.icrc, range)
	status, expected = icrc_status(packet, range)
	packet.icrc_status = status
	item:append_text(" [" .. status .. "]")
	generated(packet.tree, "icrc.status", status, range)
	if status == "incorrect" then
		add_expert(packet, item, "icrc")
		generated(packet.tree, "icrc.expected", Struct.unpack("<I4", expected))
	end
end

-- Payload --------------------------------------------------------------------------

local function report(packet, name, text)
	if name then
		add_expert(packet, packet.bth_items.opcode, name, text)
	end
end

local function add_payload(packet)
	local len = packet.reported_stop - packet.at - ICRC_LEN
	local payload = len - packet.pad
	local captured

	if payload < 0 then
		report(packet, "pad", "Padding is longer than the payload")
		return
	end
	packet.payload = payload
	captured = math.min(payload, packet.stop - packet.at)
	if captured > 0 then
		packet.tree:add(fields.by_name.payload, packet.tvb(packet.at, captured))
	end
	generated(packet.tree, "payload_len", payload)
	packet.payload_at = packet.at
	packet.at = packet.at + payload
	if packet.pad > 0 and packet.at + packet.pad <= packet.stop then
		packet.tree:add(fields.by_name.padding, packet.tvb(packet.at, packet.pad))
	end
	packet.at = packet.at + packet.pad
end

local function check_data(packet)
	report(packet, opcodes.check_payload(packet.op, packet))
	if packet.dmalen then
		report(packet, opcodes.check_reth(packet.op, packet))
	end
end

local function add_undecoded(packet)
	if packet.at < packet.stop then
		packet.tree:add(fields.by_name.undecoded,
				packet.tvb(packet.at, packet.stop - packet.at))
	end
end

-- Headers ----------------------------------------------------------------------------

local function headers_of(packet)
	if packet.is_datagram then
		return packet.code == opcodes.UD_SEND_IMM and { "deth", "immdt" } or { "deth" }
	end
	return packet.op and packet.op.headers or {}
end

-- Returns false if the packet ends before.
local function add_headers(packet)
	for _, name in ipairs(headers_of(packet)) do
		if not headers.add(packet, name) then
			return false
		end
		if name == "meth" and packet.has_ts and not headers.add(packet, "tseth") then
			return false
		end
	end
	return true
end

local function header_len(packet)
	if packet.is_datagram then
		return BTH_LEN + opcodes.LENGTHS.deth +
			(packet.code == opcodes.UD_SEND_IMM and opcodes.LENGTHS.immdt or 0)
	end
	return opcodes.header_len(packet.op, packet.has_ts)
end

-- A switch has removed the end: headers as far as they are there.
local function add_trimmed(packet)
	packet.is_trimmed = true
	add_expert(packet, generated(packet.tree, "trimmed", true), "trimmed")
	add_headers(packet)
	add_undecoded(packet)
end

local function add_control(packet)
	local padding = packet.reported_stop - packet.begin - packet.op.len - ICRC_LEN
	local captured = math.min(padding, packet.stop - packet.at)

	if padding > opcodes.padding_max(packet.op) then
		report(packet, "long", "Control packet with octets behind its end")
	elseif padding > 0 then
		packet.padding = padding
		if captured > 0 then
			packet.tree:add(fields.by_name.padding,
					packet.tvb(packet.at, captured))
		end
	end
	packet.at = math.max(packet.at, packet.reported_stop - ICRC_LEN)
end

-- Dissect the packet at begin, which ends before reported_stop; stop is where the
-- captured octets end. Adds what it finds to the packet.
function packets.add(packet)
	local len = packet.reported_stop - packet.begin

	packet.at = packet.begin
	if packet.stop - packet.at < BTH_LEN then
		add_undecoded(packet)
		if len < BTH_LEN then
			add_expert(packet, packet.tree, "short")
		end
		return
	end
	headers.read_bth(packet)
	headers.bth(packet)
	if not packet.op and not packet.is_datagram then
		add_undecoded(packet)
		return
	elseif DSCP_TRIMMED[packet.dscp] and packet.op and packet.op.is_data then
		add_trimmed(packet)
		return
	elseif len < header_len(packet) + ICRC_LEN then
		report(packet, "short")
		-- What there is ends with the ICRC.
		packet.stop = math.max(packet.at,
			math.min(packet.stop, packet.reported_stop - ICRC_LEN))
		add_headers(packet)
		add_undecoded(packet)
		return
	elseif not add_headers(packet) then
		-- Cut by the capture.
		add_undecoded(packet)
		return
	end
	packet.is_complete = true
	if packet.is_datagram then
		add_payload(packet)
	elseif packet.op.is_data then
		add_payload(packet)
		if packet.payload then
			check_data(packet)
		end
	else
		add_control(packet)
	end
	add_icrc(packet)
end

-- Buffers of several packets --------------------------------------------------------------

local function is_next(tvb, at, first)
	local packet = { tvb = tvb, at = at }

	if at + BTH_LEN > tvb:len() then
		return false
	end
	headers.read_bth(packet)
	return packet.op and packet.tver == 0 and packet.qpn == first.qpn and
		packet.op.is_data == first.op.is_data and
		(not packet.op.is_data or packet.psn == (first.psn + 1) % 0x1000000)
end

-- Lengths that the first packet of a buffer may have. Full packets have one of the path
-- MTUs; an Only packet contains the whole message.
local function lengths_of(first)
	local op = first.op
	local len = opcodes.header_len(op, first.has_ts) + ICRC_LEN
	local lengths = {}

	if not op.has_payload then
		return { len }
	elseif op.is_only then
		local at = len - ICRC_LEN - 4

		-- ImmDt and IETH are behind RETH, whose last field is dmalen.
		if op.headers[3] then
			at = at - 4
		end
		if at + 4 <= first.tvb:len() then
			local payload = first.tvb(at, 4):uint()

			lengths[1] = len + payload + -payload % 4
		end
		return lengths
	end
	for _, mtu in ipairs(PATH_MTUS) do
		lengths[#lengths + 1] = len + mtu
	end
	return lengths
end

-- Where the packets of a buffer begin: list of first octets.
function packets.split(tvb)
	local first, total = { tvb = tvb, at = 0 }, tvb:reported_len()
	local starts = { 0 }

	if tvb:len() < BTH_LEN then
		return starts
	end
	headers.read_bth(first)
	if not first.op or first.tver ~= 0 then
		return starts
	end
	for _, len in ipairs(lengths_of(first)) do
		if total - len >= BTH_LEN_MIN and is_next(tvb, len, first) then
			for at = len, total - BTH_LEN_MIN, len do
				if #starts == MAX_SEGMENTS then
					break
				end
				starts[#starts + 1] = at
			end
			break
		end
	end
	return starts
end

return packets

end
