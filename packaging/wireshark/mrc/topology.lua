-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- Names of switches and hosts for the uSIDs of outer destination addresses, from a
-- topology file (Documentation/topology.md). Mistakes that "mrcctl topo check" finds
-- are not reported here: what cannot be understood has no name.

local topology = {}

-- Bounds of what a file makes this program allocate.
topology.MAX_PLANES = 32
topology.MAX_SWITCHES = 4096
topology.MAX_HOSTS = 100000

local ADDRESS_DIGITS = 32
local GROUP_DIGITS = 4

-- Without a topology file: the usual sizes (F3216).
local DEFAULT = { block_digits = 8, usid_digits = 4 }

-- Put in a number for the digits with a letter; nil if it does not fit.
local function fill(pattern, letter, number)
	local count = select(2, pattern:gsub(letter, letter))
	local digits

	if count == 0 then
		return pattern
	elseif type(number) ~= "number" or number < 0 or number % 1 ~= 0 then
		return nil
	end
	digits = string.format("%0" .. count .. "x", number)
	if #digits > count then
		return nil
	end
	return (pattern:gsub(letter, function()
		local first = digits:sub(1, 1)

		digits = digits:sub(2)
		return first
	end))
end

local function groups_to_digits(text)
	local digits = {}

	for group in text:gmatch("[^:]+") do
		if #group > GROUP_DIGITS then
			return nil
		end
		digits[#digits + 1] = string.rep("0", GROUP_DIGITS - #group) .. group
	end
	return table.concat(digits)
end

-- The digits of an IPv6 address, which may contain the letter p, or nil.
function topology.address_digits(text)
	local head, tail = text:match("^(.-)::(.*)$")
	local front, back, digits

	front = groups_to_digits(head or text)
	back = groups_to_digits(tail or "")
	if not front or not back or #front + #back > ADDRESS_DIGITS then
		return nil
	end
	digits = front .. (head and string.rep("0", ADDRESS_DIGITS - #front - #back) or "") ..
		back
	return #digits == ADDRESS_DIGITS and digits:lower() or nil
end

-- Digits of "address/length" up to the length.
local function prefix_digits(text, default)
	local address, length = text:match("^([^/]*)/?(%d*)$")
	local digits = address and topology.address_digits(address)

	length = tonumber(length) or default
	if not digits or not length or length > 4 * ADDRESS_DIGITS then
		return nil
	end
	return digits:sub(1, math.floor(length / 4))
end

-- uSID of a switch, with the letter p.
local function tier_usid(tier, plane, number)
	local list = tier.usids

	if type(list) ~= "table" then
		return type(tier.usid) == "string" and fill(tier.usid, "n", number)
	elseif type(list[1]) == "table" then
		list = list[plane + 1]
	end
	return type(list) == "table" and list[number + 1]
end

local function tier_count(tier, plane)
	local list = tier.usids

	if type(list) == "table" and type(list[1]) == "table" then
		list = list[plane + 1]
	end
	return math.min(type(list) == "table" and #list or tonumber(tier.count) or 0,
			topology.MAX_SWITCHES)
end

local function add_tier(map, tier, level, plane, number_of_plane)
	if type(tier) ~= "table" then
		return
	end
	for number = 0, tier_count(tier, plane) - 1 do
		local usid = tier_usid(tier, plane, number)

		usid = type(usid) == "string" and fill(usid:lower(), "p", number_of_plane)
		if usid then
			map.switches[usid] = {
				name = string.format("t%d-%d-%d", level, number_of_plane, number),
				t0 = level == 0 and number or nil,
			}
		end
	end
end

local function host_t0(host, plane)
	if type(host.t0) == "table" then
		return host.t0[plane + 1]
	end
	return host.t0
end

local function add_host(map, file, host, plane, number_of_plane)
	local usid = host.usid or file.host_usid

	if type(usid) ~= "string" or type(host.name) ~= "string" or
	   type(host.address) ~= "string" then
		return
	end
	usid = fill(usid:lower(), "p", number_of_plane)
	usid = usid and fill(usid, "n", host.number)
	usid = usid and fill(usid, "x", host.port)
	if not usid then
		return
	end
	map.hosts[usid] = map.hosts[usid] or {}
	table.insert(map.hosts[usid], {
		name = host.name, t0 = host_t0(host, plane),
		address = prefix_digits(host.address, 4 * ADDRESS_DIGITS),
	})
end

local function add_plane(topo, file, plane)
	local number = (tonumber(file.first_plane) or 0) + plane
	local map = { number = number, switches = {}, hosts = {} }

	map.block = fill(topo.block, "p", number)
	if not map.block then
		return
	end
	add_tier(map, file.t0, 0, plane, number)
	add_tier(map, file.t1, 1, plane, number)
	for nth, host in ipairs(file.hosts) do
		if nth > topology.MAX_HOSTS then
			break
		elseif type(host) == "table" then
			add_host(map, file, host, plane, number)
		end
	end
	topo.planes[#topo.planes + 1] = map
end

-- What the values of a topology file say, or nil and what is wrong.
function topology.build(file)
	local topo = { planes = {} }

	if type(file) ~= "table" or type(file.block) ~= "string" or
	   type(file.planes) ~= "number" or type(file.hosts) ~= "table" then
		return nil, "no topology file: block, planes or hosts are missing"
	end
	topo.block = prefix_digits(file.block)
	topo.usid_digits = (tonumber(file.usid_bits) or 4 * DEFAULT.usid_digits) / 4
	if not topo.block or topo.usid_digits % 1 ~= 0 or topo.usid_digits < 1 then
		return nil, "block or usid_bits is invalid"
	end
	topo.block_digits = #topo.block
	for plane = 0, math.min(file.planes, topology.MAX_PLANES) - 1 do
		add_plane(topo, file, plane)
	end
	return topo
end

-- uSIDs of an address (32 digits) up to the first that is zero.
local function usids_of(address, format)
	local list = {}
	local width = format.usid_digits

	for at = format.block_digits + 1, ADDRESS_DIGITS - width + 1, width do
		local usid = address:sub(at, at + width - 1)

		if usid:match("^0+$") then
			break
		end
		list[#list + 1] = usid
	end
	return list
end

-- A host is known by its T0; on the last link, where the list has none, by the
-- destination of the inner packet.
local function find_host(map, usid, t0, destination)
	local found

	for _, host in ipairs(map.hosts[usid] or {}) do
		local is_destination = destination and host.address and
			destination:sub(1, #host.address) == host.address

		if t0 and host.t0 == t0 or not t0 and is_destination then
			return host.name
		elseif not t0 then
			found = found and "" or host.name
		end
	end
	return found ~= "" and found or nil
end

-- Names of a list in one plane, and how many there are.
local function names_in(map, usids, destination)
	local names, known, t0 = {}, 0, nil

	for nth, usid in ipairs(usids) do
		local switch = map.switches[usid]

		names[nth] = switch and switch.name or find_host(map, usid, t0, destination)
		known = known + (names[nth] and 1 or 0)
		t0 = switch and switch.t0
	end
	return names, known
end

-- The path of an outer destination address. addresses: 32 digits each, those of an SRH
-- last; destination: digits of the inner destination, or nil. Returns usids, names
-- (nil where unknown) and the number of the plane (nil if unknown).
function topology.path(topo, addresses, destination)
	local format = topo or DEFAULT
	local usids = {}
	local best, plane, most = {}, nil, 0

	for _, address in ipairs(addresses) do
		for _, usid in ipairs(usids_of(address, format)) do
			usids[#usids + 1] = usid
		end
	end
	for _, map in ipairs(topo and topo.planes or {}) do
		if addresses[1]:sub(1, #map.block) == map.block then
			local names, known = names_in(map, usids, destination)

			if known > most then
				best, plane, most = names, map.number, known
			elseif known == most then
				-- Several planes have these uSIDs.
				plane = nil
			end
		end
	end
	return usids, best, plane
end

return topology
