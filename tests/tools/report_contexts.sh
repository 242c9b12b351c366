#!/bin/sh
# Tests that reports with calling contexts are read, shown, exported and added; damaged reports are refused.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

# main calls load and parse, which call insert 21 times each: insert costs 3 n for load, and n^2 for parse.
good=$data/contexts.aprof

begin 'reading and writing'
test_round_trip "$good" || fail "reading and writing changes $good"

begin 'each context has its growth; routines have theirs as ever'
run 0 aprof report --by=context "$good"
expect 'context: hot by calls, phi 0.01, epsilon 0.002'
expect '4 of 4 contexts'
expect 'insert (lists.c:7) < parse < main'
run 0 aprof report --by=context --routine=insert "$good"
same "$(grep -c 'looks like n^2;' out)" 2 'growth from parse'
same "$(awk '/^insert .*< load < main  / { print $10 }' out)" 'n' 'growth from load'
run 0 aprof report "$good"
expect '4 of 4 routines'
expect_not '<'
run 0 aprof report --by=context --routine=insert "$good"
expect '2 of 4 contexts'
expect 'insert < parse < main:'
expect '  210      1    44100.0'
expect '  210      1      630.0'
run 0 aprof report --by=context --format=tsv --filter=ins* "$good"
same "$(awk -F '\t' '{ print $(NF - 1), $NF }' out | sort)" 'context error
main;load;insert 1
main;parse;insert 0' 'columns for scripts'
altered "$data/basic.aprof" 's/^tool	.*/tool	compiled/' >compiled.aprof
run 1 aprof report --by=context compiled.aprof
expect_error 'compiled.aprof: has no contexts: profile with APROF=contexts=full or hot'
run 1 aprof report --by=context "$data/basic.aprof"
expect_error 'basic.aprof: has no contexts: profile with --contexts=full or hot'
run 2 aprof report --by=caller "$good"

begin 'where a line is short, callers are shown rather than places and figures'
altered "$good" 's|	insert	|	insert_at_its_place_in_order	|' >long.aprof
run 0 aprof report --width=80 --by=context long.aprof
expect '< load < main '
expect 'insert_at_its_place_in_order < parse < main '
run 0 aprof report --width=200 --by=context long.aprof
expect 'insert_at_its_place_in_order (lists.c:7) < load < main '

begin 'exports'
run 0 aprof export --format=csv "$good"
expect '4321,0,insert,/usr/bin/lists,/src/lists.c,7,main;parse;insert,trms,10,1,100,100,100,10000,100,0,0'
expect '4321,0,insert,/usr/bin/lists,/src/lists.c,7,,trms,10,2,130,30,100,10900,130,0,0'
run 0 aprof export --format=folded "$good"
same "$(cat out)" 'lists;main 10
lists;main;load 60
lists;main;load;insert 6930
lists;main;parse;insert 331100' 'folded stacks'
run 0 aprof export --format=folded --routine=insert "$good"
same "$(wc -l <out)" 2 'stacks of one routine'
run 0 aprof export --format=speedscope "$good"
tr -d ' \n' <out >joined
expect_in() { grep -qF "$1" joined || fail "speedscope lacks $1: $(cat joined)"; }
expect_in '"samples":[[0],[0,2],[0,2,1],[0,3],[0,3,1]]'
expect_in '"weights":[10,60,6930,0,331100]'
run 0 aprof export --format=callgrind "$good"
same "$(grep -c '^calls=' out)" 3 'edges'
same "$(sed -n '/^fn=parse/,/^$/p' out | sed '/^$/d' | tail -n 3)" 'cfn=insert
calls=21 7
50 331100 21' 'call from parse'

begin 'a recursive edge counts its outermost cost only'
sed -e '$d' -e 's/^tree	0	46	5/tree	0	46	6/' "$good" >recursive
printf 'context\t5\t4\t1\t3\t7\t7\t0\n' >>recursive
seal <recursive >recursive.aprof
run 0 aprof export --format=callgrind recursive.aprof
same "$(sed -n '/^fn=insert/,/^$/p' out | sed '/^$/d' | tail -n 2)" 'calls=3 7
7 7 3' 'call of itself'
printf 'context\t6\t5\t1\t2\t4\t4\t0\n' >>recursive
sed 's/^tree	0	46	6/tree	0	46	7/' recursive | seal >recursive.aprof
run 0 aprof export --format=callgrind recursive.aprof
same "$(sed -n '/^fn=insert/,/^$/p' out | sed '/^$/d' | tail -n 2)" 'calls=5 7
7 7 5' 'call of itself within itself'

