#!/bin/sh
# Tests `aprof scale`: predictions from three runs, axes, formats, the gate, and runs that the command starts.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

# A run of N records with a declared size S: parse is linear, append walks its list, start is constant. With a
# power as an argument, append costs this power of N in one call, divided by an optional divisor.
report_of()
{
    awk -v n="$1" -v size="$2" -v power="${3-2}" -v less="${4-1}" 'BEGIN {
        OFS = "\t"; append = 2000 / less * (n / 1000) ^ power; parse = 40 * n; start = 90000
        print "aprof", 1; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"
        print "arch", "amd64"; print "command", "./app", n; print "process", 7; print "options", "-"
        if (size) print "size", size
        print "metrics", "trms"; print "resolution", 4; print "cost", "bb"; print "threads", "merged"
        print "end", "exit"; print "totals", append + parse + start, 2 * n + 1, 9, 0, 100 + n
        print "object", 0, "/app"
        print "routine", 0, 0, "0x1000", 64, "append", "-", 0
        print "routine", 1, 0, "0x2000", 64, "parse", "-", 0
        print "routine", 2, 0, "0x3000", 64, "start", "-", 0
        put(0, less > 1 ? 1 : n, append, n / 2); put(1, n, parse, 7); put(2, 1, start, 100)
    }
    function put(id, calls, cost, input) {
        print "profile", id, 0, calls, cost, cost
        print "trms", input, calls, cost, cost / calls, cost / calls, sprintf("%.0f", cost * cost / calls), cost, 0, 0
    }' | seal
}

for n in 1000 2000 4000; do report_of $n '' >$n.aprof; done

# 0.002 * 40000^2 = 3200000, 40 * 40000 = 1600000, 90000: shares 65.4, 32.7 and 1.8 percent.
run 0 aprof scale --sizes=1000,2000,4000 1000.aprof 2000.aprof 4000.aprof
expect 'sizes:   1000 2000 4000 (the given sizes); predicted: 40000'
expect 'Rises: append, from 11.3% of the cost to about 65% (larger inputs).'
expect 'The whole run grows as n^1.24: at ten times the size it costs 17.3 times as much. Faster than the size grows: append (n^2.00).'
same "$(head -n 1 out | cut -c 1-13)" 'The whole run' 'the alarm comes first'
same "$(awk '/^self %/ { getline; print $1, $2, $4, $NF; exit }' out)" '11.3 65.4 n^2.00 append' 'the first routine'
run 0 aprof scale --sizes=1000,2000,4000 --format=tsv 1000.aprof 2000.aprof 4000.aprof
same "$(head -n 1 out | cut -f 1-10 | tr '\t' ' ')" \
    'routine object file own_share share_at_10x share_at_10x_low share_at_10x_high growth why rises' 'columns'
same "$(awk -F '\t' '$1 == "parse" { print $5, $8, $9, $10 }' out)" '32.7205 n^1.00 in proportion no' 'parse'
run 0 aprof scale --sizes=1000,2000,4000 --format=json 1000.aprof 2000.aprof 4000.aprof
expect '"routine": "append"'

begin 'runs of two processor architectures have no common growth'
sed -e '$d' -e 's/^arch.*/arch	arm64/' 4000.aprof | seal >arm64.aprof
run 2 aprof scale --sizes=1000,2000,4000 1000.aprof 2000.aprof arm64.aprof
expect_error 'different architectures, amd64 and arm64'

begin 'lines that fit: the shares and the routine stay'
for width in 50 80; do
    run 0 aprof scale --width=$width --sizes=1000,2000,4000 1000.aprof 2000.aprof 4000.aprof
    widest=$(awk '/^self %  at/ { t = 1 } /^$/ { t = 0 } t && length($0) > n { n = length($0) } END { print n }' out)
    test "$widest" -le $width || fail "$widest columns in place of $width"
    grep -q '^self %  at 10x %.*routine$' out || fail "$width columns have not what matters most"
done

begin 'steep growth of little does not lead'
for n in 1000 2000 4000; do report_of $n '' 4 1000 >little-$n.aprof; done
run 0 aprof scale --sizes=1000,2000,4000 --format=tsv little-1000.aprof little-2000.aprof little-4000.aprof
same "$(awk -F '\t' '$1 == "append" { print $8, ($5 < 10), ($7 > 50), $11 }' out)" 'n^4.00 1 1 512' 'steep growth below 1 %'

