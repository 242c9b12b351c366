#!/bin/sh
# Tests that damaged reports give one clear message and status 1.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

good=$data/basic.aprof

# bad_body WHAT SED-SCRIPT: tests an intact file with a wrong line.
bad_body()
{
    altered "$good" "$2" >bad
    run 1 aprof report bad
    expect_error "$1"
}

begin 'what is none'
run 1 aprof report missing
expect_error 'missing: No such file or directory'
run 1 aprof report .
expect_error '.: is a directory'
: >empty
run 1 aprof report empty
expect_error 'empty: empty file'
run 1 aprof report "$build/tools/aprof"
expect_error 'not a report of aprof'
printf 'events: Ir\n' >foreign
run 1 aprof report foreign
expect_error 'foreign: not a report of aprof'
printf 'aprof\tone\n' >foreign
run 1 aprof report foreign
expect_error 'not a report of aprof: unreadable version'

begin 'a file that breaks off anywhere is truncated, and one changed byte anywhere is noticed'
refuses_damage "$good" aprof report

begin 'files that a report names are read only if they are files: nobody waits for a FIFO'
mkfifo fifo
sed '$d' "$data/code.aprof" | sed "s|	/src/book.cc\$|	$scratch/fifo|; s|	/src/book.h\$|	/x|; s|	/src/shop.cc\$|	/y|" >body
LC_ALL=C sort -t '	' -k 3 body | grep '^file	' | awk -F '\t' -v OFS='\t' '{ $2 = NR - 1; print }' >files
awk 'NR == FNR { file[++n] = $0; next } /^file\t/ { print file[++done]; next } { print }' files body | seal >names
run 0 timeout 20 aprof annotate names
sed '$d' "$good" | sed "s|^tool	.*|tool	compiled|; s|	/usr/bin/app\$|	$scratch/fifo|" | seal >names
for command in report export; do
    run 0 timeout 20 aprof $command names
done

begin 'wrong lines'
altered "$good" '1s/1$/7/' >newer
run 1 aprof report newer
expect_error 'written by a newer aprof: format version 7'

bad_body "bad:2: expected the line 'creator'" 2d
bad_body "bad:9: resolution: not 1, 2, 4, 8 or 16" 's/^resolution.*/resolution	3/'
bad_body "bad:8: metrics: unknown metric" 's/^metrics.*/metrics	trms	xms/'
bad_body "bad:8: metrics: named twice" 's/^metrics.*/metrics	trms	trms/'
bad_body "bad:10: cost: unknown unit" 's/^cost.*/cost	ns/'
bad_body "bad:11: threads: neither merged nor separate" 's/^threads.*/threads	some/'
bad_body "bad:13: too few fields" 's/^totals.*/totals	1	2	3	4/'
bad_body "bad:13: too many fields" 's/^totals.*/totals	1	2	3	4	5	6/'
bad_body "bad:13: cost: number too large" 's/^totals.*/totals	18446744073709551616	2	3	4	5/'
bad_body "bad:15: id: out of order" 's/^object	1/object	2/'
bad_body "bad:5: command: bad escape" 's/^command.*/command	a\\q/'
bad_body "bad:5: command: empty field" 's/^command.*/command		b/'
bad_body "bad:16: object: out of range" 's/^routine	0	0/routine	0	2/'
bad_body "bad:16: offset: not a hexadecimal number" 's/0x1139/1139/'
bad_body "out of order" 's/^profile	1	/profile	0	/'
bad_body "thread: does not agree with the line 'threads'" 's/^profile	1	0/profile	1	1/'
bad_body "routine: out of range" 's/^profile	7	/profile	8	/'
bad_body "calls: a point without calls" 's/^trms	9	1/trms	9	0/'
bad_body "cost: the smallest cost is above the largest cost" 's/80	80	80/80	81	80/'
bad_body "input: not above the input of the previous point" 's/^trms	20/trms	10/'
bad_body "metrics out of order" 's/^rms	22\(.*\)/rms	22\1\ntrms	23\1/'
bad_body "squares: not a number" 's/6400/-6400/'
bad_body "unknown record" 's/^trms	9/xyz	9/'

# Where in the code.
plain=$good
good=$data/code.aprof
bad_body "bad:26: file out of order" 's/^file	1.*/file	1	\/src\/a.cc/'
bad_body "inlined: out of range" 's/^inlined	1	0/inlined	1	1/'
bad_body "file: out of range" 's/^inlined	1	0	0/inlined	1	0	3/'
bad_body "edge out of order" 's/^edge	0	1	-/edge	0	1	0/'
bad_body "edge out of order" 's/^edge	1	2/edge	0	0/'
bad_body "callee: out of range" 's/^edge	1	2/edge	1	3/'
bad_body "lines out of order" 's/400	1	40$/400	0	40/'
bad_body "lines out of order" 's/^lines	1/lines	0/'
bad_body "a line without its cost" 's/400	1	40$/400	1/'
bad_body "line: out of range" 's/400	1	40$/400	4294967290	40/'
bad_body "a point before the first profile" '/^file	0/a trms	99	1	1	1	1	1	1	0	0'
bad_body "record out of order" '/^lines	2	-	1/a edge	2	2	-	-	0	1	0	0'
good=$plain

bad_body "bad:12: end: control character" "$(printf '12s/exit/ex\001it/')"
sed -e '$d' "$good" | sed 12q | seal >bad
run 1 aprof report bad
expect_error "bad: the line 'totals' is missing"

begin 'nothing of a damaged report reaches the output'
run 1 aprof export "$good" longer -o both.csv
if test -e both.csv; then
    fail 'a failed export left its file'
fi
same "$(echo both.csv.*)" 'both.csv.*' 'files left behind'

begin 'compressed reports are read as they are, from files and from pipes'
reads_packed "$good" aprof export

finish
