#!/bin/sh
# Tests `aprof flamegraph`: frames of contexts, of call edges, and of single routines.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

# frame NAME: prints the offset and width of the routine's frames, in the unit of cost.
frame()
{
    sed -n "s/^<g class=\"f\" data-x=\"\([0-9]*\)\" data-w=\"\([0-9]*\)\" data-name=\"$1\".*/\1+\2/p" out | tr '\n' ' '
}

# Frames from edges: main calls find at a cost of 300, and find calls compare at a cost of 120.
run 0 aprof flamegraph "$data/code.aprof"
same "$(frame shop)" '0+1000 ' 'the whole'
same "$(frame main)" '0+1000 ' main
same "$(frame 'Book::find(int)')" '700+300 ' find
same "$(frame compare)" '880+120 ' compare
expect '>shop: instructions, callers approximated from call edges</text>'
expect 'Book::find(int): 300 instructions, 30.00%; itself 180'
run 0 aprof flamegraph --inverted --title=callers "$data/code.aprof"
same "$(frame 'Book::find(int)')" '0+180 180+120 ' 'find, as routine and as caller'
expect '>callers</text>'

# Frames from contexts, and from single routines.
run 0 aprof flamegraph "$data/contexts.aprof"
expect 'by calling context</text>'
run 0 aprof flamegraph "$data/threads.aprof"
expect 'callers not recorded</text>'
run 0 aprof flamegraph "$data/none.aprof"

run 0 aprof flamegraph -o one.svg "$data/contexts.aprof"
run 0 aprof flamegraph -o two.svg "$data/contexts.aprof"
same_files one.svg two.svg 'the same report'
if command -v xmllint >/dev/null; then
    run 0 xmllint --noout one.svg
fi

