#!/bin/sh
# Goroutines (values derived in goroutines.go, insertions.go and moved_stacks.go).
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require amd64
need go

# Prints the call edges CALLER CALLEE CALLS, summed over all contexts.
callers()
{
    awk -F '\t' '
        $1 == "routine" { name[$2] = $6 }
        $1 == "context" {
            routine[$2] = name[$4]
            calls[($3 == "-" ? "-" : routine[$3]) " " name[$4]] += $5
        }
        END { for (edge in calls) print edge, calls[edge] }' "$1"
}

# compile_go PROGRAM [OPTION]...
compile_go()
{
    program=$1
    shift
    env GOCACHE="$scratch/cache" GOFLAGS=-mod=mod GO111MODULE=off go build "$@" -o "$program" "$here/$program.go"
}

# on_processors PROGRAM EXPECTATION...: profiles the program on 1, 2 and 4 processors of the Go runtime.
on_processors()
{
    program=$1
    shift
    compile_go "$program"
    for processors in 1 2 4; do
        GOMAXPROCS=$processors profile "" "./$program"
        expect_status 0
        measured report "$@"
    done
}

begin "on several processors, with preemption"
on_processors insertions "routine=main.insert calls=4000 cost_max<=3013" "routine=main.worker calls=4"

begin "stacks that the runtime moves"
on_processors moved_stacks "routine=main.descend calls=36080" \
    "routine=main.work calls=8 cost_max>=32040 cost_max<=96120"

begin "a program without symbols"
export APROF_VALGRIND_LIB="$build/.in_place"
run 0 aprof run --vgdb=no -o report -- ./insertions
! grep -q 'without symbols' err || fail 'a message about a program with symbols'
compile_go insertions -ldflags=-s
run 0 aprof run --vgdb=no -o report -- ./insertions
expect_message './insertions: a Go program without symbols'

# Go preempts by calls that are not in the code, which would prevent exact expectations.
GODEBUG=asyncpreemptoff=1
export GODEBUG

begin "each on its own stack"
compile_go goroutines
for how in no yes; do
    profile "--concurrent=$how --contexts=full" ./goroutines
    expect_status 0
    callers report >callers
    check "fib under worker: $(grep ' main.fib ' callers)" \
        [ "$(grep ' main.fib ' callers | sort | tr '\n' ' ')" = \
            "main.fib main.fib 23200 main.worker main.fib 50 " ]
    check "callers of worker: $(grep ' main.worker ' callers)" \
        grep -q '^main.main.\(func1\|gowrap1\) main.worker 50$' callers # the name depends on the release of Go
done

finish
