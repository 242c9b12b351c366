#!/bin/sh
# Tests whether predictions at N are correct at 10 N: profiles programs at N/4, N/2, N and 10 N, and compares the costs.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: tenfold.sh [-b BUILD] [-w WORK] [-o RAW.tsv] [PROGRAM...]
#        tenfold.sh -a RAW.tsv                the tables of an earlier run again
#        tenfold.sh -g [-b BUILD] [-w WORK] [-o RAW.tsv] [PROGRAM...]
#                                             for which part of the cost is growth known (coverage.awk)?
#
#   -b  the build folder [.]
#   -w  where inputs and profiles are kept [BUILD/bench/tenfold.work]; what is there is not made again, so a
#       run that was cut off goes on, and other rules can be judged by the same profiles
#   -o  what was said and what came true, one line per routine [BUILD/bench/tenfold.tsv]
#
# Without arguments, all programs of programs.sh are used. Predictions are compared with the profile at 10 N.
# Costs are counts, so the load of the machine has no effect. Exit status: 0; 1 if a program cannot be
# profiled; 2 usage.
#
# A line of RAW.tsv has, separated by tabs: half (chosen, judged, even, odd or known), program, routine, share and self
# cost at N (the share in percent), share and self cost at 10 N; the prediction of `aprof scale` for 10 N:
# self cost, low, high, share, riser, growth; the claim of `aprof report` about one call: growth, cost ratio
# at ten times its input, low, high; and the measured divided by the predicted cost of calls at 10 N whose
# inputs exceed all inputs at N.
set -eu
export LC_ALL=C PERL_HASH_SEED=0 PYTHONHASHSEED=0 OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
export HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='1000000000 +0000'

here=$(cd "$(dirname "$0")" && pwd)
build=.
work=
raw=
tables=
coverage=false

usage()
{
    sed -n 's/^# Usage: /usage: /p; s/^#        tenfold/       tenfold/p' "$0" >&2
    exit 2
}

fail()
{
    echo "aprof: tenfold: $*" >&2
    exit 1
}

while getopts gb:w:o:a: option; do
    case $option in
    g) coverage=true ;;
    b) build=$OPTARG ;;
    w) work=$OPTARG ;;
    o) raw=$OPTARG ;;
    a) tables=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ -z "$tables" ] || exec awk -f "$here/judge.awk" "$tables"

build=$(cd "$build" && pwd)
work=${work:-$build/bench/tenfold.work}
if $coverage; then name=coverage; else name=tenfold; fi
raw=${raw:-$build/bench/$name.tsv}
mkdir -p "$work"
work=$(cd "$work" && pwd)
PATH=$build/tools:$PATH
[ ! -d "$build/.in_place" ] || export VALGRIND_LIB="$build/.in_place"
[ -x "$build/bench/tenfold/known" ] || fail "$build/bench/tenfold/known is missing; use 'make tenfold'"

# shellcheck source=bench/tenfold/programs.sh
. "$here/programs.sh"

[ ! -f "$here/../paths/json_format.cpp" ] || [ -x "$work/json_format" ] ||
    g++ -O1 -g -o "$work/json_format" "$here/../paths/json_format.cpp" 2>"$work/json_format.log" ||
    echo "tenfold: no RapidJSON here, rapidjson is left out" >&2

if ! [ -x "$work/lapack" ] && gcc -O1 -g -o "$work/lapack" "$here/lapack.c" -ldl 2>"$work/lapack.log" &&
    ! "$work/lapack" solve 2 >/dev/null; then
    rm "$work/lapack"
fi

# ---------------------------------------------------------------- Profiles

profile_one()
{
    program=$1 size=$2 multiple=$3
    folder=$work/$program/$multiple
    report=$work/$program/$multiple.out
    [ ! -s "$report" ] || return 0
    rm -rf "$folder"
    mkdir -p "$folder"
    (
        cd "$folder"
        input_of "$program" "$size" >input
        run_of "$program" "$size" valgrind -q --tool=aprof --fair-sched=try --concurrent=no \
            --log-file="$folder/log" --aprof-out-file="$report.part" >output 2>errors
    ) || [ $? -eq 1 ] || fail "$program at $size: see $folder/errors and $folder/log" # 1: grep's no, diff's yes
    [ -s "$report.part" ] || fail "$program at $size: no report, see $folder/log"
    mv "$report.part" "$report"
}

