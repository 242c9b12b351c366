#!/bin/sh
# Tests that the manual's records have the fields of the schema, in the schema's order.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

test -x "$build/tests/tools/test_schema" || skip 'cmocka is not installed'

# documents PAGE COUNT: checks that the page has the synopses of the schema, and that there are COUNT of them.
documents()
{
    "$build/tests/tools/test_schema" "$1" >records
    while read -r tag fields; do
        item=$(sed -n "s/^\.It Ic $tag //p" "$source/docs/$1" | sed 's/ *Op Ar \(.*\)$/ [ \1 ]/; s/^Ar //; s/^ //')
        same "$item" "$fields" "the fields of the record $tag in docs/$1"
    done <records
    same "$(wc -l <records | tr -d ' ')" "$2" "records of docs/$1"
}

begin 'each record of ground/record_schema.h is in the manual as it is written'
documents aprof-out.5 25
documents aprof-contexts-file.5 15

begin 'and those of reports of analyses'
"$build/tests/tools/test_schema" analyses.md >records
sed -n '/^    creator\t/,/^    routine\t/ p' "$source/docs/analyses.md" |
    sed 's/^    //; s/   *.*//' | tr '\t[:upper:]' ' [:lower:]' >documented
test -s documented || fail 'no records in docs/analyses.md'
cmp records documented || fail 'docs/analyses.md has other records'

finish
