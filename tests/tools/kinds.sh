#!/bin/sh
# Tests that report, merge, diff, export and html read the kind from the file; the older names are synonyms.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers

points=$data/basic.aprof contexts=$data/basic.contexts events=$data/callgraph.events

# same_output STATUS WORDS... -- WORDS...: checks that two commands have equal output.
same_output()
{
    wanted=$1
    shift
    one=
    while test "$1" != --; do
        one="$one $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # words of a command
    run "$wanted" aprof $one
    cp out first
    run "$wanted" aprof "$@"
    cmp out first || fail "$one and $* differ"
}

same_output 0 report "$contexts" -- contexts report "$contexts"
same_output 0 report "$events" -- events report "$events"
same_output 0 merge "$contexts" -- contexts merge "$contexts"
same_output 0 merge "$events" "$events" -- events merge "$events" "$events"
same_output 0 diff "$contexts" "$contexts" -- contexts compare "$contexts" "$contexts"
same_output 0 diff "$events" "$events" -- events compare "$events" "$events"
same_output 0 export "$contexts" -- contexts export "$contexts"
same_output 0 export "$events" -- events report --format=csv "$events"

# The options of a kind, in any order of the words.
same_output 0 report --tree --thread 1 "$contexts" -- contexts report --tree --thread=1 "$contexts"
same_output 0 report "$contexts" -n 2 -f tsv -- contexts report -n 2 -f tsv "$contexts"
run 0 aprof report -t "$data/threads.aprof"
run 2 aprof report --filter=x "$contexts"
expect_error 'report: --filter does not apply to calling contexts; see '
run 2 aprof report --tree "$points"
expect_error "report: --tree does not apply to points of routines; see 'aprof help report'"

begin 'every kind has the formats text, tsv, csv and json'
for file in "$points" "$contexts" "$events"; do
    run 0 aprof report --format=text "$file"
    run 0 aprof report --format=json "$file"
    python3 -m json.tool out >/dev/null || fail "$file: no JSON"
    run 0 aprof report --format=csv "$file"
    cp out csv
    run 0 aprof report --format=tsv "$file"
    python3 -c 'import csv; rows = [list(csv.reader(open(name), **how)) for name, how in
        (("csv", {}), ("out", {"delimiter": "\t", "quoting": csv.QUOTE_NONE}))]
shapes = [[len(row) for row in table] for table in rows]
assert rows[0][0] == rows[1][0] and shapes[0] == shapes[1] and len(rows[0]) > 1' || fail "$file: csv and tsv differ"
done

begin 'one table of options: what does not apply to a kind'
same_output 0 report -s name -f tsv "$contexts" -- contexts report --sort=name --format=tsv "$contexts"
same_output 0 report -s name -f tsv "$points" -- report --sort=name --format=tsv "$points"
same_output 0 report -n 1 -f json "$events" -- events report --top=1 --format=json "$events"
run 2 aprof report --sort=depth "$points"
expect_error '--sort must be one of self, total, growth'
run 2 aprof report --sort=total "$contexts"
expect_error '--sort must be one of count, subtree, error, depth, name, not total'
run 2 aprof report -s name "$events"
expect_error "--sort does not apply to counts of events"
run 2 aprof export --phi=0.1 "$points"
expect_error "export: --phi does not apply to points of routines; see 'aprof help export'"
run 2 aprof export --format=sqlite "$contexts"
expect_error '--format must be one of folded, speedscope, dot, csv, not sqlite'
run 2 aprof diff --map=a=b "$contexts" "$contexts"
expect_error "diff: --map does not apply to calling contexts; see 'aprof help diff'"
run 2 aprof diff -p 0.1 "$points" "$points"
expect_error "diff: --phi does not apply to points of routines; see 'aprof help diff'"
run 0 aprof merge --debug-path=. "$contexts"
run 2 aprof merge --debug-path=. "$points"
expect_error "merge: --debug-path does not apply to points of routines; see 'aprof help merge'"
run 2 aprof flamegraph --thread=1 "$data/code.aprof"
expect_error "flamegraph: --thread does not apply to points of routines; see 'aprof help flamegraph'"
run 0 aprof flamegraph --thread=1 "$contexts"

