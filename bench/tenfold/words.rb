# Counts, sorts and joins words that depend on the argument alone, for tenfold.sh.
# SPDX-License-Identifier: GPL-2.0-or-later
size = ARGV[0].to_i
count = Hash.new(0)
words = (0...size).map { |i| "w#{i * 7919 % 9973}#{(97 + i % 26).chr}" }
words.each { |word| count[word] += word.length }
order = count.sort_by { |word, n| [-n, word] }
text = words.each_slice(8).map { |line| line.join(' ') }.join("\n")
capitals = text.gsub(/w(\d+)([a-m])/) { $2.upcase + $1 }
puts order.length, capitals.length, text.lines.sort_by(&:reverse).sum(&:length)
