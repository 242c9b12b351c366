#!/bin/sh
# Tests that damaged files of calling contexts give one clear message and status 1.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

good=$data/basic.contexts

# bad_body WHAT SED-SCRIPT: tests an intact file with a wrong line.
bad_body()
{
    altered "$good" "$2" >bad
    run 1 aprof contexts stats bad
    expect_error "$1"
}

begin 'what is none'
run 1 aprof contexts stats missing
expect_error 'missing: No such file or directory'
run 1 aprof contexts stats "$data/basic.aprof"
expect_error 'not a file of calling contexts'
printf 'aprof-contexts\tone\n' >foreign
run 1 aprof contexts stats foreign
expect_error 'foreign: not a file of calling contexts: unreadable version'
altered "$good" '1s/1$/2/' >newer
run 1 aprof contexts stats newer
expect_error 'written by a newer aprof: format version 2'

begin 'a file that breaks off anywhere is truncated, and one changed byte anywhere is noticed'
refuses_damage "$good" aprof contexts stats

begin 'wrong lines'
bad_body "bad:2: expected the line 'creator'" 2d
bad_body 'bad:6: technique: unknown word' 's/^technique.*/technique	ct/'
bad_body 'bad:8: weight: unknown word' 's/^weight.*/weight	instructions/'
bad_body 'bad:9: phi: not a share from 0 to 1' 's/^phi.*/phi	1.5/'
bad_body 'bad:10: epsilon: not a share from 0 to 1' 's/^epsilon.*/epsilon	0.1x/'
bad_body 'bad:14: build-id: not a hexadecimal number' 's/beef/beet/'
bad_body 'bad:15: object: out of range' 's/^routine	0	0/routine	0	2/'
bad_body 'bad:16: id: out of order' 's/^routine	1	/routine	2	/'
bad_body 'nodes: out of range' 's/^tree	1	581	581	7/tree	1	581	581	0/'
bad_body 'the previous tree has too few contexts' 's/^tree	1	581	581	7/tree	1	581	581	8/'
bad_body 'bad:26: the tree has too many contexts' 's/^tree	1	581	581	7/tree	1	581	581	6/'
bad_body 'the last tree has too few contexts' 's/^tree	2	19	19	3/tree	2	19	19	4/'
bad_body 'thread: out of order' 's/^tree	2/tree	1/'
bad_body "a tree's first context must be its root" 's/^context	0	-	-/context	0	-	0/'
bad_body 'parent: out of range' 's/^context	2	1	1/context	2	2	1/'
bad_body 'parent: out of range' 's/^context	3	1	1/context	3	6	1/'
bad_body 'a context without parent or routine' 's/^context	3	1	1/context	3	-	1/'
bad_body 'routine: out of range' 's/^context	6	5	3/context	6	5	4/'
bad_body 'site-object: out of range' 's/	0	0x1110/	2	0x1110/'
bad_body 'site-offset: in no object' 's/	0	0x1110/	-	0x1110/'
bad_body 'site-offset: not a hexadecimal number' 's/	0	0x1110/	0	1110/'
bad_body 'error: above the count' 's/	40	0	1/	40	41	1/'
bad_body 'monitored: out of range' 's/	40	0	1/	40	0	2/'
bad_body 'count: number too large' 's/	40	0	1/	18446744073709551616	0	1/'
bad_body 'a context before the first tree' '/^tree	1/d'
bad_body 'record out of order' '/^routine	3/{p;s/.*/object	2	late	-/;}'
bad_body 'unknown record' 's/^context	2/contexts	2/'
sed -e '$d' "$good" | sed 11q | seal >bad
run 1 aprof contexts stats bad
expect_error "bad: the line 'end' is missing"

begin 'compressed files and pipes; the fuzz harness takes the file and all its beginnings'
reads_packed "$good" aprof contexts stats
run 0 "$build/tests/fuzz/replay_contexts" "$good"

begin 'nothing is left of a file that could not be made'
run 1 aprof contexts prune -o result bad
if test -e result; then
    fail 'a failed command left its file'
fi

begin 'large trees: deeper than any stack, and a comparison that is not quadratic'
"$build/tests/contexts_tools/generate" 7 100000 300 2 abcd >large
run 0 aprof contexts prune --phi=1e-6 -o large_hot large
run 0 aprof contexts compare --thread=2 --phi=1e-6 --max-missed=0 --max-false=0 --max-error=0 large large_hot
run 0 aprof contexts compare --phi=1e-6,1e-5 --max-missed=0 large large_hot
{
    sed -e '/^tree/,$d' "$good"
    awk 'BEGIN {
        n = 300000
        printf "tree\t1\t%d\t%d\t%d\t%d\n", n, n, n + 1, n
        print "context\t0\t-\t-\t-\t0x0\t0\t0\t0"
        for (i = 1; i <= n; i++)
            printf "context\t%d\t%d\t1\t-\t0x0\t1\t0\t1\n", i, i - 1
    }'
} | seal >deep
run 0 aprof contexts report --top=1 deep
expect 'deepest 300000'
run 0 aprof contexts report --tree --top=1 --phi=0 deep
run 0 aprof contexts report --inverted deep
run 0 aprof contexts merge -o deep_sum deep deep
run 0 aprof contexts flamegraph -o deep.svg deep
run 0 aprof contexts export --format=speedscope -o deep.json deep
run 0 aprof contexts export -o deep.folded deep
run 0 aprof contexts compare --scale deep deep_sum

finish
