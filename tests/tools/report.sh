#!/bin/sh
# Tests `aprof report`: table, sorting, filters, shares, formats, usage errors.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

basic=$data/basic.aprof

# column KEY ROUTINE FILE: prints one cell of the TSV.
column()
{
    aprof report --format=tsv "$3" | awk -F '\t' -v key="$1" -v routine="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) { if ($i == key) wanted = i; if ($i == "routine") name = i } }
        $name == routine { print $wanted }'
}

run 0 aprof report "$basic"
expect "command: ./app 'two words'"
expect 'process: 1234 (amd64), end: exit'
expect 'input:   memory read before it is written (trms, 4-byte cells)'
expect 'reads:   150 cells: 4.0% written by other threads, 8.0% from files, network or devices'
expect '1000 basic blocks in 14 calls'
expect '8 of 8 routines'
expect 'main (app.c:12)'
expect 'list::add(int, int) (list.cpp:33)'
expect 'mycrate::foo (lib.rs:3)'
expect 'libother.so+0x2724a'
expect_not "$(printf '\033')"

# Values that follow from the data: work in lists.c has 4 calls, 300 of 1000 blocks, and of its
# input 10 + 10 + 20 + 30 = 70 two cells came from a thread and four from outside.
run 0 aprof report --format=tsv --routine=lists.c:work "$basic"
same "$(tail -n 1 out | tr '\t' ' ')" \
    '0 4 3 300 30.0000 300 30.0000 too few sizes  too few sizes           70 43.2099 2.8571 5.7143 30 110 work /usr/bin/app /src/lists.c 7' \
    'work in lists.c'
same "$(column total_share main "$basic")" 100.0000 'share of main'
same "$(column self_share main "$basic")" 10.0000 'own share of main'
same "$(column external_share main "$basic")" 30.0000 'external share of main'
same "$(column points work "$data/threads.aprof")" '' 'no such routine'
same "$(column points worker "$data/threads.aprof")" 3 'points of merged threads'
same "$(column calls worker "$data/threads.aprof")" 5 'calls of merged threads'

run 0 aprof report --threads --format=tsv "$data/threads.aprof"
same "$(grep -c worker out)" 2 'threads shown'
run 1 aprof report --threads "$basic"
expect_error 'its threads are merged'

run 0 aprof report --routine=worker "$data/threads.aprof"
expect '    5      3       90.0        80       100               3         0'

# Growth: the data follow known curves, with 5 % of noise. The routine with the highest self cost comes first.
growth=$data/growth.aprof
run 0 aprof report "$growth"
same "$(awk '/^routine/ { getline; print $1, $2 }' out)" 'bubble_sort (sort.c:10)' 'first by self cost'
expect 'bubble_sort is the most expensive routine: 71.3% self cost, more than half of the total.'
expect 'is validated for 97% of the cost'
expect '--routine=NAME shows the details of a routine'
expect_not 'at 10x'
for pair in 'bubble_sort:n^2' 'heap_sort:n log n' 'checksum:n' 'tree_lookup:log n' 'set_flag:1' \
    'find_cached:scattered' 'setup:too few sizes' 'main:too few sizes'; do
    same "$(column worst_growth "${pair%%:*}" "$growth")" "${pair#*:}" "growth of ${pair%%:*}"
    same "$(column average_growth "${pair%%:*}" "$growth")" "${pair#*:}" "average of ${pair%%:*}"
done
same "$(column call_at_10x find_cached "$growth")" '' 'scattered costs predict nothing'
run 0 aprof report --routine=heap_sort "$growth"
all=$(sed -n '/^input  *calls/,$p' out | grep -c '^ *[0-9]')
expect "($all of "
run 0 aprof report --routine=heap_sort --all-points "$growth"
test "$(sed -n '/^input  *calls/,$p' out | grep -c '^ *[0-9]')" -gt "$all" || fail 'not all points'
run 0 aprof report --routine=heap_sort "$growth"
expect 'Growth: n log n: a curve fitted to the smaller sizes predicted the larger ones, up to 954, within 4.9%.'
expect '  worst case: looks like n log n; 26 sizes from 10 to 954;'
expect 'power law n^1.1'
expect 'residuals random'
run 0 aprof report "$growth" find_cached
expect 'the cost depends on more than the input size'
expect 'The costs lie on 2 curves'
expect '  most expensive branch: looks like n; 25 sizes'
expect '  cheapest branch: looks like 1; 25 sizes'
run 0 aprof report --sort=total "$growth"
same "$(awk '/^routine/ { getline; print $1, $2 }' out)" 'main (app.c:3)' 'first by total'

