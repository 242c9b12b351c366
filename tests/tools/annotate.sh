#!/bin/sh
# Tests `aprof annotate`: sources with cost per line and calls, for files, routines and inlined functions.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

code=$data/code.aprof

# The sources that the report names, below another folder: line N of FILE says "FILE N".
mkdir src
for file in book.cc book.h shop.cc; do
    awk -v file=$file 'BEGIN { for (i = 1; i <= 60; i++) print "\t" file " " i }' >src/$file
done
moved=--source-path=/src=$PWD/src

# row TEXT: checks a line of the output, with each sequence of blanks and TABs as one blank.
row()
{
    tr -s ' \t' ' ' <out | sed 's/^ //' | grep -qx -e "$1" || {
        fail "$last: no row $1"
        show out
    }
}

begin 'the dearest file: 5, 6 and 7 by what is inlined into main, 40 to 44 by find'
run 0 aprof annotate "$moved" "$code"
expect 'Cost in instructions, 1000 in total'
expect '/src/book.cc: 77.0% of the cost'
row '150 15.0% 5 book.cc 5'
row '400 40.0% 6 book.cc 6'
row '40 4.0% 7 book.cc 7'
row '0 0.0% 12 book.cc 12'
row '220 22.0% > 3 calls of Book::find(int)'
row '20 2.0% 44 book.cc 44'
row '120 12.0% > 8 calls of compare'
row '1 book.cc 1'
row '48 book.cc 48'
expect '(2 more files: --top=0 shows all)'
expect_not 'book.cc 49'
same "$(grep -c '^--$' out)" 1 'gaps'
same "$(sed -n '/book.cc 16/{n;p;n;p;}' out | tr -s ' \t' ' ' | tr '\n' ' ')" '--  36 book.cc 36 ' 'what is left out'

run 0 aprof annotate "$moved" --context=0 --top=0 "$code"
expect '/src/shop.cc: 5.0% of the cost'
expect '/src/book.h: 16.0% of the cost'
expect_not 'book.cc 4 '

begin 'a file, a routine, and what was inlined'
run 0 aprof annotate "$moved" -C1 "$code" shop.cc
row '10 1.0% 22 shop.cc 22'
row '80 8.0% > 1 call of Book::find(int)'
expect_not book.cc
run 0 aprof annotate "$moved" -C1 "$code" 'Book::find(int)'
expect '/src/book.cc: 18.0% of the cost'
expect_not 'book.cc 5'
run 0 aprof annotate "$moved" "$code" 'Book::insert(Order)'
expect '/src/book.cc: 59.0% of the cost'
expect '/src/book.h: 6.0% of the cost'
expect_not shop.cc
row '220 22.0% > 3 calls of Book::find(int)'

begin 'library code that is inlined counts for the line of the program, and a row says how much of it'
sed -e '$d' -e 's|/src/book.h|/src/include/c++/book.h|' "$code" | seal >library.report
mkdir -p src/include/c++ && cp src/book.h src/include/c++/
run 0 aprof annotate "$moved" library.report
expect '= marks inlined library code; its cost is part of the cost of the line.'
expect '/src/book.cc: 83.0% of the cost'
row '100 10.0% 7 book.cc 7'
row '60 6.0% = inlined: swap'
row '400 40.0% 6 book.cc 6'
run 0 aprof annotate "$moved" library.report main
expect_not 'book.h'
run 0 aprof annotate "$moved" library.report include/c++/book.h
row '60 6.0% 17 book.h 17'
row '40 4.0% 9 book.h 9'
expect_not '= inlined'
run 0 aprof annotate "$moved" library.report swap
row '60 6.0% 17 book.h 17'
run 0 aprof annotate --mine "$moved" library.report include/c++/book.h
row '60 6.0% 17 book.h 17'

begin 'without the sources'
run 0 aprof annotate "$code" shop.cc
expect_error 'annotate: /src/shop.cc: source not found; give its folder with --source-path=FROM=TO'
row '10 1.0% 22'

run 1 aprof annotate "$code" nothing
expect_error 'nothing: no such routine'
run 1 aprof annotate "$data/basic.aprof"
expect_error 'contains no costs of lines'
run 1 aprof annotate "$moved" -o no/where "$code"
expect_error 'cannot write'
run 1 aprof annotate
expect_error 'no report: the current folder has no aprof.out.* or *.aprof; give a file'
run 1 aprof annotate missing
expect_error 'missing: No such file'

begin 'without a report it is the newest one here, for files, routines and inlined functions'
cp "$code" aprof.out.7
run 0 aprof annotate "$moved"
expect_error 'annotate: reads aprof.out.7, the newest report in the current folder'
expect '/src/book.cc: 77.0% of the cost'
cp src/shop.cc shop.cc
run 0 aprof annotate "$moved" shop.cc
expect 'shop.cc'
run 1 aprof annotate nothing
run 1 aprof annotate damaged.aprof
expect_error 'damaged.aprof: No such file'

finish
