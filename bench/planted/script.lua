-- Strings, appended values and a sort: `lua script.lua N`.
-- SPDX-License-Identifier: GPL-2.0-or-later
local n = tonumber(arg[1])
local list, names, x = {}, {}, 1
for i = 1, n do
    x = (x * 1103515245 + 12345) % 2147483648
    list[#list + 1] = x
    names["key" .. i] = i
end
table.sort(list)
print(#list, list[1])
