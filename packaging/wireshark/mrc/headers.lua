-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- The headers of packets as trees of fields (Documentation/wire-format.md sections 3 to
-- 7). A packet is a table: tvb, at (next octet), stop (behind the last octet that was
-- captured), tree, and op; header functions add what they read to it.

local band, rshift = bit.band, bit.rshift

-- Fields of headers: name, offset, octets; must_be_zero for those that are reserved.
local ZERO = true

local LAYOUT = {
	meth = { { "rqmsn", 0, 2 }, { "msn", 2, 2 } },
	tseth = {
		{ "ts", 0, 2 }, { "ts.tsr", 2, 2 }, { "ts.reserved", 2, 2, ZERO },
		{ "ts.ftype", 2, 2 },
	},
	reth = { { "va", 0, 8 }, { "rkey", 8, 4 }, { "dmalen", 12, 4 } },
	offset_reth = { { "offset", 0, 8 }, { "rkey", 8, 4, ZERO }, { "dmalen", 12, 4 } },
	immdt = { { "imm", 0, 4 } },
	ieth = { { "inv_rkey", 0, 4 } },
	atomiceth = {
		{ "va", 0, 8 }, { "rkey", 8, 4 }, { "swap", 12, 8 }, { "compare", 20, 8 },
	},
	rpsneth = { { "rpsn.reserved", 0, 1, ZERO }, { "rpsn", 1, 3 } },
	atomicacketh = { { "orig", 0, 8 } },
	seth = {
		{ "sack.type", 0, 2, ZERO }, { "sack.nxt", 0, 2, ZERO }, { "sack.mark", 0, 2 },
		{ "sack.reserved", 0, 2, ZERO }, { "sack.probe", 0, 2 },
		{ "sack.ev", 4, 4 },
		{ "sack.spdcid", 8, 2, ZERO }, { "sack.dpdcid", 10, 2, ZERO },
		{ "sack.reserved2", 12, 1, ZERO }, { "sack.cack", 13, 3 },
		{ "sack.cc_type", 16, 1, ZERO }, { "sack.cc_fl", 16, 1, ZERO },
		{ "sack.mpr", 17, 1 }, { "sack.offset", 18, 2 }, { "sack.bitmap", 20, 8 },
	},
	cc_state = {
		{ "sack.ts", 0, 2 }, { "sack.reserved3", 2, 2, ZERO },
		{ "sack.ooo_count", 2, 2 }, { "sack.restore_cwnd", 4, 4 },
		{ "sack.rcv_cwnd_pen", 4, 4 }, { "sack.rcvd_bytes", 4, 4 },
	},
	neth = {
		{ "nack.reserved", 0, 2, ZERO }, { "nack.reason", 2, 1 },
		{ "nack.vendor_info", 3, 1, ZERO }, { "nack.ev", 4, 4 },
		{ "nack.spdcid", 8, 2, ZERO }, { "nack.dpdcid", 10, 2, ZERO },
		{ "nack.reserved2", 12, 1, ZERO }, { "nack.psn", 13, 3 },
		{ "nack.cc_type", 16, 1 }, { "nack.cc_fl", 16, 1, ZERO },
		{ "nack.reserved3", 17, 1, ZERO }, { "nack.ts", 18, 2 },
	},
	peth = {
		{ "probe.reserved", 0, 2, ZERO }, { "probe.reserved2", 2, 1, ZERO },
		{ "probe.vendor_info", 3, 1, ZERO }, { "probe.id", 4, 2 },
		{ "probe.reserved3", 6, 2, ZERO }, { "probe.spdcid", 8, 2, ZERO },
		{ "probe.dpdcid", 10, 2, ZERO }, { "ts", 12, 2 }, { "ts.tsr", 14, 2 },
		{ "ts.reserved", 14, 2, ZERO }, { "ts.ftype", 14, 2 },
	},
	erth = {
		{ "ep.op", 0, 2 }, { "ep.reserved", 0, 2, ZERO }, { "ep.reserved2", 2, 1, ZERO },
		{ "ep.vendor_info", 3, 1 }, { "ep.port_mask", 4, 4 }, { "ep.caps_magic", 8, 2 },
		{ "ep.caps", 10, 2 }, { "ts", 12, 2 }, { "ts.tsr", 14, 2 },
		{ "ts.reserved", 14, 2, ZERO }, { "ts.ftype", 14, 2 },
	},
	eeth = {
		{ "ep.rsp_op", 0, 2 }, { "ep.rsp_reserved", 0, 2, ZERO },
		{ "ep.reserved2", 2, 1, ZERO }, { "ep.vendor_info", 3, 1 },
		{ "ep.port_mask", 4, 4 }, { "ep.caps_magic", 8, 2 }, { "ep.caps", 10, 2 },
		{ "ep.reserved3", 12, 16, ZERO }, { "ep.ts", 28, 2 },
		{ "ep.reserved4", 30, 6, ZERO },
	},
	deth = { { "deth.qkey", 0, 4 }, { "deth.reserved", 4, 1, ZERO }, { "deth.srcqp", 5, 3 } },
}

