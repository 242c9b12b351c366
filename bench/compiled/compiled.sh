#!/bin/bash
# Measures the compiled-in TRMS beside native runs, ThreadSanitizer, and the Valgrind tool.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: compiled.sh [-b BUILDDIR] [-r RUNS] [-s RUNS] [-p PROGRAMS] [-j THREADS] [-o FILE]
#        compiled.sh -a FILE       print the tables of an earlier run again
#
#   -b  the build directory, where tools/aprof-cc, bench/measure and .in_place are [.]
#   -r  runs of which the median counts: native, trms, tsan at one and two threads [5]; also BENCH_RUNS
#   -s  the same of the slow tools, and of tsan with more threads [1]; also BENCH_SLOW_RUNS
#   -p  names of programs, separated by blanks [all]; also BENCH_PROGRAMS
#   -o  the measured lines, one per run [BUILDDIR/bench/compiled-results.tsv]
#   -j  numbers of threads [1 2 4 8]; also BENCH_THREADS. The Valgrind tool runs with the first two.
#
# Programs are compiled here, three times each, with the same options: as they are, with aprof-cc,
# and with -fsanitize=thread (its reports of races switched off). Runs are interleaved. Every output
# must be the native one. All of it takes about ten minutes on two quiet cores.
#
# Exit status: 0; 1 if something failed or printed something else than the native run; 2 usage.
set -eu
export LC_ALL=C OMP_WAIT_POLICY=passive TSAN_OPTIONS="report_bugs=0 exitcode=0"

here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
kernels="sparse_lu alignment molecular_dynamics multigrid kdtree smith_waterman tree_sort"
own="interpreter matrix"

build=.
runs=${BENCH_RUNS:-5}
slow_runs=${BENCH_SLOW_RUNS:-1}
programs=${BENCH_PROGRAMS:-$kernels $own}
threads=${BENCH_THREADS:-1 2 4 8}
analyse=
results=

usage() {
    sed -n '/^# Usage/,/^#$/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

die() {
    echo "bench: $1" >&2
    exit 1
}

source_of() {
    if [ -f "$here/$1.c" ]; then
        echo "$here/$1.c"
    else
        echo "$source/bench/programs/$1.c"
    fi
}

default_size() {
    sed -n 's/.*DEFAULT_SIZE = \([0-9]*\).*/\1/p' "$(source_of "$1")"
}

compile_all() {
    flags="-std=gnu11 -O2 -g -fopenmp -pthread -w -I$source"
    for program in $programs; do
        file=$(source_of "$program")
        # shellcheck disable=SC2086
        {
            gcc $flags -o "$tmp/$program.native" "$file"
            "$build/tools/aprof-cc" --aprof=trms $flags -o "$tmp/$program.trms" "$file"
            gcc $flags -fsanitize=thread -o "$tmp/$program.tsan" "$file"
        }
    done
}

# run_one PROGRAM TOOL THREADS
run_one() {
    prefix=()
    binary=$tmp/$1.native
    valgrind=(valgrind -q --fair-sched=try "--log-file=$tmp/log")
    case $2 in
    trms | tsan) binary=$tmp/$1.$2 ;;
    none) prefix=("${valgrind[@]}" --tool=none) ;;
    sequential) prefix=("${valgrind[@]}" --tool=aprof --concurrent=no "--aprof-out-file=$tmp/out") ;;
    concurrent) prefix=("${valgrind[@]}" --tool=aprof --concurrent=yes "--aprof-out-file=$tmp/out") ;;
    esac
    "$build/bench/measure" "$results" "$1	$2	$3" "${prefix[@]}" "$binary" "$(default_size "$1")" "$3" \
        >"$tmp/output" 2>"$tmp/errors" || die "bench/measure does not run"
    sum=$(cksum <"$tmp/output")
    [ -f "$tmp/expected.$1" ] || echo "$sum" >"$tmp/expected.$1"
    [ "$sum" = "$(cat "$tmp/expected.$1")" ] || wrong="$wrong $1/$2/$3"
}

# run_round TOOLS THREADS: every tool once on every program.
run_round() {
    for program in $programs; do
        for tool in $1; do
            run_one "$program" "$tool" "$2"
        done
        printf '.' >&2
    done
}

run_all() {
    for round in $(seq "$runs"); do
        place=0
        for n in $threads; do
            place=$((place + 1))
            tools="native trms"
            if [ $place -le 2 ] || [ "$round" -le "$slow_runs" ]; then
                tools="$tools tsan"
            fi
            if [ "$round" -le "$slow_runs" ]; then
                tools="$tools none"
                [ $place -gt 2 ] || tools="$tools sequential concurrent"
            fi
            run_round "$tools" "$n"
        done
    done
    echo >&2
}

while getopts a:b:r:s:p:j:o: option; do
    case $option in
    a) analyse=$OPTARG ;;
    b) build=$OPTARG ;;
    r) runs=$OPTARG ;;
    s) slow_runs=$OPTARG ;;
    p) programs=$OPTARG ;;
    j) threads=$OPTARG ;;
    o) results=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || usage
if [ -n "$analyse" ]; then
    exec awk -f "$here/tables.awk" "$analyse"
fi
for number in $runs $slow_runs $threads; do
    case $number in
    *[!0-9]* | 0) usage ;;
    esac
done
[ -x "$build/bench/measure" ] || die "no $build/bench/measure: run \`make bench-compiled'"
if [ -d "$build/.in_place" ]; then
    VALGRIND_LIB=$(cd "$build/.in_place" && pwd)
    export VALGRIND_LIB
fi
build=$(cd "$build" && pwd)
results=${results:-$build/bench/compiled-results.tsv}
: >"$results" || die "$results: cannot be written"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export APROF="out=$tmp/aprof.out"
wrong=

compile_all
run_all
awk -f "$here/tables.awk" "$results"
if [ -n "$wrong" ]; then
    echo "bench: output differs from the native run: $wrong" >&2
    exit 1
fi
awk -F '\t' '$7 != 0 { print "bench: exit status " $7 ": " $1 " under " $2; bad = 1 } END { exit bad }' \
    "$results" >&2
