#!/bin/sh
# report, merge, diff, export and html ask the file what it is; the older names are synonyms.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

points=$data/basic.aprof contexts=$data/basic.contexts events=$data/callgraph.events

# same_output STATUS WORDS... -- WORDS...: two commands that write the same.
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

# Options of the kind, whatever stands first, also those that another kind reads differently: -t
# takes a thread's number here, and nothing there.
same_output 0 report --tree -t 1 "$contexts" -- contexts report --tree -t 1 "$contexts"
same_output 0 report "$contexts" -n 2 -f tsv -- contexts report -n 2 -f tsv "$contexts"
run 0 aprof report -t "$data/threads.aprof"
run 2 aprof report --filter=x "$contexts"
expect_error "contexts report: unknown option --filter=x; see 'aprof help contexts report'"
run 2 aprof report --tree "$points"
expect_error "report: unknown option --tree; see 'aprof help report'"

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

begin 'nothing for a kind: one message'
for command in html check plot; do
    run 2 aprof $command "$contexts"
    expect_error "basic.contexts: has calling contexts, for which there is no $command; see 'aprof help contexts'"
done
run 2 aprof html "$events"
expect_error 'has counts of events, for which there is no html'
printf 'aprof-path-profile\t2\n' >profile
run 2 aprof merge profile
expect_error 'has counts of paths, for which there is no merge'

begin 'what is nothing of ours'
printf 'something else\n' >other
run 1 aprof report other
expect_error 'not a report of aprof'
run 1 aprof report missing
expect_error 'missing: No such file'
run 2 aprof diff "$points" "$contexts"
expect_error 'basic.aprof: not a file of calling contexts'

finish
