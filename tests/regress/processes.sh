#!/bin/sh
# Processes that fork, exec, and end in all ways: each leaves a complete report of its own work.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require amd64

# Of the reports report.PID, the child's report contains child_work.
find_child()
{
    grep -lw child_work report.[0-9]* | sed 's/.*\///'
}

find_parent()
{
    grep -lw read_back report.[0-9]* | sed 's/.*\///'
}

fork_case()
{
    begin "fork, child ends by $2, $1"
    compile forks "$1" forks.c || return 0
    profile "--aprof-out-file=report.%p" ./forks "$3"
    expect_status 0
    parent=$(find_parent)
    child=$(find_child)
    measured "$parent" "routine=before calls=13 trms=3x13"
    measured "$parent" "routine=around calls=1 trms=16x1 rms=16x1"
    measured "$parent" "absent=child_work"
    measured "$parent" "end=exit"
    measured "$child" "routine=before calls=2 trms=3x2"
    measured "$child" "routine=child_work calls=4 trms=5x4"
    measured "$child" "routine=around calls=1 input_min>=8 input_max<=20"
    measured "$child" "routine=main calls=1"
    measured "$child" "absent=read_back"
    count=$(sed -n 's/^process.//p' report.[0-9]* | sort -u | wc -l)
    check "the reports name $count processes" [ "$count" = 2 ]
}

# ends_by HOW STATUS REASON
ends_by()
{
    begin "the end by $1"
    profile "" ./ends "$1"
    expect_status "$2"
    measured report "routine=work calls=9 trms=6x9"
    measured report "routine=deepest calls=1"
    measured report "routine=outer calls=1"
    measured report "routine=main calls=1"
    measured report "end=$3"
}

for flags in -O0 -O2; do
    fork_case "$flags" _exit 1
    fork_case "$flags" return 2
done

begin "ends.c compiles"
compile ends "-O1 -pthread" ends.c || :
ends_by return 11 exit
ends_by exit 8 exit
ends_by _exit 7 exit
ends_by exit_group 9 exit
ends_by threads 10 exit
ends_by abort 134 signal_6
ends_by segv 139 signal_11
ends_by illegal 132 signal_4
ends_by term 143 signal_15
ends_by kill-term 143 signal_15
ends_by int 130 signal_2
ends_by clone 1 clone # Valgrind ends the process there
check "no message: $(cat log)" grep -q 'clone with flags 0x111: Valgrind may end here' log

begin "exec of another program"
compile execs -O1 execs.c || :
profile "" ./execs /bin/true
expect_status 0
measured report.exec1 "routine=work calls=5 trms=4x5"
measured report.exec1 "routine=main calls=1"
measured report.exec1 "end=exec"
check "the new program is not profiled" [ ! -e report ]

begin "exec that fails"
profile "" ./execs /nowhere/at/all
expect_status 12
measured report "routine=work calls=7 trms=4x7"
measured report "end=exit"
check "there is no report.exec1" [ ! -e report.exec1 ]

begin "a chain of execs, each with a report of its own"
profile "--trace-children=yes" ./execs ./execs ./execs
expect_status 12
measured report.exec1 "routine=work calls=5 trms=4x5"
measured report.exec2 "routine=work calls=5 trms=4x5"
measured report "routine=work calls=7 trms=4x7"

begin "exec of the process's own executable, by the kernel's name for it"
profile "--trace-children=yes" ./execs /proc/self/exe
expect_status 12
measured report.exec1 "routine=work calls=5 trms=4x5"
measured report "routine=work calls=7 trms=4x7"
profile "--trace-children=no" ./execs /proc/self/exe
expect_status 12

begin "exec followed into itself"
profile "--trace-children=yes --aprof-out-file=report.%p" ./execs ./execs
expect_status 12
first=$(echo report.[0-9]*.exec1)
second=$(find . -name 'report.*' ! -name '*.exec1' | head -n 1)
measured "$first" "routine=work calls=5 trms=4x5"
measured "$second" "routine=work calls=7 trms=4x7"

finish