begin 'a threshold for every kind'
sed '/^complete/d; s/\t300\t0\t1$/\t330\t0\t1/; s/\t581\t581\t/\t611\t611\t/' "$contexts" | seal >more.contexts
run 0 aprof diff "$contexts" more.contexts
run 1 aprof diff --threshold=5 "$contexts" more.contexts
expect '1 contexts rose by more than 5%'
run 0 aprof diff --threshold=15 "$contexts" more.contexts
run 0 aprof diff --threshold=5 more.contexts "$contexts"
run 0 aprof diff -t 5 --min-share=90 "$contexts" more.contexts
run 1 aprof contexts compare -t 5 -f csv -n 1 "$contexts" more.contexts
sed '/^complete/d; s/\t400$/\t440/' "$events" | seal >more.events
run 0 aprof diff "$events" more.events
run 1 aprof diff --threshold=5 "$events" more.events
expect '1 counts rose by more than 5%'
run 0 aprof diff --threshold=15 "$events" more.events
run 0 aprof gate --base="$contexts" "$contexts"
run 1 aprof gate --base="$contexts" --threshold=5 more.contexts
expect '1 failed, 0 passed, 0 noted'
expect 'FAILED  list::add(int, int)  330, was 300 (+10.0%): list::add(int, int) < parse'
run 0 aprof gate -b "$contexts" -t 15 -o written more.contexts
grep -q '0 failed, 1 passed, 0 noted' written || fail 'the gate wrote no file'
run 1 aprof gate --base="$events" --threshold=5 more.events
expect 'FAILED  parse, list::add(int, int)  440, was 400 (+10.0%): count'
run 0 aprof gate --base="$events" more.events
run 1 aprof gate --base="$contexts" -t 5 -f junit more.contexts
expect '<testcase classname="aprof.risen-count" name='
run 1 aprof gate --base="$events" -t 5 -f sarif more.events
expect '"artifactLocation": {"uri": "more.events"}'
run 1 aprof gate --base="$events" -t 5 -f markdown more.events
expect '| FAILED |'
run 2 aprof gate --base="$points" more.contexts
run 2 aprof gate more.events
expect_error 'gate: expected --base=REPORT'
run 2 aprof gate --bounds=x more.contexts
expect_error "gate: --bounds does not apply to calling contexts; see 'aprof help gate'"
run 0 aprof diff --top=1 --format=json "$data/growth.aprof" "$data/growth.aprof"

begin 'compressed, from a pipe, in a folder'
gzip -c "$contexts" >compressed
same_output 0 report compressed -- contexts report "$contexts"
run 0 sh -c 'cat "$1" | aprof report -' sh "$contexts"
cmp out first || fail 'a pipe reads differently'
run 0 sh -c 'aprof report - <"$1"' sh "$contexts"
cmp out first || fail 'standard input reads differently'
mkdir folder
cp "$events" folder/a
cp "$events" folder/b
same_output 0 merge folder -- events merge "$events" "$events"

begin 'a letter means one option in all of these commands (-t and -b are of two)'
for command in report diff merge export flamegraph html gate check contexts\ stats contexts\ prune; do
    # shellcheck disable=SC2086 # words of a command
    aprof help $command
done | sed -n 's/^  -\([a-z]\), --\([a-z-]*\).*/\1 \2/p' | grep -v '^[tb] ' | sort -u >letters
grep -q '^s sort$' letters || fail 'no letters'
same "$(cut -c1 letters | uniq -d)" '' 'letters of two options'

begin 'nothing for a kind: one message'
for command in html check plot; do
    run 2 aprof $command "$contexts"
    expect_error "basic.contexts: contains calling contexts, which '$command' does not support; use one of: "
    expect_error 'diff'
done
run 2 aprof html "$events"
expect_error "contains counts of events, which 'html' does not support"
printf 'aprof-path-profile\t2\n' >profile
run 2 aprof merge profile
expect_error "contains counts of paths, which 'merge' does not support; use one of: "

begin 'what is nothing of ours'
printf 'something else\n' >other
run 1 aprof report other
expect_error 'not a report of aprof'
run 1 aprof report missing
expect_error 'missing: No such file'
run 2 aprof diff "$points" "$contexts"
expect_error 'basic.contexts: contains calling contexts, but '
expect_error 'basic.aprof does not; give reports of the same kind'
run 2 aprof diff "$contexts" "$events"
expect_error 'callgraph.events: contains counts of events, but '
run 2 aprof merge "$contexts" other
expect_error 'basic.contexts: contains calling contexts, but other does not'
run 2 aprof diff missing "$contexts"
expect_error 'missing: No such file'
run 0 aprof report --routine=main -- "$data/code.aprof"

finish
