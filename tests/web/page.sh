#!/bin/sh
# The page of `aprof html` in a real browser: table, search, plots, two reports, addresses, speed.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# With SCREENSHOTS set to a folder, pictures of the page are left there.
. "${0%/*}/../lib.sh"
. "$here/browser.sh"

has_page || skip 'aprof was built without the page (no node, npm or network)'

run 1 aprof html
expect_error 'no report: the current folder has no aprof.out.* or *.aprof; give a file'
cp "$data/basic.aprof" aprof.out.7
run 0 aprof html -o newest.html
expect_error 'html: reads aprof.out.7, the newest report in the current folder'
rm aprof.out.7
run 1 aprof html missing
expect_error 'missing: No such file'
run 1 aprof html "$data/growth.aprof" -o missing/page.html
expect_error 'missing/page.html: cannot write'

begin 'names cannot leave the script elements that they are in'
altered "$data/basic.aprof" 's/_ZN4list3addEii/<\/script><b id="hole">/' >hostile.aprof
run 0 aprof html hostile.aprof -o hostile.html
grep -q '<b id="hole">' hostile.html && fail 'a name ends the script element'
run 0 aprof html "$data/none.aprof" -o none.html
run 0 aprof html "$data/threads.aprof" --threads -o threads.html
run 0 aprof html "$data/wide.aprof" "$data/basic.aprof" -o several.html
run 0 aprof html "$data/growth.aprof" -o one.html
run 0 aprof html --title 'Before and after' "$data/growth.aprof" "$data/growth-changed.aprof" -o two.html
# Data about the code, with the source and without.
mkdir src
for file in book.cc book.h shop.cc; do
    awk -v file="$file" 'BEGIN { for (i = 1; i < 60; i++) print "    " file " has <this> at " i }' >"src/$file"
done
run 0 aprof html "$data/code.aprof" -o code.html
expect_not 'has \u003cthis'
run 0 aprof html --embed-source --source-path=/src="$scratch/src" "$data/code.aprof" -o source.html
run 0 aprof html --embed-source --source-path=/src="$scratch/src" "$data/code.aprof" "$data/code-changed.aprof" -o changed.html
sed -e '$d' -e 's,/src/book.h,/src/include/c++/book.h,' "$data/code.aprof" | seal >library.aprof
run 0 aprof html --embed-source --source-path=/src="$scratch/src" library.aprof -o library.html
# A function that main inlines is slower.
altered "$data/code.aprof" 's/^\(totals\)	1000/\1	3450/; s/	1000	700$/	3450	3150/; s/	1000	1000	1000	1000000	700	/	3450	3450	3450	11902500	3150	/; s/	5	150	1	400	/	5	2600	1	400	/' >slower.aprof
run 0 aprof html --embed-source "$data/code.aprof" slower.aprof -o slower.html
run 1 aprof diff --all --format=json "$data/code.aprof" slower.aprof
cp out slower.json
# A routine whose code was moved to another file.
altered "$data/code.aprof" 's/\(_ZN4Book4findEi	.src.\)book.cc/\1index.cc/' >renamed.aprof
run 0 aprof html "$data/code.aprof" renamed.aprof -o renamed.html
# Two long names that differ in the middle.
altered "$data/code.aprof" '
    s/_ZN4Book4findEi/_ZN7storage5pages12BalancedTreeISt4pairIiiESt4lessIiEE18find_or_insert_keyERKS2_/
    s/	compare	/	_ZN7storage5pages12BalancedTreeISt4pairIiiESt4lessIiEE21find_and_remove_rangeERKS2_	/' >long.aprof
run 0 aprof html long.aprof -o long.html
altered "$data/code-changed.aprof" '/^\(edge\|lines\|file\|inlined\)	/d' >uncoded.aprof
run 0 aprof html "$data/code.aprof" uncoded.aprof -o uncoded.html
# Prints the callers, callees and lines of each routine in `aprof report`, as ROUTINE WHAT NAME-OR-PLACE
# NUMBERS.
for name in main 'Book::find(int)' compare; do
    run 0 aprof report --width=0 --routine="$name" "$data/code.aprof"
    awk -v name="$name" -F '   *' -v OFS='\t' '
        /^(called by|calls) / { what = $1 == "calls" ? "callees" : "callers"; next }
        /^its own code at / { what = "lines"; next }
        /^$/ { what = "" }
        what == "lines" { print name, what, $1, $2, $3 }
        what ~ /^call/ { print name, what, $1, $4, $3 }' out
done >code.truth
test "$(wc -l <code.truth)" -ge 12 || fail "the report says too little: $(cat code.truth)"
rm src/book.h
run 0 aprof html --embed-source --source-path=/src="$scratch/src" "$data/code.aprof" -o partly.html
expect_error "code.aprof: 1 source file not found"
sed -e '$d' -e "s,^object\t0\t.*,object\t0\t/usr/lib/libshop.so," "$data/code.aprof" | seal >system.aprof
run 0 aprof html --embed-source --source-path=/src=missing system.aprof -o system.html
sed -e '$d' -e 's,^object\t0\t.*,&\nobject\t1\t/usr/lib/libcompare.so,' -e 's,^routine\t2\t0,routine\t2\t1,' "$data/code.aprof" | seal >mine.aprof
run 0 aprof html --mine mine.aprof -o mine.html
same "$(cat err)" "" "what is said of sources of the machine"
# The page begins like the report, and has the report's order.
altered "$data/growth.aprof" 's/	heap_sort	/	__libc_start_main	/; s/	tree_lookup	/	_start	/' >startup.aprof
run 0 aprof html startup.aprof -o startup.html
run 0 aprof report --width=0 startup.aprof
sed -n '/is the most expensive/,/aprof scale/p' out >startup.txt
sed '1,/--routine=NAME explains/d' out >advice.txt
sed -n 's/ (.*//; /^routine /,/^$/p' out | sed '1d; /^$/d' >startup.order
# Three runs: heap_sort grows with the square of the size, all other routines with the size.
for n in 1 2 4; do
    sed '$d' "$data/growth.aprof" | awk -F'\t' -v n="$n" 'BEGIN { OFS = FS }
        $1 == "metrics" { print "size", n }
        $1 == "profile" { $6 *= $2 == 2 ? n * n : n }
        { print }' | seal >"scale-$n.aprof"
done
run 0 aprof html scale-1.aprof scale-2.aprof scale-4.aprof -o scale.html
run 0 aprof scale --format=tsv scale-1.aprof scale-2.aprof scale-4.aprof
cp out scale.tsv
awk -v routines=5000 -v sizes=40 -f "$source/tests/web/generate.awk" | seal >large.aprof
run 0 aprof html large.aprof -o large.html
run 0 aprof report --format=tsv --mine large.aprof
same "$(($(wc -l <out) - 1))" 2500 'routines that are mine, as the page shall have them'
run 0 aprof html "$data/contexts.aprof" -o contexts.html
awk -v routines=3 -v sizes=60000 -f "$source/tests/web/generate.awk" | seal >dense.aprof
run 0 aprof html dense.aprof -o dense.html

in_browser page.mjs
finish
