#!/bin/bash
# Measures aprof and Valgrind's own tools on programs, and prints tables of ratios.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: bench.sh [-b BUILDDIR] [-r RUNS] [-p PROGRAMS] [-t TOOLS] [-n THREADS]
#                 [-j THREADS] [-l PROCESSES] [-m FILE] [-o FILE] [-s]
#        bench.sh -a FILE [-l PROCESSES]          print the tables of an earlier run again
#
#   -b  where `generate`, `measure` and the kernels are [.]; `../.in_place`, if it is there, is the
#       VALGRIND_LIB that has aprof in it
#   -r  runs of which the median counts [3]; also the variable BENCH_RUNS
#   -p  names of programs, separated by blanks [all but the further ones below]; also BENCH_PROGRAMS
#   -t  names of tools [native none memcheck callgrind helgrind aprof concurrent aprof-trms
#       aprof-rms]; also BENCH_TOOLS
#   -n  number of threads of the programs that have a choice, in the tables by program [4]
#   -j  numbers of threads of the kernels, in the tables by number of threads [1 2 4 8 16]; also BENCH_THREADS
#   -l  number of processes beside it that keep processors busy [0]
#   -m  also write to FILE what the analysis thread took: PROGRAM TOOL THREADS MICROSECONDS
#   -o  the measured lines, one per run [BUILDDIR/results.tsv]
#   -s  small inputs, about a third of the work
#
# The runs are interleaved: every tool runs once on every program before a tool runs again, so that a
# disturbance of the machine affects all tools. Every output is compared with the output of the native run.
# All runs under Valgrind use the scheduler of --fair-sched=try. Exit status: 0; 1 if a run failed or its
# output differs from the native run; 2 usage.
#
# Example: bench.sh -r 1 -p "kdtree xz" -j 4 -b /tmp/build/bench
set -eu
export LC_ALL=C OMP_WAIT_POLICY=passive

here=$(cd "$(dirname "$0")" && pwd)
kernels="sparse_lu alignment molecular_dynamics multigrid kdtree smith_waterman tree_sort"
debian="sqlite3 xz pigz lua perl sort grep"
own="aprof_export"
# Further programs, for -p: bzip2 zstd x264 imagemagick jq xmllint python3 mawk m4.

build=.
small=no
analyse=
results=
runs=${BENCH_RUNS:-3}
programs=${BENCH_PROGRAMS:-$kernels $debian $own}
tools=${BENCH_TOOLS:-native none memcheck callgrind helgrind aprof concurrent aprof-trms aprof-rms}
loaders=0
analysis=
lines=8000 many_lines=100000 rows=7000 queens=11 # of the inputs
main_threads=4
threads=${BENCH_THREADS:-1 2 4 8 16}

usage() {
    sed -n '/^# Usage/,/^#$/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

die() {
    echo "bench: $1" >&2
    exit 1
}

# Sets the array `command` to the program with the name $1 on $2 threads.
command_of_program() {
    case $1 in
    sqlite3) command=(sqlite3 :memory: ".read $tmp/script.sql") ;;
    xz) command=(xz -T "$2" -2 -c "$tmp/small.txt") ;;
    pigz) command=(pigz -p "$2" -c "$tmp/big.txt") ;;
    lua) command=(lua5.4 "$here/programs/queens.lua" "$queens") ;;
    perl) command=(perl "$here/programs/words.pl" "$tmp/small.txt") ;;
    sort) command=(sort --parallel="$2" -k 3 "$tmp/big.txt") ;;
    grep) command=(grep -c -E '([a-z]{4}).* \1' "$tmp/small.txt") ;;
    bzip2) command=(bzip2 -c "$tmp/small.txt") ;;
    zstd) command=(zstd -q "-T$2" -B262144 -9 -c "$tmp/small.txt") ;;
    x264) command=(x264 --quiet --no-progress --threads "$2" --demuxer raw --input-res 128x96 --frames 8
        -o /dev/null "$tmp/big.txt") ;;
    imagemagick) command=(convert-im6.q16 -limit thread "$2" -depth 8 -size 384x384 "gray:$tmp/small.txt[0]"
        -gaussian-blur 0x2 -rotate 7 pgm:-) ;;
    jq) command=(jq -R -s -c 'split("\n") | map(split(" ")) | add | group_by(.) | map({w: .[0], n: length})'
        "$tmp/tiny.txt") ;;
    xmllint) command=(xmllint --format "$tmp/items.xml") ;;
    python3) command=(/usr/bin/python3 -S -E "$here/tenfold/words.py" 10000) ;;
    mawk) command=(mawk '{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) s += n[w] * length(w); print s }'
        "$tmp/big.txt") ;;
    m4) command=(m4 "$tmp/macros.m4") ;;
    aprof_export) command=("$build/../tools/aprof" export --format=csv "$tmp/report") ;;
    *) command=("$build/programs/$1" "$(default_size "$1")" "$2") ;;
    esac
}

