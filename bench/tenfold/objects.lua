-- Tenfold program: a binary tree of N objects with methods, closures and a coroutine.
-- SPDX-License-Identifier: BSD-2-Clause
-- Usage: lua5.4 objects.lua N
local Tree = {}
Tree.__index = Tree

function Tree.new(key)
    return setmetatable({key = key, size = 1}, Tree)
end

function Tree:insert(key)
    self.size = self.size + 1
    local side = key < self.key and "left" or "right"
    if self[side] then
        self[side]:insert(key)
    else
        self[side] = Tree.new(key)
    end
end

function Tree:walk(visit)
    if self.left then self.left:walk(visit) end
    visit(self.key)
    if self.right then self.right:walk(visit) end
end

local n, state = tonumber(arg[1]), 3
local root = Tree.new(2 ^ 30)
for _ = 1, n do
    state = (state * 1103515245 + 12345) % 2147483648
    root:insert(state)
end
local keys = coroutine.wrap(function() root:walk(coroutine.yield) end)
local sum, key = 0, keys()
while key do
    sum = (sum * 31 + key) % 1000003
    key = keys()
end
print(root.size, sum)
