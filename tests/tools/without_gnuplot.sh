#!/bin/sh
# Tests that without gnuplot `report`, `check`, `gate` and `html` work, and that `plot` prints an error of one line.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

report=$data/growth.aprof
mkdir no_programs

# Runs the command with a path that has no other program.
alone()
{
    wanted=$1
    shift
    run "$wanted" env PATH="$scratch/no_programs" "$build/tools/aprof" "$@"
}

begin 'what draws nothing needs no gnuplot'
echo 'heap_sort n log n' >bounds
alone 0 report "$report"
alone 0 check --bounds=bounds "$report"
alone 0 gate --bounds=bounds "$report"
! has_page || alone 0 html "$report" -o page.html

begin 'plot is refused with one line, and leaves no picture'
alone 1 plot heap_sort "$report" -o picture.svg
expect_error 'gnuplot: not found; install it to draw plots'
[ ! -e picture.svg ] || fail 'there is a picture'
finish
