# Table 1 of the paper on trms: time and space of the tools, with four threads for programs with a choice of threads.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Sourced by evaluate.sh. bench.sh measures, interleaved; a cell has its lines, see bench/tables.awk.

for name in sparse_lu alignment molecular_dynamics multigrid kdtree smith_waterman tree_sort sqlite3 xz pigz lua perl \
    sort grep aprof_export bzip2 zstd x264 imagemagick jq xmllint python3 mawk m4; do
    cell $name bench_lines $name -j '' -t 'native none memcheck callgrind helgrind aprof aprof-rms aprof-trms'
done
