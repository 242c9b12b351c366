#!/bin/sh
# Tests `aprof export`: the CSV format, quoting, JSON, selection of one routine.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

basic=$data/basic.aprof
header='process,thread,routine,object,file,line,context,metric,input_size,calls,cost_sum,cost_min,cost_max,cost_sumsq,self_cost_sum,induced_thread,induced_external'

run 0 aprof export --format=csv "$basic"
same "$(head -n 1 out)" "$header" 'CSV header'
expect '1234,0,work,/usr/bin/app,/src/lists.c,7,,trms,10,2,110,50,60,6100,110,0,0'
expect '1234,0,"list::add(int, int)",/usr/bin/app,/src/list.cpp,33,,trms,7,3,200,50,80,13800,200,0,0'
expect '"odd\n""name"",x",/usr/lib/libother.so,,0,,trms,3,1,50,50,50,2500,50,0,3'
same "$(grep -c ',rms,' out)" 11 'rms points'
run 0 aprof export "$data/wide.aprof"
big=18446744073709551615
squares=340282366920938463463374607431768211455
expect "$big,0,f,,,0,,trms,$big,$big,$squares,0,$big,$squares,$big,$big,$big"
run 0 aprof export --metric=trms "$basic"
expect_not ',rms,'

# For any names of the program and its routines, no character breaks a line or disturbs a terminal.
hostile='a\\nb;c 900\\t\\x1b[31m\\x7f\\x0d"'
# Two other encodings of ESC [ for a terminal, and characters that reverse the following text.
hostile=$hostile$(printf '\302\23331m\2332J\342\200\256')
for report in basic contexts; do
    sed -e '$d' -e "s|^command	[^	]*|command	$hostile|" -e "s|	/usr/bin/app\$|	/$hostile|" \
        -e "s|	work	|	$hostile	|" "$data/$report.aprof" | seal >hostile
    for format in csv folded callgrind gnuplot json speedscope; do
        run 0 aprof export --format=$format hostile
        cp out of_hostile
        run 0 aprof export --format=$format "$data/$report.aprof"
        same "$(LC_ALL=C tr -d '\011\012\040-\176' <of_hostile | wc -c)" 0 \
            "control characters in $format of $report"
        same "$(wc -l <of_hostile)" "$(wc -l <out)" "lines in $format of $report"
    done
done

sed -e '$d' -e "s|^command	[^	]*|command	$hostile|" -e "s|	/usr/bin/app	|	/$hostile	|" \
    -e "s|	main	|	$hostile	|" "$data/basic.contexts" | seal >hostile
for format in csv folded dot speedscope; do
    run 0 aprof contexts export --format=$format hostile
    cp out of_hostile
    run 0 aprof contexts export --format=$format "$data/basic.contexts"
    same "$(LC_ALL=C tr -d '\011\012\040-\176' <of_hostile | wc -c)" 0 \
        "control characters in $format of contexts"
    same "$(wc -l <of_hostile)" "$(wc -l <out)" "lines in $format of contexts"
done

begin 'several reports have one header; threads keep their numbers'
run 0 aprof export "$basic" "$data/threads.aprof" "$data/none.aprof"
same "$(grep -c '^process,' out)" 1 'headers'
expect '77,2,worker,/usr/bin/pool,/src/pool.c,50,,trms,20,1,120,120,120,14400,120,2,0'

begin 'exactly one name: by its full name, its symbol or its short name, never a part of one'
run 0 aprof export --routine=worker "$data/threads.aprof"
same "$(wc -l <out)" 5 'points of worker'
run 0 aprof export --routine=work "$basic"
same "$(cut -d, -f5 out | sort -u | tr '\n' ' ')" '/src/lists.c /src/trees.c file ' 'both routines'
run 0 aprof export --routine=trees.c:work "$basic"
expect_not lists.c
run 0 aprof export --routine='list::add(int, int)' "$basic"
same "$(wc -l <out)" 3 'one overload'
run 0 aprof export --routine=_ZN4list3addEii "$basic"
same "$(wc -l <out)" 3 'by symbol'
run 0 aprof export --routine=libother.so+0x2724a "$basic"
same "$(wc -l <out)" 3 'without a name'
run 1 aprof export --routine=wor "$basic"
expect_error 'wor: no such routine'
expect_error 'similar: work'
same "$(cat out)" '' 'output for no routine'
run 1 aprof export --routine=zzzzzzzz "$basic"
expect_error 'zzzzzzzz: no such routine'

