#!/bin/sh
# Tests paths as events: an analysis on this core or on another core has the counts of counters.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers
need aprof-pathcc 'built without LLVM'

# both_ways STATUS PROGRAM PLAN-OPTIONS...
both_ways()
{
    ends=$1 program=$2
    shift 2
    run 0 aprof paths plan "./$program" --events "$@"
    for analysis in sequential concurrent; do
        run "$ends" aprof paths run --analysis=$analysis -- 30
        run 0 aprof paths merge
        run 0 aprof paths check
        expect 'sequential: equal'
        expect 'oracle: equal'
        expect_not 'differences'
    done
}

compile_paths -O1 dispatch
both_ways 0 dispatch
run 0 aprof paths edges -- ./dispatch 20
both_ways 0 dispatch --policy=hits --copies=1 --edges=aprof.paths.edges
compile_paths -O1 exceptions
both_ways 0 exceptions
compile_paths '-O1 -pthread' threads
both_ways 0 threads

begin 'the last chunk of a process that leaves in the middle is not lost'
compile_paths -O1 leaving
expected=0
./leaving 30 >/dev/null || expected=$?
both_ways "$expected" leaving

run 2 aprof paths plan ./dispatch --events --slicing
run 2 aprof paths plan ./dispatch --events --policy=pbl --copies=2
run 0 aprof-pathcc -O1 -static -o static "$here/programs/dispatch.c"
run 1 aprof paths plan ./static --events
expect_error 'needs dynamic linking'

finish