begin 'ranking: what is cheap stays behind, however steep; few or narrow sizes prove nothing'
awk 'BEGIN {
    OFS = "\t"; total = 80000000
    for (n = 10; n <= 1000; n += 45) { work[n] = 80 * n * n / 10; lesson[n] = 100 * n }
    for (n = 1; n <= 12; n++) steep[n] = 2 ^ n
    for (n = 100; n <= 115; n++) narrow[n] = int(n * n * n / 1000)
    for (n = 1000; n <= 4000; n += 1500) few[n] = n * n / 10
    print "aprof", 1; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"
    print "arch", "amd64"; print "command", "./rank"; print "process", 7; print "options", "-"
    print "metrics", "trms"; print "resolution", 4; print "cost", "bb"; print "threads", "merged"
    print "end", "exit"; print "totals", total, 9, 9, 0, 0; print "object", 0, "/rank"
    split("few lesson main narrow steep work", names, " ")
    for (i = 1; i <= 6; i++) print "routine", i - 1, 0, sprintf("0x%x", 4096 + 64 * i), 64, names[i], "-", 0
    put(0, few); put(1, lesson); print "profile", 2, 0, 1, total, 0
    print "trms", 5000, 1, total, total, total, "6400000000000000", 0, 0, 0
    put(3, narrow); put(4, steep); put(5, work)
}
function put(id, cost, n, calls, sum, lines)
{
    for (n = 1; n <= 4000; n++) if (n in cost) {
        calls++; sum += cost[n]
        lines = lines sprintf("trms\t%d\t1\t%d\t%d\t%d\t%.0f\t%d\t0\t0\n", n, cost[n], cost[n], cost[n],
                              cost[n] * cost[n], cost[n])
    }
    print "profile", id, 0, calls, sum, sum
    printf "%s", lines
}' | seal >rank.aprof
run 0 aprof report --format=tsv --sort=growth rank.aprof
routine=$(head -n 1 out | tr '\t' '\n' | grep -n '^routine$' | cut -d : -f 1)
same "$(sed 1d out | cut -f "$routine" | tr '\n' ' ')" 'work lesson few narrow steep main ' 'by growth'
same "$(column worst_growth work rank.aprof)" 'n^2' 'validated growth'
same "$(column worst_growth steep rank.aprof)" 'too few sizes' 'a steep growth that cannot be tested'
same "$(column worst_growth narrow rank.aprof)" 'too few sizes' 'a narrow range'
same "$(column worst_r_squared few rank.aprof)" '' 'R^2 of too few sizes'
same "$(column worst_r_squared set_flag "$growth")" '' 'R^2 of a constant'

begin 'sorting and limits'
for key in growth total self calls points input max-input worst name; do
    run 0 aprof report --sort=$key "$basic"
done
run 0 aprof report --sort=name --format=tsv --top=1 "$basic"
same "$(tail -n 1 out | cut -f "$routine")" 'libother.so+0x2724a' 'first by name'
same "$(wc -l <out)" 2 'lines with --top=1'
run 0 aprof report --top 2 "$basic"
expect '(6 more: --top=0 shows all)'
run 0 aprof report --filter='list::*' "$basic"
expect '2 of 8 routines'
run 0 aprof report --filter='nothing*' "$basic"
expect 'no routines to show'
run 0 aprof report "$data/none.aprof"
expect 'end: signal 11'
expect 'no routines to show'
run 0 aprof report --metric=rms --routine=main "$basic"
expect '   22      1     1000.0'
run 0 aprof report "$data/wide.aprof"
expect 18446744073709551615

begin 'what compilers make copies of has the name that it has in the source'
sed -e '$d' -e 's/	main	/	main.constprop.0	/;s/	_ZN4list3addEd	/	_ZN4list3addEd.part.1.cold	/' "$basic" | seal >copies.aprof
run 0 aprof report copies.aprof main
expect 'main.constprop.0:'
run 0 aprof report --filter=main copies.aprof
expect '1 of 8 routines'
run 1 aprof report copies.aprof list::add
expect_error 'several routines have this name'
echo 'main calls 1' >bounds.txt
run 0 aprof gate --bounds=bounds.txt copies.aprof

begin 'a routine by the names that tables and pages display'
altered "$data/code.aprof" 's/_ZN4Book4findEi/_Z10inversionsISt4pairISsiESaIS1_EElRKSt6vectorIT_T0_E/' >long.aprof
for width in 60 80 120 200; do
    run 0 aprof report --width=$width long.aprof
    name=$(sed -n 's/^\(inversions<.*)\)\( (.*)\)\{0,1\}  .*/\1/p' out | sed 's/ ([^()]*:[0-9]*)$//; s/  .*//')
    test -n "$name" || fail "no name at $width columns"
    run 0 aprof report --routine="$name" long.aprof
    expect '1 of 3 routines'
