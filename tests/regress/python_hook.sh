#!/bin/sh
# Functions of Python before 3.12 are routines: `aprof run --python`, on calls of every kind. Growth: script_growth.sh.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require amd64
export APROF_VALGRIND_LIB="$build/.in_place"

python=
for name in /usr/bin/python3.11 python3.11 python3.10 python3.9 python3.8; do
    ! $name -c '' 2>/dev/null || python=${python:-$name}
done
test -n "$python" || skip 'no CPython 3.8 to 3.11'

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
# Functions of scripts call each other, without the interpreter in between.
awk -F'\t' '$1 == "routine" { name[$2] = $6 }
    $1 == "edge" && name[$3] == "fail" { calls[name[$2]] += $7 }
    END { for (n in calls) print n, calls[n] }' report | sort | tr '\n' ';' >callers
same "$(cat callers)" 'called 3;fail 12;' 'callers of fail'

# From a function in C, CPython makes the same calls of machine code with and without the hook. So 20000 more calls
# of `called` cost as much in both runs, within two blocks for each call. The hook itself executes nine for each call.
begin "the hook's own cost is left out"
cat >calls.py <<'SCRIPT'
import itertools
import sys


def called(x):
    return x


def drive(n):
    for _ in map(called, itertools.repeat(7, n)):
        pass


for n in sys.argv[1:]:
    drive(int(n))
SCRIPT
export PYTHONHASHSEED=0
for n in 1000 21000; do
    run 0 aprof run -q --vgdb=no --no-runtime-support -o $n -- "$python" -E -S calls.py $n
done
run 0 aprof run -q --vgdb=no --python -o report -- "$python" calls.py 1000 21000
without=$(awk -F '\t' '$1 == "totals" { cost[FILENAME] = $2 } END { print cost["21000"] - cost["1000"] }' 1000 21000)
with=$(aprof export --format=csv report | awk -F , '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $at["routine"] == "drive" { if ($at["cost_max"] > most) most = $at["cost_max"]
        if (!least || $at["cost_min"] < least) least = $at["cost_min"] }
    END { print most - least }')
check "20000 calls cost $with blocks, and $without without the hook" \
    test $((with - without)) -le 40000 -a $((without - with)) -le 40000

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