default_size() {
    if [ $small = yes ]; then
        case $1 in
        sparse_lu) echo 24 ;;
        alignment) echo 56 ;;
        molecular_dynamics) echo 11 ;;
        multigrid) echo 8 ;;
        kdtree) echo 100 ;;
        smith_waterman) echo 36 ;;
        tree_sort) echo 120 ;;
        esac
        return
    fi
    sed -n 's/.*DEFAULT_SIZE = \([0-9]*\).*/\1/p' "$here/programs/$1.c"
}

# Sets the array `prefix` to the words before a program under the tool $1.
command_of_tool() {
    prefix=(valgrind --fair-sched=try "--log-file=$tmp/log")
    case $1 in
    native) prefix=() ;;
    callgrind) prefix+=(--tool=callgrind "--callgrind-out-file=$tmp/callgrind.out") ;;
    aprof) prefix_of_aprof no ;;
    concurrent) prefix_of_aprof yes ;;
    records) prefix_of_measured no none ;;
    queue) prefix_of_measured yes none ;;
    touch) prefix_of_measured yes touch ;;
    aprof-*) prefix_of_aprof no "--metrics=${1#aprof-}" ;;
    *) prefix+=("--tool=$1") ;;
    esac
}

prefix_of_measured() {
    prefix=(env "APROF_CONSUME=$2" "${prefix[@]}" --tool=aprof_measured
        "--aprof-out-file=$tmp/aprof.out" "--concurrent=$1" --stats=yes)
}

prefix_of_aprof() {
    prefix+=(--tool=aprof "--aprof-out-file=$tmp/aprof.out" "--concurrent=$1" "${@:2}")
    [ -z "$analysis" ] || prefix+=(--stats=yes)
}

# Prints the data about the analysis thread in the log of the latest run, if there are any.
keep_analysis() {
    awk -v label="$1" '/processor time of the analysis thread/ { print label "\t" $(NF - 1) }' \
        "$tmp/log" >>"$analysis"
}

tool_exists() {
    case $1 in
    native) return 0 ;;
    records | queue | touch) set -- aprof_measured ;;
    aprof* | concurrent) set -- aprof ;;
    esac
    valgrind "--tool=$1" --log-file=/dev/null true >/dev/null 2>&1
}

program_exists() {
    command_of_program "$1" 1
    command -v "${command[0]}" >/dev/null || return 1
    [ "$1" != aprof_export ] || [ -f "$tmp/report" ]
}

is_kernel() {
    case " $kernels " in
    *" $1 "*) return 0 ;;
    esac
    return 1
}

# Measures a run of program $1 under tool $2 on $3 threads. Its output must equal the output of the native
# run.
run_one() {
    command_of_program "$1" "$3"
    command_of_tool "$2"
    "$build/measure" "$results" "$1	$2	$3" "${prefix[@]}" "${command[@]}" \
        >"$tmp/output" 2>"$tmp/errors" || die "$build/measure does not run"
    [ -z "$analysis" ] || keep_analysis "$1	$2	$3"
    sum=$(cksum <"$tmp/output")
    if [ ! -f "$tmp/expected.$1" ]; then
        [ "$2" = native ] || return 0
        echo "$sum" >"$tmp/expected.$1"
    fi
    [ "$sum" = "$(cat "$tmp/expected.$1")" ] || wrong="$wrong $1/$2/$3"
}

# Runs every tool once on every program. $1 is the number of threads; the other arguments are the programs.
run_round() {
    n=$1
    shift
    for program; do
        for tool in $tools; do
            # The tables by number of threads omit the variants of aprof.
            case $n/$tool in
            "$main_threads"/aprof-*) run_one "$program" "$tool" "$n" ;;
            */aprof-*) ;;
            *) run_one "$program" "$tool" "$n" ;;
            esac
        done
        printf '.' >&2
    done
}

