-- The functions of growth.py, in Lua. A name has 400 cells.
-- SPDX-License-Identifier: GPL-2.0-or-later
local function insert(book, name)
    local at, n = 1, #book
    while at <= n and book[at] < name do
        at = at + 1
    end
    table.insert(book, at, name)
end

local function pairs(names)
    local before = 0
    for _, a in ipairs(names) do
        for _, b in ipairs(names) do
            if a < b then before = before + 1 end
        end
    end
    return before
end

local function lookup(index, name)
    return index[name]
end

local function memo(table)
    local longest = ""
    for i = 1, #table do
        local text, node = "", table[i]
        while node do
            if node.name > text then text = node.name end
            node = node.next
        end
        if text > longest then longest = text end
    end
    return longest
end

local function first(list, n)
    return table.move(list, 1, n, 1, {})
end

local size = tonumber(arg[1])
local names, nodes, book, index = {}, {}, {}, {}
for i = 1, size do
    names[i] = string.rep("0", 1596) .. string.format("%04d", i)
end
for i = 1, 5 * size do
    nodes[i] = {name = tostring(i), next = nodes[i & (i - 1)]}
end
for i, name in ipairs(names) do
    insert(book, name)
    index[tostring(i)] = name
end
for i = 1, size do
    lookup(index, tostring(i))
end
for i = 1, 40 do
    pairs(first(names, size * i // 40))
end
for i = 1, 40 do
    memo(first(nodes, 5 * size * i // 40))
end
print(#book)