begin 'the picture: layers of shares that end at 100'
run 2 aprof scale --sizes=1,2,4 --plot=shares.txt 1000.aprof 2000.aprof 4000.aprof
expect_error "end in .svg, .png or .pdf"
if command -v gnuplot >/dev/null; then
    run 0 aprof scale --sizes=1,2,4 --plot=shares.svg 1000.aprof 2000.aprof 4000.aprof
    for name in append parse start predicted 'self cost (bb)' 'share of self cost'; do
        grep -q ">.*$name.*<" shares.svg || fail "the picture has no $name"
    done
fi

begin 'order does not matter, nor does a fourth, smaller run'
report_of 500 '' >500.aprof
aprof scale --format=tsv 1000.aprof 2000.aprof 4000.aprof >ordered
run 0 aprof scale --format=tsv 4000.aprof 500.aprof 1000.aprof 2000.aprof
same "$(cat out)" "$(cat ordered)" 'the largest three in any order'
run 0 aprof scale 1000.aprof 2000.aprof 4000.aprof
expect '(external input, in cells)'

begin 'two runs: no more than n^2 is believed, and that is said'
run 0 aprof scale 1000.aprof 4000.aprof
expect 'Two runs cannot validate the prediction, which assumes at most n^2'
for n in 1000 4000; do report_of $n '' 2.5 >steep-$n.aprof; done
run 0 aprof scale --sizes=1000,4000 --format=tsv steep-1000.aprof steep-4000.aprof
same "$(awk -F '\t' '$1 == "append" { print $8, $12 / $11 }' out)" 'n^2.50 100' 'what grows by n^2.5'

begin 'sizes that the reports carry come before external input; processes of one run carry the same'
for n in 1000 2000 4000; do report_of $n $((n / 500)) >sized-$n.aprof; done
test_round_trip sized-1000.aprof || fail 'reading and writing changes sized-1000.aprof'
run 0 aprof scale sized-1000.aprof sized-2000.aprof sized-4000.aprof
expect 'sizes:   2 4 8 (the sizes that the reports carry)'
run 0 aprof merge -o both.aprof sized-1000.aprof sized-1000.aprof
same "$(grep '^size' both.aprof | cut -f 2)" 2 'size of a sum'
run 0 aprof merge -o both.aprof sized-1000.aprof sized-2000.aprof
same "$(grep -c '^size' both.aprof)" 0 'size of a sum of other runs'
sed 's/^size.*/size	0/; $d' sized-1000.aprof | seal >zero.aprof
run 1 aprof report zero.aprof
expect_error 'size: not above 0'

begin 'what is no axis is refused'
report_of 1500 '' >1500.aprof
run 2 aprof scale 1000.aprof 1500.aprof
expect_error 'the external input grew less than 2 times'
run 0 aprof scale --sizes=1,2 1000.aprof 1000.aprof
expect_error 'scale: 1000.aprof and 1000.aprof come from the same run'
run 2 aprof scale --sizes=1,1 1000.aprof 4000.aprof
expect_error 'sizes: too close together'
run 2 aprof scale --sizes=1,2,3 1000.aprof 4000.aprof
expect_error 'more numbers than runs'
run 2 aprof scale --sizes=1 1000.aprof 4000.aprof
expect_error 'must be 2 numbers above 0'
run 2 aprof scale --sizes=a,b 1000.aprof 4000.aprof
run 2 aprof scale 1000.aprof
expect_error 'expected at least two runs'
run 2 aprof scale --sizes=1,2 1000.aprof missing.aprof
expect_error 'missing.aprof'

sed -e '$d' -e 's/^command.*/command	.\/other	4000/' 4000.aprof | seal >other.aprof
run 2 aprof scale --sizes=1,4 1000.aprof other.aprof
expect_error '1000.aprof and other.aprof cannot be compared: different programs, app and other'

