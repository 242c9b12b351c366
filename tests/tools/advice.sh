#!/bin/sh
# Tests the advice of `aprof report` about causes that hide much of the cost, and the absence of other advice.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
COLUMNS=
export COLUMNS

# made OBJECT SYMBOL FILE [POINTS [OBJECT SYMBOL FILE SELF]]: makes a report of a routine with self cost 100
# and POINTS points (30 make a curve), and perhaps of another routine. CALLS are the calls of each point, FROM
# and STEP define its inputs.
made()
{
    awk -v object="$1" -v symbol="$2" -v file="$3" -v points="${4:-30}" \
        -v c="${CALLS:-1}" -v from="${FROM:-0}" -v step="${STEP:-10}" \
        -v object2="${5:-$1}" -v symbol2="${6:-other}" -v file2="${7:-o.c}" -v self2="${8:-0}" 'BEGIN {
        OFS = "\t"; OFMT = "%.0f"
        print "aprof", 1; print "creator", "aprof 1.0.0"; print "tool", "valgrind 3.19.0"
        print "arch", "amd64"; print "command", "./app"; print "process", 7; print "options", "-"
        print "metrics", "trms"; print "resolution", 4; print "cost", "bb"; print "threads", "merged"
        print "end", "exit"; print "totals", 46500 + self2, points + 1, 9, 0, 0
        print "object", 0, object; print "object", 1, object2
        print "routine", 0, 0, "0x1000", 64, symbol, file, file == "-" ? 0 : 3
        print "routine", 1, 1, "0x2000", 64, symbol2, file2, file2 == "-" ? 0 : 3
        for (i = 1; i <= points; i++) sum += 100 * i * c
        print "profile", 0, 0, points * c, sum, sum
        for (i = 1; i <= points; i++)
            print "trms", from + step * i, c, 100 * i * c, 100 * i, 100 * i, 10000 * i * i * c, 100 * i * c, 0, 0
        print "profile", 1, 0, 1, self2, self2
        print "trms", 5, 1, self2, self2, self2, self2 * self2, self2, 0, 0
    }' | seal
}

# advised REPORT: prints the text after the legend, one sentence per line.
advised()
{
    aprof report --width=0 "$1" | sed '1,/^--routine=NAME shows/d' | sed 1d >out
    last="advice of $1"
}

begin 'a report that hides nothing has no advice'
made /home/me/app work app.c >good.aprof
run 0 aprof report --width=0 good.aprof
expect '--routine=NAME shows the details of a routine.'
advised good.aprof
same "$(cat out)" '' 'advice'

begin 'too few input sizes: run several sizes'
FROM=100 STEP=100 made /home/me/app work app.c 3 >few.aprof
advised few.aprof
same "$(wc -l <out)" 1 'sentences'
expect '100% of the displayed cost is in routines with too few input sizes'
expect 'Runs of other sizes would add input sizes to work (3)'
expect '`aprof report` adds all reports that are named'

begin 'calls that never read much are expensive by their number: other sizes would tell nothing of them'
CALLS=50 made /home/me/app work app.c 6 >small.aprof
run 0 aprof report --width=0 small.aprof
expect 'validated for 0% of the cost; for another 100% there is a trend. 100% of the cost is in routines whose inputs stay small'
advised small.aprof
same "$(cat out)" '' 'advice'
run 0 aprof report --width=0 few.aprof
expect_not 'never read more'

begin 'a few calls that read little, or much the same, and cost much are not expensive by their number'
made /home/me/app work app.c 6 >apart.aprof
run 0 aprof report --width=0 apart.aprof
expect 'validated for 0% of the cost; for another 100% there is a trend. To predict larger runs'
advised apart.aprof
same "$(wc -l <out)" 1 'sentences'
expect '100% of the displayed cost does not depend on input size'
expect '`aprof scale`'
FROM=100 STEP=1 made /home/me/app work app.c 12 >narrow.aprof
advised narrow.aprof
expect 'does not depend on input size'
expect_not 'adds all reports that are named'

