#!/bin/sh
# Output on a terminal: explanations are wrapped to its width, and work of more than two seconds shows its progress.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need python3
NO_COLOR=1
export NO_COLOR

# terminal COLUMNS COMMAND...: writes what the terminal shows to `out`.
terminal()
{
    python3 "$source/tests/tools/terminal.py" "$@" >received
    tr -d '\r' <received >out
}

# too_wide COLUMNS: prints the lines of `out` that are wider than the terminal.
too_wide()
{
    awk -v most="$1" 'length($0) > most' out
}

begin 'explanations of a routine, and the sentences of a comparison'
terminal 75 aprof report "$data/growth.aprof" heap_sort
expect 'Growth: n log n: a curve fitted to the smaller sizes predicted the larger'
expect '    ones, up to 954, within 4.9%.'
same "$(too_wide 75)" '' 'lines of the report'
terminal 60 aprof diff "$data/code.aprof" "$data/code-changed.aprof"
expect 'The increase begins in Book::find(int)'
same "$(too_wide 60)" '' 'lines of the comparison'
terminal 60 aprof gate --base="$data/code.aprof" "$data/code-changed.aprof"
expect '    80, cost 120 -> 1200'
same "$(grep -v '^FAILED' out >lines; mv lines out; too_wide 60)" '' 'lines below the table of the gate'

begin 'without a terminal, each sentence is one line'
run 0 aprof report "$data/growth.aprof" heap_sort
expect 'Growth: n log n: a curve fitted to the smaller sizes predicted the larger ones, up to 954, within 4.9%.'
run 1 aprof gate --base="$data/code.aprof" "$data/code-changed.aprof"
expect 'The increase begins in Book::find(int): about as many calls as before, total cost +360.0%'

begin 'a run of more than two seconds shows its progress; the progress is removed'
require
export APROF_VALGRIND_LIB="$build/.in_place"
terminal 80 aprof scale --run 'sleep {}' 3 1
grep -q '0 of 2 runs, [2-9]' received || fail "no progress: $(head -c 300 received)"
tr '\r' '\n' <received | grep -q "^$(printf '\033')\[K" || fail 'the progress is not removed'
run 0 aprof scale --run 'sleep {}' 0.1 0.2
same "$(cat err)" '' 'progress without a terminal'
finish
