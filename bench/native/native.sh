#!/bin/bash
# Measures the events runtime on seven programs and prints Figures 8 to 12 of the paper on CAB as tables.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: native.sh [-b BUILDDIR] [-r RUNS] [-o FILE]
#        native.sh -a FILE          print the tables of an earlier run again
#
#   -b  the build directory, with bench/measured/tools/aprof-cc and bench/measure [.]
#   -r  runs of which the median counts [3]; also the variable BENCH_RUNS
#   -o  the measured lines, one per run [native.tsv]
#
# Each program runs plain, then with empty hooks (mode=none of bench/native/modes.c), with events that no
# thread reads (enqueue) or that a thread reads without analysis (communicate), and with each analysis,
# concurrent and sequential. With taskset, paths also run with all threads on one processor. Runs are
# interleaved, so that a disturbance of the machine affects all variants. Every output is compared with the
# plain output, and every concurrent report with the sequential report. The measured quantity is wall time,
# which a second core reduces. Exit status: 0; 1 if a run failed or its results differ; 2 usage.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=.
results=native.tsv
runs=${BENCH_RUNS:-3}
analyse=

die()
{
    echo "bench-native: $1" >&2
    exit 1
}

while getopts b:r:o:a: option; do
    case $option in
    b) build=$OPTARG ;;
    r) runs=$OPTARG ;;
    o) results=$OPTARG ;;
    a) analyse=$OPTARG ;;
    *) exit 2 ;;
    esac
done
if [ -n "$analyse" ]; then
    awk -f "$here/../tables_library.awk" -f "$here/tables.awk" "$analyse"
    exit
fi

cc=$(cd "$build" && pwd)/bench/measured/tools/aprof-cc
measure=$(cd "$build" && pwd)/bench/measure
{ [ -x "$cc" ] && [ -x "$measure" ]; } || die "$build: no bench/measured/tools/aprof-cc or bench/measure there"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
raw=$tmp/raw.tsv
: >"$raw"

# Each program's argument: between 0.1 and 0.4 s on a machine of 2023.
programs="queens expression binary_tree merge_sort four_in_a_row hash_words two_threads"
declare -A argument=([queens]=12 [expression]=1500000 [binary_tree]=70000 [merge_sort]=600000
    [four_in_a_row]=13 [hash_words]=3000000 [two_threads]=700000)

flags=(-O2 -g "-I$here/../..")
for program in $programs; do
    source=$here/$program.c
    gcc "${flags[@]}" -o "$tmp/$program.plain" "$source" -pthread
    "$cc" --aprof=events,hooks "${flags[@]}" -o "$tmp/$program.calls" "$source" -pthread
    # For paths, the hooks of routines are omitted.
    gcc "${flags[@]}" -DEVENTS_PATHS -c -o "$tmp/$program.o" "$source"
    "$cc" --aprof=events,hooks -o "$tmp/$program.paths" "$tmp/$program.o" -pthread
    "$tmp/$program.plain" "${argument[$program]}" >"$tmp/$program.expected"
done
for program in binary_tree hash_words; do
    "$cc" --aprof=events,memory "${flags[@]}" -o "$tmp/$program.memory" "$here/$program.c" -pthread
done

# once LABEL PROGRAM VARIANT OPTIONS: one line in the results; the report is $tmp/report.
once()
{
    rm -f "$tmp/report"
    APROF_EVENTS="out=$tmp/report,$4" "$measure" "$raw" "$1" "$tmp/$2.$3" "${argument[$2]}" \
        >"$tmp/output" || die "$1: cannot be measured"
    cmp -s "$tmp/output" "$tmp/$2.expected" || die "$1: prints something else"
}

body()
{
    grep -v '^\(command\|process\|options\|complete\)	' "$1"
}

