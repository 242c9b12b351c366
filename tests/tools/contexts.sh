#!/bin/sh
# Tests `aprof contexts`: every step on a tree with values derived by hand.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

# main calls parse from two places (40 and 60 calls), parse calls add (80 and 300), add calls work.so
# (100); a second thread has add (9) and work.so below it (10). 600 calls in all. Objects without a folder are
# not searched.
altered "$data/basic.contexts" 's/	\/usr\/[a-z]*\//	/' >basic
libwork=libwork.so+0x3000

begin 'reports'
run 0 aprof contexts report --flat basic
expect 'total:   600 calls; 6 contexts, deepest 4'
expect '  380   63.33      0   80.00      3  list::add(int, int) < parse < main'
expect "   10    1.67      0    1.67      2  $libwork < list::add(int, int)"
same "$(sed -n 7p out | cut -c1-5)" '  380' 'the hottest comes first'
run 0 aprof contexts report --flat --top=1 basic
expect_not '  100 '
run 0 aprof contexts report --phi=0.2 --format=tsv basic
same "$(cut -f1,7 out | sed 1d)" '380	list::add(int, int) < parse < main' 'contexts above phi'
run 0 aprof contexts report --sort=name --format=tsv --frames=1 basic
same "$(cut -f7 out | sed 1d | tr '\n' '|')" \
    "$libwork < ...|$libwork < ...|list::add(int, int) < ...|list::add(int, int)|main|parse < ...|" 'by name'
run 0 aprof contexts report --sort=depth --format=tsv basic
same "$(cut -f6 out | sed 1d | tr '\n' ' ')" '4 3 2 2 1 1 ' 'by depth'
run 0 aprof contexts report --flat --sites basic
expect '  300   50.00      0   66.67      3  list::add(int, int) < parse (+0x1210) < main (+0x1120)'
run 0 aprof contexts report --top=1 basic
same "$(sed 1,6d out)" "    1    0.17   96.83  main
  100   16.67   96.67    parse
  380   63.33   80.00      list::add(int, int)" 'the tree of the hottest'
run 0 aprof contexts report --inverted --top=1 --depth=2 basic
same "$(sed 1,6d out)" "  389   64.83  list::add(int, int)
  380   63.33    parse" 'callers'
run 0 aprof contexts report --thread=2 basic
expect 'total:   19 calls; 2 contexts, deepest 2'
run 1 aprof contexts report --thread=3 basic
expect_error 'basic: has no such thread'
# Lines fit any width: types are omitted first, then columns, then callers.
sed -e '$d' -e 's/	parse	/	parser<std::map<std::string, std::vector<int>>>::parse(std::string const\&)	/' basic | seal >wide
for how in --tree --flat --inverted; do
    run 0 aprof contexts report $how --width=80 wide
    same "$(sed 1,6d out | awk 'length($0) > 80')" '' "lines of $how"
    expect '::parse(...)'
done
run 0 aprof report --tree --width=0 wide
expect 'parser<std::map<std::string, std::vector<int>>>::parse(std::string const&)'
run 2 aprof contexts report --tree --inverted basic
expect_error '--tree, --flat and --inverted exclude each other'
run 0 aprof contexts report --sort=depth basic
expect 'list::add(int, int) < parse < main'

# A recursion of depth 1000, with a hot leaf at its end, and a leaf in its middle.
{
    sed -e '/^tree/,$d' basic
    awk 'BEGIN {
        print "tree\t1\t6000\t6000\t1003\t1001"
        print "context\t0\t-\t-\t-\t0x0\t0\t0\t0"
        for (i = 1; i <= 1000; i++)
            printf "context\t%d\t%d\t1\t-\t0x0\t1\t0\t1\n", i, i - 1
        print "context\t1001\t500\t2\t-\t0x0\t2000\t0\t1"
        print "context\t1002\t1000\t0\t-\t0x0\t3000\t0\t1"
    }'
} | seal >deep
run 0 aprof contexts report --top=2 deep
same "$(sed 1,6d out)" "    1    0.02  100.00  parse
                         ... 497 more
    1    0.02   91.70      parse
    1    0.02   91.68        parse
    1    0.02   58.33          parse
                                 ... 498 more
    1    0.02   50.02              parse
 3000   50.00   50.00                main
 2000   33.33   33.33          list::add(int, int)" 'a deep recursion'
