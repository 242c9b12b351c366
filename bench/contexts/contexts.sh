#!/bin/sh
# Benchmark of the calling-context profiler: time, memory and accuracy on call-intensive programs.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: contexts.sh [-i] [-b BUILD] [-o RESULTS.tsv] [PROGRAM...]
#        contexts.sh -a RESULTS.tsv          the tables of an earlier run again
#
# Each program is built by gcc -O2 unchanged, with -pg, with the hooks of -finstrument-functions, and with
# patched entries (aprof-cc --aprof=contexts,hooks). Runs of all variants are interleaved, BENCH_RUNS (5)
# times; tables.awk takes medians and geometric means. `aprof contexts compare` compares the files of the last
# round with the full tree. Totals of bursts are scaled to the full tree, as in the paper.
#
# With clang and LLVM, inline counting code (aprof-cc --aprof=contexts,inline) is compared with clang -O2 and
# with the patched entries of clang. The two profilers must make equal trees. With -i, the script runs only
# this comparison, on more programs, in a few minutes.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=.
results=
tables=
runs=${BENCH_RUNS:-5}
all="queens expressions connect kdtree lua json_format"
more="bzip2 minigzip minisat binary_tree merge_sort hash_words" # by name, and with -i
only_inline=no

fail()
{
    echo "aprof: bench contexts: $*" >&2
    exit 1
}

while getopts ib:o:a: option; do
    case $option in
    i) only_inline=yes ;;
    b) build=$OPTARG ;;
    o) results=$OPTARG ;;
    a) tables=$OPTARG ;;
    *) sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $only_inline = no ] || all="$all $more"
[ $# -gt 0 ] || eval "set -- $all"
if [ -n "$tables" ]; then
    exec awk -f "$here/../tables_library.awk" -f "$here/tables.awk" "$tables"
fi

build=$(cd "$build" && pwd)
results=${results:-$build/bench/contexts.tsv}
case $results in /*) ;; *) results=$PWD/$results ;; esac
PATH=$build/bench/measured/tools:$PATH
work=$build/bench/contexts.work
mkdir -p "$work"
: >"$results"

# shellcheck source=bench/others.sh
. "$here/../others.sh"
# shellcheck source=bench/contexts/skewness.sh
. "$here/skewness.sh"

# source_of PROGRAM: its $files, the $flags that they need, and its $arguments.
source_of()
{
    flags=
    case $1 in
    binary_tree) files=$here/../native/binary_tree.c arguments=240000 ;;
    merge_sort) files=$here/../native/merge_sort.c arguments=1200000 ;;
    hash_words) files=$here/../native/hash_words.c arguments=4500000 ;;
    queens) files=$here/queens.c arguments=12 ;;
    expressions) files=$here/expressions.c arguments=120000 ;;
    connect) files=$here/connect.c arguments=14 ;;
    kdtree) files=$here/../programs/kdtree.c arguments='1200 1' ;;
    json_format) files=$here/../paths/json_format.cpp arguments=400000 ;;
    *) other_program "$1" || fail "$1: no such program" ;;
    esac
}

# compile PROGRAM VARIANT COMPILER... : C++ by the compiler's other name.
compile()
{
    output=$work/$1.$2
    shift 2
    case $files in
    *.cpp | *.cc) compiler=$(echo "$1" | sed 's/^gcc$/g++/; s/^clang$/clang++/; s/aprof-cc$/aprof-c++/') ;;
    *) compiler=$1 ;;
    esac
    shift
    # shellcheck disable=SC2086
    "$compiler" -O2 -g1 -w -I"$here/../.." '-Dluai_makeseed(L)=0' -o "$output" "$@" $flags $files -x none -pthread -lm -lz ||
        fail "${output##*/}: cannot be built"
}

has_inline()
{
    command -v clang >/dev/null && [ -x "$build/tools/aprof-instrument" ]
}

build_inline()
{
    compile "$1" clang clang
    (
        export APROF_CC_COMPILER=clang
        compile "$1" inline aprof-cc --aprof=contexts,inline
        compile "$1" patched-clang aprof-cc --aprof=contexts,hooks
    ) || exit 1
}

build_program()
{
    ! has_inline || build_inline "$1"
    [ $only_inline = no ] || return 0
    compile "$1" native gcc
    compile "$1" gprof gcc -pg
    compile "$1" patched aprof-cc --aprof=contexts,hooks
    compile "$1" hooks gcc -finstrument-functions -Wl,--whole-archive \
        "$build/bench/measured/libaprof_contexts.a" -Wl,--no-whole-archive -ldl
}