local BTH = {
	{ "opcode", 0, 1 }, { "se", 1, 1 }, { "m", 1, 1 }, { "pad", 1, 1 }, { "tver", 1, 1 },
	{ "pkey", 2, 2 }, { "bth.reserved", 4, 1, ZERO }, { "destqp", 5, 3 },
	{ "ackreq", 8, 1 }, { "bth.reserved_r", 8, 1, ZERO }, { "rtx", 8, 1 },
	{ "ts_present", 8, 1 }, { "noicrc", 8, 1 }, { "bth.reserved_bits", 8, 1, ZERO },
}

local CAPABILITIES = {
	"noicrc", "send", "svc_time", "read", "inv", "padded_probe", "reserved",
}
-- E4: "M" in the vendor info, "RC" before the capabilities.
local VENDOR_MAGIC, CAPS_MAGIC = 0x4d, 0x5243
local FTYPE = 1
local TS_NS = 128
local NACK_CC_TYPE = 2
local PKEY_BASE = 0x7fff
local SACK_BITS = 64
local PSN_SPACE = 0x1000000
local QPN_ENDPOINT, QPN_FIRST, QPN_LAST = 2, 3, 0xfffffe

return function(fields, opcodes)

local headers = { TS_NS = TS_NS }
local LENGTHS = setmetatable({ offset_reth = opcodes.LENGTHS.reth },
			     { __index = opcodes.LENGTHS })
-- Names of the items of headers.
local ITEMS = setmetatable({
	seth = "sack", neth = "nack", peth = "probe", erth = "ep", eeth = "ep",
	offset_reth = "reth",
}, { __index = function(_, name) return name end })

local function add_expert(packet, item, name, text)
	if text then
		item:add_proto_expert_info(fields.expert[name], text)
	else
		item:add_proto_expert_info(fields.expert[name])
	end
	packet.errors = packet.errors or {}
	packet.errors[name] = true
end

headers.add_expert = add_expert

-- An item whose value is not in the packet as such.
local function generated(tree, name, value, range)
	local field = fields.by_name[name]
	local item = range and tree:add(field, range, value) or tree:add(field, value)

	item:set_generated()
	return item
end

headers.generated = generated

-- Whether octets or bits of a field are other than zero.
local function is_set(range, mask)
	if mask then
		return band(range:uint(), mask) ~= 0
	end
	return range:raw():find("[^\0]") ~= nil
end

-- Add the fields of a layout. Returns the items by name.
local function add_fields(packet, tree, layout, at)
	local items = {}

	for _, row in ipairs(layout) do
		local name, range = row[1], packet.tvb(at + row[2], row[3])
		local item = tree:add(fields.by_name[name], range)

		items[name] = item
		if row[4] and is_set(range, fields.mask[name]) then
			add_expert(packet, item, "reserved")
		end
	end
	return items
end

-- The next header: its tree and first octet, or nil if it is not all there.
local function add_header(packet, name)
	local at, len = packet.at, LENGTHS[name]
	local tree, items

	if at + len > packet.stop then
		return nil
	end
	tree = packet.tree:add(fields.by_name[ITEMS[name]], packet.tvb(at, len))
	items = add_fields(packet, tree, LAYOUT[name], at)
	packet.at = at + len
	return tree, at, items
