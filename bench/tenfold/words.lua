-- Tenfold program: makes N words, counts and sorts them, joins them and searches the text.
-- SPDX-License-Identifier: BSD-2-Clause
-- Usage: lua5.4 words.lua N
local n, state = tonumber(arg[1]), 7
local list, count = {}, {}
for i = 1, n do
    state = (state * 1103515245 + 12345) % 2147483648
    local word = string.format("w%x", state // 65536 % 2000)
    list[i] = word
    count[word] = (count[word] or 0) + 1
end
table.sort(list)
local text = table.concat(list, " ")
local found = 0
for word in text:gmatch("%w+") do
    found = found + #word * count[word]
end
print(found, (text:gsub("w1", "x"):len()))
