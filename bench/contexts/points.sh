#!/bin/sh
# Measures input sizes per hot calling context in third-party programs with large context trees.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: points.sh [-b BUILD] [-o RESULTS.tsv] [WORK...]
#        points.sh -a RESULTS.tsv       print the tables of an earlier run again
#
# A WORK is PROGRAM or PROGRAM:SIZE, see large_programs.sh. Two engines measure each work: code compiled in by
# aprof-cc --aprof=trms,inline, and the Valgrind tool. Each engine runs the work without contexts, with points
# for all contexts (contexts=full), and with points for hot contexts (contexts=hot) for two values of phi. The
# runs are interleaved, BENCH_RUNS (3) times, without address randomisation, because some programs hash
# addresses. points_compare.awk compares the hot contexts with the run that has all contexts.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=.
results=
tables=
runs=${BENCH_RUNS:-3}
all="newlisp:11 newlisp:13 newlisp:15 jim:9 jim:11 jim:13 sqlite3"
phis="1e-3 1e-4"
variants="native points"

fail()
{
    echo "aprof: bench points: $*" >&2
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
    exec awk -f "$here/../tables_library.awk" -f "$here/points.awk" "$tables"
fi

build=$(cd "$build" && pwd)
results=${results:-$build/bench/points.tsv}
case $results in /*) ;; *) results=$PWD/$results ;; esac
PATH=$build/tools:$PATH
seal=$build/tests/tools/seal
work=$build/bench/large.work
mkdir -p "$work"
: >"$results"

# shellcheck source=bench/contexts/large_programs.sh
. "$here/large_programs.sh"

# run ENGINE VARIANT COMMAND...: one line of times.
run()
{
    name="$label	$1	$2"
    shift 2
    rm -f speed.db
    # shellcheck disable=SC2086
    setarch -R "$build/bench/measure" "$results.run" "$name" "$@" $arguments >output 2>messages </dev/null ||
        fail "$name: $(cat messages)"
    case $program in
    sqlite3) ;; # the output has times
    *) cmp -s output expected || fail "$name: the output differs" ;;
    esac
    sed 's/^/time	/' "$results.run" >>"$results"
    rm -f "$results.run"
}

# profile ENGINE VARIANT MODE PHI: the report is ENGINE.VARIANT.
profile()
{
    case $1 in
    compiled)
        run "$1" "$2" env APROF="contexts=$3 phi=$4 out=$PWD/$1.$2" "$work/$program.points" ;;
    valgrind)
        run "$1" "$2" "$build/vg-in-place" -q --tool=aprof --contexts="$3" --phi="$4" --aprof-out-file="$PWD/$1.$2" \
            "$work/$program.native" ;;
    esac
}

# growths FILE: for each routine with points, its name, growth and trend.
growths()
{
    aprof report --format=tsv "$1" | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        { print $column["routine"] "\t" $column["average_growth"] "\t" $column["trend_exponent"] }'
}

# compare ENGINE PHI: points_compare.awk writes the hot contexts of both reports as routines of reports without
# contexts, so that `aprof report` fits their growth in the same way.
compare()
{
    awk -F '\t' -v label="$label	$1	$2" -v phi="$2" -v exact=exact.unsealed -v hot=hot.unsealed \
        -f "$here/points_compare.awk" "$1.full" "$1.hot-$2" >>"$results" || fail "$label $1 $2: cannot compare"
    for report in exact hot; do
        "$seal" <$report.unsealed >$report.aprof
        growths $report.aprof >$report.growths
    done
    awk -F '\t' -v label="$label	$1	$2" -f "$here/points_growths.awk" exact.growths hot.growths >>"$results"
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
        run native native "$work/$program.native"
        for engine in compiled valgrind; do
            profile $engine off off 1e-4
            profile $engine full full 1e-4
            for phi in $phis; do
                profile $engine "hot-$phi" hot "$phi"
            done
        done
        left=$((left - 1))
    done
    for engine in compiled valgrind; do
        for phi in $phis; do
            compare $engine "$phi"
        done
    done
    rm -f compiled.* valgrind.* ./*.unsealed
done
awk -f "$here/../tables_library.awk" -f "$here/points.awk" "$results"