end

local function uint(packet, at, len)
	return packet.tvb(at, len):uint()
end

-- Base transport header ---------------------------------------------------------

local function check_qpn(packet)
	if packet.op and packet.op.is_endpoint then
		return packet.qpn == QPN_ENDPOINT
	elseif packet.is_datagram then
		return packet.qpn == 1 or packet.qpn >= QPN_FIRST and packet.qpn <= QPN_LAST
	end
	return packet.qpn >= QPN_FIRST and packet.qpn <= QPN_LAST
end

local function check_bth(packet, items)
	if not packet.op and not packet.is_datagram then
		add_expert(packet, items.opcode, "opcode")
		return
	end
	if packet.tver ~= 0 then
		add_expert(packet, items.tver, "tver")
	end
	if band(packet.pkey, PKEY_BASE) ~= PKEY_BASE then
		add_expert(packet, items.pkey, "pkey")
	end
	if not check_qpn(packet) then
		add_expert(packet, items.destqp, "qpn")
	end
	if packet.noicrc and not (packet.op and packet.op.is_data) then
		add_expert(packet, items.noicrc, "noicrc")
	end
end

-- The values of BTH, which is there.
function headers.read_bth(packet)
	local at, tvb = packet.at, packet.tvb
	local flags, bits = tvb(at + 1, 1):uint(), tvb(at + 8, 1):uint()

	packet.code = tvb(at, 1):uint()
	packet.op = opcodes.get(packet.code)
	packet.is_datagram = opcodes.is_datagram(packet.code)
	packet.solicited = band(flags, 0x80) ~= 0
	packet.pad = rshift(band(flags, 0x30), 4)
	packet.tver = band(flags, 0x0f)
	packet.pkey = tvb(at + 2, 2):uint()
	packet.qpn = tvb(at + 5, 3):uint()
	packet.ackreq = band(bits, 0x80) ~= 0
	packet.rtx = band(bits, 0x20) ~= 0
	packet.has_ts = band(bits, 0x10) ~= 0
	packet.noicrc = band(bits, 0x08) ~= 0
	packet.psn = tvb(at + 9, 3):uint()
end

function headers.bth(packet)
	local at = packet.at
	local tree = packet.tree:add(fields.by_name.bth, packet.tvb(at, opcodes.BTH_LEN))
	local items = add_fields(packet, tree, BTH, at)
	local name = packet.op and packet.op.is_endpoint and "request_id" or "psn"

	packet.bth_items = items
	items.psn = tree:add(fields.by_name[name], packet.tvb(at + 9, 3))
	packet.at = at + opcodes.BTH_LEN
	check_bth(packet, items)
end

-- Headers of requests -------------------------------------------------------------

local function check_ftype(packet, items, at)
	if band(uint(packet, at, 2), 0x800f) ~= FTYPE then
		add_expert(packet, items["ts.ftype"], "ftype")
	end
end

local add = {}

function add.meth(packet)
	local tree, at = add_header(packet, "meth")

	if not tree then
		return false
	end
	packet.rqmsn = uint(packet, at, 2)
	packet.msn = uint(packet, at + 2, 2)
	return true
end

function add.tseth(packet)
	local tree, at, items = add_header(packet, "tseth")

	if not tree then
		return false
	end
	packet.ts = uint(packet, at, 2)
	check_ftype(packet, items, at + 2)
	return true
end

function add.reth(packet)
	local tree, at, items = add_header(packet, packet.op.has_offset and "offset_reth" or
					   "reth")

	if not tree then
		return false
	end
	packet.va_high = uint(packet, at, 4)
	packet.va_low = uint(packet, at + 4, 4)
	packet.dmalen = uint(packet, at + 12, 4)
	packet.reth_items = items
	return true
end

function add.atomiceth(packet)
	local tree, at, items = add_header(packet, "atomiceth")

	if not tree then
		return false
	end
	if uint(packet, at + 4, 4) % 8 ~= 0 then
		add_expert(packet, items.va, "va", "Address is not a multiple of 8")
	end
	return true
end

