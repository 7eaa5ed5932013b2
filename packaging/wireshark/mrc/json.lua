-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
--
-- A parser of JSON (RFC 8259) for topology files. Size, depth and number of values are
-- bounded, since the file is whatever a preference names.

local json = {}

json.MAX_BYTES = 4 * 1024 * 1024
json.MAX_DEPTH = 16
json.MAX_VALUES = 200000

-- Stands for null, which a table of Lua cannot contain.
json.null = setmetatable({}, { __tostring = function() return "null" end })

local ESCAPES = {
	['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n",
	r = "\r", t = "\t",
}
local WORDS = { ["true"] = true, ["false"] = false, ["null"] = json.null }

local parse_value

-- Errors are tables, so that they differ from mistakes of this program.
local function fail(s, what)
	local line, start = 1, 0

	for at in s.text:sub(1, s.at - 1):gmatch("()\n") do
		line = line + 1
		start = at
	end
	error({ text = string.format("line %d column %d: %s", line, s.at - start, what) }, 0)
end

local function skip_space(s)
	s.at = s.text:find("[^ \t\r\n]", s.at) or #s.text + 1
end

local function peek(s)
	skip_space(s)
	return s.text:sub(s.at, s.at)
end

local function expect(s, char)
	if peek(s) ~= char then
		fail(s, "expected '" .. char .. "'")
	end
	s.at = s.at + 1
end

-- Code points become UTF-8; pairs of surrogates are not joined.
local function utf8_of(code)
	if code < 0x80 then
		return string.char(code)
	elseif code < 0x800 then
		return string.char(0xc0 + math.floor(code / 0x40), 0x80 + code % 0x40)
	end
	return string.char(0xe0 + math.floor(code / 0x1000),
			   0x80 + math.floor(code / 0x40) % 0x40, 0x80 + code % 0x40)
end

local function parse_escape(s)
	local char = s.text:sub(s.at + 1, s.at + 1)
	local hex = s.text:match("^u(%x%x%x%x)", s.at + 1)

	if hex then
		s.at = s.at + 6
		return utf8_of(tonumber(hex, 16))
	elseif not ESCAPES[char] then
		fail(s, "invalid escape")
	end
	s.at = s.at + 2
	return ESCAPES[char]
end

local function parse_string(s)
	local parts = {}

	expect(s, '"')
	while true do
		local stop = s.text:find('["\\%c]', s.at)

		if not stop then
			fail(s, "string without end")
		end
		parts[#parts + 1] = s.text:sub(s.at, stop - 1)
		s.at = stop
		local char = s.text:sub(stop, stop)
		if char == '"' then
			s.at = stop + 1
			return table.concat(parts)
		elseif char ~= "\\" then
			fail(s, "control character in a string")
		end
		parts[#parts + 1] = parse_escape(s)
	end
end

local function parse_number(s)
	local text = s.text:match("^-?%d+%.?%d*[eE]?[+-]?%d*", s.at)
	local number = text and tonumber(text)

	if not number then
		fail(s, "invalid value")
	end
	s.at = s.at + #text
	return number
end

-- Elements up to the character that ends an array or object.
local function parse_list(s, stop, element)
	s.at = s.at + 1
	if peek(s) == stop then
		s.at = s.at + 1
		return
	end
	while true do
		element()
		if peek(s) == stop then
			s.at = s.at + 1
			return
		end
		expect(s, ",")
	end
end

local function parse_array(s, depth)
	local array = {}

	parse_list(s, "]", function()
		array[#array + 1] = parse_value(s, depth)
	end)
	return array
end

local function parse_object(s, depth)
	local object = {}

	parse_list(s, "}", function()
		local key

		skip_space(s)
		key = parse_string(s)
		expect(s, ":")
		object[key] = parse_value(s, depth)
	end)
	return object
end

function parse_value(s, depth)
	local char = peek(s)
	local word

	s.values = s.values + 1
	if s.values > json.MAX_VALUES then
		fail(s, "more than " .. json.MAX_VALUES .. " values")
	elseif depth > json.MAX_DEPTH then
		fail(s, "nested more than " .. json.MAX_DEPTH .. " deep")
	end
	if char == "{" then
		return parse_object(s, depth + 1)
	elseif char == "[" then
		return parse_array(s, depth + 1)
	elseif char == '"' then
		return parse_string(s)
	end
	word = s.text:match("^%l+", s.at)
	if word and WORDS[word] ~= nil then
		s.at = s.at + #word
		return WORDS[word]
	end
	return parse_number(s)
end

-- The value, or nil and what is wrong with the text.
function json.parse(text)
	local s = { text = text, at = 1, values = 0 }
	local ok, value

	if #text > json.MAX_BYTES then
		return nil, "more than " .. json.MAX_BYTES .. " bytes"
	end
	ok, value = pcall(function()
		local result = parse_value(s, 1)

		if peek(s) ~= "" then
			fail(s, "text behind the end")
		end
		return result
	end)
	if ok then
		return value
	elseif type(value) == "table" then
		return nil, value.text
	end
	error(value, 0)
end

-- The value in a file, or nil and what is wrong.
function json.read(name)
	local file, err = io.open(name, "rb")
	local text

	if not file then
		return nil, err
	end
	text = file:read(json.MAX_BYTES + 1)
	file:close()
	if not text then
		return nil, name .. ": empty or not a file"
	end
	local value, what = json.parse(text)
	if value == nil then
		return nil, name .. ": " .. what
	end
	return value
end

return json
