#!/bin/sh
# Regions that programs name (values derived in regions.c and regions_scopes.cpp).
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require amd64

# called WORK: prints `CALLER CALLS` for each routine that has called WORK.
called()
{
    awk -F'\t' -v callee="$1" '$1 == "routine" { name[$2] = $6 }
        $1 == "edge" && name[$3] == callee { calls[name[$2]] += $7 }
        END { for (n in calls) print n, calls[n] }' report | sort >edges
    tr '\n' ';' <edges
}

for flags in -O0 -O2; do
    compile regions "$flags -pthread -fno-optimize-sibling-calls" regions.c
    for concurrent in no yes; do
        begin "regions that are nested, $flags, concurrent=$concurrent"
        profile --concurrent=$concurrent ./regions nested
        expect_status 0
        measured report 'routine=outer object=[regions] calls=1 trms=19x1 rms=19x1'
        measured report 'routine=inner object=[regions] calls=1 trms=5x1'
        measured report 'routine=nested calls=1'
    done

    begin "regions of blocks, $flags"
    profile "" ./regions scoped
    # Without optimisation, `i` is read in a region, as an additional cell.
    case $flags in
    -O0) measured report 'routine=scope calls=3 trms=7x1,10x2' ;;
    -O2) measured report 'routine=scope calls=3 trms=6x1,9x2' ;;
    esac
    measured report 'routine=deeper calls=2 trms=3x2'
    same "$(called work)" 'scope 3;scoped 1;' 'callers of work'

    begin "a region in each activation of a recursion, $flags"
    profile "" ./regions recurse
    measured report 'routine=level calls=4'
    measured report 'routine=recurse calls=4'

    begin "a region ends with the activation that has opened it, $flags"
    profile "" ./regions left
    measured report 'routine=departed calls=3'
    measured report 'routine=handler calls=1'
    same "$(called work)" 'departed 3;left 3;' 'callers of work'
    same "$(called rest)" 'handler 1;' 'callers of rest'

    begin "an end without a beginning, $flags"
    profile "" ./regions strays
    measured report 'routine=open calls=1 trms=13x1'

    begin "regions of threads, $flags"
    profile "" ./regions threads
    measured report 'routine=part calls=2 cost_min>=1 induced_thread=0'
    profile --separate-threads=yes ./regions threads
    measured report 'routine=part thread=2 calls=1'
    measured report 'routine=part thread=3 calls=1'

    begin "regions of coroutines, $flags"
    profile "" ./regions coroutines
    measured report 'routine=turn calls=1'
    same "$(called work)" 'first_turn 1;turn 1;' 'callers of work'
    same "$(called rest)" 'other turn 1;second_turn 1;' 'callers of rest'

    begin "names that nobody should choose, $flags"
    profile "" ./regions names
    expect_status 0
    run 0 aprof report report
    measured report 'routine=(unnamed) instances=1 calls=2 input_min>=3'
    test "$(grep -c "x\{255\}$(printf '\t')" report)" = 1 || fail 'no name of 255 bytes'

    begin "without the tool regions do nothing, $flags"
    run 0 ./regions nested

    begin "scopes of C++, $flags"
    compile regions_scopes "$flags" regions_scopes.cpp
    profile "" ./regions_scopes
    measured report 'routine=guarded calls=3'
    measured report 'routine=outside calls=3'
    measured report 'routine=try calls=3'
    same "$(called _Z4worki)" '_Z4passi 2;guarded 3;main 1;' 'callers of work'
done

begin 'the header compiles by old and new standards, without a warning'
for standard in c++98 c++20; do
    run 0 g++ -std=$standard -Wall -Wextra -Werror -fsyntax-only "-I$source" "-I$source/aprof" "$here/regions_scopes.cpp"
done
for standard in gnu89 gnu17; do
    printf '#include <aprof.h>\nint main(void) { APROF_REGION("a"); { APROF_REGION("b"); } return 0; }\n' >short.c
    run 0 gcc -std=$standard -Wall -Wextra -Werror -fsyntax-only "-I$source/aprof" short.c
done

finish
