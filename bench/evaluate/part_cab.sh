# Figures 7 to 12 of the paper on CAB: the ring and other buffers, five analyses, sizes of the ring, sampling, caches.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Sourced by evaluate.sh. The ring's cell is what bench_cab prints, by processor time of the busier thread; the cells of
# analyses have the lines of native.sh, see bench/native/tables.awk.
ring()
{
    "$build/bench/cab/bench_cab" "${BENCH_RUNS:-3}" "${BENCH_EVENTS:-1000000}" cpu
}

analyses()
{
    "$here/../native/native.sh" -b "$build" -r "${BENCH_RUNS:-3}" -o raw >tables 2>messages || {
        cat messages >&2
        return 1
    }
    cat raw
}

cell ring ring
cell analyses analyses
