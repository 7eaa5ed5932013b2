-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- What packets have to do with each other: retransmissions, the packet that triggered
-- a SACK, the SACK that covers a packet, requests and responses.
--
-- A flow is the data packets from one address to one QP of another address. BTH names
-- only the destination QP, and acknowledgments go to another QP than data: which QPs
-- belong together is learnt from packets that reflect what a data packet had
-- (PSN, entropy value, timestamp).
--
-- Each packet has a note, a table that is kept by the key of the packet. Links between
-- packets are frame numbers in notes. The number of notes is limited: the oldest is
-- forgotten first, and all that refers to it.

local track = {}

local PSN_SPACE = 0x1000000
local HALF_SPACE = PSN_SPACE / 2
-- Above the largest window of PSNs (255 * 128). A packet farther away belongs to a
-- later connection whose QP has the same number.
local FAR = 0x10000
local SACK_BITS = 64
-- Flows that are compared with an acknowledgment whose QP is unknown.
local MAX_CANDIDATES = 256

track.limit = 500000

local notes, order, head, tail
local flows, flows_between, bindings, endpoints
local streams

-- Forget all packets.
function track.reset()
	notes, order, head, tail = {}, {}, 1, 0
	flows, flows_between, bindings, endpoints = {}, {}, {}, {}
	streams = 0
end

track.reset()

-- a - b in serial arithmetic.
local function psn_diff(a, b)
	return (a - b + HALF_SPACE) % PSN_SPACE - HALF_SPACE
end

local function psn_add(psn, n)
	return (psn + n) % PSN_SPACE
end

track.psn_diff = psn_diff
track.psn_add = psn_add

-- The note of a packet, or nil.
function track.get(key)
	return notes[key]
end

-- Number of packets that are remembered.
function track.count()
	return tail - head + 1
end

-- Notes and bounds ------------------------------------------------------------

local function drop_flow(flow)
	local list = flows_between[flow.between]

	if flows[flow.key] == flow then
		flows[flow.key] = nil
	end
	for nth, other in ipairs(list or {}) do
		if other == flow then
			table.remove(list, nth)
			break
		end
	end
	if list and #list == 0 then
		flows_between[flow.between] = nil
	end
	if flow.binding and bindings[flow.binding] == flow then
		bindings[flow.binding] = nil
	end
end

-- Remove a note from the table of a flow or of endpoint requests that refers to it.
local function unlist(note)
	local list, index = note.list, note.index

	if list and list[index] == note then
		list[index] = nil
	end
	if note.request_of and note.request_of.requests[note.rqmsn] == note then
		note.request_of.requests[note.rqmsn] = nil
	end
	if note.newer then
		note.newer.older = nil
	end
end

local function forget_oldest()
	local note = order[head]

	order[head] = nil
	head = head + 1
	notes[note.key] = nil
	unlist(note)
	if note.flow then
		note.flow.live = note.flow.live - 1
		if note.flow.live == 0 then
			drop_flow(note.flow)
		end
	end
end

-- p: what the dissector knows of the packet.
local function remember(p)
	local note = {
		key = p.key, frame = p.frame, time = p.time, psn = p.psn, ev = p.ev,
		ts = p.ts, rtx = p.rtx, plane = p.plane, kind = p.kind,
	}

	while tail - head + 1 >= math.max(track.limit, 1) do
		forget_oldest()
	end
	tail = tail + 1
	order[tail] = note
	notes[p.key] = note
	return note
end

-- An entry of a table that is removed with the note.
local function enlist(note, list, index)
	note.list, note.index = list, index
	list[index] = note
end

-- Flows -------------------------------------------------------------------------

local function flow_key(src, dst, qpn)
	return src .. "|" .. dst .. "|" .. qpn
end

-- A stream is both flows of a connection. The number of a flow changes if it turns out
-- that it belongs to another one.
local function new_stream()
	streams = streams + 1
	return { number = streams - 1 }
end

-- The stream that others were joined to.
local function root_of(stream)
	while stream.joined do
		stream = stream.joined
	end
	return stream
end

-- The number of the stream of a note, or nil.
function track.stream(note)
	return note.stream and root_of(note.stream).number
end

-- Acknowledgments of a flow go to the QP to which the other flow sends data. The lower
-- number is kept, so no circle can arise.
local function join_streams(flow, other)
	local a, b

	if not other then
		return
	end
	a, b = root_of(flow.stream), root_of(other.stream)
	if a.number < b.number then
		b.joined = a
	elseif b.number < a.number then
		a.joined = b
	end
	flow.stream, other.stream = root_of(a), root_of(b)
