#!/bin/sh
# Tests that a profiled program keeps its file locks: record locks, open file description locks, flock.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The program locks a plain file and an object with debug data, maps them in all ways, and calls exec. The
# locks that another process then finds are compared with a run without a profiler, or without a tool:
# Valgrind's core opens and closes objects whose code and data are mapped, to read their debug data.
. "${0%/*}/../lib.sh"
require amd64

begin 'without a profiler all locks are held'
compile locks -O1 locks.c || finish
cp locks object
head -c 8192 /dev/zero >plain
run 0 ./locks map plain object
mv out wanted
same "$(grep -c 'record y, description y, flock y$' wanted)" 7 'cases'

begin 'Valgrind without a tool loses record locks on objects only'
run 0 "$launcher" -q --tool=none --vgdb=no --trace-children=yes ./locks map plain object
mv out wanted_of_tool
sed '6s/record n/record y/' wanted_of_tool >out
same_files out wanted 'other locks are held'

for options in --concurrent=no --concurrent=yes '--edges=no --lines=no' --read-inline-info=yes; do
    begin "the Valgrind tool, $options"
    profile "--trace-children=yes $options" ./locks map plain object
    expect_status 0
    same_files out wanted_of_tool 'other locks are held'
    measured report.exec1 'routine=map_and_read calls=6'
done

# A full FIFO makes the writer of the report wait, so that the writer can be stopped. Before the program begins, the
# shell's child process has the FIFO open.
is_writing()
{
    case $(readlink "/proc/$1/exe") in
    */compiled) ;;
    *) return 1 ;;
    esac
    find "/proc/$1/fd" -lname '*/fifo' 2>/dev/null | grep -q .
}

stop_writer()
{
    for wait in $(seq 600); do
        if is_writing "$1"; then
            kill -STOP "$1"
            return 0
        fi
        sleep 0.1
    done
    fail "no report is written after $wait waits of 0.1 s"
}

need_compilers
for compiler in $compilers; do
    begin "compiled in, $compiler"
    build "$compiler" "-O1 -I$source" compiled "$here/locks.c"
    rm -f compiled.out*
    run 0 env APROF=out=compiled.out timeout 60 ./compiled map plain object
    same_files out wanted 'other locks are held'

    begin "compiled in, $compiler: a program that has no descriptor left but one"
    # shellcheck disable=SC3045
    (ulimit -n 5 && APROF=out=few.out timeout 60 ./compiled test plain 3>&-) >out 2>err || :
    measured few.out 'routine=main calls=1'

    begin "compiled in, $compiler: a lock on the executable while the last report is written"
    rm -f fifo
    mkfifo fifo
    exec 9<>fifo
    head -c 65536 /dev/zero >&9
    APROF=out=fifo ./compiled own 9<&- >out 2>err &
    stop_writer $!
    check 'the lock is lost' ./locks test compiled
    kill -9 $!
    wait || :
    exec 9>&-
done

finish
