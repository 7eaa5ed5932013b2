-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- Between packets and track.lua: what is told to it on the first pass, and the items and
-- the text of what it found.

return function(fields, headers, track)

local analysis = {}
local generated, add_expert = headers.generated, headers.add_expert

-- Telling -------------------------------------------------------------------------

local function common(packet)
	return {
		key = packet.key, frame = packet.frame, time = packet.time, src = packet.src,
		dst = packet.dst, qpn = packet.qpn, psn = packet.psn, ev = packet.ev,
		ts = packet.ts, rtx = packet.rtx, plane = packet.plane,
		reflected_ev = packet.reflected_ev,
	}
end

local function tell_sack(packet, p)
	p.cack, p.offset, p.probe_id = packet.cack, packet.trigger_offset, packet.probe_id
	p.first, p.received, p.same = packet.first, packet.received, packet.contents
	track.sack(p)
end

local function tell_data(packet, p)
	p.trimmed = packet.is_trimmed
	p.rqmsn = packet.rqmsn
	p.request = packet.op.is_request and packet.rqmsn ~= nil
	p.response = packet.op.is_response and packet.rqmsn ~= nil
	track.data(p)
end

-- Tell track.lua of a packet, once. Returns whether it has a note.
function analysis.tell(packet)
	local p = common(packet)
	local op = packet.op

	if not op or not packet.is_complete and not packet.is_trimmed then
		return false
	elseif op.is_data then
		tell_data(packet, p)
	elseif packet.contents then
		tell_sack(packet, p)
	elseif packet.reason then
		p.psn = packet.refused_psn
		track.nack(p)
	elseif packet.syndrome then
		p.nak = packet.is_nak or packet.is_rnr
		track.ack(p)
	elseif op.is_endpoint then
		p.request = op.headers[1] == "erth"
		p.request_id = packet.psn
		track.endpoint(p)
	else
		p.probe_id = packet.probe_id
		track.probe(p)
	end
	return true
end

-- Showing ----------------------------------------------------------------------------

local function time(seconds)
	local whole = math.floor(seconds)

	return NSTime.new(whole, math.floor((seconds - whole) * 1e9 + 0.5))
end

-- Fields that have the value of a member of the note.
local LINKS = {
	{ "retransmission_of", "analysis.retransmission_of" },
	{ "previous_delta", "analysis.rto", time },
	{ "previous_ev", "analysis.previous_ev" },
	{ "previous_plane", "analysis.previous_plane" },
	{ "duplicate_of", "analysis.duplicate_of" },
	{ "out_of_order", "analysis.out_of_order" },
	{ "trigger", "analysis.trigger" },
	{ "rtt", "analysis.rtt", time },
	{ "trigger_plane", "analysis.trigger_plane" },
	{ "newly_acked", "analysis.newly_acked" },
	{ "nacked_in", "analysis.nacked_in" },
	{ "nacked_after", "analysis.nack_time", time },
	{ "acked_in", "analysis.acked_in" },
	{ "acked_after", "analysis.ack_time", time },
	{ "retransmitted_in", "analysis.retransmitted_in" },
	{ "response_in", "analysis.response_in" },
	{ "response_to", "analysis.response_to" },
	{ "response_time", "analysis.response_time", time },
}

local function has_any(note)
	for _, row in ipairs(LINKS) do
		if note[row[1]] then
			return true
		end
	end
	return note.retransmission
end

local function add_retransmission(packet, tree, note)
	if not note.retransmission then
		return
	end
	add_expert(packet, generated(tree, "analysis.retransmission", true), "retransmission")
	if note.spurious_after then
		add_expert(packet, generated(tree, "analysis.spurious", true), "spurious",
			   string.format("Had been acknowledged in frame %d",
					 note.spurious_after))
	end
end

-- Add what is known of a packet.
function analysis.add(packet)
	local note = track.get(packet.key)
	local tree

	packet.note = note
	if note and note.stream then
		generated(packet.tree, "stream", track.stream(note))
	end
	if not note or not has_any(note) then
		return
	end
	tree = packet.tree:add(fields.by_name.analysis, packet.tvb(packet.begin, 0))
	tree:set_generated()
	add_retransmission(packet, tree, note)
	for _, row in ipairs(LINKS) do
		local value = note[row[1]]

		if value then
			local item = generated(tree, row[2], row[3] and row[3](value) or value)

			if row[1] == "out_of_order" then
				add_expert(packet, item, "out_of_order")
			elseif row[1] == "duplicate_of" then
				add_expert(packet, item, "duplicate")
			end
		end
	end
end

-- Info column --------------------------------------------------------------------------

