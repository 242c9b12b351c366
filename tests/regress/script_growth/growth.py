# Functions of known growth: insert n, pairs n^2, lookup 1, memo n log n.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: growth.py SIZE
#
# Each function reads whole names. A name has 100 cells, so that the interpreter's own data (some 200 cells for each
# call) are a small part of the input.
#
# A node of `table` has a name and the node whose number lacks the last 1 of this node's number: 0b1010, 0b1000, 0.
# Numbers below n have log n / 2 such steps on average.
import sys


def insert(book, name):
    at = 0
    while at < len(book) and book[at] < name:
        at += 1
    book.insert(at, name)


def pairs(names):
    before = 0
    for a in names:
        for b in names:
            before |= a < b
    return before


def lookup(index, name):
    return index[name]


def memo(table):
    longest = ""
    for node in table:
        text = ""
        while node:
            name, node = node
            text = max(text, name)
        longest = max(longest, text)
    return longest


size = int(sys.argv[1])
names = ["%0400d" % i for i in range(size)]
table = [()]
for i in range(1, 5 * size):
    table.append((str(i), table[i & (i - 1)]))
book, index = [], {}
for name in names[:size]:
    insert(book, name)
    index[name] = name
for name in names[:size]:
    lookup(index, name)
for i in range(1, 41):
    pairs(names[: size * i // 40])
for i in range(1, 41):
    memo(table[: 5 * size * i // 40])
print(len(book))