done
run 0 aprof report --routine=inversions long.aprof
expect '1 of 3 routines'
run 1 aprof report --routine=inversion long.aprof
expect_error 'similar: inversions<std::pair<std::string, int>>(...)'

begin 'one name only, and help with the spelling'
run 1 aprof report --routine=mian "$basic"
expect_error 'mian: no such routine'
expect_error 'similar: main'
run 0 aprof report --routine=_ZN4list3addEd "$basic"
expect '1 of 8 routines'
run 1 aprof report --routine=list::add "$basic"
expect_error 'several routines have this name: list::add(int, int), list::add(double)'
run 1 aprof report --metric=rms "$data/threads.aprof"
expect_error 'has no rms points'

# In 80 columns, the most important columns remain, and names are shortened last; 200 columns show everything.
awk 'BEGIN { FS = OFS = "\t" }
    $1 == "routine" && $6 == "heap_sort" {
        $6 = "_ZN9container4sortIiEEvPT_S2_RKSt6vectorIS1_SaIS1_EE_and_a_name_that_does_not_end_before_the_line_does" }
    /^[^s]/ || !/^seal/' "$growth" | sed '$d' | seal >long.aprof
for width in 60 80 100 130; do
    run 0 aprof report --width=$width long.aprof
    widest=$(awk '{ if (length($0) > n) n = length($0) } END { print n }' out)
    test "$widest" -le $width || fail "$widest columns in place of $width"
    grep -q '^routine .*self %.*growth' out || fail "$width columns have not what matters most"
done
run 0 aprof report --width=80 "$growth"
expect_not 'worst cost'
run 0 aprof report --width=200 "$growth"
for title in routine calls 'self %' 'total %' growth 'leading term' 'at 10 n' 'worst case' 'input %' 'max input' 'max cost'; do
    grep -q "^routine.*$title\|^$title" out || fail "200 columns have no $title"
done
run 0 aprof report --width=200 "$basic"
expect_not 'leading term' # no routine has a value, so the column is omitted

begin 'by object and file: sums of what their routines have themselves'
run 0 aprof report --by=object "$basic"
same "$(awk '/^object/ { getline; print $1, $2, $3 }' out)" 'app (6 routines)' 'the first object'
run 0 aprof report --by=object --format=tsv "$basic"
key=$(head -n 1 out | tr '\t' '\n' | grep -n '^self_cost$' | cut -d : -f 1)
same "$(awk -F '\t' -v key="$key" 'NR > 1 { sum += $key } END { print sum }' out)" 1000 'self cost of all objects'
run 1 aprof report --by=object --routine=main "$basic"
expect_error 'main: only routines and contexts have details, not --by=object'
run 1 aprof report --by=file --sort=total "$basic"
expect_error '--sort=total: not with --by=object'
run 0 aprof report --by=file "$basic"
expect 'lists.c (1 routine)'
run 0 aprof report --object='libother*' "$basic"
expect '2 of 8 routines'
run 0 aprof report --object='/usr/bin/*' "$basic"
expect '6 of 8 routines'
run 0 aprof report --mine "$basic"
expect_not libother

begin 'start-up is one line, until it is asked for'
awk 'BEGIN { FS = OFS = "\t" } $6 == "tree_lookup" { $6 = "_start" } $6 == "set_flag" { $6 = "__libc_start_main" } 1' "$growth" |
    sed '$d' | seal >start.aprof
run 0 aprof report start.aprof
expect 'start-up, ld.so (2 routines)'
expect_not __libc_start
same "$(awk '/^start-up/ { print NF }' out)" 9 'cells of start-up: no largest call, for that is the program'
run 0 aprof report --filter='_*' start.aprof
expect __libc_start
run 0 aprof report start.aprof _start
expect 'Growth: '

begin 'several reports are added, and a routine may follow'
aprof merge -o sum.aprof "$data/run-1000.aprof" "$data/run-2000.aprof"
run 0 aprof report --format=tsv ./sum.aprof
cp out wanted
run 0 aprof report --format=tsv "$data/run-1000.aprof" "$data/run-2000.aprof"
cmp -s out wanted || fail 'not what merge makes of them'
routine=$(tail -n 1 wanted | awk -F '\t' '{ print $(NF - 3) }')
run 0 aprof report "$data/run-1000.aprof" "$data/run-2000.aprof" "$routine"
expect "$routine:"
run 2 aprof report "$data/run-1000.aprof" "$data/run-2000.aprof" "$routine" more
expect_error 'expected one routine after the reports, not more'