begin 'the axis is the reader that calls confirm: the deepest one reads all but the first 1000 cells'
# start-up reads 50 cells; parse reads the whole input, and its callee read reads the input without the first
# buffer. work is called once per cell.
axis_of()
{
    awk -v n="$1" -v calls="$2" 'BEGIN {
        OFS = "\t"; all = 30 * n + 700
        print "aprof", 1; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"
        print "arch", "amd64"; print "command", "./app", n; print "process", 7; print "options", "-"
        print "metrics", "trms"; print "resolution", 4; print "cost", "bb"; print "threads", "merged"
        print "end", "exit"; print "totals", all, calls + 3, n + 50, 0, n + 50
        print "object", 0, "/app"
        print "routine", 0, 0, "0x1000", 64, "parse", "-", 0
        print "routine", 1, 0, "0x2000", 64, "read", "-", 0
        print "routine", 2, 0, "0x3000", 64, "work", "-", 0
        put(0, 1, 600, n, n); put(1, 1, 100, n, n - 1000); put(2, calls, 30 * n, 1, 0)
    }
    function put(id, calls, cost, input, external) {
        print "profile", id, 0, calls, cost, cost
        print "trms", input, calls, cost, cost / calls, cost / calls, sprintf("%.0f", cost * cost / calls), cost, 0, external
    }' | seal
}
for n in 1100 2200 4400; do axis_of $n $n >axis-$n.aprof; done
run 0 aprof scale axis-1100.aprof axis-2200.aprof axis-4400.aprof
expect 'sizes:   1100 2200 4400 (external input without start-up, in cells); predicted: 44000'
for n in 1100 2200 4400; do axis_of $n 10 | sed -e '$d' | awk -F '\t' -v OFS='\t' '
    /^totals/ { $2 = 100000 } /^profile.2/ { $5 = $6 = 99300 } /^trms.1.10/ { $4 = $8 = 99300; $5 = $6 = 9930; $7 = 986049000 }
    { print }' | seal >axis-$n.aprof; done
run 2 aprof scale axis-1100.aprof axis-2200.aprof axis-4400.aprof
expect_error 'no routine grows in proportion to the external input; give --sizes'

begin 'of many that rise five are named'
many_of()
{
    awk -v n="$1" 'BEGIN {
        OFS = "\t"; each = n * n / 500; rest = 400 * n
        print "aprof", 1; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"; print "arch", "amd64"
        print "command", "./app", n; print "process", 7; print "options", "-"; print "size", n; print "metrics", "trms"
        print "resolution", 4; print "cost", "bb"; print "threads", "merged"; print "end", "exit"
        print "totals", 7 * each + rest, 8, 9, 0, 0; print "object", 0, "/app"
        for (i = 0; i < 8; i++)
            print "routine", i, 0, sprintf("0x%x", 4096 * (i + 1)), 64, i < 7 ? "rise" i : "rest", "-", 0
        for (i = 0; i < 8; i++) {
            cost = i < 7 ? each : rest
            print "profile", i, 0, 1, cost, cost; print "trms", 7, 1, cost, cost, cost, sprintf("%.0f", cost * cost), cost, 0, 0
        }
    }' | seal
}
for n in 1000 2000 4000; do many_of $n >many-$n.aprof; done
run 0 aprof scale many-1000.aprof many-2000.aprof many-4000.aprof
expect '; and 2 more.'
same "$(grep -o 'of the cost to about' out | wc -l)" 5 'named'

begin 'the gate'
run 0 aprof scale --max=70 1000.aprof 2000.aprof 4000.aprof
run 1 aprof scale --max=60 1000.aprof 2000.aprof 4000.aprof
expect_error 'append: rises from 11.3% to'
run 0 aprof scale --max-growth=2.5 --sizes=1,2,4 1000.aprof 2000.aprof 4000.aprof
run 1 aprof scale --max-growth=1.5 --sizes=1,2,4 1000.aprof 2000.aprof 4000.aprof
expect_error 'append'

