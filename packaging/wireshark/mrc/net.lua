-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- What a packet needs from the headers before it: addresses, entropy value, DSCP, and
-- the outer header of an SRv6 path. A dissector is given the UDP payload only, so these
-- are fields of Wireshark's own dissectors.

return function()

local net = {}

local NAMES = {
	"ipv6.plen", "ipv6.nxt", "ipv6.flow", "ipv6.tclass.dscp", "ipv6.tclass.ecn",
	"ipv6.src", "ipv6.dst", "ipv6.routing.segleft", "ipv6.routing.srh.addr", "ip.len",
	"ip.id", "ip.flags", "ip.frag_offset", "ip.proto", "ip.hdr_len", "ip.dsfield.dscp",
	"ip.dsfield.ecn", "ip.src", "ip.dst", "udp.length", "udp.srcport", "udp.dstport",
	"icmp.type", "icmpv6.type",
}
local UDP = 17
-- Next headers of an outer header.
local IS_OUTER = { [4] = true, [41] = true, [43] = true }
-- Offsets of fields in an IPv6 header.
local PLEN_AT, DST_AT = 4, 24
local ECN_CE = 3

local extract = {}
for _, name in ipairs(NAMES) do
	extract[name] = Field.new(name)
end

local function all(name)
	return { extract[name]() }
end

local function last(name)
	local list = all(name)
	local info = list[#list]

	return info and info.value
end

local function number(name)
	local value = last(name)

	return type(value) == "number" and value or tonumber(tostring(value))
end

local function digits(info)
	return info.range:bytes():tohex(true)
end

local function octets(info)
	return info and info.range:raw()
end

local function last_octets(name)
	local list = all(name)

	return octets(list[#list])
end

-- IPv6 header number nth has this destination. An address of a routing header is listed
-- as destination, too, so the place in the packet decides.
local function destination_of(plen)
	for _, info in ipairs(all("ipv6.dst")) do
		if info.offset == plen.offset - PLEN_AT + DST_AT then
			return digits(info)
		end
	end
	return nil
end

-- Destinations of the outer header, the segments that are left last; nil without one.
local function outer_addresses(is_v6)
	local plens, nexts = all("ipv6.plen"), all("ipv6.nxt")
	local nth = #plens - (is_v6 and 1 or 0)
	local addresses, left

	if nth < 1 or not nexts[nth] or not IS_OUTER[nexts[nth].value] then
		return nil
	end
	addresses = { destination_of(plens[nth]) }
	if not addresses[1] then
		return nil
	end
	left = number("ipv6.routing.segleft") or 0
	for at, info in ipairs(all("ipv6.routing.srh.addr")) do
		-- Segments are in reverse order.
		if at <= left then
			table.insert(addresses, 2, digits(info))
		end
	end
	return addresses
end

-- IP header as icrc.compute() needs it; nil if it has no ICRC.
local function icrc_ip(is_v6)
	local ip

	if is_v6 then
		ip = { version = 6, len = number("ipv6.plen"), next = number("ipv6.nxt"),
		       src = last_octets("ipv6.src") }
		local plens = all("ipv6.plen")
		local dst = plens[1] and destination_of(plens[#plens])

		ip.dst = dst and dst:gsub("%x%x", function(hex)
			return string.char(tonumber(hex, 16))
		end)
	else
		local flags, offset = number("ip.flags"), number("ip.frag_offset")

		ip = { version = 4, len = number("ip.len"), id = number("ip.id"),
		       next = number("ip.proto"), src = last_octets("ip.src"),
		       dst = last_octets("ip.dst"), frag = 0 }
		-- Bits 2 and 1 of the flags: don't fragment, more fragments.
		if not flags or not offset or number("ip.hdr_len") ~= 20 then
			return nil
		end
		ip.frag = flags % 8 * 0x2000 + math.floor(offset / 8)
	end
	if not ip.len or ip.next ~= UDP or not ip.src or not ip.dst then
		return nil
	end
	return ip
end

-- Whether the last IP header is IPv6: that which comes later in the packet.
local function ends_with_v6()
	local v4, v6 = all("ip.src"), all("ipv6.src")

	return #v6 > 0 and (#v4 == 0 or v6[#v6].offset > v4[#v4].offset)
end

-- Octets of an IPv6 address as RFC 5952 writes them.
local function ipv6_text(address)
	local groups = {}
	local at, length, zeros = nil, 1, 0

	for nth = 1, 8 do
		local high, low = address:byte(2 * nth - 1, 2 * nth)

		groups[nth] = string.format("%x", high * 256 + low)
		zeros = groups[nth] == "0" and zeros + 1 or 0
		if zeros > length then
			at, length = nth - zeros + 1, zeros
		end
	end
	if not at then
		return table.concat(groups, ":")
	end
	return table.concat(groups, ":", 1, at - 1) .. "::" ..
		table.concat(groups, ":", at + length)
end

-- An address as text. That of pinfo may be a name (preference "Resolve network
-- addresses"), which does not tell the version and may change between two packets.
local function address_text(raw, address)
	if raw and #raw == 16 then
		return ipv6_text(raw)
	elseif raw and #raw == 4 then
		return table.concat({ raw:byte(1, 4) }, ".")
	end
	return tostring(address)
end

-- What the headers before a packet say.
function net.read(pinfo)
	local is_v6 = ends_with_v6()
	local version = is_v6 and "ipv6" or "ip"
	local flow = is_v6 and number("ipv6.flow") or 0
	local ipv6_dst = all("ipv6.dst")

	return {
		src = address_text(last_octets(version .. ".src"), pinfo.src),
		dst = address_text(last_octets(version .. ".dst"), pinfo.dst),
		is_v6 = is_v6,
		dst_digits = is_v6 and ipv6_dst[1] and digits(ipv6_dst[#ipv6_dst]) or nil,
		ev = flow % 0x10000 * 0x10000 + pinfo.src_port,
		dscp = number(is_v6 and "ipv6.tclass.dscp" or "ip.dsfield.dscp"),
		is_ce = number(is_v6 and "ipv6.tclass.ecn" or "ip.dsfield.ecn") == ECN_CE,
		outer = outer_addresses(is_v6),
		has_fields = #all("udp.length") > 0,
		-- In the message of an ICMP error.
		is_quoted = #all("icmp.type") + #all("icmpv6.type") > 0,
	}
end

-- IP and UDP headers for the ICRC, or nil.
function net.read_icrc(this)
	local udp = {
		src = number("udp.srcport"), dst = number("udp.dstport"),
		len = number("udp.length"),
	}
	local ip = icrc_ip(this.is_v6)

	if not ip or not udp.src or not udp.dst or not udp.len then
		return nil
	end
	return { ip = ip, udp = udp }
end

return net

end
