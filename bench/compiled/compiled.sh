#!/bin/bash
# Measures the compiled-in trms profiler, native runs, ThreadSanitizer, and the Valgrind tool.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: compiled.sh [-b BUILDDIR] [-r RUNS] [-s RUNS] [-p PROGRAMS] [-j THREADS] [-q] [-o FILE]
#        compiled.sh -a FILE       print the tables of an earlier run again
#
#   -b  the build directory, where tools/aprof-cc, bench/measure and .in_place are [.]
#   -r  runs of which the median counts: native, and what is compiled in [5]; also BENCH_RUNS
#   -s  the same of ThreadSanitizer and the Valgrind tools [1], 0: without them; also BENCH_SLOW_RUNS
#   -p  names of programs, separated by blanks [all]; also BENCH_PROGRAMS
#   -o  the measured lines, one per run [BUILDDIR/bench/compiled-results.tsv]; -a FILE prints those of a
#       run that was cut off
#   -j  numbers of threads [1 2 4 8]; also BENCH_THREADS. The Valgrind tool runs with the first two,
#       third-party programs with 1, except for xz, pbzip2, minimap2 and zstd.
#   -q  the Valgrind tool is left out, and zstd, which takes long to compile, and there are two numbers of
#       threads: a third of the time
#
# Programs are compiled here with the same options. gcc compiles them natively, with aprof-cc, and with
# -fsanitize=thread (reports of races turned off). If clang is installed, it compiles them natively, with
# hooks, with inline checks, and with inline checks in two versions (sample=8). Third-party programs come
# from Debian's source packages. Runs are interleaved. Every output must equal the native output. The whole
# benchmark takes about half an hour on two idle cores; with -q -r 3, it takes about ten minutes.
#
# Exit status: 0; 1 if a step failed or an output differs from the native run; 2 usage.
set -eu
export LC_ALL=C OMP_WAIT_POLICY=passive TSAN_OPTIONS="report_bugs=0 exitcode=0"

here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
kernels="sparse_lu alignment molecular_dynamics multigrid kdtree smith_waterman tree_sort"
own="interpreter matrix"
others="bzip2 lua minigzip minisat xz pbzip2 minimap2 zstd"
threaded="xz pbzip2 minimap2 zstd" # of these

build=.
runs=${BENCH_RUNS:-5}
slow_runs=${BENCH_SLOW_RUNS:-1}
programs=${BENCH_PROGRAMS:-}
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

fail() {
    die "$*"
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

is_of_others() {
    case " $others " in *" $1 "*) true ;; *) false ;; esac
}

has_threads() {
    ! is_of_others "$1" || case " $threaded " in *" $1 "*) true ;; *) false ;; esac
}

# compile PROGRAM VARIANT COMPILER OPTION...: C++ by the compiler's other name.
compile() {
    output=$tmp/$1.$2
    compiler=$3
    shift 3
    case $files in
    *.cc*) compiler=$(echo "$compiler" | sed 's/^gcc$/g++/; s/^clang$/clang++/; s/aprof-cc$/aprof-c++/') ;;
    esac
    # shellcheck disable=SC2086
    "$compiler" -O2 -g -w -pthread "-I$source" "$@" -o "$output" $flags $files -x none -lm -lz
}

# prepare PROGRAM: its $files, $flags and $arguments; those of ours get the number of threads, too.
prepare() {
    if is_of_others "$1"; then
        other_program "$1"
        flags="$flags -Dluai_makeseed(L)=0"
    else
        files=$(source_of "$1")
        flags="-std=gnu11 -fopenmp"
        arguments=$(default_size "$1")
    fi
    echo "$arguments" >"$tmp/$1.arguments"
}

