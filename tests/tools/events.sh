#!/bin/sh
# Tests `aprof events`: reports of analyses are read, shown, compared and added; damaged reports are refused.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers

# In all files: main (1 call), parse (100), list::add (400), and code of no file (40).
good=$data/callgraph.events

begin 'reports'
run 0 aprof events report "$good"
expect 'command:   ./app -n 3'
expect 'process:   1234, end: exit'
expect 'analysis:  callgraph, mode=concurrent sampling=off'
expect_not sampled:
expect 'total:     541 calls in 4 rows'
same "$(sed -n '7,$p' out | sed 's/ *$//')" '  400  73.94  parse    list::add(int, int)
  100  18.48  main     parse
   40   7.39  parse    ???+0x7f00
    1   0.18  (start)  main' 'rows by count'
run 0 aprof events report --top=1 "$good"
expect '3 more rows'
expect_not 'main '
run 0 aprof events report -f csv "$good"
same "$(sed -n '1,2p;5p' out)" "count,caller,caller_object,caller_offset,caller_file,caller_line,\
callee,callee_object,callee_offset,callee_file,callee_line
400,parse,app,0x1200,,0,\"list::add(int, int)\",libwork.so,0x3000,,0
1,,,,,,main,app,0x1100,,0" 'calls as csv'
run 0 aprof events report -f csv --top=1 "$good"
same "$(wc -l <out)" 2 '--top with csv'
run 0 aprof events report -f json "$good"
expect '{"count": 1, "caller": null, "callee": 1}'
expect '{"name": "list::add(int, int)", "object": "libwork.so", "build_id": "beef", "offset": "0x3000"'
if command -v python3 >/dev/null; then
    for analysis in methods callgraph calltree paths cache; do
        run 0 aprof events report -f json -o "$analysis.json" "$data/$analysis.events"
        run 0 python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$analysis.json"
    done
fi
run 0 aprof events report -f dot "$good"
same "$(grep -c ' -> ' out)" 4 'arrows'
expect 'r3 -> r4 [label="400", penwidth=6.00];'
run 0 aprof events report "$data/methods.events"
expect '  400  73.94  list::add(int, int)'
expect 'total:     541 entries in 4 rows'
run 1 aprof events report -f dot "$data/methods.events"
expect_error 'only call graphs can be drawn, this is the analysis methods'
run 0 aprof events report "$data/calltree.events"
expect '   40   7.39  parse                {???+0x7f00, list::add(int, int)}'
expect '  400  73.94  list::add(int, int)  {}'
run 0 aprof events report -f json "$data/calltree.events"
expect '{"count": 40, "routine": 2, "callees": [0, 3]}'
{
    sed '/^tree/,$d' "$data/calltree.events"
    for id in 4 5 6 7 8 9 10; do
        printf 'routine\t%s\t2\t0x300%x\tr%s\n' $id $id $id
    done
    printf 'tree\t1\t0\t2\t3\t4\t5\t6\t7\t8\t9\t10\t12\n'
} | seal >wide
run 0 aprof events report wide
expect 'main     {???+0x7f00, parse, list::add(int, int), r4, r5, r6, r7, r8, 2 more}'
run 0 aprof events report -f csv wide
expect ', r8, r9, r10}"'
long=a_routine_whose_name_is_longer_than_what_there_is_room_for_in_a_table
altered "$good" "s/	parse$/	$long/" >long
run 0 aprof events report long
expect 'main                                                          a_routine_whose_name_is_longer_than_what_there_is_room_fo...  '
expect_not $long
run 0 aprof events report -f csv long
expect "$long"
run 0 aprof events report "$data/paths.events"
same "$(sed -n '7,$p' out)" '        8              3     60  60.00
        7              0     30  30.00
        7  1099511627776     10  10.00' 'paths'
run 0 aprof events report "$data/cache.events"
same "$(sed -n '5,$p' out)" 'level  loads  load_misses      %  stores  store_misses      %
    1   1000           50   5.00     400            10   2.50
    2     50            5  10.00      10             1  10.00' 'cache'
run 0 aprof events report -f csv "$data/cache.events"
same "$(cat out)" 'loads,load_misses,stores,store_misses,level
1000,50,400,10,1
50,5,10,1,2' 'the cache as csv'

