#!/bin/sh
# Compares input sizes measured by inline checks with those of the Valgrind tool.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: input.sh [-b BUILD] [PROGRAM...]      [., all]
#
# Each program is compiled by clang -O2 without changes for the Valgrind tool, and with --aprof=trms,inline.
# The two builds run on one input. The script compares the routines for which the two reports have equal
# numbers of calls:
#
#     program  routines  differing  inline  Valgrind  difference, %  largest
#
# `differing` have another sum of input sizes by more than 1 %. The two sums are of all compared routines. `difference` is the
# sum of the differences without their signs; `largest` names the routine with the largest one, and its share of it.
#
# A second line is for routines that call, directly or indirectly, only routines of the program. The input of
# other routines also differs by reads in the C library: whole vectors of strings, and the words of the
# allocator.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=.
if [ "${1-}" = -b ]; then
    build=$2
    shift 2
fi
build=$(cd "$build" && pwd)
work=$build/bench/input-work
mkdir -p "$work"

fail()
{
    echo "input.sh: $*" >&2
    exit 1
}

# shellcheck source=bench/others.sh
. "$source/bench/others.sh"

# sums REPORT: name, calls, input of each routine, and whether it calls only routines of its object; several of one name
# are one.
sums()
{
    awk -F '\t' '
        $1 == "routine" { name[$2] = $6; object[$2] = $3 }
        $1 == "profile" { at = name[$2]; if (at != "") calls[at] += $4 }
        $1 == "trms" && at != "" { input[at] += $2 * $3 }
        $1 == "edge" { edges++; from[edges] = $2; to[edges] = $3; if (object[$2] != object[$3]) outside[name[$2]] = 1 }
        END {
            do {
                changed = 0
                for (e = 1; e <= edges; e++)
                    if ((name[to[e]] in outside) && !(name[from[e]] in outside)) {
                        outside[name[from[e]]] = 1
                        changed = 1
                    }
            } while (changed)
            for (n in calls)
                printf "%s\t%d\t%.0f\t%s\n", n, calls[n], input[n], n in outside ? "outside" : "inside"
        }' "$1" | sort
}

# finds PROGRAM STATUS: minisat says by its status what it has found.
finds()
{
    case $1-$2 in
    minisat-10 | minisat-20) ;;
    *) fail "$1: status $2" ;;
    esac
}

# compare PROGRAM
compare()
{
    other_program "$1" || fail "no program $1"
    compiler=clang
    case $files in
    *.cc*) compiler=clang++ ;;
    esac
    flags="$flags -O2 -g -gdwarf-4 -w -pthread -Dluai_makeseed(L)=0"
    # shellcheck disable=SC2086
    $compiler $flags -o "$work/$1.native" $files -x none -lm -lz
    # shellcheck disable=SC2086
    APROF_CC_COMPILER=$compiler "$build/tools/aprof-cc" --aprof=trms,inline $flags -o "$work/$1.inline" $files -x none -lm -lz
    arguments=$(echo "$arguments" | sed 's/THREADS/1/')
    # shellcheck disable=SC2086
    APROF="out=$work/$1.inline.aprof" "$work/$1.inline" $arguments >"$work/$1.inline.out" || finds $1 $?
    # shellcheck disable=SC2086
    "$build/tools/aprof" run -q -o "$work/$1.valgrind.aprof" -- "$work/$1.native" $arguments >"$work/$1.valgrind.out" || finds $1 $?
    cmp -s "$work/$1.inline.out" "$work/$1.valgrind.out" || [ "$1" = minimap2 ] || fail "$1: different output"
    sums "$work/$1.inline.aprof" >"$work/$1.inline.sums"
    sums "$work/$1.valgrind.aprof" >"$work/$1.valgrind.sums"
    join -t "$(printf '\t')" "$work/$1.inline.sums" "$work/$1.valgrind.sums" >"$work/$1.both"
    table "$1" "$work/$1.both"
    awk -F '\t' '$7 == "inside"' "$work/$1.both" >"$work/$1.inside"
    table "  alone" "$work/$1.inside"
}

# table NAME FILE
table()
{
    awk -F '\t' -v name="$1" '
        $2 != $5 { next }
        {
            routines++
            inline += $3
            valgrind += $6
            d = $3 > $6 ? $3 - $6 : $6 - $3
            differing += d > .01 * $6
            sum += d
            if (d > most) { most = d; largest = $1 }
        }
        END {
            printf "%s\t%d\t%d\t%.0f\t%.0f\t%.2f\t%s (%.0f %%)\n", name, routines, differing, inline, valgrind,
                100 * sum / (valgrind ? valgrind : 1), largest, 100 * most / (sum ? sum : 1)
        }' "$2"
}

[ $# -gt 0 ] || set -- bzip2 lua minigzip minisat xz pbzip2 minimap2 zstd lz4 zopfli mujs
for program; do
    compare "$program"
done
