#!/bin/sh
# `aprof top`: tables of a running program, each with the costs since the one before.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

run 2 aprof top
run 2 aprof top name
expect_error 'top: not a process id: name'
run 1 aprof top 4194305
expect_error 'process 4194305: does not run'
sleep 100 &
run 1 aprof top $!
expect_error "process $!: not profiled"
kill $!

require

tab=$(printf "\t")

# The number in the heading of a table: "process 7, busy: 123 basic blocks so far".
heading()
{
    sed -n "$1s/^process $program, busy[a-z-]*: \([0-9]*\) basic blocks $2\$/\1/p" out
}

begin 'one table of the run so far'
compile busy '-O1 -fno-inline' ../web/busy.c
"$launcher" -q --tool=aprof --dump-every=1 --aprof-out-file=top.aprof ./busy &
program=$!
until grep -q "${tab}sort$tab" top.aprof 2>/dev/null; do sleep 0.1; done
run 0 aprof top --once --top=2 $program
test "$(heading 1 'so far')" -gt 0 || fail 'no heading'
same "$(sed -n 3p out | tr -s ' ')" 'self % self cost calls % of run growth routine' 'head'
expect ' sort'
same "$(wc -l <out | tr -d ' ')" 6 'lines'

begin 'further tables have the difference; the end of the program ends the command'
aprof top --top=2 $program >out 2>err &
top=$!
while test "$(grep -c 'since the last table' out)" -lt 2; do sleep 0.1; done
kill $program
status=0
wait $top || status=$?
expect_status 0
wait $program 2>err || :
# The differences add up to the last report.
total=$(awk '/^process/ { sum += $4 } END { printf "%.0f", sum }' out)
same "$total" "$(awk -F '\t' '$1 == "totals" { print $2 }' top.aprof)" 'sum of all tables'
calls=$(awk '$NF == "sort" { sum += $3 } END { print sum }' out)
same "$calls" "$(aprof export --format=csv top.aprof | awk -F, '$3 == "sort" && $8 == "trms" { sum += $10 } END { print sum }')" 'calls'
test -z "$(grep "$(printf '\033')" out || :)" || fail 'sequences of terminals in a file'

begin 'on a terminal the table is redrawn in place, and the cursor comes back'
if command -v script >/dev/null; then
    rm top.aprof
    "$launcher" -q --tool=aprof --dump-every=1 --aprof-out-file=top.aprof ./busy &
    program=$!
    until grep -q "${tab}sort$tab" top.aprof 2>/dev/null; do sleep 0.1; done
    script -qec "stty rows 9 cols 60; timeout -s INT 3 aprof top $program" /dev/null >out 2>err </dev/null || :
    kill $program
    wait $program 2>err || :
    test "$(tr '\033' '\n' <out | grep -c '^\[H')" -ge 2 || fail 'no second table'
    test "$(tail -c 11 out)" = "$(printf '\033[?7h\033[?25h')" || fail 'the terminal is left changed'
    test "$(tr '\033' '\n' <out | grep -c '^\[K')" -ge 8 || fail 'lines are not erased'
fi
finish
