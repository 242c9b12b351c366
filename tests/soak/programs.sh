#!/bin/sh
# Tests some random programs of `make soak-differential`: all front ends must agree with the definition.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers

need_compilers
require amd64
SOAK_FOUND=$scratch
export SOAK_FOUND
for seed in 5 29 41; do
    begin "program $seed: every routine's points are those of the definition"
    cd "$build"
    "$here/differential.sh" $seed >"$scratch/out" 2>"$scratch/err" || {
        fail "seed $seed"
        show "$scratch/out" "$scratch/err"
    }
    cd "$scratch"
    expect ' 0 differences'
done
finish