begin 'without a file it is the newest of this folder; one word alone may be a routine of it'
mkdir here
cp "$basic" here/old.aprof
touch -d '2020-01-01' here/old.aprof
cp "$growth" here/aprof.out.77
(cd here && aprof report >../out 2>../err) || fail 'no newest report'
grep -q 'aprof: report: reads aprof.out.77, the newest report in the current folder' err || fail 'does not say which'
expect bubble_sort
(cd here && aprof report heap_sort >../out 2>../err) || fail 'a routine of the newest report'
expect '1 of 8 routines'
cp "$data/code.aprof" here/aprof.out.78
status=0
(cd here && aprof report Book::insert 2>../err) || status=$?
same "$status" 1 'status for what was inlined'
grep -q 'Book::insert: no such routine: it was inlined into main' err || fail 'not told where it was inlined'
(cd here && aprof report gone.aprof 2>../err) && fail 'a report that is not there'
grep -q 'gone.aprof: No such file' err || fail 'not told that the report is not there'
(cd here && aprof report ./gone 2>../err) && fail 'a report in a folder that is not there'
grep -q './gone: No such file' err || fail 'a path is taken for a routine'
mkdir nothing
status=0
(cd nothing && aprof report 2>../err) || status=$?
same "$status" 1 'status without a report'
grep -qF 'no report: the current folder has no aprof.out.* or *.aprof; give a file' err || fail 'no word of the missing report'

begin 'output'
run 0 aprof report -o table "$basic"
same "$(cat out)" '' 'standard output with -o'
grep -q main table || fail 'no table in the file'
run 1 aprof report -o missing/table "$basic"
expect_error 'missing/table: cannot write: No such file or directory'
if test -w /dev/full; then
    run 1 aprof report -o /dev/full "$basic"
    expect_error '/dev/full: cannot write: No space left on device'
    status=0
    aprof report "$basic" >/dev/full 2>err || status=$?
    same "$status" 1 'status with a full disk'
fi

begin 'a file of another profiler: one line says what it is and what to do'
printf 'PERFILE2\0\0' >perf.data
printf '# callgrind format\nversion: 1\n' >callgrind.out.1
for command in report html export 'plot main'; do
    # shellcheck disable=SC2086 # words
    run 2 aprof $command perf.data
    expect_error "perf.data: recorded by perf, which does not measure input sizes; read it with \`perf report\`, or profile the program with"
    same "$(wc -l <err | tr -d ' ')" 1 'lines of the message'
done
run 2 aprof report callgrind.out.1
expect_error 'callgrind.out.1: recorded by callgrind'

begin 'usage'
run 2 aprof
run 2 aprof bogus
expect_error 'bogus: unknown command'
run 2 aprof report "$basic" main work
run 1 aprof report "$basic" mian
run 2 aprof report --bogus "$basic"
expect_error 'unknown option --bogus'
run 2 aprof report --sort=bogus "$basic"
expect_error '--sort must be one of self, total'
run 2 aprof report --top=-1 "$basic"
expect_error '--top must be a whole number'
run 2 aprof report --threads=yes "$basic"
expect_error 'no value is allowed in --threads=yes'
run 2 aprof report "$basic" --sort
expect_error 'a value is missing after --sort'
run 0 aprof --version
expect 'aprof '
run 0 aprof help

# Data about the code: callers, callees, lines, and inlined functions.
code=$data/code.aprof
run 0 aprof report "$code"
expect 'Inlined into main: insert (shop.cc:30), 92.9% of its self cost.'
run 0 aprof report "$code" 'Book::find(int)'
for row in 'main book.cc:12 and 1 more 4 100.0 300 15.0' 'compare book.cc:44 8 40.0 120 2.0' \
    'book.cc:42 55.6 100' 'book.cc:40 33.3 60'; do
    tr -s ' ' <out | grep -qx "$row" || fail "no row $row"
done
expect_not 'inlined into it'
run 0 aprof report "$code" main
for row in 'insert shop.cc:30 92.9 650' 'swap book.cc:7 8.6 60' 'book.cc:6 57.1 400' \
    'Book::find(int) book.cc:12 and 1 more 4 30.0 300 15.0'; do
    tr -s ' ' <out | grep -qx "$row" || fail "no row $row"
done
expect_not 'called by'
run 1 aprof report "$code" 'Book::insert(Order)'
expect_error 'Book::insert(Order): no such routine: it was inlined into main (shop.cc:30), with 65.0% of the cost'
run 1 aprof report --routine=absent "$code"
expect_error 'no such routine in'
run 0 aprof report --routine=work "$basic"
expect_not 'called by'

begin 'library code that is inlined counts for the line of the program'
sed -e '$d' -e 's,/src/book.h,/src/include/c++/book.h,' "$data/code.aprof" | seal >library.aprof
run 0 aprof report --width=0 --routine=main library.aprof
tr -s ' ' <out | grep -qx 'book.cc:7 14.3 100 60' || fail "no line of swap: $(cat out)"
expect 'inlined library code'
expect_not 'book.h'

finish
