#!/bin/sh
# Tests that the models of the ring are correct, and that the search detects each mutation.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each model of cab/model is searched twice with spin: for failed assertions and deadlocks, and for
# executions that never end. Then each mutation of the models is enabled, and one of the two searches must
# find an error. Otherwise the models could not fail, and would prove nothing.
. "${0%/*}/../lib.sh"
need spin
cp "$source"/cab/model/*.pml .

# search MODEL PAN-MACRO PAN-OPTIONS [SPIN-OPTION ...]: the number of errors, or nothing if the
# search was not complete.
search()
{
    model=$1 macro=$2 options=$3
    shift 3
    rm -f pan pan.* ./*.trail
    spin -a "$@" "$model.pml" >spin.log 2>&1 || { cat spin.log >&2; return 1; }
    # shellcheck disable=SC2086
    { $CC -O1 -w "$macro" -o pan pan.c && ./pan $options -m1000000; } >pan.log 2>&1 || :
    if grep -q 'max search depth too small\|out of memory\|hash table full' pan.log; then
        cat pan.log >&2
        return
    fi
    sed -n 's/.*errors: \([0-9]*\)$/\1/p' pan.log
}

holds()
{
    for macro in -DSAFETY -DNP; do
        options=
        [ $macro = -DSAFETY ] || options=-l
        errors=$(search "$1" $macro "$options")
        states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
        begin "$1 $macro, $states states"
        test "$errors" = 0 || {
            fail "${errors:-unknown} errors"
            show pan.log
        }
    done
}

fails()
{
    model=$1 mutation=$2
    begin "$model: the mutation $mutation is found out"
    errors=$(search "$model" -DSAFETY '' "-D$mutation")
    [ "$errors" != 0 ] || errors=$(search "$model" -DNP -l "-D$mutation")
    test "${errors:-0}" != 0 || fail 'it was not'
}

mutations()
{
    model=$1
    shift
    for mutation; do
        fails "$model" "$mutation"
    done
}

for model in words records sampling bells; do
    holds $model
done
mutations words NO_TEST TOO_CLOSE AHEAD_TOO_FAR NO_WAKE LATE_ARM REORDERED FLUSH_ORDER TICKET_LATE \
    CLOSED_LATE
mutations records PUBLISHED_EARLY RELEASED_EARLY NO_WAKE NO_RELEASE_WAKE LATE_ARM REORDERED \
    CLOSED_LATE
mutations sampling NUMBER_LATE ASKED_EARLY PAPER
mutations bells NO_SECOND_LOOK
finish
