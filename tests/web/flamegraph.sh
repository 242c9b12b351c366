#!/bin/sh
# The switches of the pictures of `aprof flamegraph` in a real browser, compared with the command's options.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# With SCREENSHOTS set to a folder, pictures are left there.
. "${0%/*}/../lib.sh"
. "$here/browser.sh"

cat >walk.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) int odd(volatile int *, int);
__attribute__((noinline)) int leaf(volatile int *at, int n) { int sum = 0; while (n-- > 0) sum += at[n]; return sum; }
__attribute__((noinline)) int even(volatile int *at, int n) { return n == 0 ? 1 : odd(at, n - 1) + leaf(at, n); }
__attribute__((noinline)) int odd(volatile int *at, int n) { return n == 0 ? 0 : even(at, n - 1) + leaf(at, 2 * n); }
__attribute__((noinline)) int twice(volatile int *at, int n) { return n < 2 ? at[n] : twice(at, n - 1) + twice(at, n - 2); }
int main(int argc, char **argv) { static volatile int at[64]; return even(at, 12) + twice(at, 6 + argc) + odd(at, 5) == 12345 + !argv; }
END
cc -g -O1 -fno-optimize-sibling-calls -o walk walk.c
"$launcher" -q --tool=aprof --contexts=full --aprof-out-file=walk.report ./walk
"$launcher" -q --tool=aprof --contexts=full --aprof-out-file=longer.report ./walk 1 2
"$launcher" -q --tool=aprof --aprof-out-file=edges.report ./walk
cp "$data/basic.contexts" basic.contexts

# draw NAME FOCUS ARGUMENT...: draws a report with each combination of the options, as NAME-OPTIONS.svg, where
# OPTIONS has i for --inverted, r for --fold-recursion, f for --focus.
draw()
{
    name=$1
    focus=$2
    shift 2
    for options in '' i r ir f fi fr fir; do
        set -- "$@" -o "$name-$options.svg"
        case $options in *i*) set -- "$@" --inverted ;; esac
        case $options in *r*) set -- "$@" --fold-recursion ;; esac
        case $options in *f*) set -- "$@" --focus="$focus" ;; esac
        run 0 aprof flamegraph "$@"
        set -- "$report" --min-share="$least" ${base:+--base="$base"}
    done
}

# drawn NAME FOCUS REPORT SHARE [BASE]
drawn()
{
    report=$3
    least=$4
    base=${5-}
    draw "$1" "$2" "$report" --min-share="$least" ${base:+--base="$base"}
}
drawn walk twice walk.report 0.0005
drawn all odd walk.report 0
drawn edges odd edges.report 0.0005
drawn contexts parse basic.contexts 0.0005
drawn base twice longer.report 0.0005 walk.report

# A tree that is too large for the switches: 100 050 contexts.
awk -F '\t' -v OFS='\t' '
    $1 == "tree" && $2 == 1 {
        count = 100050
        print "tree", 1, count - 1, count - 1, count, 16
        for (i = 0; i < count; i++)
            print "context", i, (i ? int((i - 1) / 2) : "-"), (i ? i % 4 : "-"), "-", "0x0", (i > 0), 0, (i > 0)
    }
    $1 != "tree" && $1 != "context" && $1 != "complete"' "$data/basic.contexts" | seal >large.contexts
run 0 aprof flamegraph --inverted -o large-i.svg large.contexts

in_browser flamegraph.mjs

finish