# run PROGRAM VARIANT BINARY OPTIONS: one line of times; the file is kept as VARIANT.contexts.
run()
{
    rm -f aprof.contexts.*
    # shellcheck disable=SC2086
    APROF_CONTEXTS="$4" "$build/bench/measure" "$results.run" "$1	$2" "$work/$1.$3" $arguments \
        >output 2>messages || fail "$1 $2: $(cat messages)"
    [ "$1" != minisat ] || : >expected # this program prints times
    [ "$1" != minisat ] || : >output
    cmp -s output expected || fail "$1 $2: the output differs"
    sed 's/^/time	/' "$results.run" >>"$results"
    rm -f "$results.run"
    for file in aprof.contexts.*; do
        [ ! -f "$file" ] || mv "$file" "$2.contexts"
    done
}

round_inline()
{
    run "$1" clang clang mode=off
    run "$1" inline-off inline mode=off
    run "$1" inline-cct inline mode=cct
    run "$1" inline-hcct inline mode=hcct
    run "$1" clang-cct patched-clang mode=cct
    run "$1" clang-hcct patched-clang mode=hcct
    run "$1" clang-burst patched-clang mode=hcct,burst=20ms/2ms
}

round()
{
    ! has_inline || round_inline "$1"
    [ $only_inline = no ] || return 0
    run "$1" native native mode=off
    run "$1" idle patched mode=off
    run "$1" gprof gprof mode=off
    run "$1" empty hooks mode=empty
    run "$1" empty-patched patched mode=empty
    run "$1" cct patched mode=cct
    run "$1" hcct patched mode=hcct
    run "$1" burst patched mode=hcct,burst=20ms/2ms
    run "$1" burst-short patched mode=hcct,burst=2ms/200us
    run "$1" burst-adaptive patched mode=hcct,burst=adaptive,burst=2ms/200us
    run "$1" cct-hooks hooks mode=cct
    run "$1" hcct-hooks hooks mode=hcct
    run "$1" burst-hooks hooks mode=hcct,burst=2ms/200us
}

# Writes the sizes of the trees, and the differences between the counts of each variant and the full tree.
examine()
{
    for variant in cct hcct burst burst-short burst-adaptive; do
        tree "$1" "$variant"
    done
    aprof contexts stats --format=tsv cct.contexts | sed -n "s/^/stats	$1	/; \$p" >>"$results"
    skewness cct.contexts | sed "s/^/skew	$1	/" >>"$results"
    for phi in 1e-3 1e-4 1e-5 1e-6 1e-7; do
        run "$1" "hcct-$phi" patched "mode=hcct,phi=$phi"
        tree "$1" "hcct-$phi"
        compare "$1" "hcct-$phi" "$phi" ''
    done
    for divisor in 2 5 10 20; do
        run "$1" "epsilon-$divisor" patched "mode=hcct,phi=1e-4,epsilon=$(awk "BEGIN { print 1e-4 / $divisor }")"
        compare "$1" "epsilon-$divisor" 1e-4 ''
    done
    for variant in burst burst-short burst-adaptive; do
        compare "$1" "$variant" 1e-3 --scale
        compare "$1" "$variant" 1e-4 --scale
    done
}

# tree PROGRAM VARIANT: the sizes of all trees of its file.
tree()
{
    awk -F '\t' -v name="$1	$2" -v OFS='\t' '
        $1 == "tree" { calls += $4; nodes += $5 }
        $1 == "context" && $9 { monitored++ }
        END { print "tree", name, calls, nodes, monitored + 0 }' "$2.contexts" >>"$results"
}

# Compares the trees of inline code and of hooks, and measures hot trees.
examine_inline()
{
    tree "$1" inline-cct
    tree "$1" clang-cct
    for phi in 1e-3 1e-4 1e-5; do
        run "$1" "inline-hcct-$phi" inline "mode=hcct,phi=$phi"
        tree "$1" "inline-hcct-$phi"
    done
}

# compare PROGRAM VARIANT PHI OPTION
compare()
{
    # shellcheck disable=SC2086
    aprof contexts compare --format=csv --top=1 --phi="$3" $4 cct.contexts "$2.contexts" \
        >compared 2>messages || [ $? = 1 ] || fail "$1 $2: $(cat messages)"
    sed -n "2,\$ { s/,/	/g; s/^/accuracy	$1	$2	/p }" compared >>"$results"
}

[ $only_inline = no ] || has_inline || fail 'neither clang nor LLVM'
reference=native
[ $only_inline = no ] || reference=clang
for program; do
    source_of "$program"
    mkdir -p "$work/$program"
    build_program "$program"
    cd "$work/$program"
    # shellcheck disable=SC2086
    "$work/$program.$reference" $arguments >expected || [ "$program" = minisat ]
    left=$runs
    while [ "$left" -gt 0 ]; do
        round "$program"
        left=$((left - 1))
    done
    ! has_inline || examine_inline "$program"
    [ $only_inline = yes ] || examine "$program"
    rm -f ./*.contexts gmon.out
done
awk -f "$here/../tables_library.awk" -f "$here/tables.awk" "$results"