begin 'sums: paths that are the same become one, in whatever order'
run 0 aprof merge -o sum "$good" "$good"
same "$(grep '^tree' sum)" 'tree	0	92	5' 'tree of the sum'
same "$(grep '^context	2' sum)" 'context	2	1	1	42	13860	13860	2' 'context of the sum'
sed -e '$d' -e '/^tree/,$d' "$good" >one
sed -e '$d' -e '/^tree/,$d' "$good" >two
{ printf 'tree\t0\t9\t2\n'; printf 'context\t0\t-\t3\t1\t9\t9\t0\n'; printf 'context\t1\t0\t0\t1\t5\t5\t2\n'; } >>one
{ printf 'tree\t0\t8\t2\n'; printf 'context\t0\t-\t3\t1\t8\t8\t0\n'; printf 'context\t1\t0\t2\t1\t4\t4\t0\n'; } >>two
seal <one >one.aprof
seal <two >two.aprof
run 0 aprof merge -o forth one.aprof two.aprof
run 0 aprof merge -o back two.aprof one.aprof
cmp forth back || fail 'the order of reports changes their sum'
same "$(sed -n '/^tree/,/^complete/p' forth | sed '$d')" 'tree	0	17	3
context	0	-	3	2	17	17	0
context	1	0	0	1	5	5	2
context	2	0	2	1	4	4	0' 'sum of two trees'
altered "$good" 's/^contexts	hot	0.01/contexts	hot	0.02/' >other
run 1 aprof merge -o sum "$good" other
expect_error 'contexts, hot 0.01 0.002 calls unfolded and hot 0.02 0.002 calls unfolded'
altered "$good" '1s/2/1/; /^contexts/,$d' >plain
run 1 aprof merge -o sum "$good" plain
expect_error 'contexts, hot 0.01 0.002 calls unfolded and none'

begin 'threads are added up unless asked for'
sed -e '$d' -e 's/^threads.*/threads	separate/' -e 's/^\(profile	[0-9]\)	0/\1	1/' \
    -e 's/^tree	0/tree	1/' "$good" >threads
sed -n '/^context	/,/^complete/p' "$good" | sed '$d' >contexts
{ cat threads; printf 'tree\t2\t46\t5\n'; cat contexts; } | seal >threads.aprof
run 0 aprof report --by=context --threads "$PWD/threads.aprof"
expect '8 of 8 contexts and threads'
run 0 aprof report --by=context threads.aprof
expect '4 of 4 contexts'
same "$(awk '/^insert .*< parse/ { print $7 }' out)" 42 'calls of both threads'

# bad WHAT SED-SCRIPT: tests an intact file with a wrong line.
bad()
{
    altered "$good" "$2" >bad
    run 1 aprof report bad
    expect_error "$1"
}
bad 'kind: unknown' 's/^contexts	hot/contexts	warm/'
bad 'weight: unknown' '/^contexts/s/calls/time/'
bad 'recursion: unknown' 's/unfolded/unrolled/'
bad 'contexts begin twice' '/^contexts/p'
bad "a tree before the line 'contexts'" '/^contexts/d'
bad 'more contexts than the tree declares' '/^tree/d'
bad 'more contexts than the tree declares' '/^tree/s/5$/4/'
bad 'the last tree lacks contexts' '/^tree/s/5$/6/'
bad 'contexts: too few or too many' '/^tree/s/5$/0/'
bad 'thread: does not agree' '/^tree/s/0/3/'
bad 'caller: ' '/^context	2/s/	1	/	2	/'
bad 'routine: ' '/^context	3/s/	0	3/	0	9/'
{ sed '$d' "$good" && printf 'profile\t0\t0\t1\t1\t1\n'; } | seal >bad
run 1 aprof report bad
expect_error 'record out of order'

begin 'many contexts are ranked in little memory: 100 MB are not enough for all that could be said of each'
# deep_report OWN: makes a recursion of 50 000 contexts, each with the self cost OWN.
deep_report()
{
    awk -v own="$1" 'BEGIN {
    n = 50000
    printf "aprof\t2\ncreator\tc\ntool\tv\narch\tamd64\ncommand\t./deep\nprocess\t1\noptions\n"
    printf "metrics\ttrms\nresolution\t4\ncost\tbb\nthreads\tmerged\nend\texit\n"
    printf "totals\t%d\t%d\t%d\t0\t0\nobject\t0\t/deep\n", own * n, n, n
    printf "routine\t0\t0\t0x10\t30\tdown\t-\t0\nprofile\t0\t0\t%d\t%d\t%d\n", n, own * n, own * n
    printf "trms\t1\t%d\t%d\t%d\t%d\t%d\t%d\t0\t0\n", n, own * n, own, own, own * own * n, own * n
    printf "contexts\tfull\t0\t0\tcalls\tunfolded\ntree\t0\t%d\t%d\n", n, n
    for (i = 0; i < n; i++) {
        cost = own * (n - i)
        printf "context\t%d\t%s\t0\t1\t%d\t%d\t0\n", i, i ? i - 1 : "-", cost, own
        printf "trms\t%d\t1\t%d\t%d\t%d\t%d\t%d\t0\t0\n", i + 1, cost, cost, cost, cost * cost, own
    }
}' | seal
}
deep_report 10 >deep
limit=100000
grep -q __asan_init "$build/tools/aprof" && limit=unlimited # its shadow memory is larger
run 0 sh -c "ulimit -v $limit; exec aprof report --by=context deep"
expect '30 of 50000 contexts'
expect 'down (deep) < down < down'
run 0 sh -c "ulimit -v $limit; exec aprof report --by=context --format=tsv deep"
same "$(sed 1d out | awk -F '\t' '{ n = split($(NF - 1), path, ";"); lines[(n > 100 ? "..." : n ";") (path[1] == "...") n]++ }
    END { print length(lines), lines["...1101"], NR }')" '101 49900 50000' 'the path of each, up to a hundred routines'