keep_existing() {
    kept=
    for tool in $tools; do
        if tool_exists "$tool"; then
            kept="$kept $tool"
        else
            echo "bench: no tool '$tool' here, left out" >&2
        fi
    done
    tools=$kept
    kept=
    for program in $programs; do
        if program_exists "$program"; then
            kept="$kept $program"
        else
            echo "bench: no program '$program' here, left out" >&2
        fi
    done
    programs=$kept
}

make_inputs() {
    if [ $small = yes ]; then
        lines=3000 many_lines=30000 rows=2500 queens=10
    fi
    "$build/generate" text "$lines" >"$tmp/small.txt"
    "$build/generate" text "$many_lines" >"$tmp/big.txt"
    "$build/generate" sql "$rows" >"$tmp/script.sql"
    head -n 1000 "$tmp/big.txt" >"$tmp/tiny.txt"
    awk 'BEGIN { print "<all>" } { print "<item id=\"" NR "\"><a>" $1 "</a><b c=\"" $2 "\"/></item>" } END { print "</all>" }' \
        "$tmp/small.txt" >"$tmp/items.xml"
    awk '{ print "define(`w" NR "'"'"', `" $1 "'"'"')w" NR, "len(" $2 ")" }' "$tmp/small.txt" >"$tmp/macros.m4"
    # Makes the input of aprof_export, which is omitted below if the input cannot be made.
    case " $programs " in
    *" aprof_export "*)
        valgrind --tool=aprof --metrics=trms,rms "--aprof-out-file=$tmp/report" \
            sqlite3 :memory: ".read $tmp/script.sql" >"$tmp/log" 2>&1 || :
        ;;
    esac
}

run_all() {
    threaded=
    for program in $programs; do
        if is_kernel "$program"; then
            threaded="$threaded $program"
        fi
    done
    for _ in $(seq "$runs"); do
        # shellcheck disable=SC2086
        run_round "$main_threads" $programs
        for n in $threads; do
            # shellcheck disable=SC2086
            [ "$n" = "$main_threads" ] || run_round "$n" $threaded
        done
    done
    echo >&2
}

while getopts a:b:r:p:t:n:j:l:m:o:s option; do
    case $option in
    a) analyse=$OPTARG ;;
    b) build=$OPTARG ;;
    r) runs=$OPTARG ;;
    p) programs=$OPTARG ;;
    t) tools=$OPTARG ;;
    n) main_threads=$OPTARG ;;
    j) threads=$OPTARG ;;
    l) loaders=$OPTARG ;;
    m) analysis=$OPTARG ;;
    o) results=$OPTARG ;;
    s) small=yes ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || usage

if [ -n "$analyse" ]; then
    exec awk -v loaders="$loaders" -f "$here/tables_library.awk" -f "$here/tables.awk" "$analyse"
fi
for number in $runs $main_threads $threads; do
    case $number in
    *[!0-9]* | 0) usage ;;
    esac
done
[ -x "$build/measure" ] || die "no $build/measure: run \`make bench\` or give -b BUILDDIR"
results=${results:-$build/results.tsv}
: >"$results" || die "$results: cannot be written"
if [ -d "$build/../.in_place" ]; then
    VALGRIND_LIB=$(cd "$build/../.in_place" && pwd)
    export VALGRIND_LIB
fi
[ -z "$analysis" ] || : >"$analysis" || die "$analysis: cannot be written"
tmp=$(mktemp -d)
loading=
# Prints the process ids one after another.
# shellcheck disable=SC2086
trap 'rm -rf "$tmp"; [ -z "$loading" ] || kill $loading' EXIT
wrong=

make_inputs
keep_existing
for _ in $(seq "$loaders"); do
    (while :; do :; done) &
    loading="$loading $!"
done
run_all
awk -v loaders="$loaders" -f "$here/tables_library.awk" -f "$here/tables.awk" "$results"
if [ -n "$wrong" ]; then
    echo "bench: output differs from the native run: $wrong" >&2
    exit 1
fi
awk -F '\t' '$7 != 0 { print "bench: exit status " $7 ": " $1 " under " $2; bad = 1 } END { exit bad }' \
    "$results" >&2
