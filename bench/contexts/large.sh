#!/bin/sh
# Measures hot calling contexts in third-party programs with large context trees.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: large.sh [-b BUILD] [-o RESULTS.tsv] [WORK...]
#        large.sh -a RESULTS.tsv        print the tables of an earlier run again
#
# A WORK is PROGRAM or PROGRAM:SIZE, see large_programs.sh. The programs come from Debian's source packages. Each
# program is built by clang, and by aprof-cc --aprof=contexts,inline, and runs natively, with the full tree
# (mode=cct), and with hot contexts (mode=hcct) for the values of phi in BENCH_PHIS (1e-3 1e-4 1e-5). The runs are
# interleaved, BENCH_RUNS (3) times. Every output must equal the native output. `aprof contexts compare` compares
# each hot tree with the full tree of the same round. Two other values of epsilon, and full trees with three limits
# of recursion (recursion=N), are measured once.
#
# The work folder BUILD/bench/large.work keeps sources and programs, so that a second run only measures.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=.
results=
tables=
runs=${BENCH_RUNS:-3}
all="awk dash bash newlisp newlisp:18 jim jim:16 tcc sparse sqlite3"
phis=${BENCH_PHIS:-"1e-3 1e-4 1e-5"}
limits="1 2 4" # of recursion
variants="native inline"

fail()
{
    echo "aprof: bench large: $*" >&2
    exit 1
}

while getopts b:o:a: option; do
    case $option in
    b) build=$OPTARG ;;
    o) results=$OPTARG ;;
    a) tables=$OPTARG ;;
    *) sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || eval "set -- $all"
if [ -n "$tables" ]; then
    exec awk -f "$here/../tables_library.awk" -f "$here/large.awk" "$tables"
fi

build=$(cd "$build" && pwd)
results=${results:-$build/bench/large.tsv}
case $results in /*) ;; *) results=$PWD/$results ;; esac
PATH=$build/tools:$PATH
work=$build/bench/large.work
mkdir -p "$work"
: >"$results"

# shellcheck source=bench/contexts/large_programs.sh
. "$here/large_programs.sh"
# shellcheck source=bench/contexts/skewness.sh
. "$here/skewness.sh"

# run VARIANT BINARY OPTIONS: one line of times; the file is kept as VARIANT.contexts.
run()
{
    rm -f aprof.contexts.* speed.db
    # shellcheck disable=SC2086
    APROF_CONTEXTS=$3 "$build/bench/measure" "$results.run" "$label	$1" "$work/$program.$2" $arguments \
        >output 2>messages </dev/null || fail "$label $1: $(cat messages)"
    case $program in
    sqlite3) ;; # the output has times
    *) cmp -s output expected || fail "$label $1: the output differs" ;;
    esac
    sed 's/^/time	/' "$results.run" >>"$results"
    rm -f "$results.run"
    for file in aprof.contexts.*; do
        [ ! -f "$file" ] || mv "$file" "$1.contexts"
    done
}

# tree VARIANT: calls and contexts.
tree()
{
    awk -F '\t' -v name="$label	$1" -v OFS='\t' '
        $1 == "tree" { calls += $4; nodes += $5 }
        END { print "tree", name, calls, nodes }' "$1.contexts" >>"$results"
}

# compare VARIANT PHI
compare()
{
    aprof contexts compare --format=csv --top=1 --phi="$2" cct.contexts "$1.contexts" >compared 2>messages ||
        [ $? = 1 ] || fail "$label $1: $(cat messages)"
    sed -n "2,\$ { s/,/	/g; s/^/accuracy	$label	$1	/p }" compared >>"$results"
}

for label; do
    set_work "$label"
    build_program "$program"
    mkdir -p "$work/run.$label"
    cd "$work/run.$label"
    write_inputs
    rm -f speed.db
    # shellcheck disable=SC2086
    "$work/$program.native" $arguments >expected </dev/null
    left=$runs
    while [ "$left" -gt 0 ]; do
        run native native mode=off
        run cct inline mode=cct
        for phi in $phis; do
            run "hcct-$phi" inline "mode=hcct,phi=$phi"
        done
        left=$((left - 1))
    done
    # shellcheck disable=SC2086
    for variant in cct $(printf 'hcct-%s ' $phis); do
        tree "$variant"
    done
    for phi in $phis; do
        compare "hcct-$phi" "$phi"
    done
    for limit in $limits; do
        run "recursion-$limit" inline "mode=cct,recursion=$limit"
        tree "recursion-$limit"
    done
    for divisor in 5 10; do
        run "epsilon-$divisor" inline "mode=hcct,phi=1e-4,epsilon=$(awk "BEGIN { print 1e-4 / $divisor }")"
        compare "epsilon-$divisor" 1e-4
    done
    aprof contexts stats --format=tsv cct.contexts | sed -n "s/^/stats	$label	/; \$p" >>"$results"
    skewness cct.contexts | sed "s/^/skew	$label	/" >>"$results"
    rm -f ./*.contexts
done
awk -f "$here/../tables_library.awk" -f "$here/large.awk" "$results"