# Figures 7 to 9: the cost of each part.
costs()
{
    local program=$1 variant=$2 analysis mode
    shift 2
    for analysis; do
        for mode in none enqueue communicate; do # each analysis needs its own events
            once "cost $program $variant $analysis $mode" "$program" "$variant" \
                "analysis=$analysis,mode=$mode"
        done
        once "cost $program $variant $analysis sequential" "$program" "$variant" \
            "analysis=$analysis,mode=sequential"
        body "$tmp/report" >"$tmp/wanted"
        once "cost $program $variant $analysis concurrent" "$program" "$variant" "analysis=$analysis"
        body "$tmp/report" | cmp -s - "$tmp/wanted" ||
            die "$program, $analysis: concurrent and sequential reports differ"
    done
}

# Figure 12: the program and its analysis share a processor and all of its caches.
one_processor()
{
    command -v taskset >/dev/null || return 0
    APROF_EVENTS="out=$tmp/report,analysis=paths" taskset -c 0 "$measure" "$raw" "cost $1 paths paths one" \
        "$tmp/$1.paths" "${argument[$1]}" >"$tmp/output" || die "$1: cannot be measured"
    cmp -s "$tmp/output" "$tmp/$1.expected" || die "$1: prints something else"
}

# The paper's error rate: the mean over all counts of |1 - sampled / rate / actual|. The rate is the recorded
# part of all events.
error_rate()
{
    awk -F '\t' '
        FNR == 1 { file++; delete place }
        $1 == "routine" { place[$2] = $4 }
        $1 == "call" || $1 == "path" || $1 == "method" {
            key = $1
            for (i = 2; i < NF; i++)
                key = key " " ($1 == "path" || $i == "-" ? $i : place[$i])
            count[file, key] += $NF
            sum[file] += $NF
            if (file == 1) keys[key]
        }
        END {
            if (!sum[1] || !sum[2]) { print "1 1 0"; exit }
            rate = sum[2] / sum[1]
            for (key in keys) {
                actual = count[1, key]
                error = 1 - count[2, key] / rate / actual
                error = error < 0 ? -error : error
                all += error; n++
                if (actual >= sum[1] / 1000) { frequent += error; m++ }
            }
            printf "%.5f %.5f %.5f\n", all / n, m ? frequent / m : 0, rate
        }' "$1" "$2"
}

# Figure 11.
sampling()
{
    local program=$1 variant=$2 analysis=$3 rate
    APROF_EVENTS="out=$tmp/exact,analysis=$analysis,mode=sequential" "$tmp/$program.$variant" \
        "${argument[$program]}" >"$tmp/output"
    for rate in 1 2 5 10 20 50 100 auto; do
        once "sampling $program $variant $analysis $rate" "$program" "$variant" \
            "analysis=$analysis,sampling=$rate,ring=8M"
        echo "error $program $variant $analysis $rate	$(error_rate "$tmp/exact" "$tmp/report" | tr ' ' '\t')	0" >>"$raw"
    done
}

for run in $(seq "$runs"); do
    echo "bench-native: run $run of $runs" >&2
    for program in $programs; do
        "$measure" "$raw" "cost $program - - plain" "$tmp/$program.plain" "${argument[$program]}" \
            >/dev/null
        costs "$program" calls methods callgraph calltree
        costs "$program" paths paths
        one_processor "$program"
    done
    for program in expression binary_tree; do
        for ring in 16K 32K 64K 128K 256K 512K 1M 2M 4M 8M auto; do
            once "ring $program calls callgraph $ring" "$program" calls "analysis=callgraph,ring=$ring"
        done
    done
    for program in expression binary_tree hash_words; do
        sampling "$program" calls callgraph
        sampling "$program" paths paths
    done
    for program in binary_tree hash_words; do
        once "cache $program memory cache none" "$program" memory analysis=cache,mode=none
        once "cache $program memory cache sequential" "$program" memory analysis=cache,mode=sequential
        for consumers in 1 2; do
            once "cache $program memory cache concurrent-$consumers" "$program" memory \
                "analysis=cache,consumers=$consumers"
        done
    done
done
cp "$raw" "$results"
awk -F '\t' '$1 !~ /^error/ && $5 != 0 { print "bench-native: " $1 ": status " $5; bad = 1 } END { exit bad }' \
    "$results" >&2 || exit 1
awk -f "$here/../tables_library.awk" -f "$here/tables.awk" "$results"