run 0 aprof contexts export --frames=2 deep
same "$(cat out)" "app;parse 1
app;parse;parse 1
app;parse;parse;... 5998" 'folded stacks of two frames'
run 0 aprof contexts export deep
same "$(wc -l <out) $(tail -n 1 out | tr -cd ';' | wc -c) $(awk '{ sum += $NF } END { print sum }' out)" \
    '1002 1001 6000' 'folded stacks of a thousand frames'

# Bursts: 300 calls in clumps of 25 are 12 clumps, so the bounds are 300 - 2 * sqrt(12) * 25 = 127 and 300 +
# (2 + 2 * sqrt(13)) * 25 = 530. The factor of all counts is from 0.8 to 1.5.
bursts()
{
    sed -e '$d' -e "s/^options.*/&	$1/" -e 's/^burst.*/burst	20000000\/2000000/' -e '/^options/s/ /\t/g' basic | seal
}
bursts 'bursts=40 lowest=800 highest=1500 clump=25' >sampled
run 0 aprof contexts report --sites --format=tsv --top=1 sampled
same "$(sed 1d out | cut -f1,11,12)" '300	101	795' 'the interval of a count'
run 0 aprof contexts export --sites --format=csv sampled
same "$(head -1 out | sed 's/.*,\(.*,.*\)/\1/') $(grep ',300,0,' out | sed 's/.*,\(.*,.*\)/\1/')" 'low,high 101,795' \
    'the interval in csv'
run 0 aprof contexts report sampled
expect 'bursts:  the total is an estimate, between 284 and 1350'
expect '  low  high '
bursts 'bursts=3 lowest=800 highest=1500 clump=25' >few
run 0 aprof contexts report --sites --format=tsv --top=1 few
same "$(sed 1d out | cut -f1,11,12)" '300	101	-' 'no upper bound after three bursts'
bursts 'bursts=0 lowest=1000 highest=1000 clump=0' >first
run 0 aprof contexts report first
expect 'bursts:  the total is exact'
expect_not ' high '
bursts 'bursts=40 clump=25 total=exact' >counted
run 0 aprof contexts report counted
expect 'bursts:  the total is exact; counts are estimates'
run 0 aprof contexts report --sites --format=tsv --top=1 counted
same "$(sed 1d out | cut -f1,11,12)" '300	127	530' 'the interval of a count, where calls were counted'
bursts 'bursts=3 clump=25 total=exact' >rough
run 0 aprof contexts report rough
expect 'bursts:  the total is exact; there were few bursts, so counts are rough'
bursts 'more=1' >unknown
run 0 aprof contexts report unknown
expect 'bursts:  the total is a sum of estimates, without an interval'

begin 'sizes: Table I of the paper'
run 0 aprof contexts stats --format=tsv basic
same "$(sed 1d out)" 'app	all	cct	4	3	4	8	600	8	8	8	4' 'sizes'
run 0 aprof contexts stats --threads --format=tsv --phi=0.5 basic
same "$(cut -f2,7,8,10,11 out | sed 1d | tr '\n' ' ')" '1	6	581	1	3 2	2	19	2	2 ' 'sizes of threads'

begin 'pruning keeps hot contexts and their callers; the numbers stay'
run 0 aprof contexts prune --phi=0.2 -o hot basic
same "$(grep -c '^context' hot)" 7 'contexts of the pruned file'
same "$(sed -n 's/^\(technique\|phi\|epsilon\|options\)	//p' hot | tr '\n' ' ')" \
    'mode=cct	sites=yes	pruned=0.2 hcct 0.2 0 ' 'the pruned head'
