#!/bin/sh
# Processes that fork, exec, and end in all ways: each leaves a complete report of its own work.
# SPDX-License-Identifier: GPL-2.0-or-later

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin processes
require amd64

# Reports out.PID: the child's is the one in which child_work stands.
find_child() {
    grep -lw child_work "$work"/out.[0-9]* | sed 's/.*\///'
}

find_parent() {
    grep -lw read_back "$work"/out.[0-9]* | sed 's/.*\///'
}

fork_case() {
    case_begin "fork, child ends by $2, $1"
    compile forks "$1" forks.c || return 0
    profile "--aprof-out-file=out.%p" ./forks "$3"
    expect_status 0
    parent=$(find_parent)
    child=$(find_child)
    expect "$parent" "routine=before calls=13 trms=3x13"
    expect "$parent" "routine=around calls=1 trms=16x1 rms=16x1"
    expect "$parent" "absent=child_work"
    expect "$parent" "end=exit"
    expect "$child" "routine=before calls=2 trms=3x2"
    expect "$child" "routine=child_work calls=4 trms=5x4"
    expect "$child" "routine=around calls=1 input_min>=8 input_max<=20"
    expect "$child" "routine=main calls=1"
    expect "$child" "absent=read_back"
    count=$(sed -n 's/^process.//p' "$work"/out.[0-9]* | sort -u | wc -l)
    check "the reports name $count processes" [ "$count" = 2 ]
}

# end_case HOW STATUS REASON
end_case() {
    case_begin "the end by $1"
    profile "" ./ends "$1"
    expect_status "$2"
    expect out "routine=work calls=9 trms=6x9"
    expect out "routine=deepest calls=1"
    expect out "routine=outer calls=1"
    expect out "routine=main calls=1"
    expect out "end=$3"
    case_end
}

for flags in -O0 -O2; do
    fork_case "$flags" _exit 1
    case_end
    fork_case "$flags" return 2
    case_end
done

case_begin "ends.c compiles"
compile ends "-O1 -pthread" ends.c || :
case_end
end_case return 11 exit
end_case exit 8 exit
end_case _exit 7 exit
end_case exit_group 9 exit
end_case threads 10 exit
end_case abort 134 signal_6
end_case segv 139 signal_11
end_case illegal 132 signal_4
end_case term 143 signal_15
end_case kill-term 143 signal_15
end_case int 130 signal_2

case_begin "exec of another program"
compile execs -O1 execs.c || :
profile "" ./execs /bin/true
expect_status 0
expect out.exec1 "routine=work calls=5 trms=4x5"
expect out.exec1 "routine=main calls=1"
expect out.exec1 "end=exec"
check "the new program is not profiled" [ ! -e "$work/out" ]
case_end

case_begin "exec that fails"
profile "" ./execs /nowhere/at/all
expect_status 12
expect out "routine=work calls=7 trms=4x7"
expect out "end=exit"
check "there is no report out.exec1" [ ! -e "$work/out.exec1" ]
case_end

case_begin "a chain of execs, each with a report of its own"
profile "--trace-children=yes" ./execs ./execs ./execs
expect_status 12
expect out.exec1 "routine=work calls=5 trms=4x5"
expect out.exec2 "routine=work calls=5 trms=4x5"
expect out "routine=work calls=7 trms=4x7"
case_end

case_begin "exec followed into itself"
profile "--trace-children=yes --aprof-out-file=out.%p" ./execs ./execs
expect_status 12
first=$(cd "$work" && echo out.[0-9]*.exec1)
second=$(cd "$work" && find . -name 'out.*' ! -name '*.exec1' | head -n 1)
expect "$first" "routine=work calls=5 trms=4x5"
expect "$second" "routine=work calls=7 trms=4x7"
case_end

finish
