-- Benchmark program for the Lua interpreter: eight queens, then a table of words built and sorted.
-- SPDX-License-Identifier: BSD-2-Clause
-- Usage: lua5.4 queens.lua [QUEENS]     prints the number of solutions and a checksum of the words

local function solve(n, row, columns, rising, falling)
    if row > n then
        return 1
    end
    local found = 0
    for c = 1, n do
        if not (columns[c] or rising[row + c] or falling[row - c + n]) then
            columns[c], rising[row + c], falling[row - c + n] = true, true, true
            found = found + solve(n, row + 1, columns, rising, falling)
            columns[c], rising[row + c], falling[row - c + n] = nil, nil, nil
        end
    end
    return found
end

local function words(n)
    local list, state = {}, 7
    for i = 1, n do
        state = (state * 1103515245 + 12345) % 2147483648
        list[i] = string.format("w%08x", state)
    end
    table.sort(list)
    return #table.concat(list, " "), list[1], list[n]
end

local n = tonumber(arg[1]) or 8
print(n, solve(n, 1, {}, {}, {}))
print(words(n * 2500))
