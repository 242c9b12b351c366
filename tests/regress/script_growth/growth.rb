# The functions of growth.py, in Ruby. A name has 400 cells, and the garbage collector does not run.
# SPDX-License-Identifier: GPL-2.0-or-later
# frozen_string_literal: true
def insert(book, name)
  at = 0
  at += 1 while at < book.size && book[at] < name
  book.insert(at, name)
end

def pairs(names)
  before = 0
  names.each { |a| names.each { |b| before += 1 if a < b } }
  before
end

def lookup(index, name)
  index[name]
end

def memo(table)
  longest = ''
  table.each do |node|
    text = ''
    while node
      name, node = node
      text = name if name > text
    end
    longest = text if text > longest
  end
  longest
end

GC.disable
size = Integer(ARGV[0])
names = (0...size).map { |i| format('%01600d', i) }
table = [nil]
(1...10 * size).each { |i| table << [i.to_s, table[i & (i - 1)]] }
book = []
index = {}
names.each do |name|
  insert(book, name)
  index[name] = name
end
names.each { |name| lookup(index, name) }
(1..40).each { |i| pairs(names[0, size * i / 40]) }
(1..40).each { |i| memo(table[0, 10 * size * i / 40]) }
puts book.size
