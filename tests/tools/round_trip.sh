#!/bin/sh
# Tests that the tools' writer reproduces the read bytes, also for reports of the profiler.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

run 0 test_round_trip "$data"/*.aprof
sed -e '$d' -e 's/^command.*/command	\\x2d	-	\\\\\\t\\n\\x01\\x7f\\x1f/' "$data/basic.aprof" |
    seal >escapes
run 0 test_round_trip escapes
run 0 aprof merge -o sum "$data/basic.aprof"
run 0 test_round_trip sum

begin 'what other threads wrote again adds up, too'
awk -F '\t' -v OFS='\t' '$1 == "trms" { $11 = 3 } { print }' "$data/basic.aprof" | sed '$d' | seal >again
run 0 test_round_trip again
run 0 aprof merge -o sum again again "$data/basic.aprof"
run 0 test_round_trip sum
same "$(awk -F '\t' '$1 == "trms" { print $11 }' sum | sort -u)" 6 'sums'

begin 'samples: weights add up, and old reports have none'
run 0 aprof merge -o sum "$data/sample.aprof" "$data/sample.aprof"
run 0 test_round_trip sum
same "$(awk -F '\t' '$1 == "profile" { print $4, $7, $8, $9, $10, $11, $12 }' sum)" '12 80 80 2000 2000 100000 100000
10 1920 640 2560 2560 0 0' 'twice'
run 1 aprof merge -o sum "$data/sample.aprof" "$data/sample-unweighted.aprof"
expect_error 'different weights, yes and no'
run 0 aprof report --format=tsv "$data/sample.aprof"
same "$(awk -F '\t' 'NR > 1 { print $2, $4, $6, $7, $9 }' out)" '960 3840  3840 
40 1000 224 1000 224' 'estimates'
for fields in 'profile 11' 'trms 11'; do
    altered "$data/sample.aprof" "s/^\(${fields% *}	.*\)	[0-9]*$/\1/" >altered
    run 1 aprof report altered
    expect_error "does not agree with the line 'sampled'"
done

# unread ID: makes a report of objects whose debug data the command must read.
unread()
{
    awk -F '\t' -v OFS='\t' -v id="$1" '$1 == "aprof" { $2 = 5 } $1 == "object" { $4 = id } { print }' \
        "$data/code.aprof" | sed '$d' | seal
}

begin 'objects whose debug data were not read keep their build id in sums'
unread 0123ab >one
unread - >none
unread 4567 >other
for report in one none; do
    run 0 test_round_trip $report
    run 0 aprof merge -o sum $report $report "$data/code.aprof"
    run 0 test_round_trip sum
    same "$(grep '^object' sum)" "$(grep '^object' $report)" "objects of $report"
    same "$(sed -n 1p sum)" "$(sed -n 1p $report)" 'format'
done
run 0 aprof merge -o sum one other
same "$(grep '^object' sum)" "$(grep '^object' none)" 'objects of two builds'
sed 's/^object.*/&	more/' one | sed '$d' | seal >fields
run 1 aprof report fields
expect_error 'too many fields'

begin 'the fuzz harness takes them too, and all their beginnings'
run 0 "$build/tests/fuzz/replay_report" "$data/none.aprof" "$data/threads.aprof" "$data/code.aprof" "$data/sample.aprof" escapes one none

finish