# ---- Comparison: at 50 %, the errors are 0.1, 0.5 and twice 1, so that the average is 65 %. change
# SED-SCRIPT: changes an intact file.
change()
{
    altered "$good" "$1"
}
change 's/sampling=off/sampling=50/;s/	400$/	180/;s/	100$/	75/;/^call	-/d;/^call	2	0/d' >sampled
# With the total in the options, a count of 180 is in the interval 0 to 2720: (180 + (2 + 2 sqrt(180 / 256 +
# 1)) 256) 2.
change 's/sampling=off/sampling=50	made=1200	seen=600/;s/	400$/	180/' >estimated
run 0 aprof events report --format=csv estimated
same "$(head -1 out | sed 's/.*,\(.*,.*\)/\1/') $(grep '^180,' out | sed 's/.*,\(.*,.*\)/\1/')" 'low,high 0,2720' \
    'the interval in csv'
run 0 aprof events report --format=json estimated
expect '{"count": 180, "low": 0, "high": 2720, '
run 0 aprof events report --format=csv sampled
expect_not 'low'
run 0 aprof events compare "$good" sampled
same "$(sed -n '4,11s/.* //p' out | tr '\n' ' ')" '50 4 2 2 0 65.0000 100.0000 89.0725 ' 'metrics'
expect '4 counts differ'
expect '      400       360     10.00'
run 0 aprof events compare --format=csv "$good" sampled
same "$(sed 1d out)" 'callgraph,0.5,4,2,2,0,65.0000,100.0000,89.0725' 'metrics as csv'
for limit in max-error=65 max-single-error=100 max-missed=2 min-overlap=89; do
    run 0 aprof events compare --$limit "$good" sampled
done
for limit in max-error=64.9 max-single-error=99 max-missed=1 min-overlap=90; do
    run 1 aprof events compare --$limit "$good" sampled
    test -s out || fail 'a limit that does not hold leaves no output'
done
run 0 aprof events compare --max-error=0 --min-overlap=100 "$good" "$good"
expect '0 counts differ'
run 0 aprof events compare --format=csv --rate=100 "$good" sampled
same "$(sed 1d out)" 'callgraph,1,4,2,2,0,70.0000,100.0000,89.0725' '--rate'
change 's/	400$/	200/;s/	100$/	50/;s/	40$/	20/;/^call	-/d;s/=off/=auto/' >auto
run 2 aprof events compare "$good" auto
expect_error 'auto: its sampling rate is not fixed (sampling auto); give --scale or --rate'
run 1 aprof events compare --scale --format=csv --max-single-error=1 "$good" auto
expect 'callgraph,0.499076,4,3,1,0,25.1389,100.0000,'
change '/^call	2	0/d' >fewer
run 0 aprof events compare fewer "$good"
same "$(tail -1 out | sed 's/ *$//')" '        0        40       new  count  parse   ???+0x7f00' 'what the reference does not have'
run 0 aprof events compare --top=1 "$data/cache.events" "$data/cache.events"
change '/^call/d' >empty
run 0 aprof events compare --format=csv --scale "$good" empty
expect 'callgraph,1,4,0,4,0,100.0000,100.0000,0.0000'
run 0 aprof events compare --format=csv empty empty
expect 'callgraph,1,0,0,0,0,0.0000,0.0000,100.0000'
run 2 aprof events compare sampled "$good"
expect_error 'sampled: is sampled (sampling 50); the reference must be a full report'
run 2 aprof events compare "$good" missing
expect_error 'missing: No such file'
run 2 aprof events compare "$good" "$data/methods.events"
expect_error 'cannot be combined: different analyses, callgraph and methods'
run 2 aprof events compare "$good"
expect_error 'expected two reports of an analysis'
run 2 aprof events compare --rate=0 "$good" "$good"
expect_error 'must be a percentage above 0'
run 2 aprof events compare --rate=5 --scale "$good" "$good"
expect_error '--scale and --rate exclude each other'

begin 'sums'
for analysis in methods callgraph calltree paths cache; do
    run 0 aprof events merge "$data/$analysis.events"
    cmp -s out "$data/$analysis.events" || fail "$analysis: one report is not its own sum"