run 0 sh -c "ulimit -v $limit; exec aprof export --format=csv deep"
same "$(grep -c ',\.\.\.;down;' out) $(awk '{ n = length($0); if (n > most) most = n } END { print (most < 700) }' out)" \
    '49900 1' 'the same in csv'

begin 'stacks end at 1000 routines; what is deeper is one frame'
run 0 sh -c "ulimit -v $limit; exec aprof export --format=folded deep"
same "$(awk '{ sum += $2 } END { print NR, sum }' out)" '1001 500000' 'stacks, and the cost of all'
same "$(awk -F ';' '$NF ~ /^[.]/ { print NF, $NF }' out)" '1002 ... 490000' 'the deepest'
run 0 sh -c "ulimit -v $limit; exec aprof export --format=speedscope deep"
expect '"name": "..."'
same "$(($(wc -c <out) < 2000000))" 1 'two megabytes'

begin 'in which of many contexts a cost rose is found in little memory'
deep_report 20 >dearer
run 1 sh -c "ulimit -v $limit; exec aprof diff deep dearer"
expect 'down: self cost 10 -> 20'
run 1 sh -c "ulimit -v $limit; exec aprof diff --format=json deep dearer"
expect '"own_base": 10, "own_new": 20'

# Scattered costs that are one curve for each caller: 3 n from load, n^2 from parse, at alternating sizes.
cat >cloud.awk <<'END'
BEGIN {
    OFS = "\t"; n = 6
    for (i = 0; i < 32; i++) {
        size[i] = n; cost[i] = by == "caller" ? (i % 2 ? n * n : 3 * n) : 40 * outside(i, n)
        sum += cost[i]; part[i % 2] += cost[i]; n = int(n * 1.2) + 1
    }
    print "aprof", by == "caller" ? 2 : 1; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"
    print "arch", "amd64"; print "command", "./lists"; print "process", 7; print "options", "-"
    print "metrics", "trms"; print "resolution", 4; print "cost", "bb"; print "threads", "merged"; print "end", "exit"
    print "totals", sum, 33, 9, 0, 0; print "object", 0, "/lists"
    split("main insert load parse", names, " ")
    for (i = 1; i <= 4; i++) print "routine", i - 1, 0, sprintf("0x%x", 4096 * i), 64, names[i], "-", 0
    put("profile" OFS 0 OFS 0, 1, sum, 0)
    put("profile" OFS 1 OFS 0, 32, sum, sum); points(0, 1)
    put("profile" OFS 2 OFS 0, 1, part[0], 0); put("profile" OFS 3 OFS 0, 1, part[1], 0)
    if (by != "caller") exit
    print "contexts", "full", 0, 0, "calls", "unfolded"; print "tree", 0, 35, 5
    put("context" OFS 0 OFS "-" OFS 0, 1, sum, 0, 0); put("context" OFS 1 OFS 0 OFS 2, 1, part[0], 0, 0)
    put("context" OFS 2 OFS 1 OFS 1, 16, part[0], part[0], 0); points(0, 2)
    put("context" OFS 3 OFS 0 OFS 3, 1, part[1], 0, 0)
    put("context" OFS 4 OFS 3 OFS 1, 16, part[1], part[1], 0); points(1, 2)
}
function outside(i, n) { return int(n * (i % 2 ? 0.9 : 0.2)) + 1 }
function put(what, calls, total, own, error)
{
    if (error == "") print what, calls, total, own; else print what, calls, total, own, error
    if (calls == 1) print "trms", 5, 1, total, total, total, sprintf("%.0f", total * total), own, 0, 0
}
function points(from, step, i)
{
    for (i = from; i < 32; i += step)
        print "trms", size[i], 1, cost[i], cost[i], cost[i], sprintf("%.0f", cost[i] * cost[i]), cost[i], 0,
            by == "caller" ? 0 : outside(i, size[i])
}
END
awk -v by=caller -f cloud.awk | seal >callers.aprof
run 0 aprof report callers.aprof
expect 'scattered: separate curves fit the points of insert by its callers: n^2 from parse ('
expect ' %), n from load ('
run 0 aprof report callers.aprof insert
expect 'Separate curves fit the points by its callers: n^2 from parse ('
awk -v by=kind -f cloud.awk | seal >outside.aprof
run 0 aprof report outside.aprof
expect 'scattered: separate curves fit the points of insert by external input: n'
sed -n '/^contexts/q; p' callers.aprof | sed 's/^aprof	2/aprof	1/' | seal >alone.aprof
run 0 aprof report alone.aprof insert
expect 'Calling contexts (--contexts=hot) can show'
expect_not 'That is lines'

finish
