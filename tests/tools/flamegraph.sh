#!/bin/sh
# `aprof flamegraph`: frames of contexts, of call edges, and of routines alone.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

# frame NAME: offset and width of the frames of that routine, in the unit of cost.
frame()
{
    sed -n "s/^<g class=\"f\" data-x=\"\([0-9]*\)\" data-w=\"\([0-9]*\)\" data-name=\"$1\".*/\1+\2/p" out | tr '\n' ' '
}

# By edges: main calls find at a cost of 300, and that compare at a cost of 120.
run 0 aprof flamegraph "$data/code.aprof"
same "$(frame shop)" '0+1000 ' 'the whole'
same "$(frame main)" '0+1000 ' main
same "$(frame 'Book::find(int)')" '700+300 ' find
same "$(frame compare)" '880+120 ' compare
expect '>shop: instructions, callers approximated from call edges</text>'
expect 'Book::find(int): 300 instructions, 30.00%; itself 180'
run 0 aprof flamegraph --inverted --title=callers "$data/code.aprof"
same "$(frame 'Book::find(int)')" '0+180 180+120 ' 'find, as routine and as caller'
expect '>callers</text>'

# By contexts, and by routines alone.
run 0 aprof flamegraph "$data/contexts.aprof"
expect 'by calling context</text>'
run 0 aprof flamegraph "$data/threads.aprof"
expect 'callers not recorded</text>'
run 0 aprof flamegraph "$data/none.aprof"

run 0 aprof flamegraph -o one.svg "$data/contexts.aprof"
run 0 aprof flamegraph -o two.svg "$data/contexts.aprof"
same_files one.svg two.svg 'the same report'
if command -v xmllint >/dev/null; then
    run 0 xmllint --noout one.svg
fi

# Of a file of calling contexts it is the other one.
run 0 aprof flamegraph -o three.svg "$data/basic.contexts"
run 0 aprof contexts flamegraph -o four.svg "$data/basic.contexts"
same_files three.svg four.svg 'contexts'

# Without a file it is the newest of this folder.
run 1 aprof flamegraph
expect_error 'no report: none was given, and this folder has none'
cp "$data/code.aprof" old.aprof
touch -d '2020-01-01' old.aprof
cp "$data/contexts.aprof" aprof.out.7
run 0 aprof flamegraph
expect_error 'flamegraph: aprof.out.7 is the newest report here'
same_files out one.svg 'the newest report'

run 1 aprof flamegraph missing
expect_error 'missing: No such file'
run 2 aprof flamegraph --min-share=2 "$data/code.aprof"

finish
