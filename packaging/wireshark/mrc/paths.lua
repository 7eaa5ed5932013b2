-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- Totals of each path, that is each entropy value from one address to another.

local paths = {}

-- Paths beyond this number are counted together.
paths.MAX_ROWS = 4096

local rows, list, others

-- Forget all paths.
function paths.reset()
	rows, list, others = {}, {}, nil
end

paths.reset()

local function new_row(src, dst, ev)
	return {
		src = src, dst = dst, ev = ev, packets = 0, octets = 0, retransmissions = 0,
		lost = 0, trimmed = 0, marked = 0, samples = 0, rtt_sum = 0,
	}
end

local function row_of(src, dst, ev)
	local key = src .. "|" .. dst .. "|" .. ev

	if rows[key] then
		return rows[key]
	elseif #list >= paths.MAX_ROWS then
		others = others or new_row("others", "", nil)
		return others
	end
	rows[key] = new_row(src, dst, ev)
	list[#list + 1] = rows[key]
	return rows[key]
end

local function count_data(packet, note)
	local row = row_of(packet.src, packet.dst, packet.ev)

	row.packets = row.packets + 1
	row.octets = row.octets + (packet.payload or 0)
	row.plane = packet.plane or row.plane
	row.path = packet.path or row.path
	if packet.is_trimmed then
		row.trimmed = row.trimmed + 1
	end
	if packet.is_ce then
		row.marked = row.marked + 1
	end
	if note.retransmission then
		row.retransmissions = row.retransmissions + 1
	end
	if note.previous_ev and not note.spurious_after then
		row = row_of(packet.src, packet.dst, note.previous_ev)
		row.lost = row.lost + 1
	end
end

-- Acknowledgments go the other way than the data that they are about.
local function count_round_trip(packet, note)
	local row = row_of(packet.dst, packet.src, packet.reflected_ev)

	row.samples = row.samples + 1
	row.rtt_sum = row.rtt_sum + note.rtt
	row.rtt_min = math.min(row.rtt_min or note.rtt, note.rtt)
	row.rtt_max = math.max(row.rtt_max or note.rtt, note.rtt)
end

-- Count a packet of which track.lua has just been told; note: what it found.
function paths.count(packet, note)
	if note.duplicate_of then
		return
	elseif note.kind == "data" then
		count_data(packet, note)
	elseif packet.reflected_ev and note.rtt then
		count_round_trip(packet, note)
	end
end

local function is_before(a, b)
	for _, member in ipairs({ "src", "dst", "plane", "ev" }) do
		local left, right = a[member] or -1, b[member] or -1

		if left ~= right then
			return left < right
		end
	end
	return false
end

local function micros(seconds)
	return seconds and string.format("%.1f", seconds * 1e6) or "-"
end

local function cells_of(row)
	return {
		row.src, row.dst, row.ev and string.format("0x%08x", row.ev) or "",
		row.plane and string.format("%d", row.plane) or "-",
		string.format("%d", row.packets), string.format("%.0f", row.octets),
		string.format("%d", row.retransmissions), string.format("%d", row.lost),
		string.format("%d", row.trimmed), string.format("%d", row.marked),
		micros(row.rtt_min), micros(row.samples > 0 and row.rtt_sum / row.samples),
		micros(row.rtt_max), row.path or "",
	}
end

local HEAD = {
	"SRC", "DST", "EV", "PLANE", "PKTS", "BYTES", "RTX", "LOST", "TRIM", "CE", "RTT-MIN",
	"RTT-AVG", "RTT-MAX", "PATH",
}
-- Columns that are aligned to the left.
local LEFT = { true, true, true, [14] = true }

-- The table as text; round trips are in microseconds.
function paths.text()
	local widths, lines, table_rows = {}, {}, { HEAD }

	table.sort(list, is_before)
	for _, row in ipairs(list) do
		table_rows[#table_rows + 1] = cells_of(row)
	end
	if others then
		table_rows[#table_rows + 1] = cells_of(others)
	end
	for _, cells in ipairs(table_rows) do
		for nth, cell in ipairs(cells) do
			widths[nth] = math.max(widths[nth] or 0, #cell)
		end
	end
	for _, cells in ipairs(table_rows) do
		for nth, cell in ipairs(cells) do
			local space = string.rep(" ", widths[nth] - #cell)

			cells[nth] = LEFT[nth] and cell .. space or space .. cell
		end
		lines[#lines + 1] = (table.concat(cells, " "):gsub(" +$", ""))
	end
	return table.concat(lines, "\n") .. "\n"
end

return paths
