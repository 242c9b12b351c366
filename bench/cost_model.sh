#!/bin/sh
# Measures the terms of the cost model of concurrent analysis, program by program.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: cost_model.sh [-b BUILDDIR] [-r RUNS] [-p PROGRAMS] [-n THREADS]     as bench.sh has them
#
# Paper 001, Figure 8: sequentially a run costs A + A_i + P, concurrently the larger of A + A_i + A_q
# and P + P_c, where the program's thread spends
#
#   A     what the program takes under Valgrind alone                   (tool none)
#   A_i   on writing records                                            (APROF_CONSUME=none)
#   A_q   on handing them over: waiting for lines that the other processor has
#                                                                       (the same, --concurrent=yes)
# and the analysis
#
#   P_c   on getting the records from the other processor               (APROF_CONSUME=touch)
#   P     on analysing them                                             (what it takes beyond that)
#
# The terms are processor time, so that the load of the machine has no effect. The last two columns are wall
# time, which is correct only if two processors were free. All values are multiples of A.
#
# Example (three lines of the output):
#   program                A, s   A_i   A_q     P   P_c | model: seq  conc | wall: seq  conc
#   lua                    0.98  0.35  0.05  1.55  0.09 |       2.90  1.64 |      2.99  1.78
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$here/bench.sh" -j "" -t "native none records queue touch concurrent aprof" -m "$tmp/analysis" \
    -o "$tmp/results" "$@" >/dev/null
awk -f "$here/cost_model.awk" "$tmp/analysis" "$tmp/results"
