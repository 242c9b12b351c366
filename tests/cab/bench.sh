#!/bin/sh
# Tests that the benchmark of the ring runs to its end, and all three buffers transfer all events.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

run 0 "$build/bench/cab/bench_cab" 1 20000 cpu
expect Goals
run 2 "$build/bench/cab/bench_cab" 0
finish