local function sack_text(packet)
	local text = string.format("Cack=%d", packet.cack)

	if packet.probe_id then
		text = text .. string.format(" Probe=%d", packet.probe_id)
	else
		text = text .. string.format(" Trigger=%d", packet.trigger_psn)
	end
	if packet.received_text ~= "" then
		text = text .. " Rcvd=" .. packet.received_text:gsub(" ", ",")
	end
	if packet.ooo_count and packet.ooo_count > 0 then
		text = text .. string.format(" OOO=%d", packet.ooo_count)
	end
	text = text .. string.format(" EV=0x%08x", packet.reflected_ev)
	if packet.mark ~= 0 then
		text = text .. " [" .. fields.MARKS[packet.mark] .. "]"
	end
	return text
end

local function aeth_text(packet)
	local code = packet.syndrome % 32
	local text = "ACK"

	if packet.is_nak then
		text = "NAK " .. (fields.NAKS[code] or string.format("code %d", code))
	elseif packet.is_rnr then
		text = "RNR NAK " .. fields.RNR_TIMERS[code]
	elseif packet.errors and packet.errors.syndrome then
		text = string.format("Syndrome 0x%02x", packet.syndrome)
	end
	return text .. string.format(" PSN=%d MSN=%d", packet.psn, packet.completed)
end

local function data_text(packet)
	local text = string.format("PSN=%d", packet.psn)

	if packet.msn then
		text = text .. string.format(" MSN=%d", packet.msn)
	end
	if packet.op.is_request and packet.dmalen then
		text = text .. string.format(" Req=%.0f", packet.dmalen)
	elseif packet.payload and packet.op.has_payload then
		text = text .. string.format(" Len=%d", packet.payload)
	end
	return text .. string.format(" EV=0x%08x", packet.ev)
end

local function endpoint_text(packet)
	local operation = fields.ENDPOINT_OPS[packet.ep_op] or
		string.format("operation %d", packet.ep_op)

	return string.format("%s Id=%d Ports=%s", operation, packet.psn,
			     packet.ports:gsub(" ", ","))
end

local function text_of(packet)
	local op = packet.op

	if packet.is_datagram then
		return packet.source_qpn and string.format("SrcQP=0x%06x", packet.source_qpn)
	elseif op.is_data then
		return data_text(packet)
	elseif packet.contents then
		return sack_text(packet)
	elseif packet.syndrome then
		return aeth_text(packet)
	elseif packet.reason then
		return string.format("%s PSN=%d EV=0x%08x",
			fields.NACK_REASONS[packet.reason] or
			string.format("reason 0x%02x", packet.reason), packet.refused_psn,
			packet.reflected_ev)
	elseif packet.ep_op then
		return endpoint_text(packet)
	elseif packet.probe_id then
		return string.format("Id=%d EV=0x%08x%s", packet.probe_id, packet.ev,
			packet.padding and " Padding=" .. packet.padding or "")
	end
	return nil
end

local ERRORS = {
	"short", "long", "opcode", "tver", "pkey", "qpn", "pad", "length", "dmalen", "va",
	"noicrc", "nack_reason", "syndrome", "ep_op",
}

local function marks_of(packet)
	local note, errors = packet.note or {}, packet.errors or {}
	local marks = {}

	local function mark(condition, text)
		if condition then
			marks[#marks + 1] = " [" .. text .. "]"
		end
	end

	mark(packet.is_trimmed, "Trimmed")
	mark(note.retransmission, "Retransmission")
	mark(note.spurious_after, "Spurious")
	mark(note.duplicate_of, "Duplicate")
	mark(note.out_of_order, "Out-of-Order")
	mark(errors.icrc, "Bad ICRC")
	for _, name in ipairs(ERRORS) do
		if errors[name] then
			mark(true, "Malformed: " .. name)
			break
		end
	end
	return table.concat(marks)
end

-- What the Info column says of a packet.
function analysis.info(packet)
	local name, text

	if not packet.code then
		return "MRC [Malformed: short]"
	end
	name = packet.op and packet.op.name or packet.is_datagram and "UD SEND" or
		string.format("Unknown opcode 0x%02x", packet.code)
	if packet.op and not packet.op.is_data then
		name = name:gsub("^Reliability ", "")
	end
	if packet.op and packet.op.is_endpoint then
		text = name
	else
		text = string.format("%s QP=0x%06x", name, packet.qpn)
	end
	if packet.op or packet.is_datagram then
		local more = text_of(packet)

		text = more and text .. " " .. more or text
	end
	return text .. marks_of(packet)
end

return analysis

end
