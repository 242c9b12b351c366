# An evaluation beyond the papers: the compiled-in trms profiler, ThreadSanitizer and the Valgrind tool.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Sourced by evaluate.sh. compiled.sh measures, interleaved; a cell has its lines, see bench/compiled/tables.awk.
compiled_lines()
{
    "$here/../compiled/compiled.sh" -b "$build" -r "${BENCH_RUNS:-3}" -s 1 -j '1 2' -o "$PWD/raw" -p "$1" >tables 2>messages || {
        cat messages >&2
        return 1
    }
    cat raw
}

for name in sparse_lu alignment molecular_dynamics multigrid kdtree smith_waterman tree_sort interpreter matrix zstd; do
    cell $name compiled_lines $name
done
