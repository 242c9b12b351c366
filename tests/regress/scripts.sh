#!/bin/sh
# Tests that functions of scripts are routines: all installed run-time systems, on a script that keeps a list sorted.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require amd64
export APROF_VALGRIND_LIB="$build/.in_place"

# The function is called n times on lists of 0 to n - 1 elements. Each element is greater than all previous
# elements, so a call reads all elements.
cat >book.py <<'SCRIPT'
def insert(book, price):
    at = 0
    while at < len(book) and book[at] < price:
        at += 1
    book.insert(at, price)


def lookup(book, at):
    return book[at]


book = []
for i in range(200):
    insert(book, i)
    lookup(book, 0)
print(len(book))
SCRIPT
cat >book.js <<'SCRIPT'
function insert(book, price) {
    let at = 0;
    while (at < book.length && book[at] < price)
        at++;
    book.splice(at, 0, price);
}
function lookup(book, at) {
    return book[at];
}
const book = [];
for (let i = 0; i < 200; i++) {
    insert(book, i);
    lookup(book, 0);
}
console.log(book.length);
SCRIPT
cat >book.erl <<'SCRIPT'
-module(book).
-export([main/1]).
insert(P, [H | T]) when H < P -> [H | insert(P, T)];
insert(P, Book) -> [P | Book].
fill(200, Book) -> Book;
fill(N, Book) -> fill(N + 1, insert(N, Book)).
main(_) -> io:format("~p~n", [length(fill(0, []))]), halt().
SCRIPT

# column_of COLUMN NAME: prints the value of a column for the routine NAME. Java adds the argument types to NAME.
column_of()
{
    aprof report --format=tsv report | awk -F '\t' -v column="$1" -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        index($at["routine"] "(", name "(") == 1 { print $at[column] }'
}

# is_cheap NAME MOST: checks that a call of the routine costs at most MOST blocks on average. A single call may cost
# more, because the run-time system may collect garbage during the call.
is_cheap()
{
    cost=$(($(column_of total_cost "$1") / $(column_of calls "$1")))
    check "average cost of $1: $cost" test "$cost" -le "$2"
}

# Prints the newest installed CPython.
python=
for name in python3.15 python3.14 python3.13 python3.12; do
    ! command -v $name >/dev/null || ! $name -c '' 2>/dev/null || python=${python:-$name}
done

begin 'functions of Python'
if test -n "$python"; then
    run 0 timeout 600 aprof run -q --vgdb=no --metrics=trms,rms -o report -- "$python" book.py
    same "$(cat out)" 200 'output'
    measured report 'routine=insert object=[JIT] calls=200 cost_min<=1000 cost_max>=8000'
    measured report 'routine=lookup object=[JIT] calls=200'
    is_cheap lookup 1000
else
    echo 'left out: no CPython 3.12 or later'
fi

begin 'functions of JavaScript'
if command -v node >/dev/null; then
    run 0 timeout 600 aprof run -q --vgdb=no --metrics=trms,rms -o report -- node book.js
    same "$(cat out)" 200 'output'
    measured report 'routine=insert object=[JIT] calls=200 cost_min<=1000 cost_max>=8000'
    measured report 'routine=lookup object=[JIT] calls=200'
    is_cheap lookup 1000
else
    echo 'left out: no node'
fi

begin 'functions of Erlang'
if command -v erlc >/dev/null && erlc book.erl 2>/dev/null; then
    run 0 timeout 600 aprof run -q --vgdb=no --metrics=trms,rms -o report -- erl -noshell -run book main x
    same "$(cat out)" 200 'output'
    # Each call of `insert` calls itself for the remaining list: 20100 calls. A call that the scheduler
    # interrupts for another process counts twice.
    measured report 'routine=book:insert/2 object=[JIT] calls>=20100 calls<=20400 cost_max>=1000'
    run 0 aprof annotate report book.erl # the lines come from the jitdump
    check 'cost of line 3' grep -q '^ *[0-9]\{6\} .* 3  insert(P' out
    same "$(grep -A 1 '^ .* 6  fill(N' out | grep -c 'calls of book:insert/2')" 1 'calls from line 6'
else
    echo 'left out: no erlc'
fi

# The first call of a method passes through the virtual machine, which then compiles the method.
begin 'methods of Java'
if command -v javac >/dev/null && javac -d . "$here/script_growth/Growth.java"; then
    run 0 timeout 600 aprof run -q --vgdb=no -o report -- java Growth 500
    rm "/tmp/perf-$(awk '$1 == "process" { print $2 }' report).map"
    same "$(cat out)" 500 'output'
    calls=$(column_of calls 'Growth.insert')
    check "calls of insert: $calls" test "$calls" -ge 499 -a "$calls" -le 500
    run 0 aprof report --top=1 report
    expect 'Growth.pairs(int[], int) is the most expensive routine'
    same "$(column_of average_growth 'Growth.insert')" n 'growth of insert'
    same "$(column_of average_growth 'Growth.pairs')" 'n^2' 'growth of pairs'
    same "$(column_of average_growth 'Growth.memo')" 'n log n' 'growth of memo'
    is_cheap Growth.lookup 100
else
    echo 'left out: no javac'
fi

finish