for _, name in ipairs({ "immdt", "ieth", "rpsneth", "atomicacketh" }) do
	add[name] = function(packet)
		return add_header(packet, name) ~= nil
	end
end

-- Acknowledgments -------------------------------------------------------------------

-- PSNs of a bitmap as ranges.
local function received_text(packet)
	local ranges = {}
	local first

	for nth = 0, SACK_BITS do
		local is_received = nth < SACK_BITS and packet.received(nth)

		if is_received and not first then
			first = nth
		elseif not is_received and first then
			local from = (packet.first + first) % PSN_SPACE
			local to = (packet.first + nth - 1) % PSN_SPACE

			ranges[#ranges + 1] = from == to and tostring(from) or from .. "-" .. to
			first = nil
		end
	end
	return table.concat(ranges, " ")
end

local function signed16(value)
	return value >= 0x8000 and value - 0x10000 or value
end

local function read_sack(packet, at)
	local info = uint(packet, at, 2)
	local high, low = uint(packet, at + 20, 4), uint(packet, at + 24, 4)

	packet.mark = rshift(band(info, 0x0060), 5)
	packet.is_probe_sack = band(info, 0x0002) ~= 0
	packet.probe_id = packet.is_probe_sack and uint(packet, at + 2, 2) or nil
	packet.trigger_offset = not packet.is_probe_sack and
		signed16(uint(packet, at + 2, 2)) or nil
	packet.reflected_ev = uint(packet, at + 4, 4)
	packet.cack = uint(packet, at + 13, 3)
	packet.first = (packet.cack + signed16(uint(packet, at + 18, 2))) % PSN_SPACE
	packet.received = function(nth)
		if nth < 32 then
			return math.floor(low / 2 ^ nth) % 2 == 1
		end
		return math.floor(high / 2 ^ (nth - 32)) % 2 == 1
	end
	packet.contents = packet.tvb(at, LENGTHS.seth + LENGTHS.cc_state):raw()
end

function add.seth(packet)
	local tree, at, items = add_header(packet, "seth")

	if not tree or packet.at + LENGTHS.cc_state > packet.stop then
		return false
	end
	read_sack(packet, at)
	if packet.is_probe_sack then
		tree:add(fields.by_name["sack.probe_id"], packet.tvb(at + 2, 2))
	else
		packet.trigger_psn = (packet.cack + packet.trigger_offset) % PSN_SPACE
		tree:add(fields.by_name["sack.trigger_offset"], packet.tvb(at + 2, 2))
		generated(tree, "sack.trigger_psn", packet.trigger_psn, packet.tvb(at + 2, 2))
	end
	packet.received_text = received_text(packet)
	generated(tree, "sack.received", packet.received_text, packet.tvb(at + 20, 8))
	items["sack.mpr"]:append_text(string.format(" (%u PSNs)", uint(packet, at + 17, 1) * 128))
	if packet.cack ~= packet.psn then
		add_expert(packet, items["sack.cack"], "psn_differs")
	end
	return true
end

function add.cc_state(packet)
	local tree, at, items = add_header(packet, "cc_state")

	if not tree then
		return false
	end
	packet.ts = uint(packet, at, 2)
	packet.ooo_count = band(uint(packet, at + 2, 2), 0x7fff)
	items["sack.rcvd_bytes"]:append_text(string.format(" (%u octets)",
		uint(packet, at + 5, 3) * 256))
	return true
end

function add.neth(packet)
	local tree, at, items = add_header(packet, "neth")

	if not tree then
		return false
	end
	packet.reason = uint(packet, at + 2, 1)
	packet.reflected_ev = uint(packet, at + 4, 4)
	packet.refused_psn = uint(packet, at + 13, 3)
	packet.ts = uint(packet, at + 18, 2)
	if not fields.NACK_REASONS[packet.reason] then
		add_expert(packet, items["nack.reason"], "nack_reason")
	end
	if packet.refused_psn ~= packet.psn then
		add_expert(packet, items["nack.psn"], "psn_differs")
	end
	if rshift(uint(packet, at + 16, 1), 4) ~= NACK_CC_TYPE then
		add_expert(packet, items["nack.cc_type"], "reserved", "cc_type of a NACK is not 2")
	end
	add_expert(packet, tree, "nack")
	return true
end

-- What the five lower bits of a syndrome are.
local SYNDROME_FIELD = {
	[0x00] = "aeth.credits", [0x20] = "aeth.rnr_timer", [0x60] = "aeth.nak",
}

function add.aeth(packet)
	local at, syndrome, tree, type_field, value
	local range

	at = packet.at
	if at + LENGTHS.aeth > packet.stop then
		return false
	end
	range = packet.tvb(at, 1)
	syndrome = range:uint()
	value = SYNDROME_FIELD[band(syndrome, 0xe0)]
	tree = packet.tree:add(fields.by_name.aeth, packet.tvb(at, LENGTHS.aeth))
	tree:add(fields.by_name["aeth.syndrome"], range)
	type_field = tree:add(fields.by_name["aeth.type"], range)
	if value then
		tree:add(fields.by_name[value], range)
	else
		add_expert(packet, type_field, "syndrome")
	end
	tree:add(fields.by_name["aeth.msn"], packet.tvb(at + 1, 3))
	packet.at = at + LENGTHS.aeth
	packet.syndrome = syndrome
	packet.completed = uint(packet, at + 1, 3)
	packet.is_nak = value == "aeth.nak"
	packet.is_rnr = value == "aeth.rnr_timer"
	if packet.is_nak or packet.is_rnr then
		add_expert(packet, tree, packet.is_nak and "nak" or "rnr")
	end
	return true
end

function add.peth(packet)
	local tree, at, items = add_header(packet, "peth")

	if not tree then
		return false
	end
	packet.probe_id = uint(packet, at + 4, 2)
	packet.ts = uint(packet, at + 12, 2)
	check_ftype(packet, items, at + 14)
	return true
end

-- Endpoint ----------------------------------------------------------------------------

local function ports_text(mask)
	local ports = {}

	for port = 1, 32 do
		if math.floor(mask / 2 ^ (port - 1)) % 2 == 1 then
			ports[#ports + 1] = port
		end
	end
	return #ports > 0 and table.concat(ports, " ") or "none"
end

local function add_endpoint(packet, tree, at, items)
	local range = packet.tvb(at + 10, 2)
	local caps

	packet.has_magic = uint(packet, at + 3, 1) == VENDOR_MAGIC and
		uint(packet, at + 8, 2) == CAPS_MAGIC
	packet.ports = ports_text(uint(packet, at + 4, 4))
	generated(tree, "ep.ports", packet.ports, packet.tvb(at + 4, 4))
	generated(tree, "ep.magic", packet.has_magic)
	if not packet.has_magic then
		return
	end
	caps = items["ep.caps"]
	for _, name in ipairs(CAPABILITIES) do
		name = "ep.caps." .. name
		local item = caps:add(fields.by_name[name], range)

		if name == "ep.caps.reserved" and is_set(range, fields.mask[name]) then
			add_expert(packet, item, "reserved")
		end
	end
end

local function check_operation(packet, item)
	if not fields.ENDPOINT_OPS[packet.ep_op] then
		add_expert(packet, item, "ep_op")
	end
end

function add.erth(packet)
	local tree, at, items = add_header(packet, "erth")

	if not tree then
		return false
	end
	packet.ep_op = band(uint(packet, at, 2), 0x0003)
	packet.ts = uint(packet, at + 12, 2)
	check_ftype(packet, items, at + 14)
	check_operation(packet, items["ep.op"])
	add_endpoint(packet, tree, at, items)
	return true
end

function add.eeth(packet)
	local tree, at, items = add_header(packet, "eeth")

	if not tree then
		return false
	end
	packet.ep_op = rshift(band(uint(packet, at, 2), 0x000c), 2)
	packet.ts = uint(packet, at + 28, 2)
	check_operation(packet, items["ep.rsp_op"])
	add_endpoint(packet, tree, at, items)
	return true
end

function add.deth(packet)
	local tree, at = add_header(packet, "deth")

	if not tree then
		return false
	end
	packet.source_qpn = uint(packet, at + 5, 3)
	return true
end

-- Add a header. Returns false if it is not all there.
function headers.add(packet, name)
	return add[name](packet)
end

return headers

end