done
# The program in another process, which loaded the library at another address, and called other routines.
{
    sed -e '/^object/,$d' -e 's/1234/1235/;s/	-n	3/	-n	4/;s/exit/signal 9/' "$good"
    printf 'object\t0\tapp\t0123abcd\nobject\t1\tlibwork.so\tbeef\nobject\t2\tlibwork.so\tbeef00\n'
    printf 'routine\t0\t0\t0x1200\tparse\nroutine\t1\t1\t0x3000\t-\nroutine\t2\t2\t0x3000\tother\n'
    printf 'call\t0\t0\t5\ncall\t0\t1\t7\ncall\t0\t2\t%s\n' 18446744073709551615
} | seal >second
run 0 aprof events merge -o sum "$good" second
same "$(sed '1,2d;$d' sum)" "command	several
process	merged	2
options	mode=concurrent	sampling=off
end	several
analysis	callgraph
object	0	-	-
object	1	app	0123abcd
object	2	libwork.so	beef
object	3	libwork.so	beef00
routine	0	0	0x7f00	-
routine	1	1	0x1100	main
routine	2	1	0x1200	parse
routine	3	2	0x3000	_ZN4list3addEii
routine	4	3	0x3000	other
call	-	1	1
call	1	2	100
call	2	0	40
call	2	2	5
call	2	3	407
call	2	4	18446744073709551615" 'the sum'
mkdir reports
cp "$good" reports/b
cp second reports/a
run 0 aprof events merge reports
cmp -s out sum || fail 'the order of reports matters'
run 0 aprof events merge sum second
expect 'process	merged	3'
expect 'call	2	3	414'
expect 'call	2	4	18446744073709551615'
run 0 aprof events merge "$data/calltree.events" "$data/calltree.events"
expect 'tree	2	0	3	80'
run 0 aprof events merge "$data/cache.events" "$data/cache.events"
expect 'cache	1	2000	100	800	20'
run 0 aprof events merge sampled sampled
expect 'options	mode=concurrent	sampling=50'
run 1 aprof events merge "$good" sampled
expect_error 'cannot be combined: different sampling, off and 50'
run 1 aprof events merge "$good" "$data/paths.events"
expect_error 'cannot be combined: different analyses, callgraph and paths'
run 2 aprof events merge
expect_error 'expected at least one file'

begin 'damage'
run 1 aprof events report missing
expect_error 'missing: No such file or directory'
run 1 aprof events report "$data/basic.aprof"
expect_error 'not a report of an analysis'
: >nothing
run 1 aprof events report nothing
expect_error 'nothing: empty file'
change '1s/1$/2/' >newer
run 1 aprof events report newer
expect_error 'written by a newer aprof: format version 2'
refuses_damage "$good" aprof events report

# bad_body WHAT SED-SCRIPT [ANALYSIS]: an intact file with a wrong line.
bad_body()
{
    file=$data/${3-callgraph}.events
    altered "$file" "$2" >bad
    run 1 aprof events report bad
    expect_error "$1"
}
bad_body "bad:2: expected the line 'creator'" 2d
bad_body "bad: the line 'analysis' is missing" '7,100d'
bad_body 'bad:7: analysis: unknown word' 's/callgraph/callgraphs/'
bad_body 'bad:7: analysis: unknown word' 's/callgraph/-/'
bad_body 'bad:6: too few fields' 's/^end.*/end/'
bad_body 'build-id: not a hexadecimal number' 's/beef/beet/'
bad_body 'bad:10: too many fields' 's/beef/beef	1/'
bad_body 'id: out of order' 's/^routine	1/routine	2/'
bad_body 'object: out of range' 's/^routine	1	1/routine	1	3/'
bad_body 'offset: not a hexadecimal number' 's/0x1100/1100/'
bad_body 'caller: out of range' 's/^call	2	3/call	4	3/'
bad_body 'callee: out of range' 's/^call	2	3/call	2	4/'
bad_body 'callee: not a number' 's/^call	2	0/call	2	-/'
bad_body 'count: number too large' 's/	40$/	18446744073709551616/'
bad_body 'count: not a number' 's/	40$/	-40/'
bad_body 'too few fields' 's/	40$//'
bad_body 'too many fields' 's/	40$/	40	1/'
bad_body 'row out of order' 's/^call	2	0/call	2	3/'
bad_body 'row out of order' '/^call	1/{h;d;};/^call	2	0/G'
bad_body 'unknown record' 's/^call	1/method	1/'
bad_body 'record out of order' '/^call	1/{p;s/.*/object	3	late	-/;}'
bad_body 'routine: not a number' 's/^method	0/method	-/' methods
bad_body 'callees: out of order' 's/^tree	2	0	3/tree	2	3	0/' calltree
bad_body 'callees: out of order' 's/^tree	2	0	3/tree	2	3	3/' calltree
bad_body 'callees: not a number' 's/^tree	2	0	3/tree	2	-	3/' calltree
bad_body 'more misses than accesses' 's/	1000	50/	1000	1001/' cache
bad_body 'more misses than accesses' 's/	400	10/	400	401/' cache
reads_packed "$good" aprof events report
for analysis in methods callgraph calltree paths cache; do
    run 0 "$build/tests/fuzz/replay_analyses" "$data/$analysis.events"
