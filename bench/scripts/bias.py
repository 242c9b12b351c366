# Ten functions of known growth. A function reads n elements, unless its comment says otherwise.
# SPDX-License-Identifier: BSD-2-Clause
def total(a):  # n
    s = 0
    for x in a:
        s ^= x
    return s


def largest(a):  # n
    most = a[0]
    for x in a:
        if x > most:
            most = x
    return most


def equal(a, b):  # n, reads 2 n
    for x, y in zip(a, b):
        if x != y:
            return False
    return True


def insert(a, price):  # n
    at = 0
    while at < len(a) and a[at] < price:
        at += 1
    a.insert(at, price)


def backwards(a):  # n
    b = []
    for x in a:
        b.append(x)
    b.reverse()
    return b


def pairs(a):  # n^2
    found = 0
    for x in a:
        for y in a:
            found |= x < y
    return found


def triples(a):  # n^3, called with n / 5 elements
    found = 0
    for x in a:
        for y in a:
            for z in a:
                found |= x < z
    return found


def memo(a):  # n log n
    s = 0
    for i in range(len(a)):
        while i:
            s ^= a[i]
            i &= i - 1
    return s


def search(a, price):  # log n, reads log n + 1
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < price:
            low = middle + 1
        else:
            high = middle
    return low


def lookup(index, price):  # 1, reads 1
    return index[price]


numbers, others = list(range(200)), list(range(200))
index = {x: x for x in numbers}
for n in [25, 25] + list(range(25, 201, 25)):
    a, b = numbers[:n], others[:n]
    total(a)
    largest(a)
    equal(a, b)
    insert(numbers[:n], 250)
    backwards(a)
    pairs(a)
    triples(a[: n // 5])
    memo(a)
    search(a, 250)
    lookup(index, n - 1)
