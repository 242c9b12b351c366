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

begin 'the fuzz harness takes them too, and all their beginnings'
run 0 "$build/tests/fuzz/replay_report" "$data/none.aprof" "$data/threads.aprof" "$data/code.aprof" escapes

finish
