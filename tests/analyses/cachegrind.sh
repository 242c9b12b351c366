#!/bin/sh
# Tests that the analysis of caches has the counts of cachegrind, on sweeps over memory.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Cachegrind's levels do not include each other, and instructions share its last level, so counts
# need not be equal on every trace. On the traces of this test, counts must be equal. A sweep uses all lines
# equally often and in one order, so a line that leaves the second level is the least recently used, and left
# the first level before. Each sweep either fits into a level with free space in every set, or evicts every
# line before its next use. Only the accesses of the sweep are compared, which have separate source lines.
. "${0%/*}/../lib.sh"
need_papers
need valgrind
$CC -g -O1 -I"$source" "$here/sweep_run.c" -o sweep_run

line_of()
{
    grep -n "/\* the $1s \*/" "$here/sweep_run.c" | cut -d: -f1
}

# The counts of one line of the source, for loads or stores.
cachegrind()
{
    valgrind -q --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=32768,4,64 \
        --LL=524288,8,64 --cachegrind-out-file=out ./sweep_run "$@" >log 2>&1
    awk -v kind="$1" -v line="$(line_of "$1")" '
        /^fn=/ { inside = $0 == "fn=sweep_" kind "s" }
        inside && $1 == line {
            first = kind == "load" ? 5 : 8
            print $first, $(first + 1), $(first + 2)
        }' out
}

compare()
{
    begin "$*"
    theirs=$(cachegrind "$@")
    check 'cachegrind has no counts' [ "$theirs" ]
    same "$("$build/tests/analyses/sweep_simulate" "$@")" "$theirs" 'accesses and misses'
}

compare load 16384 64 5     # fits the first level
compare load 16384 8 3      # eight accesses per line
compare load 262144 64 3    # fits the second
compare load 2097152 64 2   # fits none
compare store 16384 16 4
compare store 262144 32 3
compare store 2097152 64 2
finish