end

local function new_flow(p, key, is_new_connection)
	local between = p.src .. "|" .. p.dst
	local flow = {
		key = key, between = between, qpn = p.qpn, live = 0, sent = {}, probes = {},
		requests = {},
	}
	local other = not is_new_connection and bindings[key]

	flow.stream = other and other.stream or new_stream()
	flows[key] = flow
	flows_between[between] = flows_between[between] or {}
	table.insert(flows_between[between], flow)
	return flow
end

-- The flow of a packet to a responder; it belongs to it from now on.
local function join_flow(p, note)
	local key = flow_key(p.src, p.dst, p.qpn)
	local flow = flows[key]
	local is_new_connection = flow and p.kind == "data" and flow.highest and
		math.abs(psn_diff(p.psn, flow.highest)) >= FAR

	if is_new_connection then
		drop_flow(flow)
	end
	if not flow or is_new_connection then
		flow = new_flow(p, key, is_new_connection)
	end
	flow.live = flow.live + 1
	note.flow, note.stream = flow, flow.stream
	return flow
end

-- The flow that a packet to a requester is about. matches(flow) returns the packet
-- that it reflects, or nil; is_weak: such a packet may exist in other flows, too.
-- Returns the flow and that packet.
local function find_flow(p, matches, is_weak)
	local key = flow_key(p.src, p.dst, p.qpn)
	local bound = bindings[key]
	local match = bound and matches(bound)
	local found

	if match or bound and is_weak then
		return bound, match
	end
	for nth, flow in ipairs(flows_between[p.dst .. "|" .. p.src] or {}) do
		local other = nth <= MAX_CANDIDATES and flow ~= bound and matches(flow)

		if other and found then
			-- Ambiguous.
			return bound
		elseif other then
			found, match = flow, other
		end
	end
	if not found then
		return bound
	end
	if found.binding and bindings[found.binding] == found then
		bindings[found.binding] = nil
	end
	found.binding = key
	bindings[key] = found
	join_streams(found, flows[key])
	return found, match
end

-- Data ----------------------------------------------------------------------------

-- The same transmission, captured at another place or duplicated by the network.
local function is_same_transmission(p, sent)
	if p.ts or sent.ts then
		return p.ts == sent.ts and p.ev == sent.ev and p.rtx == sent.rtx
	end
	return not p.rtx and p.ev == sent.ev
end

local function note_repetition(p, note, previous)
	local sent = previous

	while sent do
		if is_same_transmission(p, sent) then
			note.duplicate_of = sent.duplicate_of or sent.frame
			return
		end
		sent = sent.older
	end
	note.retransmission = true
	note.retransmission_of = previous.frame
	note.previous_ev, note.previous_plane = previous.ev, previous.plane
	note.previous_delta = p.time - previous.time
	note.spurious_after = previous.acked_in
	previous.retransmitted_in = note.frame
end

local function note_order(p, note, flow)
	local ahead = flow.highest and psn_diff(p.psn, flow.highest) or 1

	if ahead > 0 then
		flow.highest = p.psn
	elseif not p.rtx then
		note.out_of_order = -ahead
	end
	if not flow.cack then
		flow.cack = psn_add(p.psn, -1)
	elseif not flow.acked and psn_diff(p.psn, flow.cack) <= 0 then
		flow.cack = psn_add(p.psn, -1)
	end
end

-- A response goes to the requester's QP, as acknowledgments do.
local function note_response(p, note)
	local _, request = find_flow(p, function(flow)
		return flow.requests[p.rqmsn]
	end, true)

	if request then
		note.response_to = request.frame
		note.response_time = p.time - request.time
		if not request.response_in then
			request.response_in = note.frame
		end
	end
end

-- A data packet: src, dst, qpn, psn, ev, ts (nil without), rtx, plane, trimmed; request
-- and response if it is one of a READ or ATOMIC, with rqmsn.
function track.data(p)
	local note, flow, previous

	p.kind = "data"
	note = remember(p)
	flow = join_flow(p, note)
	previous = flow.sent[p.psn]
	note.trimmed = p.trimmed
	if previous then
		note_repetition(p, note, previous)
	elseif p.rtx then
		note.retransmission = true
	end
	if not previous then
		note_order(p, note, flow)
	end
	if not note.duplicate_of then
		note.older = previous
		if previous then
			previous.newer = note
		end
		enlist(note, flow.sent, p.psn)
	end
	if p.request and not previous then
		flow.requests[p.rqmsn] = note
		note.request_of, note.rqmsn = flow, p.rqmsn
	elseif p.response then
		note_response(p, note)
	end
	return note
