#!/bin/sh
# Benchmarks of path profiling: hits, probes and time of each policy, on real programs.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: paths.sh [-b BUILD] [-o RESULTS.tsv] [-k "2 4 8"] [PROGRAM...]
#        paths.sh -a RESULTS.tsv          the tables of an earlier run again
#
# Sources of real programs are Debian's (apt-get source to a separate folder, without changes of the system's
# configuration). Further programs are in this repository. Training and reference inputs differ in size and
# contents. plain and sbl run BENCH_RUNS (3) times, of which the least user time counts; all other variants
# run once. Each line of the results:
#
#     program policy copies probes hits executed user_us differences
#
# probes: of the copy that has most; hits: the maximum over the copies of executions of edges with a
# non-zero label; executed: the same of increments, commits and the checks of sliced copies; user_us:
# of the slowest copy. A line `program profitable copies procedures partitioned 0 0 0` has the number of
# procedures that the plan of p3 divides over the copies. Policy `pbl` divides by the number of probes, as in
# the paper; `cost` is pbl by the costs of the training run; `slices` is hits with slicing. The script also
# draws pictures of the maximum hits, RESULTS-COPIES.svg, like the paper's figures.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=.
results=
copies="2 4 8"
tables=
runs=${BENCH_RUNS:-3}
all="bzip2 lua minigzip mawk lzip minisat json_format kdtree alignment multigrid"

usage()
{
    sed -n 's/^# Usage: /usage: /p; s/^#        paths/       paths/p' "$0" >&2
    exit 2
}

fail()
{
    echo "aprof: bench paths: $*" >&2
    exit 1
}

while getopts b:o:k:a: option; do
    case $option in
    b) build=$OPTARG ;;
    o) results=$OPTARG ;;
    k) copies=$OPTARG ;;
    a) tables=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || eval "set -- $all"
if [ -n "$tables" ]; then
    exec awk -f "$here/../tables_library.awk" -f "$here/tables.awk" "$tables"
fi

