#!/bin/sh
# Tests that the pages on the evaluation are generated from the results.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/lib.sh"

folder=$source/bench/evaluate

begin 'pages are made of their texts and the results'
for page in evaluation story; do
    run 0 sh "$folder/document.sh" "$folder/$page.md.in"
    cmp -s out "$source/docs/$page.md" || fail "docs/$page.md is older than its results: make evaluation"
done

begin 'another result makes another page'
cp -R "$folder/results" results
chmod -R u+w results
for cell in results/mariadb/*.txt; do
    sed 's/^totals	\([^	]*\)	/&9/' "$cell" >changed
    cp changed "$cell"
done
run 0 sh "$folder/document.sh" -r results
cmp -s out "$source/docs/evaluation.md" && fail 'the page does not depend on the results'

begin 'a part that was not measured says so'
mkdir empty
run 0 sh "$folder/document.sh" -r empty
expect 'Not measured yet: `make evaluate-mariadb`'

begin 'a report that is cut to one routine is a report with the same points'
report=$data/growth.aprof
awk -v symbol=heap_sort -f "$folder/keep_routine.awk" "$report" | "$build/tests/tools/seal" >cut.aprof
aprof export --routine=heap_sort "$report" | cut -d , -f 3,7- >wanted
run 0 aprof export --routine=heap_sort cut.aprof
cut -d , -f 3,7- out >points
cmp -s wanted points || fail 'other points'
run 0 aprof report cut.aprof
expect '1 of 1 routines'

begin 'curves over routines are those of the figures'
printf 'points\tinput\tthread_induced_share\texternal_share\troutine\tobject\tfile\tline\n' | tee trms >rms
printf '%s\n' '30	400	25	25	one	o	f	1' '5	100	0	40	two	o	f	2' '1	10	0	0	three	o	f	3' >>trms
printf '%s\n' '10	100	25	25	one	o	f	1' '5	50	0	40	two	o	f	2' '2	10	0	0	three	o	f	3' >>rms
run 0 awk -v name=x -f "$folder/curves.awk" trms rms
expect 'origin	x	0	2'
expect 'curve	x	0	2	75	50	100	25	25'
expect 'curve	x	40	0	50	0	50	40	0'
expect 'curve	x	100	-0.5	0	0	0	0	0'
finish
