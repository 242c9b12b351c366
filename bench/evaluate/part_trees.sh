# Tables I and II and Figures 1, 4 and 6 to 11 of the paper on hot calling contexts, for trees of millions of contexts.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Sourced by evaluate.sh. large.sh measures, interleaved; a cell has its lines. Programs and their builds stay in
# BUILD/bench/large.work.
tree_lines()
{
    BENCH_RUNS=${BENCH_RUNS:-3} BENCH_PHIS='1e-3 1e-4' "$here/../contexts/large.sh" -b "$build" -o "$PWD/raw" "$1" >tables 2>messages || {
        cat messages >&2
        return 1
    }
    cat raw
}

for name in awk dash bash newlisp newlisp:18 jim jim:16 tcc sparse; do
    cell "$(echo $name | tr : -)" tree_lines $name
done
