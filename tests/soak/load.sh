#!/bin/sh
# Tests large numbers of threads, coroutines, activations, sizes and addresses, and deep stacks: exact measurements in bounded memory.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `make check` runs a hundredth of the load; `make soak-load` runs the whole load, and SOAK_LOAD=N runs N
# percent.
. "${0%/*}/../lib.sh"

percent=${SOAK_LOAD:-1}
options=
time_limit=$((60 + 30 * percent))
need_compilers

# of NUMBER: prints the percentage of NUMBER, at least 10.
of()
{
    n=$(($1 * percent / 100))
    test $n -ge 10 || n=10
    echo $n
}

# memory_below MEGABYTES: checks the largest resident size of the latest command.
memory_below()
{
    kilobytes=$(tail -n 1 usage)
    test "$kilobytes" -le $(($1 * 1024)) || fail "$last: $kilobytes kilobytes"
    echo "    $last: $((kilobytes / 1024)) MB"
}

# load ARGUMENT...: runs the load with the front end in $front_end; leaves `report`.
load()
{
    last="$front_end: $*"
    rm -f report
    status=0
    case $front_end in
    valgrind)
        timeout $time_limit env time -f %M -o usage "$launcher" -q --tool=aprof --max-threads=1000 \
            --main-stacksize=8388608 $options --aprof-out-file=report ./plain "$@" >out 2>err </dev/null || status=$?
        ;;
    *)
        APROF=out=report timeout $time_limit env time -f %M -o usage ./"$front_end" "$@" >out 2>err </dev/null || status=$?
        ;;
    esac
    expect_status 0
    test "$options" || test ! -s err || fail "$last: $(head -n 1 err)"
}

# Runs a load with --stats=yes: the counter of timestamps must have overflowed.
load_with_stats()
{
    load "$@"
    renumberings=$(sed -n 's/.*aprof: .* words of events, \([0-9]*\) renumberings.*/\1/p' err)
    echo "    $last: ${renumberings:-no} renumberings"
    test "${renumberings:-0}" -ge $((n / 100)) || fail "$last: ${renumberings:-no} renumberings"
}

all_loads()
{
    begin "$front_end: threads one after the other"
    n=$(of 10000)
    load threads "$n"
    measured report "routine=touch calls=$((2 * n)) trms=10x$n,20x$n" "routine=one_of_many calls=$n trms=20x$n"
    memory_below 600

    begin "$front_end: threads at once"
    n=$(of 500)
    load crowd "$n"
    measured report "routine=touch calls=$((2 * n)) trms=10x$n,20x$n"
    memory_below 2000

    begin "$front_end: coroutines"
    n=$(of 10000)
    load coroutines "$n"
    measured report "routine=coroutine calls=$n" "routine=touch calls=$((2 * n)) trms=5x$n,7x$n"
    memory_below 3000

    begin "$front_end: a deep recursion"
    n=$(of 10000000)
    load depth "$n"
    measured report "routine=go_down calls=$((n + 1))" 'routine=touch trms=30x1'
    memory_below 4000

    begin "$front_end: many activations of many sizes"
    n=$(of 100000)
    load sizes "$n" "$rounds"
    measured report "routine=grow calls=$((n * rounds)) input_max=$n"
    memory_below 1000

    begin "$front_end: addresses far apart"
    n=$((64 * percent / 100 + 1))
    test "$front_end" != valgrind || test $n -le 24 || n=24 # Valgrind itself maps no 64 in one piece
    load sparse "$n"
    measured report "routine=sparse trms=$((n * 1024))x1"
    memory_below 2000
}

need time 'GNU time is not installed'
for compiler in $compilers; do
    front_end=$compiler
    build "$compiler" '-O1 -fno-optimize-sibling-calls' "$compiler" "$here/load.c"
    rounds=$(of 1000)
    all_loads
done
if test -x "$launcher" && command -v valgrind >/dev/null; then
    front_end=valgrind
    gcc -O1 -g -fno-optimize-sibling-calls -fno-stack-protector -pthread -o plain "$here/load.c"
    rounds=$(of 20)
    all_loads

    begin 'valgrind: a counter of times that overflows again and again changes nothing'
    options='--counter-bits=10 --stats=yes'
    n=$(of 10000)
    load_with_stats sizes "$n" 10
    measured report "routine=grow calls=$((n * 10)) input_max=$n"
    load_with_stats coroutines "$n"
    measured report "routine=coroutine calls=$n" "routine=touch calls=$((2 * n)) trms=5x$n,7x$n"
fi
finish
