# Tables I and II and Figures 1 and 4 to 12 of the paper on hot calling contexts: time, memory and accuracy.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Sourced by evaluate.sh. contexts.sh measures, interleaved; a cell has its lines, see bench/contexts/tables.awk.
context_lines()
{
    BENCH_RUNS=${BENCH_RUNS:-3} "$here/../contexts/contexts.sh" -b "$build" -o "$PWD/raw" "$1" >tables 2>messages || {
        cat messages >&2
        return 1
    }
    cat raw
}

for name in queens expressions connect kdtree lua json_format bzip2 minigzip minisat binary_tree merge_sort hash_words; do
    cell $name context_lines $name
done
