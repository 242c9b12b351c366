#!/bin/sh
# Regions of programs with a compiled-in profiler: the same values as with the Valgrind tool (tests/regress/regions.c).
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
. "${0%/*}/../lib.sh"

profiles=trms,hooks
test -z "${APROF_EMULATED-}" || profiles=
! test -x "$build/tools/aprof-instrument" || profiles="$profiles trms,inline"
test "$profiles" || skip 'no profiler for this machine'

# called WORK: prints `CALLER CALLS` for each routine that has called WORK.
called()
{
    awk -F'\t' -v callee="$1" '$1 == "routine" { name[$2] = $6 }
        $1 == "edge" && name[$3] == callee { calls[name[$2]] += $7 }
        END { for (n in calls) print n, calls[n] }' report | sort >edges
    tr '\n' ';' <edges
}

# part NAME: runs a part of regions.c.
part()
{
    rm -f report
    run 0 env APROF=out=report ./regions "$1"
}

for profile in $profiles; do
    for level in -O0 -O2; do
        kind="$profile $level"
        begin "nested regions, $kind"
        APROF_CC_PROFILE=$profile run 0 aprof-cc $level -pthread -fno-inline -fno-optimize-sibling-calls "-I$source" "-I$source/aprof" \
            -o regions "$source/tests/regress/regions.c"
        part nested
        measured report 'routine=outer object=[regions] calls=1 trms=19x1 rms=19x1'
        measured report 'routine=inner object=[regions] calls=1 trms=5x1'
        measured report 'routine=nested calls=1'
        same "$(called work)" 'inner 1;nested 2;outer 1;' 'callers of work'

        begin "regions of blocks, $kind"
        part scoped
        measured report 'routine=scope calls=3' 'routine=deeper calls=2 trms=3x2'
        same "$(called work)" 'scope 3;scoped 1;' 'callers of work'

        begin "a region in each activation of a recursion, $kind"
        part recurse
        measured report 'routine=level calls=4' 'routine=recurse calls=4'

        begin "a region ends with the activation that has opened it, $kind"
        part left
        measured report 'routine=departed calls=3' 'routine=handler calls=1'
        same "$(called work)" 'departed 3;left 3;' 'callers of work'
        same "$(called rest)" 'handler 1;' 'callers of rest'

        begin "an end without a beginning, $kind"
        part strays
        measured report 'routine=open calls=1 trms=13x1'

        begin "regions of threads and coroutines, $kind"
        part threads
        measured report 'routine=part calls=2 induced_thread=0'
        part coroutines
        measured report 'routine=turn calls=1'
        same "$(called work)" 'first_turn 1;turn 1;' 'callers of work'
        same "$(called rest)" 'other turn 1;second_turn 1;' 'callers of rest'

        begin "scopes of C++, which exceptions leave, $kind"
        APROF_CC_PROFILE=$profile run 0 aprof-c++ $level -fno-inline "-I$source" "-I$source/aprof" -o scopes \
            "$source/tests/regress/regions_scopes.cpp"
        rm -f report
        run 0 env APROF=out=report ./scopes
        measured report 'routine=guarded calls=3' 'routine=outside calls=3' 'routine=try calls=3'
        same "$(called _Z4worki)" '_Z4passi 2;guarded 3;main 1;' 'callers of work'
    done
done
finish