end

-- Acknowledgments -------------------------------------------------------------------

-- The transmission of a PSN that a packet reflects, or nil. What is reflected of a packet
-- that was trimmed in front of its timestamp is zero.
local function find_sent(flow, psn, p)
	local sent = flow.sent[psn]

	while sent do
		local same_ts = not sent.ts or p.ts == sent.ts or p.ts == 0

		if sent.ev == p.reflected_ev and same_ts then
			return sent
		end
		sent = sent.older
	end
	return nil
end

local function cover(flow, psn, note)
	local sent = flow.sent[psn]

	while sent do
		if not sent.acked_in then
			sent.acked_in = note.frame
			sent.acked_after = note.time - sent.time
		end
		sent = sent.older
	end
end

-- All up to a cumulative PSN have arrived.
local function cover_up_to(flow, psn, note)
	local ahead = flow.cack and psn_diff(psn, flow.cack) or 0

	if ahead <= 0 or ahead >= FAR then
		return
	end
	for n = 1, ahead do
		cover(flow, psn_add(flow.cack, n), note)
	end
	note.newly_acked = ahead
	flow.cack = psn
	flow.acked = true
end

local function link_to(note, p, packet)
	note.trigger = packet.frame
	note.rtt = p.time - packet.time
	note.trigger_plane = packet.plane
end

-- A SACK: src, dst, qpn, cack, offset (nil for that of a probe), probe_id, first (PSN of
-- bit 0), received (function of a bit), reflected_ev, ts. same tells SACKs apart.
function track.sack(p)
	local flow, packet, note

	p.kind = "sack"
	note = remember(p)
	flow, packet = find_flow(p, function(candidate)
		if p.probe_id then
			local probe = candidate.probes[p.probe_id]
			return probe and probe.ts == p.ts and probe or nil
		end
		return find_sent(candidate, psn_add(p.cack, p.offset), p)
	end)
	if packet then
		if packet.sack == p.same then
			note.duplicate_of = packet.sack_frame
		end
		packet.sack, packet.sack_frame = p.same, packet.sack_frame or note.frame
		packet.response_in = packet.kind == "probe" and packet.sack_frame or
			packet.response_in
		link_to(note, p, packet)
	end
	if not flow then
		return note
	end
	note.stream = flow.stream
	cover_up_to(flow, p.cack, note)
	for nth = 0, SACK_BITS - 1 do
		if p.received(nth) then
			cover(flow, psn_add(p.first, nth), note)
		end
	end
	return note
end

-- A NACK of psn, with reflected_ev and ts.
function track.nack(p)
	local note, flow, packet

	p.kind = "nack"
	note = remember(p)
	flow, packet = find_flow(p, function(candidate)
		return find_sent(candidate, p.psn, p)
	end)
	note.stream = flow and flow.stream
	if packet then
		link_to(note, p, packet)
		packet.nacked_in = packet.nacked_in or note.frame
		packet.nacked_after = packet.nacked_after or note.rtt
	end
	return note
end

-- An Acknowledge: nak (the packet of psn is refused) or not. It reflects nothing that
-- tells flows apart.
function track.ack(p)
	local note, flow, packet

	p.kind = "ack"
	note = remember(p)
	flow, packet = find_flow(p, function(candidate)
		return candidate.sent[p.psn]
	end, true)
	if packet then
		link_to(note, p, packet)
	end
	if packet and p.nak then
		packet.nacked_in = packet.nacked_in or note.frame
		packet.nacked_after = packet.nacked_after or note.rtt
	end
	if flow then
		note.stream = flow.stream
		cover_up_to(flow, p.nak and psn_add(p.psn, -1) or p.psn, note)
	end
	return note
end

-- A reliability probe: src, dst, qpn, probe_id, ev, ts.
function track.probe(p)
	local note, flow

	p.kind = "probe"
	note = remember(p)
	flow = join_flow(p, note)
	enlist(note, flow.probes, p.probe_id)
	return note
end

-- An endpoint request or response: src, dst, request_id, ts.
function track.endpoint(p)
	local note, request

	p.kind = "endpoint"
	note = remember(p)
	if p.request then
		enlist(note, endpoints, flow_key(p.src, p.dst, p.request_id))
		return note
	end
	request = endpoints[flow_key(p.dst, p.src, p.request_id)]
	if request and request.ts == p.ts then
		note.response_to = request.frame
		note.response_time = p.time - request.time
		request.response_in = request.response_in or note.frame
	end
	return note
end

return track
