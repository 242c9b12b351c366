#!/bin/sh
# Tests which changes `aprof gate` accepts and rejects, in every format.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

report=$data/growth.aprof

begin "the same run, but one routine's own code costs ten times as much"
sed '$d' "$report" | awk -F '\t' -v OFS='\t' '
    $1 == "routine" { name[$2] = $6 }
    $1 == "profile" && name[$2] == "heap_sort" { more = 9 * $6; $5 += more; $6 += more }
    { print }' | seal >worse.aprof

begin 'an unchanged program passes'
run 0 aprof gate --base="$report" "$report"
expect 'gate: passed'
expect '0 failed, 1 passed, 0 noted'

begin 'kept bounds pass, broken ones do not'
echo 'heap_sort n log n' >bounds
run 0 aprof gate --bounds=bounds "$report"
expect '0 failed, 1 passed, 0 noted'
echo 'bubble_sort n' >>bounds
run 1 aprof gate --bounds=bounds "$report"
expect 'gate: failed'
expect 'FAILED  bubble_sort  bound n broken from n = '

begin 'what is not decided is noted, and fails when strict'
echo 'setup n' >unknown
run 0 aprof gate --bounds=unknown "$report"
expect 'note  setup  bound n unknown: measured 3 input sizes'
run 1 aprof gate --strict --bounds=unknown "$report"

begin 'a bound for nobody fails unless it may'
echo 'nobody n' >nobody
run 1 aprof gate --bounds=nobody "$report"
expect 'FAILED  nobody  bound n: matches no routine of the report'
run 0 aprof gate --bounds=nobody --allow-missing "$report"
echo 'heap_sort n lgo n' >mistyped
run 1 aprof gate --bounds=mistyped "$report"

begin 'a routine that costs more than in the base fails, and others are not blamed'
run 1 aprof gate --base="$report" worse.aprof
expect 'FAILED  heap_sort  worse: self cost x10.0'
same "$(grep -c '^FAILED' out)" 1 'failures'

begin 'machines are told the same'
run 1 aprof gate --base="$report" --bounds=bounds --format=junit -o junit.xml worse.aprof
same "$(grep -c '<failure ' junit.xml)" 2 'failures for JUnit'
grep -q '<testcase classname="aprof.worse-routine" name="heap_sort">' junit.xml || fail 'no case for heap_sort'
run 1 aprof gate --base="$report" --bounds=bounds --format=sarif -o gate.sarif worse.aprof
same "$(grep -c '"level": "error"' gate.sarif)" 2 'errors for SARIF'
grep -q '"fullyQualifiedName": "heap_sort"' gate.sarif || fail 'no place for heap_sort'
run 1 aprof gate --base="$report" --bounds=bounds --format=markdown worse.aprof
expect '### aprof gate: failed'
expect '| FAILED | heap\_sort |'
if command -v python3 >/dev/null; then
    run 0 python3 -c 'import json, xml.dom.minidom
json.load(open("gate.sarif")); xml.dom.minidom.parse("junit.xml")'
fi

begin 'each finding in SARIF has a file: main for the total cost, the file of bounds for a pattern without a routine'
printf '# bounds\nheap_sort n log n\nnobody n\n' >missing-bounds
sed '$d' "$report" | sed 's/^totals	2120764/totals	5120764/' | seal >total.aprof
run 1 aprof gate --base="$report" --bounds=missing-bounds --format=sarif total.aprof
tr -d '\n' <out | sed 's/"ruleId"/\n&/g' | tr -s ' ' >results
grep -q '"total-cost".*"uri": "/src/app.c"}, "region": {"startLine": 3}' results || fail "total cost: $(cat results)"
grep -q '"bound-without-routine".*"uri": "missing-bounds"}, "region": {"startLine": 3}' results || fail "bound: $(cat results)"
sed '$d; s|^\(routine	.*\)	/src/[a-z]*\.c	[0-9]*$|\1	-	0|' total.aprof | seal >sourceless.aprof
run 1 aprof gate --base="$report" --format=sarif sourceless.aprof
same "$(grep -c '"uri": "sourceless.aprof"' out)" "$(grep -c '"ruleId"' out)" 'findings at the report'

begin 'where it got worse: the cause, the line, its text, and a path that others have too'
mkdir src
awk 'BEGIN { for (i = 1; i < 12; i++) print "// " i; print "\treturn a < b;" }' >src/book.h
for one in code code-changed; do
    sed -e '$d' -e "s|/src/|$PWD/src/|" "$data/$one.aprof" | seal >$one.aprof
done
run 1 aprof gate --base=code.aprof code-changed.aprof
expect 'The increase begins in Book::find(int): about as many calls as before'
expect 'compare: book.h:12: self cost 60 -> 1140'
expect '    return a < b;'
run 1 aprof gate --base=code.aprof --format=sarif code-changed.aprof
expect '"artifactLocation": {"uri": "src/book.h"}'
expect '"startLine": 12'
expect '"snippet": {"text": "return a < b;"}'
expect 'compare, called by Book::find(int) at book.cc:44: calls 8 -> 80'
run 1 aprof gate --base=code.aprof --format=junit code-changed.aprof
expect '>src/book.h:12'
expect 'return a &#60; b;'
run 1 aprof gate --base=code.aprof --format=markdown code-changed.aprof
expect '- The increase begins in Book::find(int)'
expect '  `return a < b;`'

begin 'library code that is inlined is charged to the line of the user that calls it'
for one in code code-changed; do
    sed -e '$d' -e "s|/src/book.h|/src/include/c++/book.h|" -e "s|/src/|$PWD/src/|" "$data/$one.aprof" | seal >$one.aprof
done
awk 'BEGIN { OFS = "\t" } { $0 = $0 }
    $1 == "lines" && $2 == 0 && $3 == 1 { sub("17\t60$", "17\t9060") }
    $1 == "totals" { sub("1000", "10000") }
    $1 == "profile" && $2 == 0 { sub("1000\t700", "10000\t9700") }
    $1 == "trms" && /1000\t1000\t1000\t1000000\t700/ { sub("1000\t1000\t1000\t1000000\t700", "10000\t10000\t10000\t100000000\t9700") }
    1' code.aprof | sed '$d' | seal >library.aprof
run 1 aprof gate --base=code.aprof --format=sarif library.aprof
expect '"artifactLocation": {"uri": "src/book.cc"}'
expect '"startLine": 7'

begin 'it wants something to ask'
run 2 aprof gate "$report"
expect_error 'expected --base=REPORT, --bounds=FILE, or both'
run 2 aprof gate --base=missing "$report"
run 2 aprof gate --bounds=missing "$report"
finish
