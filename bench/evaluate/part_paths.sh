# The figures of the paper on P3: hits and time with 2, 4 and 8 copies, and which procedures are profitable.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Sourced by evaluate.sh. paths.sh measures; a cell has its lines, see bench/paths/tables.awk.
path_lines()
{
    BENCH_RUNS=${BENCH_RUNS:-3} "$here/../paths/paths.sh" -b "$build" -o "$PWD/raw.tsv" "$1" >tables 2>messages || {
        cat messages >&2
        return 1
    }
    cat raw.tsv
}

for name in alignment multigrid kdtree json_format lua minigzip bzip2 mawk lzip minisat; do
    cell $name path_lines $name
done