altered basic 's/	300	0	1$/	300	0	0/' >connects
run 0 aprof contexts prune --phi=0.2 connects
same "$(sed -n '/^tree	1/,/^tree	2/p' out | grep -c '^context')" 1 'a count that means nothing is not hot'
run 0 aprof contexts prune --phi=0 basic
same "$(grep -c '^context' out)" 10 'contexts when all are hot'

# Compares a hot tree with its full tree: of 1, 40, 60, 80, 300 and 100 calls, 300 are hot, and 1 and 60 lead
# to the hot context.
run 0 aprof contexts prune --phi=0.5 -o hot basic
run 0 aprof contexts compare --format=csv --thread=1 --phi=0.5 --tau=0.2,1 basic hot
same "$(sed 1d out)" \
    '0.5,6,3,3,1,1,3,0,62.1343,33.3333,24.4444,0,0,0,0.0000,0.0000,0.0000,0.0000,50.0000,100.0000' 'metrics'
run 0 aprof contexts compare --thread=1 --phi=0.5 basic hot
expect "      100    0    gone  $libwork < list::add(int, int) (+0x2010) < parse (+0x1210) < main (+0x1120)"
run 0 aprof contexts compare --format=csv --thread=1 --phi=0.5 --tau=0.2,1 --ignore-sites basic hot
same "$(sed 1d out | cut -d, -f2-9,15-18)" \
    '4,3,3,1,1,3,0,82.7883,40.0000,20.3509,21.0526,21.0526' 'metrics without call sites'
altered basic 's/	300	0	1$/	340	40	1/' >off
run 0 aprof contexts compare --format=csv --phi=0.5 basic off
same "$(sed 1d out | cut -d, -f15-18)" '13.3333,4.4444,13.3333,13.3333' 'errors: 40 of 300, and two of 0'
run 0 aprof contexts compare --max-error=14 --max-average-error=2 --max-missed=0 --max-false=0 basic off
run 1 aprof contexts compare --max-error=13 basic off
run 1 aprof contexts compare --max-average-error=1 basic off
run 1 aprof contexts compare --phi=0.5 --min-overlap=97 basic hot
run 1 aprof contexts compare --phi=0.5 --min-coverage=70 basic hot
run 1 aprof contexts compare --phi=0.5 --max-uncovered=26 basic hot
run 1 aprof contexts compare --phi=0.1 --max-missed=1 --thread=1 basic hot
run 2 aprof contexts compare basic missing
expect_error 'missing: No such file'
run 2 aprof contexts compare basic
expect_error 'expected two files'
run 2 aprof contexts compare --phi=2 basic hot
expect_error '--phi must be a share from 0 to 1, not 2'
altered basic 's/^weight.*/weight	time/' >timed
run 2 aprof contexts compare basic timed
expect_error 'cannot be combined: different weights, calls and time'

begin 'twice as long a run of another build: names line up, call sites do not'
sed -e '$d' -e 's/c0ffee/f00d/;s/beef/cafe/;s/0x1100/0x1500/;s/0x1200/0x1600/' \
    -e 's/_ZN4list3addEii	-/_ZN4list3addEii	-/;s/	1	581	581/	1	1162	1162/' basic | seal >rebuilt
run 0 aprof contexts compare --format=csv --phi=0.1 basic rebuilt
same "$(sed 1d out | cut -d, -f2-4)" '6,6,6' 'contexts of two builds'
run 0 aprof contexts compare --scale --format=csv --phi=0.1 rebuilt basic
same "$(sed 1d out | cut -d, -f2-4)" '6,6,6' 'contexts of two builds, scaled'

begin 'two routines of one name in an object without a build id are two'
sed -e '$d' -e 's/	c0ffee$/	-/;s/	beef$/	-/' -e 's/	parse	/	main	/;s/app.c	40/app.c	12/' basic | seal >twins
run 0 aprof contexts stats --format=tsv twins
same "$(cut -f4,7 out | sed 1d)" '4	6' 'routines, and contexts without call sites'