begin 'runs of its own: a stub in place of Valgrind copies the report of that size'
mkdir bin
cat >bin/valgrind <<'END'
#!/bin/sh
for word; do
    case $word in --aprof-out-file=*) to=${word#*=} ;; --fail) status=3 ;; esac
done
echo from the program
echo "${APROF_SIZE-none}" >>sizes
word=${word%.txt}
cp "$word.aprof" "$(echo "$to" | sed 's/%%/%/g')" # as the tool reads it
exit ${status:-0}
END
printf '#!/bin/sh\n' >app
chmod +x bin/valgrind app
PATH=$scratch/bin:$PATH APROF_VALGRIND_LIB=$scratch
export APROF_VALGRIND_LIB
run 0 aprof scale --keep=kept --run='./app {}' 1000 2000 4000
expect 'sizes:   1000 2000 4000 (the given sizes)'
expect_not 'from the program'
cmp -s kept/run-3.aprof 4000.aprof || fail 'the third report was not kept'
same "$(tr '\n' ' ' <sizes)" '1000 2000 4000 ' 'sizes that the reports carry'
begin 'arguments that are files: their sizes are those of the runs; a program that fails is refused'
for n in 1000 2000 4000; do head -c $((2 * n)) /dev/zero >$n.txt; done
run 0 aprof scale --run='./app {}' 1000.txt 2000.txt 4000.txt
expect "sizes:   2000 4000 8000 (the files' sizes, in bytes)"
run 2 aprof scale --run='./app --fail {}' 1000 2000 4000
expect_error 'app --fail 1000: exit status 3: only successful runs can be compared'
run 2 aprof scale --run='./app' 1000 2000 4000
expect_error 'no {} for the size in ./app'
status=0
aprof scale --run='./missing {}' 1 2 >out 2>err || status=$?
same "$status" 2 'status without a program'
grep -q 'no report was written' err || fail 'no word of the missing report'
mkdir '100%p'
run 0 aprof scale --keep='100%p' --run='./app {}' 1000 2000 4000
test -e '100%p/run-3.aprof' || fail 'a percent sign in the name of a folder'

begin 'a function that was inlined has a row of its own'
# main has the self cost 20 n + 9; `insert`, which is inlined into main, costs n^2 / 50.
inlined_of()
{
    awk -v n="$1" 'BEGIN {
        OFS = "\t"; insert = n * n / 50; own = 20 * n + 9; all = insert + own
        print "aprof", 3; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"
        print "arch", "amd64"; print "command", "./app", n; print "process", 7; print "options", "-"
        print "metrics", "trms"; print "resolution", 4; print "cost", "bb"; print "threads", "merged"
        print "end", "exit"; print "totals", all, 1, n, 0, 0
        print "object", 0, "/app"
        print "routine", 0, 0, "0x1000", 64, "main", "app.c", 3
        print "profile", 0, 0, 1, all, all
        print "trms", n, 1, all, all, all, sprintf("%.0f", all * all), all, 0, 0
        print "file", 0, "app.c"; print "inlined", 0, "-", 0, 7, "insert"
        print "lines", 0, "-", 0, 5, own
        print "lines", 0, 0, 0, 2, insert
    }' | seal
}
for n in 1000 2000 4000; do inlined_of $n >inlined-$n.aprof; done
run 0 aprof scale --sizes=1000,2000,4000 inlined-1000.aprof inlined-2000.aprof inlined-4000.aprof
expect 'Faster than the size grows: insert (inlined in main) (n^2.00).'
expect 'Rises: insert (inlined in main), from 80.0% of the cost to about 98% (larger inputs, costlier calls).'
run 0 aprof scale --sizes=1000,2000,4000 --format=tsv inlined-1000.aprof inlined-2000.aprof inlined-4000.aprof
same "$(cut -f 1,11 out | tail -n 2 | tr '\t\n' ' ;')" 'insert (inlined in main) 320000;main 80009;' 'rows'
run 0 aprof scale --sizes=1000,2000,4000 --format=json inlined-1000.aprof inlined-2000.aprof inlined-4000.aprof
expect '"inlined": "insert"'
run 0 aprof scale --no-inlined --sizes=1000,2000,4000 --format=tsv inlined-1000.aprof inlined-2000.aprof inlined-4000.aprof
same "$(cut -f 1,11 out | tail -n 1 | tr '\t\n' ' ;')" 'main 400009;' 'rows'

begin 'without system libraries: rows are omitted, shares remain'
sizes=1000,2000,4000
name=$(aprof scale --format=tsv --sizes=$sizes "$data"/run-*.aprof | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["routine"] }')
for one in 1000 2000 4000; do
    number=$(awk -F '\t' -v name="$name" '$1 == "routine" && $6 == name { print $2 }' "$data/run-$one.aprof")
    sed -e '$d' -e "s,^object\t0\t.*,&\nobject\t9999\t/usr/lib/libleader.so," -e "s,^routine\t$number\t[0-9]*,routine\t$number\t9999," "$data/run-$one.aprof" >lines
    objects=$(grep -c '^object' lines)
    sed -e "s,\t9999\t,\t$((objects - 1))\t," lines | seal >library-$one.report
done
run 0 aprof scale --format=tsv --sizes=$sizes library-*.report
cut -f 1-8 out >all
run 0 aprof scale --mine --format=tsv --sizes=$sizes library-*.report
cut -f 1-8 out >mine
same "$(grep -c "	$name" out)" 0 'the leader in a library'
same "$(wc -l <mine)" "$(($(wc -l <all) - 1))" 'rows'

finish
