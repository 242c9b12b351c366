#!/bin/sh
# The tools' writer gives back what the reader read; reports of the profiler itself included.
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

begin 'the fuzz harness takes them too, and all their beginnings'
run 0 "$build/tests/fuzz/replay_report" "$data/none.aprof" "$data/threads.aprof" "$data/code.aprof" escapes

finish
