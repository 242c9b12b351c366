#!/bin/sh
# Tests that programs that forbid their own system calls end as without the tool, with a report or a message.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require amd64

begin "sandbox.c compiles"
compile sandbox '-O1 -pthread' sandbox.c || :
native=0
./sandbox kill getsid getsid 2>err || native=$?
test "$native" = 159 || skip "the kernel has no seccomp filters: $(cat err)"

time_limit=30

# sandboxed HOW STATUS END ACTION CALLS AFTERWARDS: tests one and two processors; the end must be as without
# aprof.
sandboxed()
{
    begin "--concurrent=$1, $4 $5, then $6"
    profile "--concurrent=$1" ./sandbox "$4" "$5" "$6"
    expect_status "$2"
    measured report "routine=before calls=1 trms=9x1" "routine=main calls=1" "end=$3"
    if test "$3" != seccomp_filter; then
        measured report "routine=after calls=1 trms=30x1"
    fi
    check "files are left: $(echo report*)" [ "$(echo report*)" = report ]
}

for how in yes no; do
    # System calls that the report needs.
    for calls in openat renameat openat,renameat,close unlink,unlinkat; do
        sandboxed $how 3 exit kill $calls return
        sandboxed $how 3 exit errno $calls return
    done
    for calls in mmap mmap,openat futex clock_gettime clone; do
        sandboxed $how 3 exit kill $calls large
        measured report "routine=work_in_much_memory calls=1"
    done
    sandboxed $how 3 exit errno mmap large
    measured report "routine=work_in_much_memory calls=1"

    # Filters that end the program.
    sandboxed $how 159 signal_31 kill getsid getsid
    sandboxed $how 159 signal_31 kill-process getsid getsid
    sandboxed $how 159 signal_31 kill mmap unmap
    check "no message: $(cat log)" grep -q 'filter kills the program for system call' log

    # System calls that Valgrind itself, or any report, needs: the report ends before the call.
    sandboxed $how 3 seccomp_filter kill write return
    check "no message: $(cat log)" grep -q "filter forbids the system call write" log
    sandboxed $how 137 seccomp_filter strict '' getsid
    check "no message: $(cat log)" grep -q "filter forbids the system call rt_sigprocmask" log
    begin "--concurrent=$how, trap getsid"
    profile "--concurrent=$how" ./sandbox trap getsid getsid
    measured report "routine=after calls=1 trms=30x1" "end=seccomp_filter"
    check "no message: $(cat log)" grep -q 'because Valgrind may end' log
done

# Valgrind would wait forever for the lock of the killed thread.
sandboxed yes 159 signal_31 kill getsid thread

begin "the report of two engines is the same"
profile --concurrent=both ./sandbox kill getsid getsid
expect_status 159
same_files report report.sequential "the reports differ"

begin "calls that only find out whether there are filters"
profile "--concurrent=no" ./sandbox probe '' getsid
expect_status 3
measured report "routine=after calls=1 trms=30x1" "end=exit"
check "a message: $(cat log)" [ "$(grep -c aprof: log)" = 1 ]
check "files are left: $(echo report*)" [ "$(echo report*)" = report ]

begin "a filter that the kernel refuses leaves no file"
profile --concurrent=no ./sandbox refused openat kill
expect_status 2
measured report "end=exit"

# inherited STATUS CALL PROGRAM...: tests a filter that kills, installed before Valgrind starts.
inherited()
{
    begin "$2 kills a thread, $3"
    last="sandbox kill $2 exec"
    wanted=$1
    call=$2
    shift 2
    status=0
    rm -f report log
    {
        timeout -k 5 "$time_limit" ./sandbox kill "$call" exec "$launcher" --tool=aprof \
            --concurrent=yes --log-file=log --aprof-out-file=report "$@" >out 2>err || status=$?
    } 2>/dev/null
    expect_status "$wanted"
}

compile pages -O1 pages.c || :
inherited 159 getsid ./sandbox errno madvise getsid # the program's: the analysis thread is alone
measured report "routine=after calls=1 trms=30x1" "end=signal_31"
inherited 3 prctl ./pages # the analysis thread's first call: the other thread does its work
measured report "routine=use_pages calls=4" "end=exit"
inherited 3 madvise ./pages # inside the engine, which is then unusable
check "a report" [ ! -e report ]
check "no message: $(cat log)" grep -q 'analysis thread was killed.*there will be no report' log

finish
