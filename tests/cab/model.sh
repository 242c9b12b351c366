#!/bin/sh
# The models of the ring hold, and each of their mutations is found out.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each model of cab/model is searched twice with spin: for failed assertions and deadlocks, and for
# executions that never end. Then each mutation that the models know is switched on, and one of
# the two searches must find an error; otherwise the models could not fail, and would prove nothing.
set -eu

models=$(cd "${srcdir:-.}" && pwd)/cab/model
command -v spin >/dev/null || { echo 'skipped: spin is not installed'; exit 77; }
compiler=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$models"/*.pml "$work" && cd "$work"
failed=0

# search MODEL PAN-MACRO PAN-OPTIONS [SPIN-OPTION ...]: the number of errors, or nothing if the
# search was not complete.
search() {
    model=$1 macro=$2 options=$3
    shift 3
    rm -f pan pan.* ./*.trail
    spin -a "$@" "$model.pml" >spin.log 2>&1 || { cat spin.log >&2; return 1; }
    # shellcheck disable=SC2086
    { $compiler -O1 -w "$macro" -o pan pan.c && ./pan $options -m1000000; } >pan.log 2>&1 || :
    if grep -q 'max search depth too small\|out of memory\|hash table full' pan.log; then
        cat pan.log >&2
        return
    fi
    sed -n 's/.*errors: \([0-9]*\)$/\1/p' pan.log
}

holds() {
    for macro in -DSAFETY -DNP; do
        options=
        [ $macro = -DSAFETY ] || options=-l
        errors=$(search "$1" $macro "$options")
        states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
        echo "$1 $macro: errors ${errors:-unknown}, $states states"
        [ "$errors" = 0 ] || { cat pan.log; failed=1; }
    done
}

fails() {
    model=$1 mutation=$2
    errors=$(search "$model" -DSAFETY '' "-D$mutation")
    [ "$errors" != 0 ] || errors=$(search "$model" -DNP -l "-D$mutation")
    if [ "${errors:-0}" = 0 ]; then
        echo "$model: the mutation $mutation was not found out"
        failed=1
    else
        echo "$model $mutation: found out, as it must be"
    fi
}

mutations() {
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
exit $failed