begin 'with a base: the widths of the report, and what the base had'
run 0 aprof flamegraph --base="$data/code.aprof" "$data/code.aprof"
same "$(frame 'Book::find(int)')" '700+300 ' 'find next to itself'
expect 'Book::find(int): 300 instructions, 30.00%; itself 180; base 300, x1.00'
expect 'red: costs more than in code.aprof, blue: less'
same "$(sed -n 's/.*<rect x[^>]*fill="\([^"]*\)" rx.*/\1/p' out | sort -u)" '#e1e1e1' 'colours of what is the same'
run 0 aprof flamegraph --base="$data/code.aprof" "$data/code-changed.aprof"
for name in main 'Book::find(int)' compare; do
    aprof report --format=tsv --sort=name "$data/code.aprof" >table
    base=$(awk -F '\t' -v name="$name" '
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["routine"] == name { print $at["total_cost"] }' table)
    grep -qF "<title>$name: " out && grep -F "<title>$name: " out | grep -qF "; base $base" || fail "$name: not next to $base"
done
grep -F '<title>Book::find(int): ' out | grep -q 'fill="#e[0-9a-f]*" rx' || fail 'find is not red'
run 0 aprof flamegraph --base="$data/code-changed.aprof" "$data/code.aprof"
grep -F '<title>Book::find(int): ' out | grep -q 'fill="#[0-9a-c][0-9a-f]*" rx' || fail 'find is not blue'
run 0 aprof flamegraph --inverted --base="$data/code.aprof" "$data/code.aprof"
same "$(frame 'Book::find(int)')" '0+180 180+120 ' 'inverted'
same "$(sed -n 's/.*<rect x[^>]*fill="\([^"]*\)" rx.*/\1/p' out | sort -u)" '#e1e1e1' 'inverted colours'
run 0 aprof flamegraph --base="$data/basic.contexts" "$data/basic.contexts"
expect ', x1.00'
run 1 aprof flamegraph --base="$data/basic.contexts" "$data/code.aprof"
run 1 aprof flamegraph --base=missing "$data/code.aprof"
expect_error 'missing: No such file'

begin 'with a base that has other and more routines'
run 0 aprof flamegraph --base="$data/basic.aprof" "$data/code.aprof"
same "$(frame shop)" '0+1000 ' 'the whole'
same "$(frame 'Book::find(int)')" '700+300 ' find
same "$(frame compare)" '880+120 ' compare
expect 'red: costs more than in basic.aprof, blue: less'

begin 'the calls of a routine alone, and no system libraries'
run 0 aprof flamegraph --focus='Book::*' "$data/code.aprof"
same "$(frame shop)" '0+300 ' 'the whole of find'
same "$(frame 'Book::find(int)')" '0+300 ' 'find as the first'
same "$(frame main)" '' 'main'
sed -e '$d' -e 's,^object\t0\t.*,&\nobject\t1\t/usr/lib/libcompare.so,' -e 's,^routine\t2\t0,routine\t2\t1,' "$data/code.aprof" | seal >library.report
run 0 aprof flamegraph --mine library.report
same "$(frame compare)" '' 'compare in a library'
same "$(frame 'Book::find(int)')" '700+300 ' 'its caller'
expect 'Book::find(int): 300 instructions, 30.00%; itself 300'

begin 'the frames of recursive routines are as wide as the total cost in the table'
cat >walk.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) int odd(volatile int *, int);
__attribute__((noinline)) int leaf(volatile int *at, int n) { int sum = 0; while (n-- > 0) sum += at[n]; return sum; }
__attribute__((noinline)) int even(volatile int *at, int n) { return n == 0 ? 1 : odd(at, n - 1) + leaf(at, n); }
__attribute__((noinline)) int odd(volatile int *at, int n) { return n == 0 ? 0 : even(at, n - 1) + leaf(at, 2 * n); }
__attribute__((noinline)) int twice(volatile int *at, int n) { return n < 2 ? at[n] : twice(at, n - 1) + twice(at, n - 2); }
int main(void) { static volatile int at[64]; return even(at, 20) + twice(at, 9) + odd(at, 7) == 12345; }
END
cc -g -O1 -fno-optimize-sibling-calls -o walk walk.c
"$launcher" -q --tool=aprof --contexts=full --aprof-out-file=walk.report ./walk
run 0 aprof report --format=tsv --top=0 walk.report
for name in main even odd leaf twice; do
    awk -F '\t' -v name="$name" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["routine"] == name { print name, $at["total_cost"] }' out
done >table
same "$(wc -l <table)" 5 'routines of the table'
# widths OPTIONS...: prints the total width of each routine's frames, without frames inside another frame of
# the routine. Inner frames are later in the file.
widths()
{
    run 0 aprof flamegraph --min-share=0 "$@" walk.report
    sed -n 's/^<g class="f" data-x="\([0-9]*\)" data-w="\([0-9]*\)" data-name="\(main\|even\|odd\|leaf\|twice\)".*/\3 \1 \2/p' out |
        awk '!($1 in end) || $2 >= end[$1] { sum[$1] += $3; end[$1] = $2 + $3 }
             END { for (name in sum) print name, sum[name] }' | sort
}
sort table >sorted
widths >recorded
same_files recorded sorted 'the frames as recorded, and the table'
frames=$(grep -c 'data-name="twice"' out)
widths --fold-recursion >folded
for name in main leaf twice; do
    same "$(grep "^$name " folded)" "$(grep "^$name " sorted)" "$name, folded"
done
same "$(grep -c 'data-name="twice"' out)" 1 'frames of twice, folded'
begin 'the first level of an inverted graph has the self costs of the table'
for name in even odd leaf twice; do
    run 0 aprof report --format=tsv --top=0 walk.report
    self=$(awk -F '\t' -v name="$name" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["routine"] == name { print $at["self_cost"] }' out)
    run 0 aprof flamegraph --inverted walk.report
    same "$(sed -n "s/^<g .*data-w=\"\([0-9]*\)\" data-name=\"$name\".* y=\"74\" .*/\1/p" out)" "$self" "$name"
done
test "$frames" -gt 5 || fail "only $frames frames of twice"

# For a file of calling contexts, the command draws another graph.
run 0 aprof flamegraph -o three.svg "$data/basic.contexts"
run 0 aprof contexts flamegraph -o four.svg "$data/basic.contexts"
same_files three.svg four.svg 'contexts'

# Without a file, the command draws the newest report of the folder.
run 1 aprof flamegraph
expect_error 'no report: the current folder has no aprof.out.* or *.aprof; give a file'
cp "$data/code.aprof" old.aprof
touch -d '2020-01-01' old.aprof
cp "$data/contexts.aprof" aprof.out.7
run 0 aprof flamegraph
expect_error 'flamegraph: reads aprof.out.7, the newest report in the current folder'
same_files out one.svg 'the newest report'

run 1 aprof flamegraph missing
expect_error 'missing: No such file'
run 2 aprof flamegraph --min-share=2 "$data/code.aprof"

finish
