# The functions of bias.py, in Ruby.
# SPDX-License-Identifier: BSD-2-Clause
def total(a)
  s = 0
  a.each { |x| s ^= x }
  s
end

def largest(a)
  most = a[0]
  a.each { |x| most = x if x > most }
  most
end

def equal(a, b)
  i = 0
  while i < a.size
    return false if a[i] != b[i]
    i += 1
  end
  true
end

def insert(a, price)
  at = 0
  at += 1 while at < a.size && a[at] < price
  a.insert(at, price)
end

def backwards(a)
  b = []
  a.each { |x| b << x }
  b.reverse
end

def pairs(a)
  found = 0
  a.each { |x| a.each { |y| found += 1 if x < y } }
  found
end

def triples(a)
  found = 0
  a.each { |x| a.each { |_| a.each { |z| found += 1 if x < z } } }
  found
end

def memo(a)
  s = 0
  a.each_index do |i|
    while i > 0
      s ^= a[i]
      i &= i - 1
    end
  end
  s
end

def search(a, price)
  low = 0
  high = a.size
  while low < high
    middle = (low + high) / 2
    if a[middle] < price
      low = middle + 1
    else
      high = middle
    end
  end
  low
end

def lookup(index, price)
  index[price]
end

GC.disable
numbers = (1..400).to_a
others = (1..400).to_a
index = numbers.to_h { |x| [x, x] }
[50, *(1..8).map { |i| 50 * i }].each do |n|
  a = numbers[0, n]
  b = others[0, n]
  total(a)
  largest(a)
  equal(a, b)
  insert(a.dup, 500)
  backwards(a)
  pairs(a)
  triples(a[0, n / 5])
  memo(a)
  search(a, 500)
  lookup(index, n)
end
