#!/bin/bash
# Compares sampled runs with complete and native runs: time, and the measured results.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: samples.sh [-b BUILDDIR] [-r RUNS] [-s RATES] [-p PROGRAMS] [-o FILE]
#
#   -b  the build directory, where tools/aprof-cc and bench/measure are [.]
#   -r  runs of which the least processor time counts [3]; also BENCH_RUNS
#   -s  rates of samples [8]
#   -p  names of programs, separated by blanks [all]; also BENCH_PROGRAMS
#   -o  the measured lines, one per run [BUILDDIR/bench/samples-results.tsv]
#
# Programs run with one thread, by turns: as clang makes them, with --aprof=trms,inline, and in two
# versions at each rate. Every output must be the native one. The table has processor times as
# multiples of the native one; what share of the known calls was recorded; of how many routines whole
# run and sample both say how a call grows with its input, and for how many they say the same.
#
# Exit status: 0; 1 if something failed or printed something else than the native run; 2 usage.
set -eu
export LC_ALL=C APROF_CC_COMPILER=clang

here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=.
runs=${BENCH_RUNS:-3}
rates=8
programs=${BENCH_PROGRAMS:-sparse_lu alignment molecular_dynamics multigrid kdtree smith_waterman tree_sort interpreter matrix queens expressions connect sorts}
results=

usage() {
    sed -n '/^# Usage/,/^#$/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

die() {
    echo "bench: $1" >&2
    exit 1
}

# Sets file and arguments.
look_up() {
    for folder in compiled contexts programs; do
        file=$source/bench/$folder/$1.c
        [ ! -f "$file" ] || break
    done
    case $1 in
    queens) arguments=12 ;;
    expressions) arguments=120000 ;;
    connect) arguments=14 ;;
    *) arguments="$(sed -n 's/.*DEFAULT_SIZE = \([0-9]*\).*/\1/p' "$file") 1" ;;
    esac
}

compile_all() {
    flags="-std=gnu11 -O2 -g -pthread -w -I$source"
    for program in $programs; do
        look_up "$program"
        # shellcheck disable=SC2086
        {
            clang $flags -o "$tmp/$program.native" "$file" -lm
            "$build/tools/aprof-cc" --aprof=trms,inline $flags -o "$tmp/$program.whole" "$file" -lm
            "$build/tools/aprof-cc" --aprof=trms,inline,sample $flags -o "$tmp/$program.two" "$file" -lm
        }
    done
}

# run_one PROGRAM HOW BINARY: its report stays.
run_one() {
    look_up "$1"
    # shellcheck disable=SC2086
    APROF="out=$tmp/$1.$2.report${4:+ sample=$4}" \
        "$build/bench/measure" "$results" "$1	$2" "$tmp/$1.$3" $arguments >"$tmp/output" 2>"$tmp/errors" ||
        die "bench/measure does not run"
    sum=$(cksum <"$tmp/output")
    [ -f "$tmp/expected.$1" ] || echo "$sum" >"$tmp/expected.$1"
    [ "$sum" = "$(cat "$tmp/expected.$1")" ] || wrong="$wrong $1/$2"
}

run_all() {
    for _ in $(seq "$runs"); do
        for program in $programs; do
            run_one "$program" native native
            run_one "$program" whole whole
            for rate in $rates; do
                run_one "$program" "$rate" two "$rate"
            done
            printf . >&2
        done
    done
    echo >&2
}

# Name and class of the routines whose growth is known.
classes() {
    "$build/tools/aprof" report --format=tsv --top=0 "$1" | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["average_growth"] !~ /few points|no fit|cloud|^-*$/ { print $at["routine"] "\t" $at["average_growth"] }' | sort
}

findings() {
    for program in $programs; do
        classes "$tmp/$program.whole.report" >"$tmp/whole.classes"
        for rate in $rates; do
            classes "$tmp/$program.$rate.report" >"$tmp/sample.classes"
            join -t '	' "$tmp/whole.classes" "$tmp/sample.classes" | awk -F '\t' -v label="$program	$rate" '
                { both++; same += $2 == $3 }
                $2 != $3 { print "differ\t" label "\t" $1 "\t" $2 "\t" $3 }
                END { print "classes\t" label "\t" both + 0 "\t" same + 0 }'
            awk -F '\t' -v label="$program	$rate" '
                $1 == "sampled" { known = $3 }
                $1 == "totals" { print "share\t" label "\t" (known ? 100 * $3 / known : 0) }' "$tmp/$program.$rate.report"
        done
    done
}

while getopts b:r:s:p:o: option; do
    case $option in
    b) build=$OPTARG ;;
    r) runs=$OPTARG ;;
    s) rates=$OPTARG ;;
    p) programs=$OPTARG ;;
    o) results=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || usage
for number in $runs $rates; do
    case $number in
    *[!0-9%]* | 0) usage ;;
    esac
done
[ -x "$build/bench/measure" ] || die "no $build/bench/measure: run \`make bench-samples'"
build=$(cd "$build" && pwd)
results=${results:-$build/bench/samples-results.tsv}
: >"$results" || die "$results: cannot be written"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
wrong=
compile_all
run_all
findings >"$tmp/findings"
awk -F '\t' -v rates="$rates" -v programs="$programs" '
    FILENAME ~ /findings$/ && $1 == "classes" { classes[$2, $3] = $5 " of " $4 }
    FILENAME ~ /findings$/ && $1 == "share" { share[$2, $3] = $4 }
    FILENAME ~ /findings$/ && $1 == "differ" { differ = differ $2 ", 1 of " $3 ": " $4 " " $5 ", " $6 "\n" }
    FILENAME ~ /findings$/ { next }
    !(($1, $2) in least) || $4 < least[$1, $2] { least[$1, $2] = $4 }
    END {
        n = split(programs, program, " ")
        r = split(rates, rate, " ")
        printf "| program | native, seconds | whole |"
        for (k = 1; k <= r; k++) printf " sample=%s | recorded, %% | same class |", rate[k]
        printf "\n|---|---|---|"
        for (k = 1; k <= r; k++) printf "---|---|---|"
        for (i = 1; i <= n; i++) {
            p = program[i]
            native = least[p, "native"]
            if (native <= 0) native = 0.001
            whole += log(least[p, "whole"] / native)
            printf "\n| %s | %.2f | %.2f |", p, native, least[p, "whole"] / native
            for (k = 1; k <= r; k++) {
                sampled[k] += log(least[p, rate[k]] / native)
                printf " %.2f | %.2f | %s |", least[p, rate[k]] / native, share[p, rate[k]], classes[p, rate[k]]
            }
        }
        printf "\n| **geometric mean** | | %.2f |", exp(whole / n)
        for (k = 1; k <= r; k++) printf " %.2f | | |", exp(sampled[k] / n)
        printf "\n\n%s", differ
    }' "$results" "$tmp/findings"
[ -z "$wrong" ] || die "other output than the native run:$wrong"
