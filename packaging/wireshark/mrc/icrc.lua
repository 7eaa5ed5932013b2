-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- The invariant CRC of RoCEv2 (IBTA A17.3.3; Documentation/wire-format.md section 8):
-- CRC-32 of Ethernet over the packet, with ones in place of what changes on the way.

local bit = bit or require("bit32")
local band, bnot, bxor, rshift = bit.band, bit.bnot, bit.bxor, bit.rshift

local icrc = {}

-- Polynomial of Ethernet, bits reversed.
local POLYNOMIAL = 0xedb88320
-- Ones where InfiniBand has its LRH.
local LRH = string.rep("\255", 8)

local table_of_crc = {}
for byte = 0, 255 do
	local crc = byte

	for _ = 1, 8 do
		crc = band(crc, 1) == 1 and bxor(rshift(crc, 1), POLYNOMIAL) or rshift(crc, 1)
	end
	table_of_crc[byte] = crc
end

local function update(crc, data)
	for at = 1, #data do
		crc = bxor(rshift(crc, 8), table_of_crc[band(bxor(crc, data:byte(at)), 0xff)])
	end
	return crc
end

local function be16(value)
	return string.char(math.floor(value / 256) % 256, value % 256)
end

-- Of the headers before BTH. ip: version, len (payload length, or total length of
-- IPv4), next, src and dst (octets), of IPv4 also id and frag.
local function pseudo_ip(ip)
	if ip.version == 4 then
		return "\x45\xff" .. be16(ip.len) .. be16(ip.id) .. be16(ip.frag) ..
			"\xff" .. string.char(ip.next) .. "\xff\xff" .. ip.src .. ip.dst
	end
	return "\x6f\xff\xff\xff" .. be16(ip.len) .. string.char(ip.next) .. "\xff" ..
		ip.src .. ip.dst
end

-- The field as it is in the packet, four octets. udp: src, dst, len. packet: octets
-- from BTH up to the ICRC.
function icrc.compute(ip, udp, packet)
	local crc = update(0xffffffff, LRH)

	crc = update(crc, pseudo_ip(ip))
	crc = update(crc, be16(udp.src) .. be16(udp.dst) .. be16(udp.len) .. "\xff\xff")
	crc = bnot(update(crc, packet:sub(1, 4) .. "\xff" .. packet:sub(6)))
	return string.char(band(crc, 0xff), band(rshift(crc, 8), 0xff),
			   band(rshift(crc, 16), 0xff), band(rshift(crc, 24), 0xff))
end

return icrc