begin 'sums'
run 0 aprof contexts merge -o sum basic basic
same "$(sed -n 's/^process	//p;s/^tree	//p' sum | tr '\n' ' ')" 'merged	2 0	1200	1200	9	4 ' 'the sum'
run 0 aprof contexts merge off basic
mv out one
run 0 aprof contexts merge basic off
cmp one out || fail 'order matters to sums'
run 0 aprof contexts compare --scale --max-error=0 basic sum
run 1 aprof contexts merge basic timed
expect_error 'weights, calls and time'
run 0 aprof contexts merge hot hot
same "$(sed -n 's/^epsilon	//p' out)" 0.5 'what a context may lack that is not in every tree'

begin 'exports'
run 0 aprof contexts export basic
same "$(cat out)" "app;list::add(int, int) 9
app;list::add(int, int);$libwork 10
app;main 1
app;main;parse 100
app;main;parse;list::add(int, int) 380
app;main;parse;list::add(int, int);$libwork 100" 'folded stacks'
run 0 aprof contexts export --phi=0.5 basic
same "$(wc -l <out)" 3 'folded stacks above phi'
run 0 aprof contexts export --format=speedscope basic
same "$(grep -c '"type": "O"' out) $(grep -c '"type": "C"' out)" '6 6' 'frames that open and close'
expect '{"type": "C", "frame": 0, "at": 600}'
if command -v node >/dev/null; then
    cp out speedscope.json
    run 0 node -e 'JSON.parse(require("fs").readFileSync("speedscope.json"))'
fi
run 0 aprof contexts export --format=dot --sites basic
expect 'c2 [label="parse\n40 calls", fillcolor='
same "$(grep -c ' -> ' out)" 8 'arcs'
run 0 aprof contexts export --format=csv basic
expect '3,2,3,"list::add(int, int)",libwork.so,,0,,,,1,380,0,480'

begin 'flame graphs: the same bytes each time, a frame for each context, names that are no markup'
run 0 aprof contexts flamegraph -o one.svg basic
run 0 aprof contexts flamegraph -o two.svg basic
cmp one.svg two.svg || fail 'flame graphs of one file differ'
same "$(grep -c '<g class="f"' one.svg)" 7 'frames'
cp one.svg out
expect '<title>list::add(int, int): 480 calls, 80.00%; itself 380</title>'
expect '<title>app: 600 calls, 100.00%</title><rect x="10.00"'
altered basic 's/	parse	/	a<b \&"c"	/' >markup
run 0 aprof contexts flamegraph --title='<1>' markup
expect '<title>a&#60;b &#38;&#34;c&#34;: 580 calls'
expect '>&#60;1&#62;</text>'
expect_not 'a<b'
run 0 aprof contexts flamegraph --inverted -o inverted.svg basic
cp inverted.svg out
expect '<title>list::add(int, int): 389 calls, 64.83%</title>'
run 0 aprof contexts flamegraph --depth=2 basic
same "$(grep -c '<g class="f"' out)" 3 'frames of two levels'

begin 'misuse'
run 2 aprof contexts
expect_error "contexts: no command; see 'aprof help contexts'"
run 2 aprof contexts nothing
expect_error "contexts: nothing: unknown command; see 'aprof help contexts'"
run 2 aprof contexts prune
expect_error 'expected one file of calling contexts'

# The examples of the pages work as printed.
page=$source/docs/aprof-contexts.1
sed -n '/^aprof-contexts	1/,/^complete/p' "$source/docs/aprof-contexts-file.5" >example
run 0 aprof contexts export example
expect 'app;main;work 580'
cp basic full.contexts
cp basic hot.contexts
cp basic aprof.contexts.1234
cp basic aprof.contexts.1235
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl \$ //p' "$page" >commands
test -s commands || fail 'aprof-contexts(1) has no examples'
while read -r command; do
    run 0 sh -c "$command"
done <commands

finish