begin "a symbol's version belongs to the symbol, not to the name"
altered "$basic" 's/_ZN4list3addEd/_ZN4list3addEd@@V_1.0/;s/	main	/	main@V_2	/' >versions
run 0 aprof export --routine='list::add(double)' versions
same "$(wc -l <out)" 3 'a symbol with a version'
run 0 aprof export --routine=main --format=json versions
expect '"name": "main"'
expect '"mangled": "main@V_2"'

begin 'JSON is valid and holds both names'
run 0 aprof export --format=json "$basic" "$data/none.aprof" "$data/wide.aprof"
expect '"name": "list::add(int, int)"'
expect '"mangled": "_ZN4list3addEii"'
if command -v python3 >/dev/null; then
    python3 - out <<'PYTHON' || fail 'JSON'
import json, sys
reports = json.load(open(sys.argv[1]))["reports"]
assert len(reports) == 3
basic = reports[0]
assert basic["command"] == ["./app", "two words", "a\tb"]
assert basic["totals"]["cost"] == 1000
work = [r for r in basic["routines"] if r["file"] == "/src/lists.c"][0]
assert [p["input_size"] for p in work["trms"]] == [10, 20, 30]
assert basic["routines"][7]["name"] == 'odd\n"name",x'
assert reports[2]["routines"][0]["trms"][0]["cost_sum"] == 2**128 - 1
PYTHON
fi
altered "$basic" "$(printf 's/_ZN4list3addEd/na\377me\303\251/')" >bytes
run 0 aprof export --format=json bytes
expect "$(printf 'na\\ufffdme\303\251')"

# gnuplot: blocks with a heading, found by index.
run 0 aprof export --format=gnuplot --metric=trms "$basic"
expect '# routine list::add(int, int), trms, 4-byte cells, basic blocks'
expect '10 2 55 50 60 25 55 0 0'
same "$(grep -c '^$' out)" 14 'blank lines between eight blocks'

begin 'Callgrind: read by callgrind_annotate, without a warning'
run 0 aprof export --format=callgrind -o callgrind.out.1 "$basic"
if command -v callgrind_annotate >/dev/null; then
    run 0 callgrind_annotate callgrind.out.1
    expect '1,000 (100.0%) 14 (100.0%)  PROGRAM TOTALS'
    expect '/src/list.cpp:list::add(int, int) [/usr/bin/app]'
    same "$(cat err)" '' 'warnings of callgrind_annotate'
fi
run 0 aprof export --format=callgrind "$data/code.aprof"
sed -n '/^fn=main/,/^$/p' out | grep -v '^c[obfin]*=' >main
cat >wanted <<'END'
fn=main
22 0 1
22 10
30 40
fi=/src/book.cc
5 150
6 400
7 40
fi=/src/book.h
17 60
fe=/src/shop.cc
calls=1 40
34 80 1
fi=/src/book.cc
calls=3 40
12 220 3

END
same_files main wanted 'main by lines'
if command -v callgrind_annotate >/dev/null; then
    mv out callgrind.out.2
    run 0 callgrind_annotate --inclusive=yes callgrind.out.2
    expect '1,000 (100.0%) 13 (100.0%)  PROGRAM TOTALS'
    expect '/src/book.cc:Book::find(int)'
    tr -s ' ' <out | grep -q '^300 (30.00%) .*Book::find(int)' || fail 'inclusive cost of find'
    same "$(cat err)" '' 'warnings of callgrind_annotate'
fi
altered "$basic" "s/^command.*/command	$(head -c 4000 /dev/zero | tr '\0' x)/" >long
run 0 aprof export --format=callgrind long
head -c 2047 out | grep -q '^events: Bb Calls' || fail 'events: comes too late'
run 1 aprof export --format=callgrind "$basic" "$basic"
expect_error "takes one report; see aprof merge"