build=$(cd "$build" && pwd)
results=${results:-$build/bench/paths.tsv}
PATH=$build/tools:$PATH
command -v aprof-pathcc >/dev/null || fail "built without LLVM"
[ -x "$build/bench/generate" ] || fail "$build/bench/generate is missing; use 'make bench-paths'"
work=$build/bench/paths.work
mkdir -p "$work/inputs"
case $results in /*) ;; *) results=$PWD/$results ;; esac
: >"$results"

# ---------------------------------------------------------------- Programs

# shellcheck source=bench/debian_source.sh
. "$here/../debian_source.sh"

# Each function makes $work/NAME/NAME.
make_bzip2()
{
    debian_source bzip2
    (cd "$work/bzip2" && aprof-pathcc -O1 -o bzip2 bzip2.c blocksort.c huffman.c crctable.c \
        randtable.c compress.c decompress.c bzlib.c)
}

make_lua()
{
    debian_source lua5.4
    mkdir -p "$work/lua"
    printf '#define DEB_HOST_MULTIARCH ""\n' >"$work/lua5.4/src/lua5.4-deb-multiarch.h"
    # shellcheck disable=SC2086
    (cd "$work/lua5.4/src" && sources=$(echo ./*.c | tr ' ' '\n' | grep -v luac.c) &&
        aprof-pathcc -O1 -DLUA_USE_POSIX '-Dluai_makeseed(L)=0' \
            '-Dl_randomizePivot()=0' -o "$work/lua/lua" $sources -lm)
}

make_minigzip()
{
    debian_source zlib
    mkdir -p "$work/minigzip"
    (cd "$work/zlib" && { [ -f configured ] || CC=aprof-pathcc CFLAGS=-O1 ./configure --static; } &&
        touch configured && make -s libz.a &&
        aprof-pathcc -O1 -I. -o "$work/minigzip/minigzip" test/minigzip.c libz.a)
}

make_mawk()
{
    debian_source mawk
    (cd "$work/mawk" && { [ -f Makefile ] || CC=aprof-pathcc CFLAGS=-O1 ./configure; } && make -s)
}

make_lzip()
{
    debian_source lzip
    (cd "$work/lzip" && { [ -f Makefile ] ||
        ./configure CXX=aprof-pathc++ CXXFLAGS=-O1; } && make -s)
}

make_minisat()
{
    debian_source minisat2
    mkdir -p "$work/minisat"
    (cd "$work/minisat2" && patch_for_minisat &&
        aprof-pathc++ -std=c++98 -O1 -w -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I. \
            -o "$work/minisat/minisat" minisat/core/Main.cc minisat/core/Solver.cc \
            minisat/utils/Options.cc minisat/utils/System.cc -lz)
}

# Removes default arguments of friends that are only declared, which g++ accepts and the standard forbids.
patch_for_minisat()
{
    sed -i 's/friend Lit mkLit(Var var, bool sign = false);/friend Lit mkLit(Var var, bool sign);/
        s/^inline  *Lit  *mkLit *(Var var, bool sign) /inline Lit mkLit(Var var, bool sign = false) /' \
        minisat/core/SolverTypes.h
}

make_json_format()
{
    mkdir -p "$work/json_format"
    aprof-pathc++ -O1 -o "$work/json_format/json_format" "$here/json_format.cpp"
}

make_kernel()
{
    mkdir -p "$work/$1"
    aprof-pathcc -O1 -w -pthread -I"$here/../.." -o "$work/$1/$1" "$here/../programs/$1.c"
}
make_kdtree() { make_kernel kdtree; }
make_alignment() { make_kernel alignment; }
make_multigrid() { make_kernel multigrid; }

# ---------------------------------------------------------------- Inputs

make_inputs()
{
    inputs=$work/inputs
    [ ! -e "$inputs/done" ] || return 0
    "$build/bench/generate" text 3000 >"$inputs/train"
    "$build/bench/generate" sql 150000 >"$inputs/reference"
    head -c 2000000 "$inputs/reference" >"$inputs/short"
    # Satisfiability: random clauses of three literals, near the ratio of the hardest problems.
    for size in 120 250; do
        awk -v n=$size 'BEGIN {
            srand(n); m = int(n * 4.26); print "p cnf", n, m
            for (i = 0; i < m; i++) {
                for (j = 0; j < 3; j++)
                    printf "%s%d ", rand() < 0.5 ? "-" : "", 1 + int(rand() * n)
                print 0
            }
        }' >"$inputs/$size.cnf"
    done
    touch "$inputs/done"
}

# shellcheck disable=SC2016
words='{ for (i = 1; i <= NF; i++) count[tolower($i)]++ } '\
'END { for (w in count) if (length(w) > 3) sum += count[w] * index(w, "e"); print NR, sum }'

# arguments PROGRAM train|reference: sets `input` and `arguments`, with one argument per line.
arguments()
{
    input=/dev/null
    case $1-$2 in
    bzip2-*) arguments=-c input=$inputs/$2 ;;
    minigzip-*) arguments='' input=$inputs/$2 ;;
    lzip-train) arguments=-c input=$inputs/train ;;
    lzip-reference) arguments=$(printf '%s\n' -c -6) input=$inputs/short ;;
    mawk-*) arguments=$words input=$inputs/$2 ;;
    lua-train) arguments=$(printf '%s\n' "$here/../programs/queens.lua" 6) ;;
    lua-reference) arguments=$(printf '%s\n' "$here/../programs/queens.lua" 12) ;;
    minisat-train) arguments=$inputs/120.cnf ;;
    minisat-reference) arguments=$inputs/250.cnf ;;
    json_format-train) arguments=2000 ;;
    json_format-reference) arguments=1000000 ;;
    kdtree-train) arguments=$(printf '%s\n' 3 1) ;;
    kdtree-reference) arguments=$(printf '%s\n' 600 1) ;;
    alignment-train) arguments=$(printf '%s\n' 12 1) ;;
    alignment-reference) arguments=$(printf '%s\n' 96 1) ;;
    multigrid-train) arguments=$(printf '%s\n' 4 1) ;;
    multigrid-reference) arguments=$(printf '%s\n' 8 1) ;;
    esac
}

# with_arguments COMMAND...: runs the command with the arguments as separate words.
with_arguments()
{
    if [ -n "$arguments" ]; then
        old_ifs=$IFS
        IFS='
'
        set -f
        # shellcheck disable=SC2086
        set -- "$@" $arguments
        set +f
        IFS=$old_ifs
    fi
    "$@" <"$input" >/dev/null
}

# ---------------------------------------------------------------- Measuring

# The copies' costs of the last merged run: "hits executed".
costs()
{
    aprof paths report --top=1 | awk '
        $1 == "copy" { inside = 1; next }
        inside && NF != 7 { exit }
        inside && $2 > hits { hits = $2 }
        inside && $3 + $4 + $5 + $6 > executed { executed = $3 + $4 + $5 + $6 }
        END { printf "%.0f %.0f", hits, executed }'
}

slowest()
{
    awk -F '\t' '$1 == "end" && $3 > most { most = $3 } END { print most + 0 }' aprof.paths.end-*
}

# measure PROGRAM POLICY COPIES RUNS PLAN-OPTION...
measure()
{
    program=$1 policy=$2 k=$3 times=$4
    shift 4
    rm -f aprof.paths.end-* aprof.paths.counters-*
    aprof paths plan "../$program/$program" "$@" >planned
    probes=$(awk '$1 == "copy" && $3 > most { most = $3 } END { print most + 0 }' planned)
    [ "$policy" != p3 ] || awk -v label="$program	profitable	$k" -F '[ ,]+' '
        / procedures/ {
            for (i = 2; i <= NF; i++)
                if ($i == "procedures") print label "\t" $(i - 1) "\t" $(i + 1) "\t0\t0\t0"
        }' planned >>"$results"
    least=
    while [ "$times" -gt 0 ]; do
        with_arguments aprof paths run -- || [ "$program" = minisat ] || fail "$program: $policy"
        time=$(slowest)
        if [ -z "$least" ] || [ "$time" -lt "$least" ]; then least=$time; fi
        times=$((times - 1))
    done
    differences=0
    aprof paths merge 2>/dev/null || differences=1
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$program" "$policy" "$k" "$probes" \
        "$(costs | tr ' ' '\t')" "$least" "$differences" | tee -a "$results" | tr '\t' ' '
}

# The program itself replaces the only copy, so that it runs under the conditions of copies.
measure_plain()
{
    least=
    times=$runs
    cp "../$1/$1" aprof.paths.copy-0001
    while [ "$times" -gt 0 ]; do
        with_arguments aprof paths run -- || :
        time=$(slowest)
        if [ -z "$least" ] || [ "$time" -lt "$least" ]; then least=$time; fi
        times=$((times - 1))
    done
    printf '%s\tplain\t1\t0\t0\t0\t%s\t0\n' "$1" "$least" >>"$results"
}

bench_program()
{
    "make_$1" >"$work/make.log" 2>&1 || fail "$1: cannot be built, see $work/make.log"
    mkdir -p "$work/plan"
    cd "$work/plan"
    rm -f aprof.paths.*
    arguments "$1" train
    with_arguments aprof paths edges -- "../$1/$1" || true
    arguments "$1" reference
    measure "$1" sbl 1 "$runs" --policy=sbl
    measure_plain "$1"
    measure "$1" hits 1 "$runs" --policy=hits --copies=1 --edges=aprof.paths.edges
    for k in $copies; do
        measure "$1" pbl "$k" 1 --policy=pbl --copies="$k"
        measure "$1" cost "$k" 1 --policy=pbl --copies="$k" --edges=aprof.paths.edges
        measure "$1" p3 "$k" 1 --policy=p3 --copies="$k"
        measure "$1" hits "$k" 1 --policy=hits --copies="$k" --edges=aprof.paths.edges
        measure "$1" slices "$k" 1 --policy=hits --slicing --copies="$k" --edges=aprof.paths.edges
    done
}

make_inputs
for program; do
    (bench_program "$program") || exit 1
done
awk -f "$here/../tables_library.awk" -f "$here/tables.awk" "$results"
for k in $copies; do
    awk -v figure="$k" -f "$here/../tables_library.awk" -f "$here/tables.awk" "$results" >"$work/figure"
    gnuplot -c "$here/../../scripts/paths_hits.gp" "$work/figure" "${results%.tsv}-$k.svg" "$k"
done
