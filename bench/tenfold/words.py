# Tenfold program: makes N words, counts them, sorts them and joins them.
# SPDX-License-Identifier: BSD-2-Clause
# Usage: python3 words.py N
import sys

n, state, count = int(sys.argv[1]), 7, {}
for i in range(n):
    state = (state * 1103515245 + 12345) % 2147483648
    word = "w%x" % (state // 65536 % 5000)
    count.setdefault(word, []).append(i)
order = sorted(count, key=lambda word: (-len(count[word]), word))
text = " ".join(word.upper() + str(len(count[word])) for word in order)
print(len(text), sum(len(part) for part in text.split("1")))
