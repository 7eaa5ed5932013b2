-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- Opcodes, headers and lengths (Documentation/wire-format.md sections 2, 4 to 7).

local opcodes = {}

opcodes.BTH_LEN = 12
opcodes.ICRC_LEN = 4
opcodes.PAYLOAD_MAX = 4096
opcodes.MESSAGE_MAX = 0x80000000

-- Octets of headers.
opcodes.LENGTHS = {
	meth = 4, tseth = 4, reth = 16, immdt = 4, ieth = 4, atomiceth = 28, rpsneth = 4,
	atomicacketh = 8, seth = 28, cc_state = 8, neth = 20, peth = 16, aeth = 4,
	erth = 16, eeth = 36, deth = 8,
}

opcodes.MRC_CLASS = 0xc0
opcodes.UD_SEND = 0x64
opcodes.UD_SEND_IMM = 0x65

local table_of_opcodes = {}

local function add(code, name, headers, flags)
	local op = { code = code, name = name, headers = headers }

	for flag in (flags or ""):gmatch("%S+") do
		op[flag] = true
	end
	op.is_only = op.is_first and op.is_last
	op.is_data = headers[1] == "meth"
	op.len = opcodes.BTH_LEN
	for _, header in ipairs(headers) do
		op.len = op.len + opcodes.LENGTHS[header]
	end
	table_of_opcodes[code] = op
end

local RETH = { "meth", "reth" }
local IMMDT = { "meth", "reth", "immdt" }
local IETH = { "meth", "reth", "ieth" }
local ATOMIC = { "meth", "atomiceth", "rpsneth" }
-- Of SENDs and READ responses RETH has an offset in place of an address.
local SEND = "has_payload has_offset consumes_wqe "

add(0xc0, "SEND First", RETH, SEND .. "is_first")
add(0xc1, "SEND Middle", RETH, SEND)
add(0xc2, "SEND Last", RETH, SEND .. "is_last")
add(0xc3, "SEND Last with Immediate", IMMDT, SEND .. "is_last")
add(0xc4, "SEND Only", RETH, SEND .. "is_first is_last")
add(0xc5, "SEND Only with Immediate", IMMDT, SEND .. "is_first is_last")
add(0xc6, "WRITE First", RETH, "has_payload is_first")
add(0xc7, "WRITE Middle", RETH, "has_payload")
add(0xc8, "WRITE Last", RETH, "has_payload is_last")
add(0xc9, "WRITE Last with Immediate", IMMDT, "has_payload consumes_wqe is_last")
add(0xca, "WRITE Only", RETH, "has_payload is_first is_last")
add(0xcb, "WRITE Only with Immediate", IMMDT, "has_payload consumes_wqe is_first is_last")
add(0xcc, "READ Request", { "meth", "reth", "rpsneth" }, "is_request is_first is_last")
add(0xcd, "READ Response First", RETH, "has_payload has_offset is_response is_first")
add(0xce, "READ Response Middle", RETH, "has_payload has_offset is_response")
add(0xcf, "READ Response Last", RETH, "has_payload has_offset is_response is_last")
add(0xd0, "READ Response Only", RETH, "has_payload has_offset is_response is_first is_last")
add(0xd1, "Acknowledge", { "aeth" })
add(0xd2, "ATOMIC Acknowledge", { "meth", "atomicacketh" }, "is_response is_first is_last")
add(0xd3, "CmpSwap", ATOMIC, "is_request is_first is_last")
add(0xd4, "FetchAdd", ATOMIC, "is_request is_first is_last")
add(0xd6, "SEND Last with Invalidate", IETH, SEND .. "is_last")
add(0xd7, "SEND Only with Invalidate", IETH, SEND .. "is_first is_last")
add(0xd8, "Endpoint Request", { "erth" }, "is_endpoint")
add(0xd9, "Endpoint Response", { "eeth" }, "is_endpoint")
add(0xdc, "Reliability SACK", { "seth", "cc_state" })
add(0xdd, "Reliability NACK", { "neth" })
add(0xde, "Reliability Probe", { "peth" }, "is_padded")

-- Whether an opcode has the class of MRC, even if it is undefined.
function opcodes.is_mrc(code)
	return code >= opcodes.MRC_CLASS and code < opcodes.MRC_CLASS + 0x20
end

function opcodes.is_datagram(code)
	return code == opcodes.UD_SEND or code == opcodes.UD_SEND_IMM
end

-- The opcode, or nil if it is undefined.
function opcodes.get(code)
	return table_of_opcodes[code]
end

-- Octets from BTH up to the payload or the ICRC.
function opcodes.header_len(op, has_timestamp)
	return op.len + (op.is_data and has_timestamp and opcodes.LENGTHS.tseth or 0)
end

-- Names by code, for the column of a field.
function opcodes.names()
	local names = {
		[opcodes.UD_SEND] = "UD SEND Only",
		[opcodes.UD_SEND_IMM] = "UD SEND Only with Immediate",
	}

	for code, op in pairs(table_of_opcodes) do
		names[code] = op.name
	end
	return names
end

-- Most octets of padding: a probe may be as long as the longest data packet.
function opcodes.padding_max(op)
	local longest = opcodes.header_len(opcodes.get(0xcb), true) + opcodes.PAYLOAD_MAX

	return op.is_padded and longest - op.len or 0
end

-- Whether a packet of the requester contains something that the decoder drops:
-- returns the name of the check and a text, or nil. p: payload (octets without
-- padding), pad; va_high, va_low, dmalen if the opcode has RETH.
function opcodes.check_payload(op, p)
	local payload = p.payload

	if not op.has_payload then
		if payload > 0 or p.pad > 0 then
			return "length", "Payload in a packet without payload"
		end
		return nil
	elseif payload + p.pad > opcodes.PAYLOAD_MAX then
		return "long", "Payload of more than 4096 octets"
	elseif not op.is_last and p.pad > 0 then
		return "pad", "Padding in a First or Middle packet"
	elseif not op.is_only and payload <= 0 then
		return "length", "No payload in a First, Middle or Last packet"
	elseif p.pad ~= -payload % 4 then
		return "pad", "Padding does not complete a multiple of 4"
	end
	return nil
end

-- The offset of a SEND or READ response.
local function check_offset(op, p)
	if p.va_high > 0 or p.va_low + p.payload > p.dmalen then
		return "dmalen", "Payload ends behind the message"
	elseif (op.is_first or false) ~= (p.va_low == 0) then
		return "dmalen", "Offset does not fit First, Middle or Last"
	elseif (op.is_last or false) ~= (p.va_low + p.payload == p.dmalen) then
		return "dmalen", "Last packet does not end the message, or another one does"
	end
	return nil
end

function opcodes.check_reth(op, p)
	if p.dmalen > opcodes.MESSAGE_MAX then
		return "dmalen", "Message of more than 2^31 octets"
	elseif not op.has_payload then
		return nil
	elseif op.is_only and p.payload ~= p.dmalen then
		return "dmalen", "Payload differs from the length of the message"
	elseif not op.is_only and p.payload >= p.dmalen then
		return "dmalen", "Payload is not shorter than the message"
	elseif op.has_offset then
		return check_offset(op, p)
	elseif p.payload > 0 and p.va_high == 0xffffffff and
	       p.va_low + p.payload - 1 > 0xffffffff then
		return "va", "Address range wraps around"
	end
	return nil
end

return opcodes
