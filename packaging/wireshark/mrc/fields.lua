-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- Fields, their filter names and expert information. Names in the tables of other
-- files are those of the filters without "mrc."

return function(opcodes)

local fields = { by_name = {}, mask = {}, list = {}, expert = {}, experts = {} }

local BOOL_WIDTH = { uint8 = 8, uint16 = 16, uint32 = 32 }

local function keep(name, field, mask)
	fields.by_name[name] = field
	fields.mask[name] = mask
	fields.list[#fields.list + 1] = field
end

-- number("psn", "uint24", "PSN", base.DEC[, values[, mask]])
local function number(name, kind, label, display, values, mask)
	keep(name, ProtoField[kind]("mrc." .. name, label, display, values, mask), mask)
end

-- A bit of an integer of a kind.
local function flag(name, kind, label, mask)
	keep(name, ProtoField.bool("mrc." .. name, label, BOOL_WIDTH[kind], nil, mask), mask)
end

-- What has a value of its own width.
local function plain(name, kind, label)
	keep(name, ProtoField[kind]("mrc." .. name, label))
end

local function link(name, label, kind)
	keep(name, ProtoField.framenum("mrc." .. name, label, base.NONE, kind))
end

local function header(name, label)
	keep(name, ProtoField.none("mrc." .. name, label))
end

local NACK_REASONS = {
	[0x01] = "TRIMMED", [0x02] = "TRIMMED_LASTHOP", [0x06] = "NO_BITMAP",
	[0x07] = "NO_PKT_BUFFER", [0x0a] = "NO_RESOURCE", [0x0b] = "PSN_OOR_WINDOW",
	[0x19] = "UNEXP_EVENT",
}
local MARKS = { [0] = "none", "SKIP_ONCE", "ALWAYS_SKIP", "undefined" }
local SYNDROMES = { [0] = "ACK", "RNR NAK", "reserved", "NAK", "reserved", "reserved",
	"reserved", "reserved" }
local NAKS = {
	[0] = "PSN sequence error", "Invalid request", "Remote access error",
	"Remote operational error", "Invalid RD request",
}
local ENDPOINT_OPS = { [0] = "port status", "EV probe" }
local FTYPES = { [1] = "128 ns" }
-- Milliseconds of the timer of an RNR NAK (IBTA, table 45).
local RNR_TIMERS = {
	[0] = "655.36 ms", "0.01 ms", "0.02 ms", "0.03 ms", "0.04 ms", "0.06 ms", "0.08 ms",
	"0.12 ms", "0.16 ms", "0.24 ms", "0.32 ms", "0.48 ms", "0.64 ms", "0.96 ms",
	"1.28 ms", "1.92 ms", "2.56 ms", "3.84 ms", "5.12 ms", "7.68 ms", "10.24 ms",
	"15.36 ms", "20.48 ms", "30.72 ms", "40.96 ms", "61.44 ms", "81.92 ms", "122.88 ms",
	"163.84 ms", "245.76 ms", "327.68 ms", "491.52 ms",
}

fields.NACK_REASONS, fields.MARKS, fields.NAKS = NACK_REASONS, MARKS, NAKS
fields.ENDPOINT_OPS, fields.RNR_TIMERS = ENDPOINT_OPS, RNR_TIMERS

-- BTH
header("bth", "Base Transport Header (BTH)")
number("opcode", "uint8", "Opcode", base.HEX, opcodes.names())
flag("se", "uint8", "Solicited event", 0x80)
flag("m", "uint8", "M (ignored)", 0x40)
number("pad", "uint8", "Pad count", base.DEC, nil, 0x30)
number("tver", "uint8", "Transport header version", base.DEC, nil, 0x0f)
number("pkey", "uint16", "P_Key", base.HEX)
number("bth.reserved", "uint8", "Reserved", base.HEX)
number("destqp", "uint24", "Destination QP", base.HEX)
flag("ackreq", "uint8", "Acknowledgment requested (A)", 0x80)
flag("bth.reserved_r", "uint8", "Reserved (R)", 0x40)
flag("rtx", "uint8", "Retransmission (rtx)", 0x20)
flag("ts_present", "uint8", "Timestamp present (ts)", 0x10)
flag("noicrc", "uint8", "No ICRC (noicrc)", 0x08)
number("bth.reserved_bits", "uint8", "Reserved", base.HEX, nil, 0x07)
number("psn", "uint24", "PSN", base.DEC)
number("request_id", "uint24", "Request id", base.DEC)

-- Headers of requests
header("meth", "Message Header (METH)")
number("rqmsn", "uint16", "Receive queue message number (rqmsn)", base.DEC)
number("msn", "uint16", "Message number (msn)", base.DEC)
header("tseth", "Timestamp Header (TSETH)")
number("ts", "uint16", "Timestamp, 128 ns", base.DEC)
flag("ts.tsr", "uint16", "Resolution (tsr)", 0x8000)
number("ts.reserved", "uint16", "Reserved", base.HEX, nil, 0x7ff0)
number("ts.ftype", "uint16", "Type (ftype)", base.DEC, FTYPES, 0x000f)
header("reth", "RDMA Header (RETH)")
number("va", "uint64", "Virtual address", base.HEX)
number("offset", "uint64", "Offset in the message", base.DEC)
number("rkey", "uint32", "R_Key", base.HEX)
number("dmalen", "uint32", "Length of the message", base.DEC)
header("immdt", "Immediate Data (ImmDt)")
number("imm", "uint32", "Immediate data", base.HEX)
header("ieth", "Invalidate Header (IETH)")
number("inv_rkey", "uint32", "R_Key to invalidate", base.HEX)
header("atomiceth", "Atomic Header (AtomicETH)")
number("swap", "uint64", "Swap or add", base.HEX)
number("compare", "uint64", "Compare", base.HEX)
header("rpsneth", "Responder PSN Header (RPSNETH)")
number("rpsn.reserved", "uint8", "Reserved", base.HEX)
number("rpsn", "uint24", "First PSN expected from the responder", base.DEC)
header("atomicacketh", "Atomic Acknowledge Header (AtomicAckETH)")
number("orig", "uint64", "Value before the operation", base.HEX)

-- SACK
header("sack", "Selective Acknowledgment (SETH)")
number("sack.type", "uint16", "Type", base.DEC, nil, 0xf000)
number("sack.nxt", "uint16", "Next", base.DEC, nil, 0x0f80)
number("sack.mark", "uint16", "Mark (m)", base.DEC, MARKS, 0x0060)
number("sack.reserved", "uint16", "Reserved", base.HEX, nil, 0x001d)
flag("sack.probe", "uint16", "Of a reliability probe (pr)", 0x0002)
number("sack.trigger_offset", "int16", "PSN of the trigger minus cumulative PSN", base.DEC)
number("sack.probe_id", "uint16", "Probe id", base.DEC)
number("sack.ev", "uint32", "Entropy value of the trigger", base.HEX)
number("sack.spdcid", "uint16", "spdcid", base.HEX)
number("sack.dpdcid", "uint16", "dpdcid", base.HEX)
number("sack.reserved2", "uint8", "Reserved", base.HEX)
number("sack.cack", "uint24", "Cumulative PSN", base.DEC)
number("sack.cc_type", "uint8", "cc_type", base.DEC, nil, 0xf0)
number("sack.cc_fl", "uint8", "cc_fl", base.DEC, nil, 0x0f)
number("sack.mpr", "uint8", "Maximum PSN range, 128 PSNs", base.DEC)
number("sack.offset", "int16", "PSN of bit 0 minus cumulative PSN", base.DEC)
number("sack.bitmap", "uint64", "Bitmap", base.HEX)
number("sack.trigger_psn", "uint24", "PSN of the trigger", base.DEC)
plain("sack.received", "string", "PSNs received")
header("cc_state", "Congestion State (CC_STATE)")
number("sack.ts", "uint16", "Reflected timestamp, 128 ns", base.DEC)
flag("sack.reserved3", "uint16", "Reserved", 0x8000)
number("sack.ooo_count", "uint16", "Packets received out of order", base.DEC, nil, 0x7fff)
flag("sack.restore_cwnd", "uint32", "Restore congestion window", 0x80000000)
number("sack.rcv_cwnd_pen", "uint32", "Congestion window penalty", base.DEC, nil,
       0x7f000000)
number("sack.rcvd_bytes", "uint32", "Received, 256 octets", base.DEC, nil, 0x00ffffff)

-- NACK
header("nack", "Negative Acknowledgment (NETH)")
number("nack.reserved", "uint16", "Type, next, reserved", base.HEX)
number("nack.reason", "uint8", "Reason", base.HEX, NACK_REASONS)
number("nack.vendor_info", "uint8", "Vendor info", base.HEX)
number("nack.ev", "uint32", "Entropy value of the refused packet", base.HEX)
number("nack.spdcid", "uint16", "spdcid", base.HEX)
number("nack.dpdcid", "uint16", "dpdcid", base.HEX)
number("nack.reserved2", "uint8", "Reserved", base.HEX)
number("nack.psn", "uint24", "Refused PSN", base.DEC)
number("nack.cc_type", "uint8", "cc_type", base.DEC, nil, 0xf0)
number("nack.cc_fl", "uint8", "cc_fl", base.DEC, nil, 0x0f)
number("nack.reserved3", "uint8", "Reserved", base.HEX)
number("nack.ts", "uint16", "Reflected timestamp, 128 ns", base.DEC)

-- Acknowledge
header("aeth", "Acknowledge Header (AETH)")
number("aeth.syndrome", "uint8", "Syndrome", base.HEX)
number("aeth.type", "uint8", "Type", base.DEC, SYNDROMES, 0xe0)
number("aeth.credits", "uint8", "Credits", base.DEC, { [0x1f] = "unlimited" }, 0x1f)
number("aeth.rnr_timer", "uint8", "RNR timer", base.DEC, RNR_TIMERS, 0x1f)
number("aeth.nak", "uint8", "NAK code", base.DEC, NAKS, 0x1f)
number("aeth.msn", "uint24", "Messages completed", base.DEC)

-- Probe
header("probe", "Reliability Probe (PETH)")
number("probe.reserved", "uint16", "Type, next, reserved", base.HEX)
number("probe.reserved2", "uint8", "Reserved", base.HEX)
number("probe.vendor_info", "uint8", "Vendor info", base.HEX)
number("probe.id", "uint16", "Probe id", base.DEC)
number("probe.reserved3", "uint16", "Reserved", base.HEX)
number("probe.spdcid", "uint16", "spdcid", base.HEX)
number("probe.dpdcid", "uint16", "dpdcid", base.HEX)

-- Endpoint
header("ep", "Endpoint Header")
number("ep.op", "uint16", "Operation", base.DEC, ENDPOINT_OPS, 0x0003)
number("ep.reserved", "uint16", "Reserved", base.HEX, nil, 0xfffc)
number("ep.rsp_op", "uint16", "Operation", base.DEC, ENDPOINT_OPS, 0x000c)
number("ep.rsp_reserved", "uint16", "Reserved", base.HEX, nil, 0xfff3)
number("ep.reserved2", "uint8", "Reserved", base.HEX)
number("ep.vendor_info", "uint8", "Vendor info", base.HEX)
number("ep.port_mask", "uint32", "Ports (bit 0: port 1)", base.HEX)
plain("ep.ports", "string", "Ports")
number("ep.caps_magic", "uint16", "Magic of capabilities", base.HEX)
number("ep.caps", "uint16", "Capabilities", base.HEX)
flag("ep.caps.noicrc", "uint16", "Accepts data without ICRC", 0x0001)
flag("ep.caps.send", "uint16", "SEND", 0x0002)
flag("ep.caps.svc_time", "uint16", "Service time in timestamps", 0x0004)
flag("ep.caps.read", "uint16", "READ and ATOMIC", 0x0008)
flag("ep.caps.inv", "uint16", "SEND with Invalidate", 0x0010)
flag("ep.caps.padded_probe", "uint16", "Probes with padding", 0x0020)
number("ep.caps.reserved", "uint16", "Reserved", base.HEX, nil, 0xffc0)
plain("ep.magic", "bool", "Sent by this driver")
plain("ep.reserved3", "bytes", "Reserved")
number("ep.ts", "uint16", "Reflected timestamp, 128 ns", base.DEC)
plain("ep.reserved4", "bytes", "Reserved")

-- Datagrams
header("deth", "Datagram Header (DETH)")
number("deth.qkey", "uint32", "Q_Key", base.HEX)
number("deth.reserved", "uint8", "Reserved", base.HEX)
number("deth.srcqp", "uint24", "Source QP", base.HEX)

-- Rest of a packet
plain("payload", "bytes", "Payload")
number("payload_len", "uint32", "Payload length", base.DEC)
plain("padding", "bytes", "Padding")
number("icrc", "uint32", "ICRC", base.HEX)
plain("icrc.status", "string", "ICRC status")
number("icrc.expected", "uint32", "ICRC expected", base.HEX)
plain("undecoded", "bytes", "Not decoded")

-- What follows from the headers around
number("ev", "uint32", "Entropy value", base.HEX)
plain("trimmed", "bool", "Trimmed")
plain("ecn_ce", "bool", "Congestion experienced (ECN)")
number("plane", "uint32", "Plane", base.DEC)
plain("path", "string", "Path ahead")
plain("path.usid", "string", "uSID")
plain("path.node", "string", "Node")
number("stream", "uint32", "Stream index", base.DEC)
number("segment", "uint32", "Packet in the buffer", base.DEC)
number("segments", "uint32", "Packets in the buffer", base.DEC)

-- What follows from other packets
header("analysis", "Analysis")
plain("analysis.retransmission", "bool", "Retransmission")
link("analysis.retransmission_of", "Retransmission of", frametype.NONE)
plain("analysis.rto", "relative_time", "Time since the previous transmission")
number("analysis.previous_ev", "uint32", "Entropy value of the previous transmission",
       base.HEX)
number("analysis.previous_plane", "uint32", "Plane of the previous transmission", base.DEC)
link("analysis.retransmitted_in", "Retransmitted in", frametype.NONE)
plain("analysis.spurious", "bool", "Acknowledged before the retransmission")
link("analysis.duplicate_of", "Same packet as", frametype.DUP_ACK)
number("analysis.out_of_order", "uint32", "Out of order by packets", base.DEC)
link("analysis.acked_in", "Acknowledged in", frametype.ACK)
plain("analysis.ack_time", "relative_time", "Time until it was acknowledged")
link("analysis.nacked_in", "Refused in", frametype.NONE)
plain("analysis.nack_time", "relative_time", "Time until it was refused")
link("analysis.trigger", "Triggered by", frametype.NONE)
plain("analysis.rtt", "relative_time", "Round trip since the trigger")
number("analysis.trigger_plane", "uint32", "Plane of the trigger", base.DEC)
number("analysis.newly_acked", "uint32", "PSNs newly acknowledged cumulatively", base.DEC)
link("analysis.response_in", "Response in", frametype.RESPONSE)
link("analysis.response_to", "Response to", frametype.REQUEST)
plain("analysis.response_time", "relative_time", "Time since the request")

local function add_expert(name, text, group, level)
	local info = ProtoExpert.new("mrc.expert." .. name, text, group, level)

	fields.expert[name] = info
	fields.experts[#fields.experts + 1] = info
end

local malformed, protocol = expert.group.MALFORMED, expert.group.PROTOCOL
local sequence, response = expert.group.SEQUENCE, expert.group.RESPONSE_CODE
local severity = expert.severity

add_expert("short", "Packet is shorter than its headers", malformed, severity.ERROR)
add_expert("long", "Packet is longer than permitted", malformed, severity.ERROR)
add_expert("opcode", "Undefined MRC opcode", malformed, severity.ERROR)
add_expert("tver", "Transport header version is not 0", malformed, severity.ERROR)
add_expert("pkey", "P_Key is not the default", protocol, severity.WARN)
add_expert("qpn", "Destination QP is not permitted with this opcode", protocol,
	   severity.ERROR)
add_expert("pad", "Pad count is wrong", malformed, severity.ERROR)
add_expert("length", "Length does not fit the opcode", malformed, severity.ERROR)
add_expert("dmalen", "Length of the message does not fit", malformed, severity.ERROR)
add_expert("va", "Address range wraps around", malformed, severity.ERROR)
add_expert("noicrc", "A packet without ICRC must not be a control packet", protocol,
	   severity.ERROR)
add_expert("nack_reason", "Unknown reason of a NACK", protocol, severity.WARN)
add_expert("syndrome", "Reserved type of syndrome", protocol, severity.WARN)
add_expert("ep_op", "Unknown operation", protocol, severity.WARN)
add_expert("reserved", "Reserved bits are not zero", protocol, severity.NOTE)
add_expert("ftype", "Unknown type of timestamp", protocol, severity.NOTE)
add_expert("psn_differs", "PSN differs from that of BTH", protocol, severity.WARN)
add_expert("icrc", "ICRC is incorrect", expert.group.CHECKSUM, severity.ERROR)
add_expert("trimmed", "Packet was trimmed by a switch", sequence, severity.NOTE)
add_expert("retransmission", "Retransmission", sequence, severity.NOTE)
add_expert("spurious", "Retransmission of a packet that had been acknowledged", sequence,
	   severity.NOTE)
add_expert("out_of_order", "Packet is out of order", sequence, severity.CHAT)
add_expert("duplicate", "Same packet as an earlier one", sequence, severity.CHAT)
add_expert("nack", "Packet was refused", sequence, severity.NOTE)
add_expert("nak", "Request was refused", response, severity.WARN)
add_expert("rnr", "Receiver was not ready", response, severity.NOTE)
add_expert("error", "Error of the dissector", expert.group.DEBUG, severity.ERROR)

return fields

end
