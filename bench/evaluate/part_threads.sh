# Figure 14 of the paper on trms: time and space of the tools by number of threads, on the kernels.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Sourced by evaluate.sh. bench.sh measures, interleaved; a cell has its lines, see bench/tables.awk.
for name in sparse_lu alignment molecular_dynamics multigrid kdtree smith_waterman tree_sort; do
    cell $name bench_lines $name -n 1 -j '2 4 8 16' -t 'native none memcheck callgrind helgrind aprof'
done