begin 'most cost in start-up: a larger input'
made /home/me/app work app.c 30 /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 do_lookup_x rtld.c 50000 >start.aprof
advised start.aprof
expect '52% of the cost is start-up and the loading of libraries: run a larger input'
made /home/me/app work app.c 30 /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 do_lookup_x rtld.c 40000 >less.aprof
advised less.aprof
expect_not 'start-up'

begin 'a shell, an interpreter, and what only starts programs are named'
made /usr/bin/dash '-' '-' >shell.aprof
advised shell.aprof
expect 'dash is a shell: programs that its script starts have separate reports, if `aprof run`'
made /usr/bin/python3.11 work python.c >python.aprof
advised python.aprof
expect 'python3.11 is an interpreter: these are routines of the interpreter'
made /bin/busybox '-' '-' | sed -e '$d' -e 's/^command.*/command	busybox	sort	x/' | seal >applet.aprof
advised applet.aprof
expect_not 'shell'
sed -e '$d' -e 's/^command.*/command	busybox	sh	x/' applet.aprof | seal >applet-shell.aprof
advised applet-shell.aprof
expect 'busybox is a shell'
made /usr/bin/timeout work timeout.c >timeout.aprof
advised timeout.aprof
expect 'timeout only starts other programs'
made /usr/lib/libpython3.11.so.1.0 work python.c >library.aprof
advised library.aprof
expect_not 'interpreter'

begin 'names that are missing are of a stripped object, and it is named'
made /usr/lib/libjq.so.1 - - 30 /usr/bin/app main app.c 100 >stripped.aprof
advised stripped.aprof
expect 'of the cost is in routines without names, most of it in libjq.so.1, which was stripped: install the package -dbgsym'
expect 'has /usr/lib/libjq.so.1, or install debuginfod and set DEBUGINFOD_URLS=https://debuginfod.debian.net'
made /home/me/tool - - 100 >stripped.aprof
advised stripped.aprof
expect 'most of it in tool, which was stripped: build it with -g, and run the file that is not stripped'
if aprof contexts stats "$data/basic.contexts" >/dev/null 2>&1 && command -v readelf >/dev/null; then
    library=$(command -v readelf)
    library=$(readlink -f "$library")
    made "$library" - - 30 /usr/bin/app main app.c 100 >stripped.aprof
    advised stripped.aprof
    build_id=$(readelf -n "$library" 2>/dev/null | awk '/Build ID/ { print $3 }')
    test -z "$build_id" || expect "its build id is $build_id"
fi
made /home/me/app work app.c 30 /usr/lib/libjq.so.1 - - 100 >cheap.aprof
advised cheap.aprof
same "$(cat out)" '' 'advice'

begin 'names without lines want -g, but not those of the system'
made /home/me/app work - >bare.aprof
advised bare.aprof
expect '100% of the cost is in routines without file and line: compile with -g'
made /usr/lib/libz.so.1 work - >system.aprof
advised system.aprof
same "$(cat out)" '' 'advice'

begin 'code of no file was made by the program itself'
made - - - >jit.aprof
advised jit.aprof
expect '100% of the cost is in code that belongs to no file'
expect_not 'stripped'

begin 'what was inlined is worth a word'
advised "$data/code.aprof"
expect 'insert was inlined. To measure its calls, mark it __attribute__((noinline))'

begin 'a name that is long is short in a sentence'
sed -e '$d' -e 's/\twork\t/\t_ZSt9__find_ifIN9__gnu_cxx17__normal_iteratorIPKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIS7_SaIS7_EEEENS0_5__ops16_Iter_equals_valIKS7_EEET_SG_SG_T0_St26random_access_iterator_tag\t/' good.aprof | seal >long.aprof
run 0 aprof report --width=0 long.aprof
same "$(grep -cF 'std::__find_if<...>(...) is the most expensive' out)" 1 'short name'

begin 'who asks for a routine, or for a table, is not advised'
run 0 aprof report few.aprof work
expect_not 'adds all reports that are named'
run 0 aprof report --format=tsv few.aprof
expect_not 'adds all reports that are named'
run 0 aprof report --sort=calls few.aprof
expect_not 'adds all reports that are named'
finish