# The total cost of insert is too large by the cost of find's call in main, which is not the most expensive
# call.
begin 'pprof: read back by the tool of Go'
run 0 aprof export --format=pprof -o code.pb.gz "$data/code.aprof"
run 0 aprof export --format=pprof -o again.pb.gz "$data/code.aprof"
same_files code.pb.gz again.pb.gz 'the same report'
run 0 aprof export --format=pprof -o plain.pb.gz "$basic"
run 1 aprof export --format=pprof "$basic" "$basic"
expect_error "takes one report; see aprof merge"
if HOME=$PWD go tool pprof -h >/dev/null 2>&1; then
    HOME=$PWD go tool pprof -top -nodefraction=0 code.pb.gz 2>/dev/null | tr -s ' ' | sed 's/^ //' >top
    for row in '590 59.00% 59.00% 950 95.00% insert (inline)' '180 18.00% 77.00% 300 30.00% Book::find(int)' \
        '120 12.00% 89.00% 120 12.00% compare' '60 6.00% 95.00% 60 6.00% swap (inline)' \
        '50 5.00% 100% 1000 100% main'; do
        grep -qxF "$row" top || fail "no row $row in $(cat top)"
    done
    HOME=$PWD go tool pprof -top -lines -nodefraction=0 code.pb.gz 2>/dev/null | tr -s ' ' >top
    grep -q '^ *400 .* insert /src/book.cc:6 (inline)$' top || fail "no line in $(cat top)"
    HOME=$PWD go tool pprof -top plain.pb.gz 2>/dev/null | tr -s ' ' >top
    grep -q 'of 1000 total' top || fail "not all in $(cat top)"
fi

run 0 aprof export --format=folded "$basic"
expect 'app;list::add(int, int) 200'
expect 'app;odd:"name",x 50'
sort -c out || fail 'folded stacks are not sorted'

run 0 aprof export --format=folded "$data/code.aprof"
printf '%s\n' 'shop;main 700' 'shop;main;Book::find(int) 180' 'shop;main;Book::find(int);compare 120' >wanted
same_files out wanted 'stacks from edges'
if command -v python3 >/dev/null; then
    run 0 aprof export --format=speedscope "$data/code.aprof"
    python3 - out <<'PYTHON' || fail 'speedscope from edges'
import json, sys
d = json.load(open(sys.argv[1]))
names = [f["name"] for f in d["shared"]["frames"]]
p = d["profiles"][0]
stacks = {";".join(names[i] for i in s): w for s, w in zip(p["samples"], p["weights"])}
assert stacks == {"main": 700, "main;Book::find(int)": 180, "main;Book::find(int);compare": 120}, stacks
assert p["endValue"] == 1000
PYTHON
fi

run 0 aprof export --format=speedscope "$basic"
# shellcheck disable=SC2016
expect '"$schema": "https://www.speedscope.app/file-format-schema.json"'
if command -v python3 >/dev/null; then
    python3 - out <<'PYTHON' || fail speedscope
import json, sys
d = json.load(open(sys.argv[1]))
p = d["profiles"][0]
assert p["endValue"] == sum(p["weights"]) == 1000
assert len(p["samples"]) == len(p["weights"]) == len(d["shared"]["frames"])
PYTHON
fi

begin "SQLite: the manual's queries"
run 1 aprof export --format=sqlite "$basic"
if ! grep -q 'without SQLite' err; then
    expect_error 'sqlite needs a file'
    run 0 aprof export --format=sqlite -o points.db "$basic" "$data/threads.aprof" "$data/wide.aprof"
    if command -v sqlite3 >/dev/null; then
        run 0 sqlite3 points.db "SELECT input_size, cost_max FROM point
            JOIN profile ON profile.id = point.profile JOIN routine ON routine.id = profile.routine
            WHERE metric = 'trms' AND file = '/src/lists.c' ORDER BY input_size"
        same "$(tr '\n' ' ' <out)" '10|60 20|80 30|110 ' 'points in the database'
        run 0 sqlite3 points.db 'SELECT count(*) FROM report'
        expect 3
    fi
    run 1 aprof export --format=sqlite -o points.db "$basic" missing
    test -s points.db || fail 'a failed export removed the older database'
fi

begin 'a failed export keeps the older file'
echo older >kept.csv
run 1 aprof export -o kept.csv missing
same "$(cat kept.csv)" older 'the older file'
run 0 aprof export -o kept.csv "$basic"
same "$(head -n 1 kept.csv)" "$header" 'the new file'
run 2 aprof export --format=xml "$basic"
expect_error '--format must be one of'
run 2 aprof export
expect_error 'expected at least one report'

finish