# Makes the reports of N/4, N/2, N and 10 N: WORK/PROGRAM/{1,2,4,40}.out
if $coverage; then multiples='1 2 4'; else multiples='1 2 4 40'; fi
profile()
{
    unit=$(unit_of "$1")
    mkdir -p "$work/$1"
    for multiple in $multiples; do
        profile_one "$1" $((unit * multiple)) "$multiple"
        printf '.' >&2
    done
}

exists()
{
    case $1 in
    rapidjson) [ -x "$work/json_format" ] ;;
    lapack-*) [ -x "$work/lapack" ] ;;
    *) run_of "$1" 1 which_of >/dev/null ;;
    esac
}

which_of()
{
    command -v "$1"
}

# ---------------------------------------------------------------- What was said, and what came true

half_of()
{
    if $coverage; then
        first=$coverage_chosen_on second=$coverage_judged_on
    else
        first=$chosen_on second=$judged_on
    fi
    case " $first | $second | $even | $odd " in
    *" $1 "*"|"*"|"*"|"*) echo chosen ;;
    *"|"*" $1 "*"|"*"|"*) echo judged ;;
    *"|"*"|"*" $1 "*"|"*) echo even ;;
    *"|"*"|"*"|"*" $1 "*) echo odd ;;
    *) echo known ;;
    esac
}

# Files with simple names for aprof's output; the points of 10 N show the cost of one call.
judge()
{
    (
        cd "$work/$1"
        aprof report --format=tsv --top=0 4.out >now.tsv
        aprof report --format=tsv --top=0 40.out >later.tsv
        aprof scale --no-inlined --format=tsv --sizes=1,2,4 1.out 2.out 4.out >scale.tsv
        aprof export --format=csv --metric=trms 40.out >later.csv
        awk -v half="$(half_of "$1")" -v program="$1" -f "$here/join.awk" now.tsv later.tsv scale.tsv later.csv
        rm -f now.tsv later.tsv scale.tsv later.csv
    )
}

cover()
{
    (
        cd "$work/$1"
        aprof report --format=tsv --top=0 1.out >quarter.tsv
        aprof report --format=tsv --top=0 4.out >now.tsv
        aprof scale --no-inlined --format=tsv --sizes=1,2,4 1.out 2.out 4.out >scale.tsv
        awk -v half="$(half_of "$1")" -v program="$1" -f "$here/coverage.awk" quarter.tsv now.tsv scale.tsv
        rm -f quarter.tsv now.tsv scale.tsv
    )
}

coverage_tables()
{
    awk -F '\t' '
        BEGIN {
            heads = "half,program,class %,trend %,one run %,with small inputs %,three runs %,trends again,held"
            gsub(/,/, "\t", heads)
            print heads
        }
        { print }
        {
            count[$1]++
            for (i = 3; i <= NF; i++)
                sum[$1, i] += $i
        }
        END {
            for (half in count) {
                printf "%s\tmean of %d", half, count[half]
                for (i = 3; i <= 7; i++)
                    printf "\t%.0f", sum[half, i] / count[half]
                print "\t" sum[half, 8] "\t" sum[half, 9]
            }
        }' "$1"
}

if [ $# -eq 0 ] && $coverage; then
    eval "set -- $coverage_chosen_on $coverage_judged_on"
elif [ $# -eq 0 ]; then
    eval "set -- $known $chosen_on $judged_on $even $odd"
fi
for program; do
    if exists "$program"; then
        profile "$program"
    else
        echo "tenfold: no program for '$program' here, left out" >&2
    fi
done
echo >&2
if $coverage; then
    for program; do
        [ ! -s "$work/$program/4.out" ] || cover "$program"
    done >"$raw"
    coverage_tables "$raw"
    exit
fi
for program; do
    [ ! -s "$work/$program/40.out" ] || judge "$program"
done >"$raw"
awk -f "$here/judge.awk" "$raw"
