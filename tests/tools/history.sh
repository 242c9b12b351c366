#!/bin/sh
# Tests the history of runs: added runs are shown, changes are marked, and other databases do not change.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

run 0 aprof history add --label=one --workload=w "$data/basic.aprof"
test -s aprof.history || skip 'aprof was built without SQLite'
tab=$(printf '\t')

begin 'a run is shown with its cost'
cost=$(sed -n "s/^totals$tab\([0-9]*\).*/\1/p" "$data/basic.aprof")
run 0 aprof history show --format=tsv
same "$(sed -n 2p out | cut -f 1,3,4)" "one$tab$cost$tab-" 'first run'

begin 'the change from one run to the next is told, with the routines that made it'
run 0 aprof merge -o double.aprof "$data/basic.aprof" "$data/basic.aprof"
run 0 aprof history add --label=two --workload=w double.aprof
run 0 aprof history show --format=tsv
same "$(cut -f 1,3,4 out | sed -n 3p)" "two$tab$((2 * cost))$tab+100.0%" 'second run'
grep -q '+100.0%.*+100.0%' out || fail 'no routine is named'

begin 'a routine is shown run by run, and marked where it changed'
run 1 aprof history show work
expect_error 'work: 2 routines have this name; one routine is trees.c:work'
run 0 aprof history show --format=tsv trees.c:work
same "$(wc -l <out | tr -d ' ')" 3 'lines'
same "$(cut -f 8 out | sed -n '2p;3p' | tr '\n' ' ')" ' <- cost ' 'marks'

begin 'a run that is added again replaces itself'
run 0 aprof history add --label=one --workload=w "$data/basic.aprof"
run 0 aprof history show --format=tsv
same "$(cut -f 1 out | tr '\n' ' ')" 'label two one ' 'runs'

begin 'a slow drift is marked where its sum exceeds the threshold, a regression at once'
sed '$d' "$data/growth.aprof" >growth
for n in 1 2 3 4 5 6 7 8; do
    awk -v n="$n" -f "$source/tests/web/commits.awk" growth growth | seal >commit.aprof
    run 0 aprof history add --database=commits --workload=growth --label="c$n" commit.aprof
done
run 0 aprof history show --database=commits --format=tsv find_cached
same "$(awk -F'\t' '$8 ~ /cost/ { print $1 }' out | tr '\n' ' ')" 'c4 c7 ' 'change points of the drift'
run 0 aprof history show --database=commits --format=tsv heap_sort
same "$(awk -F'\t' '$8 ~ /cost/ { print $1 }' out)" c8 'change point of the regression'

begin 'a renamed source file: its routines continue, unless a run has routines of this name in both files'
renamed()
{
    sed "s|/src/sort.c|/src/$1.c|; s|/src/cache.c|/src/$2.c|; s|find_cached|heap_sort|" growth | seal >renamed.aprof
    run 0 aprof history add --database=renamed --label="$3" renamed.aprof
}
renamed sort cache r1
renamed order cache r2
renamed order cache r3
run 0 aprof history show --database=renamed --format=tsv bubble_sort
same "$(cut -f 1,3,4 out | tr '\t\n' '  ')" 'label own change r1 1511201 - r2 1511201 +0.0% r3 1511201 +0.0% ' 'runs of the routine'
run 0 aprof history show --database=renamed --format=tsv sort.c:bubble_sort
same "$(wc -l <out | tr -d ' ')" 4 'lines for the former file'
run 0 aprof history show --database=renamed --format=tsv
same "$(cut -f 5 out | tr -d '\n')" routines 'changed routines'
run 0 aprof history show --database=renamed --format=tsv order.c:heap_sort
same "$(cut -f 1 out | tr '\n' ' ')" 'label r1 r2 r3 ' 'runs of one of two routines of this name'
run 0 aprof history show --database=renamed --format=tsv cache.c:heap_sort
same "$(cut -f 1 out | tr '\n' ' ')" 'label r1 r2 r3 ' 'runs of the other'
run 1 aprof history show --database=renamed heap_sort
expect_error '2 routines have this name'
renamed both store r4
run 0 aprof history show --database=renamed --format=tsv bubble_sort
same "$(wc -l <out | tr -d ' ')" 5 'lines of a routine whose file was renamed twice'
run 1 aprof history show --database=renamed heap_sort
expect_error '5 routines have this name'

begin 'other workloads are kept apart'
run 0 aprof history add --label=three --workload=other "$data/basic.aprof"
run 0 aprof history show --format=tsv
same "$(cut -f 1 out | tr '\n' ' ')" 'label three ' 'runs of the last'

begin 'pictures, JSON and Markdown'
run 0 aprof history show --format=json
grep -q '"label": "three"' out || fail 'no JSON'
run 0 aprof history show --format=markdown
grep -q '^| three' out || fail 'no Markdown'
if command -v gnuplot >/dev/null; then
    run 0 aprof history show -o picture.svg
    grep -q '</svg>' picture.svg || fail 'no picture'
fi
run 2 aprof history show -o picture.doc

begin 'what is no history is left as it is'
echo 'not a database' >text
cp text before
run 1 aprof history add --label=x --database=text "$data/basic.aprof"
cmp text before || fail 'it was changed'
run 1 aprof history show --database=missing
expect_error 'missing: no such history; create it with `aprof history add`'
run 1 aprof history show nothing
expect_error 'nothing: no such routine in the history'
if command -v sqlite3 >/dev/null; then
    sqlite3 other 'CREATE TABLE t(a)'
    run 1 aprof history add --label=x --database=other "$data/basic.aprof"
    expect_error 'other: not a history of aprof'
    sqlite3 aprof.history 'PRAGMA user_version=99'
    run 1 aprof history show
    expect_error 'aprof.history: written by a later aprof'
fi

begin 'the commit is the name where there is a repository'
if command -v git >/dev/null; then
    git init -q repository
    cd repository
    git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first
    run 0 aprof history add "$data/basic.aprof"
    run 0 aprof history show --format=tsv
    same "$(cut -f 1 out | sed -n 2p)" "$(git describe --always)" 'label'
    cd ..
fi
mkdir empty
cd empty
GIT_CEILING_DIRECTORIES=$scratch run 2 aprof history add "$data/basic.aprof"
cd ..
finish
