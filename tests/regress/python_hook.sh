#!/bin/sh
# Functions of Python before 3.12 are routines: `aprof run --python`, on functions of known growth.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require amd64
export APROF_VALGRIND_LIB="$build/.in_place"

python=
for name in /usr/bin/python3.11 python3.11 python3.10 python3.9 python3.8; do
    ! $name -c '' 2>/dev/null || python=${python:-$name}
done
test -n "$python" || skip 'no CPython 3.8 to 3.11'

# insert(n): n steps; pairs(n): n * n steps, 4 to 96 elements; lookup: the same work for each; memo(n): n log n.
cat >growth.py <<'SCRIPT'
def insert(book, price):
    at = 0
    while at < len(book) and book[at] < price:
        at += 1
    book.insert(at, price)


def pairs(items):
    total = 0
    for a in items:
        for b in items:
            total |= a < b
    return total


def lookup(table, key):
    return table[key]


def memo(items):
    width = len(items)
    while width > 0:
        table = [x for x in items]
        for at in table:
            pass
        width //= 2


SIZE = 240
book = []
table = dict.fromkeys(range(SIZE))
for i in range(SIZE):
    insert(book, i % 250)
    lookup(table, i)
for n in range(4, 100, 4):
    pairs(book[:n])
for n in range(16, 1200, 48):
    memo(list(range(n)))
print(len(book))
SCRIPT
begin 'growth of functions'
run 0 timeout 300 aprof run -q --vgdb=no --python --concurrent=no -o report -- "$python" growth.py
same "$(cat out)" 240 'output'
measured report 'routine=insert object=[JIT] calls=240 cost_min<=1000 cost_max>=8000'
measured report 'routine=lookup object=[JIT] calls=240 cost_max<=1000'
measured report 'routine=pairs object=[JIT] calls=24 cost_min<=3000 cost_max>=40000'
expect_growth()
{
    aprof report report "$1" >shown
    grep -q "^Growth: $2:" shown || fail "$1: $(grep '^Growth' shown) instead of $2"
}
expect_growth insert n

begin 'generators, exceptions, threads, methods, recursion'
cat >shapes.py <<'SCRIPT'
import threading


class Book:
    def insert(self):
        return 1


def count(n):
    for i in range(n):
        yield i


def fail(n):
    if n:
        fail(n - 1)
    raise ValueError


def work():
    for _ in range(7):
        Book().insert()


def called(function):
    try:
        function(4)
    except ValueError:
        pass


for _ in range(3):
    called(fail)
assert sum(count(10)) == 45
threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
sorted(range(5), key=lambda x: -x)
SCRIPT
run 0 timeout 300 aprof run -q --vgdb=no --python --concurrent=both -o report -- "$python" shapes.py
grep -v '^options' report >one
grep -v '^options' report.sequential >two
same_files one two 'the concurrent analysis has another result'
measured report 'routine=fail object=[JIT] calls=15'
measured report 'routine=called object=[JIT] calls=3'
measured report 'routine=work object=[JIT] calls=2'
measured report 'routine=<lambda> object=[JIT] calls=5'
! grep -q '_aprof\.' report || fail 'the hook is in the report'
# A generator's step is a call: the values and the end, and in CPython 3.11 its creation.
steps=$(awk -F'\t' '$1 == "routine" && $6 == "count" { n = $2 }
    $1 == "edge" && $3 == n { calls += $7 } END { print calls }' report)
test "$steps" = 11 || test "$steps" = 12 || fail "$steps steps of the generator"
# Functions of scripts call each other, without the interpreter between.
awk -F'\t' '$1 == "routine" { name[$2] = $6 }
    $1 == "edge" && name[$3] == "fail" { calls[name[$2]] += $7 }
    END { for (n in calls) print n, calls[n] }' report | sort | tr '\n' ';' >callers
same "$(cat callers)" 'called 3;fail 12;' 'callers of fail'

begin 'the same as a module'
mkdir module
cp "$source/aprof/python/aprof.py" module/
echo 'def once(): pass
once()' >once.py
PYTHONPATH=$PWD/module run 0 timeout 300 "$python" -m aprof once.py
measured "$(ls aprof.out.*)" 'routine=once object=[JIT] calls=1'

begin 'without the option a message names it'
case $python in
*python3.1[01] | *python3.[89])
    run 0 timeout 300 aprof run --vgdb=no -o report -- "$python" -S -c ''
    expect_message 'only with --python'
    ;;
esac

begin 'a Python that is not profiled is left alone'
PYTHONPATH=$build/.in_place/python run 0 "$python" -c 'print(1)'
expect_no_message
finish