compile_all() {
    cc=$build/tools/aprof-cc
    for program in $programs; do
        prepare "$program"
        compile "$program" native gcc
        compile "$program" trms "$cc" --aprof=trms,hooks
        [ "$slow_runs" = 0 ] || compile "$program" tsan gcc -fsanitize=thread
        [ -n "$clang" ] || continue
        compile "$program" clang clang
        APROF_CC_COMPILER=clang compile "$program" clang-trms "$cc" --aprof=trms,hooks
        APROF_CC_COMPILER=clang compile "$program" inline "$cc" --aprof=trms,inline
        APROF_CC_COMPILER=clang compile "$program" sample "$cc" --aprof=trms,inline,sample
    done
}

# run_one PROGRAM TOOL THREADS
run_one() {
    prefix=()
    binary=$tmp/$1.native
    valgrind=(valgrind -q --fair-sched=try "--log-file=$tmp/log")
    case $2 in
    trms | tsan | clang | clang-trms | inline | sample) binary=$tmp/$1.$2 ;;
    none) prefix=("${valgrind[@]}" --tool=none) ;;
    sequential) prefix=("${valgrind[@]}" --tool=aprof --concurrent=no "--aprof-out-file=$tmp/out") ;;
    concurrent) prefix=("${valgrind[@]}" --tool=aprof --concurrent=yes "--aprof-out-file=$tmp/out") ;;
    esac
    read -ra arguments <"$tmp/$1.arguments"
    is_of_others "$1" || arguments+=("$3")
    APROF="out=$tmp/aprof.out${sampled[$2]-}" \
        "$build/bench/measure" "$results" "$1	$2	$3" "${prefix[@]}" "$binary" "${arguments[@]/THREADS/$3}" \
        >"$tmp/output" 2>"$tmp/errors" || die "bench/measure does not run"
    sum=$(grep -av '^c\? *CPU time' "$tmp/output" | cksum)
    [ -f "$tmp/expected.$1" ] || echo "$sum" >"$tmp/expected.$1"
    [ "$sum" = "$(cat "$tmp/expected.$1")" ] || wrong="$wrong $1/$2/$3"
}

# run_round TOOLS THREADS: runs every tool once on every program.
run_round() {
    for program in $programs; do
        [ "$2" = 1 ] || has_threads "$program" || continue
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
            tools="native trms${clang:+ clang clang-trms inline sample}"
            if [ "$round" -le "$slow_runs" ]; then
                tools="$tools tsan none"
                [ $place -gt 2 ] || [ -n "$quick" ] || tools="$tools sequential concurrent"
            fi
            run_round "$tools" "$n"
        done
    done
    echo >&2
}

declare -A sampled=([sample]=" sample=8") # options of a tool
quick=
while getopts a:b:r:s:p:j:o:q option; do
    case $option in
    a) analyse=$OPTARG ;;
    b) build=$OPTARG ;;
    r) runs=$OPTARG ;;
    s) slow_runs=$OPTARG ;;
    p) programs=$OPTARG ;;
    j) threads=$OPTARG ;;
    o) results=$OPTARG ;;
    q) quick=yes ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ -z "$quick" ] || threads=${BENCH_THREADS:-1 2}
if [ -z "$programs" ]; then
    programs="$kernels $own $others"
    [ -z "$quick" ] || programs=${programs% zstd}
fi
[ $# -eq 0 ] || usage
if [ -n "$analyse" ]; then
    exec awk -f "$here/../tables_library.awk" -f "$here/tables.awk" "$analyse"
fi
for number in $runs ${slow_runs/#0/1} $threads; do
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
work=$build/bench/compiled.work
mkdir -p "$work"
# shellcheck source=bench/others.sh
. "$here/../others.sh"
clang=
if command -v clang >/dev/null && [ -x "$build/tools/aprof-instrument" ]; then
    clang=yes
fi
wrong=

compile_all
run_all
awk -f "$here/../tables_library.awk" -f "$here/tables.awk" "$results"
if [ -n "$wrong" ]; then
    echo "bench: output differs from the native run: $wrong" >&2
    exit 1
fi
awk -F '\t' '
    $2 == "native" { status[$1] = $7 }
    $7 != status[$1] { print "bench: exit status " $7 ": " $1 " under " $2; bad = 1 }
    END { exit bad }' "$results" >&2