done
run 1 aprof events merge -o result bad
if test -e result; then
    fail 'a failed command left its file'
fi

begin 'misuse'
run 2 aprof events
expect_error "events: no command; see 'aprof help events'"
run 2 aprof events nothing
expect_error "events: nothing: unknown command; see 'aprof help events'"

# The examples of the page work as printed.
page=$source/docs/aprof-events.1
cp "$good" aprof.events.1234
cp "$good" aprof.events.1235
cp "$good" full.events
altered "$good" 's/=off/=100/' >sampled.events
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl \$ //p' "$page" >commands
test -s commands || fail 'aprof-events(1) has no examples'
while read -r command; do
    run 0 sh -c "$command"
done <commands

begin 'programs: names from their debug data, processes, sampling'
cat >program.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int leaf(int n) { return n * 3; }
__attribute__((noinline)) int branch(int n) { return n % 2 ? leaf(n) : leaf(n) + leaf(n + 1); }
static void work(int n) { for (int i = 0; i < n; i++) branch(i); }
int main(void)
{
    if (fork() == 0) { work(1000); return 0; }
    wait(0);
    work(20000);
    return 0;
}
END
if ! aprof-cc --aprof=events,hooks -O1 -g -o program program.c 2>err || ! APROF_EVENTS=out=probe ./program 2>>err; then
    skip "aprof-cc --aprof=events,hooks does not work here: $(head -n 1 err)"
fi
names=no
if grep -q 'define HAVE_LIBDW 1' "$build/aprof-config.h"; then
    names=yes
fi
for analysis in methods callgraph calltree; do
    mkdir $analysis
    run 0 env APROF_EVENTS="analysis=$analysis,out=$analysis/%p" ./program
    same "$(find $analysis -type f | wc -l)" 2 "$analysis: reports of processes"
    run 0 aprof events merge -o $analysis.all $analysis
    test $names = yes || continue
    run 0 aprof events report -f csv $analysis.all
    case $analysis in
    methods) expect '31500,leaf,' ;;
    callgraph) same "$(sed -n 's/^31500,\([^,]*\),.*,\(leaf\),.*program.c,3$/\1 \2/p' out)" 'branch leaf' 'a call' ;;
    calltree) expect ',{leaf}' ;;
    esac
    run 0 aprof events report $analysis.all
    expect 'program.c:3'
done
same "$(sed -n 's/^process	//p' methods.all)" 'merged	2' 'processes of the sum'
same "$(awk -F '\t' '$1 == "method" && $3 > 1000 { print $3 }' methods.all | sort -n | tr '\n' ' ')" '21000 31500 ' 'entries'
cp methods.all copy
run 0 aprof events compare --max-error=0 methods.all copy

begin 'one process, half of its calls: what happened often is estimated well, and only then'
mkdir half
run 0 env APROF_EVENTS=analysis=callgraph,sampling=50,ring=8M,out=half/%p ./program
run 0 aprof events merge -o half.all half
run 0 aprof events compare --scale --min-overlap=95 callgraph.all half.all
run 1 aprof events compare --min-overlap=95 --max-single-error=0 callgraph.all half.all

finish
