#!/bin/sh
# Compiled programs: the points of all contexts add up to the points of the routine.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The sums are tested with threads, signals, forks and jumps. The growth must be as derived by hand, and the
# points must equal the Valgrind tool's.
# shellcheck disable=SC2154,SC2086
. "${0%/*}/../lib.sh"

# The code has no tail calls, because a recursion would not return through itself.
flags='-O1 -g -w -fno-inline -fno-optimize-sibling-calls -pthread'

# profiled OPTIONS STATUS COMMAND...: runs the command and leaves the file `report`.
profiled()
{
    APROF="out=report.%p $1"
    export APROF
    shift
    rm -f report report.*
    run "$@"
    unset APROF
    grep '^aprof' err && fail "$last: a message"
    for report in report.*; do
        sums "$report"
    done
    mv "$report" report
}

# Checks that calls, self cost and points (metric, input, calls, cost) of routines are the sums of their
# contexts.
sums()
{
    awk -F '\t' '
        $1 == "profile" { what = $2; sum[what " calls"] += $4; sum[what " self"] += $6; sign = 1 }
        $1 == "context" { what = $4; sum[what " calls"] -= $5; sum[what " self"] -= $7; sign = -1 }
        $1 == "trms" || $1 == "rms" {
            sum[what " " $1 " " $2 " calls"] += sign * $3
            sum[what " " $1 " " $2 " cost"] += sign * $4
            points++
        }
        END {
            for (key in sum)
                if (sum[key])
                    print key, sum[key]
            if (!points || sign != -1)
                print "no points of contexts"
        }' "$1" >differences
    test -s differences && fail "$last: sums: $(head -5 differences)"
    run 0 aprof report --by=context "$1"
}

# points REPORT: prints the points of contexts below main: path, metric, input, calls.
points()
{
    aprof export --format=csv "$1" | awk -F , '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        match($at["context"], /(^|;)main;sort_[a-z]*;/) {
            path = substr($at["context"], RSTART)
            sub(/^;/, "", path)
            print path, $at["metric"], $at["input_size"], $at["calls"]
        }' | sort
}

# growth CALLER
growth()
{
    aprof report --by=context --format=tsv report | awk -F '\t' -v wanted="main;$1;sort" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["context"] ~ wanted "$" { print $at["average_growth"] }'
}

aprof-cc $flags -o sorts -I"$source" "$source/tests/regress/contexts.c"
APROF='out=report edges=no' run 0 ./sorts sorts
same "$(grep -c '^context\|^tree' report || :)" 0 'contexts without the option'
same "$(head -1 report)" "aprof	1" 'version without contexts'

for options in 'contexts=full' 'contexts=full fold=yes' 'contexts=hot fold=yes phi=1e-6' \
    'contexts=hot weight=cost fold=yes phi=1e-6'; do
    profiled "edges=no $options" 0 ./sorts sorts
    same "$(head -1 report)" "aprof	2" "version with $options"
    case $options in
    *fold*)
        same "$(growth sort_shuffled)" 'n log n' "shuffled, $options"
        same "$(growth sort_ordered)" 'n^2' "ordered, $options"
        ;;
    esac
done

# 1/epsilon = 100 counters, and the callers of those that have one.
APROF='contexts=hot phi=0.05 epsilon=0.01 out=report' run 0 ./sorts tree
test "$(grep -c '^context	' report)" -lt 20 || fail 'hot contexts are not few'
aprof export --format=csv report |
    awk -F, '$7 ~ /main;hot$/ && $8 == "trms" { n += $10 } END { exit n != 4000 }' ||
    fail 'calls of the hot one'

begin 'mistakes keep the defaults'
APROF='contexts=often phi=2 epsilon=x fold=1 weight=kg edges=no out=report' run 0 ./sorts sorts
same "$(grep -c '^aprof: APROF' err)" 5 'messages'
same "$(head -1 report)" "aprof	1" 'version after a mistake'
APROF='contexts=hot phi=0.01 epsilon=0.1 out=report' run 0 ./sorts sorts
expect_error 'epsilon: must be less than phi'
grep -q '^contexts	hot	0.01	0.002	calls' report || fail "epsilon: $(grep '^contexts' report)"

# ---------------------------------------------------------------- threads, signals, forks, jumps

aprof-cc $flags -latomic -o lives "$here/trms_lives.c"
# 2000000 activations deep, in one context.
APROF='contexts=full fold=yes out=report' run 0 timeout 60 ./lives recursion
sums report
for life in longjmp signal coroutine threads fork exec none; do
    profiled contexts=full 0 timeout 60 ./lives $life
    profiled 'contexts=full separate-threads=yes' 0 timeout 60 ./lives $life
done
profiled 'contexts=full' 0 ./lives threads
same "$(grep -c '^tree	' report)" 1 'trees of merged threads'
profiled 'contexts=full separate-threads=yes' 0 ./lives threads
test "$(grep -c '^tree	' report)" -gt 1000 || fail 'threads without trees of their own'
APROF='contexts=full collect=off out=report' run 0 ./lives none
same "$(grep -c '^context	' report || :)" 0 'contexts with collect=off'

# ---------------------------------------------------------------- the Valgrind tool's answers

test -x "$build/vg-in-place" || finish
command -v valgrind >/dev/null || finish
gcc $flags -o plain -I"$source" "$source/tests/regress/contexts.c"
for fold in no yes; do
    profiled "contexts=full fold=$fold" 0 ./sorts sorts
    run 0 "$build/vg-in-place" -q --tool=aprof --contexts=full --fold-recursion=$fold \
        --aprof-out-file=valgrind.out ./plain sorts
    points report >compiled.points
    points valgrind.out >valgrind.points
    test -s compiled.points || fail "no points, fold=$fold"
    diff valgrind.points compiled.points >differences ||
        fail "fold=$fold: $(head -5 differences)"
done
finish
