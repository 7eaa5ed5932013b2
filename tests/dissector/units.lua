-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- Tests of the parts of the dissector that need no packets: JSON, topology, tracking and
-- its bounds. Run by tshark (check.py); each line is "ok NAME" or "not ok NAME: WHAT".

local folder = debug.getinfo(1, "S").source:match("^@(.*[/\\])") or ""
local top = folder .. "../../packaging/wireshark/mrc/"

local function part(name)
	return assert(loadfile(top .. name .. ".lua"))()
end

local json, topology = part("json"), part("topology")
local track, paths = part("track"), part("paths")

local function test(name, run)
	local ok, err = pcall(run)

	print(ok and "ok " .. name or "not ok " .. name .. ": " .. tostring(err))
end

local function equal(got, wanted, what)
	if got ~= wanted then
		error(string.format("%s: got %s, wanted %s", what or "value", tostring(got),
				    tostring(wanted)), 2)
	end
end

-- JSON --------------------------------------------------------------------------------

test("values of every kind are parsed", function()
	local value = assert(json.parse(
		' {"a": [1, -2.5, 1e3, true, false, null], "b": {}, "c": "x\\n\\u00e9\\"", "d": []} '))

	equal(#value.a, 6)
	equal(value.a[2], -2.5)
	equal(value.a[3], 1000)
	equal(value.a[4], true)
	equal(value.a[5], false)
	equal(value.a[6], json.null)
	equal(value.c, 'x\n\195\169"')
	equal(next(value.b), nil)
	equal(#value.d, 0)
end)

local INVALID = {
	[""] = "line 1 column 1: invalid value",
	["{"] = "line 1 column 2: expected '\"'",
	["[1,]"] = "line 1 column 4: invalid value",
	['{"a" 1}'] = "line 1 column 6: expected ':'",
	['{"a":1,}'] = "line 1 column 8: expected '\"'",
	['[1 2]'] = "line 1 column 4: expected ','",
	['"abc'] = "line 1 column 2: string without end",
	['"a\nb"'] = "line 1 column 3: control character in a string",
	['"\\q"'] = "line 1 column 2: invalid escape",
	['"\\u12"'] = "line 1 column 2: invalid escape",
	["\n\n  tru"] = "line 3 column 3: invalid value",
	["1 2"] = "line 1 column 3: text behind the end",
	["-"] = "line 1 column 1: invalid value",
}

test("invalid texts are refused with their place", function()
	for text, wanted in pairs(INVALID) do
		local value, err = json.parse(text)

		equal(value, nil, text)
		equal(err, wanted, text)
	end
end)

test("depth, number of values and size are bounded", function()
	local _, err = json.parse(string.rep("[", 100000))

	equal(err, "line 1 column 17: nested more than 16 deep")
	_, err = json.parse("[" .. string.rep("1,", json.MAX_VALUES) .. "1]")
	equal(err:match("more than %d+ values"), "more than 200000 values")
	_, err = json.parse(string.rep(" ", json.MAX_BYTES + 1))
	equal(err, "more than 4194304 bytes")
end)

test("a file that does not exist, and a folder, are reported", function()
	local value, err = json.read("/does/not/exist")

	equal(value, nil)
	equal(err, "/does/not/exist: No such file or directory")
	value, err = json.read("/")
	equal(value, nil)
	equal(err, "/: empty or not a file")
end)

-- Topology ------------------------------------------------------------------------------

test("addresses become digits", function()
	equal(topology.address_digits("fcbb:bb00::1"), "fcbbbb00000000000000000000000001")
	equal(topology.address_digits("::"), string.rep("0", 32))
	equal(topology.address_digits("1:2:3:4:5:6:7:8"), "00010002000300040005000600070008")
	equal(topology.address_digits("1:2"), nil)
	equal(topology.address_digits("12345::"), nil)
	equal(topology.address_digits("1:2:3:4:5:6:7:8:9"), nil)
end)

local function names(topo, address, destination)
	local usids, list, plane = topology.path(topo,
		{ topology.address_digits(address) },
		destination and topology.address_digits(destination))

	for nth, usid in ipairs(usids) do
		list[nth] = list[nth] or usid
	end
	return table.concat(list, " "), plane
end

test("lists of uSIDs, planes in the block, uSIDs of hosts", function()
	local topo = assert(topology.build({
		planes = 2, first_plane = 3, block = "fcb0:pp::/32", usid_bits = 16,
		t0 = { usids = { { "1000", "1001" }, { "1000", "1001" } } },
		t1 = { count = 20, usid = "20nn" },
		hosts = {
			{ name = "a", address = "2001:db8:1::/48", t0 = { 0, 1 }, usid = "3xxx",
			  port = 17 },
			{ name = "b", address = "2001:db8:2::1", t0 = 1, usid = "3011" },
		},
	}))
	local text, plane = names(topo, "fcb0:0003:1000:2013:1001:3011::")

	equal(text, "t0-3-0 t1-3-19 t0-3-1 b")
	equal(plane, 3)
	text, plane = names(topo, "fcb0:0004:1000:2013:1001:3011::")
	equal(plane, 4)
	equal(text:match("^t0%-4%-0 t1%-4%-19 t0%-4%-1 "), "t0-4-0 t1-4-19 t0-4-1 ")
	-- The host alone: by the destination of the inner packet.
	text = names(topo, "fcb0:0003:3011::", "2001:db8:1::5")
	equal(text, "a")
	text = names(topo, "fcb0:0003:3011::", "2001:db8:2::1")
	equal(text, "b")
	text = names(topo, "fcb0:0003:3011::")
	equal(text, "3011")
end)

test("files that are no topology are refused, odd values ignored", function()
	local topo, err = topology.build({})

	equal(topo, nil)
	equal(err, "no topology file: block, planes or hosts are missing")
	topo, err = topology.build({ block = "x", planes = 1, hosts = {} })
	equal(topo, nil)
	equal(err, "block or usid_bits is invalid")
	topo = assert(topology.build({
		block = "fc00::/16", planes = 1e9, t0 = 5, t1 = { count = 1e9, usid = "xn" },
		hosts = {
			1, {}, { name = {}, address = 1 }, { name = "h", address = "q", usid = "1" },
			json.null,
		},
	}))
	equal(#topo.planes, topology.MAX_PLANES)
end)

-- Tracking --------------------------------------------------------------------------------

local function data(nth, more)
	local p = {
		key = nth, frame = nth, time = nth / 1000, src = "a", dst = "b", qpn = 9,
		psn = nth % 0x1000000, ev = 1, ts = nth % 0x10000, rtx = false,
	}

	for name, value in pairs(more or {}) do
		p[name] = value
	end
	return track.data(p)
end

local function sack(nth, cack, trigger, more)
	local p = {
		key = nth, frame = nth, time = nth / 1000, src = "b", dst = "a", qpn = 8,
		psn = cack, cack = cack, offset = trigger - cack, reflected_ev = 1,
		ts = trigger % 0x10000, first = cack, same = tostring(nth),
		received = function() return false end,
	}

	for name, value in pairs(more or {}) do
		p[name] = value
	end
	return track.sack(p)
end

test("notes are limited, the oldest is forgotten first", function()
	track.reset()
	track.limit = 100
	for nth = 1, 1000 do
		data(nth)
	end
	equal(track.count(), 100)
	equal(track.get(900), nil)
	equal(track.get(901).frame, 901)
	-- A retransmission of a packet that was forgotten is not linked to it.
	local note = data(1001, { psn = 500, rtx = true })
	equal(note.retransmission, true)
	equal(note.retransmission_of, nil)
	note = data(1002, { psn = 990, rtx = true })
	equal(note.retransmission_of, 990)
end)

test("all kinds of packets and any number of QPs are limited", function()
	local before

	local function burst(from)
		for nth = from, from + 20000, 4 do
			data(nth, { qpn = nth % 5000, request = true, rqmsn = nth % 0x10000,
				    src = "a" .. nth % 3000 })
			sack(nth + 1, nth % 0x1000000, nth % 0x1000000)
			track.probe({ key = nth + 2, frame = nth, time = 0, src = "p" .. nth,
				      dst = "b", qpn = 1, probe_id = nth % 0x10000 })
			track.endpoint({ key = nth + 3, frame = nth, time = 0, src = "e" .. nth,
					 dst = "b", request_id = nth % 0x10000, request = true })
		end
		collectgarbage()
		return collectgarbage("count")
	end

	track.reset()
	track.limit = 1000
	before = burst(1)
	local growth = 0
	for round = 1, 5 do
		growth = burst(1 + round * 20004) - before
	end
	equal(track.count(), 1000)
	if growth > 200 then
		error(string.format("memory grows by %d KiB", growth))
	end
end)

test("nothing is known after a reset", function()
	track.limit = 1000
	track.reset()
	data(1)
	track.reset()
	equal(track.count(), 0)
	equal(track.get(1), nil)
	local note = data(2, { psn = 1, ts = 1 })
	equal(note.duplicate_of, nil)
	equal(note.retransmission, nil)
	equal(sack(3, 1, 1).trigger, 2)
end)

test("a burst of transmissions of one PSN is linked one by one", function()
	track.reset()
	data(1, { psn = 7, ts = 1 })
	for nth = 2, 50 do
		equal(data(nth, { psn = 7, ts = nth, rtx = true }).retransmission_of, nth - 1)
	end
	equal(sack(51, 7, 7, { ts = 20 }).trigger, 20)
	equal(track.get(1).acked_in, 51)
	equal(track.get(50).acked_in, 51)
end)

test("streams are joined, whatever the order", function()
	track.reset()
	track.limit = 1000
	-- Flows of three QPs of each host; acknowledgments that contradict each other.
	for nth = 1, 200 do
		local from = nth % 2 == 0 and "a" or "b"
		local to = nth % 2 == 0 and "b" or "a"
		local ts = nth % 7

		data(2 * nth, { src = from, dst = to, qpn = nth % 3, psn = 1, ts = ts })
		sack(2 * nth + 1, 1, 1, { src = to, dst = from, qpn = nth % 5, ts = ts })
	end
	for key = 2, 401 do
		local number = track.stream(track.get(key))

		if number and number > 5 then
			error("stream " .. number)
		end
	end
end)

test("PSNs are compared in serial arithmetic", function()
	equal(track.psn_diff(0, 0xffffff), 1)
	equal(track.psn_diff(0xffffff, 0), -1)
	equal(track.psn_diff(0x7fffff, 0), 0x7fffff)
	equal(track.psn_diff(0x800000, 0), -0x800000)
	equal(track.psn_add(0xffffff, 2), 1)
	equal(track.psn_add(0, -1), 0xffffff)
end)

-- Totals of paths ----------------------------------------------------------------------

test("a repetition in vain is no loss of the path before", function()
	local note = { kind = "data", retransmission = true, previous_ev = 7 }

	paths.reset()
	paths.count({ src = "a", dst = "b", ev = 8, payload = 1 }, note)
	equal(paths.text():match("0x00000007 +- +0 +0 +0 +(%d)"), "1", "lost")
	note.spurious_after = 3
	paths.count({ src = "a", dst = "b", ev = 8, payload = 1 }, note)
	equal(paths.text():match("0x00000007 +- +0 +0 +0 +(%d)"), "1", "lost")
	equal(paths.text():match("0x00000008 +- +2 +2 +(%d)"), "2", "repetitions")
end)

test("paths are limited", function()
	paths.reset()
	for nth = 1, 2 * paths.MAX_ROWS do
		paths.count({ src = "a", dst = "b", ev = nth, payload = 1 }, { kind = "data" })
	end
	local text = paths.text()
	equal(select(2, text:gsub("\n", "\n")), paths.MAX_ROWS + 2)
	equal(text:match("\nothers[^\n]* (%d+) +4096 "), "4096")
end)
