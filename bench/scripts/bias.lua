-- The functions of bias.py, in Lua.
-- SPDX-License-Identifier: BSD-2-Clause
local function total(a)
    local s = 0
    for i = 1, #a do s = s ~ a[i] end
    return s
end

local function largest(a)
    local most = a[1]
    for i = 1, #a do
        if a[i] > most then most = a[i] end
    end
    return most
end

local function equal(a, b)
    for i = 1, #a do
        if a[i] ~= b[i] then return false end
    end
    return true
end

local function insert(a, price)
    local at, n = 1, #a
    while at <= n and a[at] < price do at = at + 1 end
    table.insert(a, at, price)
end

local function backwards(a)
    local b = {}
    for i = #a, 1, -1 do b[#b + 1] = a[i] end
    return b
end

local function pairs(a)
    local found = 0
    for i = 1, #a do
        for j = 1, #a do
            if a[i] < a[j] then found = found + 1 end
        end
    end
    return found
end

local function triples(a)
    local found = 0
    for i = 1, #a do
        for j = 1, #a do
            for k = 1, #a do
                if a[i] < a[k] then found = found + j end
            end
        end
    end
    return found
end

local function memo(a)
    local s = 0
    for i = 0, #a - 1 do
        local j = i
        while j > 0 do
            s = s ~ a[j + 1]
            j = j & (j - 1)
        end
    end
    return s
end

local function search(a, price)
    local low, high = 1, #a + 1
    while low < high do
        local middle = (low + high) // 2
        if a[middle] < price then low = middle + 1 else high = middle end
    end
    return low
end

local function lookup(index, price)
    return index[price]
end

collectgarbage("stop")
local numbers, others, index = {}, {}, {}
for i = 1, 400 do
    numbers[i], others[i], index["n" .. i] = i, i, i
end
for step = 0, 8 do
    local n = step == 0 and 50 or 50 * step
    local a, b = table.move(numbers, 1, n, 1, {}), table.move(others, 1, n, 1, {})
    total(a)
    largest(a)
    equal(a, b)
    insert(table.move(a, 1, n, 1, {}), 500)
    backwards(a)
    pairs(a)
    triples(table.move(a, 1, n // 5, 1, {}))
    memo(a)
    search(a, 500)
    lookup(index, "n" .. n)
end
