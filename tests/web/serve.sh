#!/bin/sh
# `aprof serve` in a real browser: a running program, a folder, a history; and requests that it refuses.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# With SCREENSHOTS set to a folder, pictures of the page are left there.
. "${0%/*}/../lib.sh"
. "$here/browser.sh"

has_page || skip 'aprof was built without the page (no node, npm or network)'
run 2 aprof serve
run 1 aprof serve missing
expect_error 'missing: No such file or directory'
run 2 aprof serve --port=65536 missing

begin 'processes that are not profiled are refused'
run 1 aprof serve 4194305
expect_error 'process 4194305: does not run'
sleep 100 &
run 1 aprof serve $!
expect_error "process $!: not profiled; start it with \`aprof run --dump-every=SECONDS\`"
kill $!

begin 'it prints an address, or how to get the library'
if ! has_serve; then
    grep -q '^aprof: serve: built without libmicrohttpd; install libmicrohttpd-dev and configure again$' .no_serve ||
        fail "it says: $(cat .no_serve)"
    skip 'aprof was built without libmicrohttpd'
fi
grep -q '^http://127.0.0.1:[0-9]*/[0-9a-f]\{32\}/$' .served || fail 'no address'
cp "$data/basic.aprof" one.aprof

begin 'in the browser'
require
mkdir folder
cp "$data/growth.aprof" folder/old.aprof
cp "$data/growth-changed.aprof" folder/new.aprof
touch -d '2001-01-01' folder/old.aprof
touch -d '2002-01-01' folder/new.aprof
cp "$data/basic.aprof" secret.aprof
echo garbage >folder/broken.aprof
touch -d '2000-01-01' folder/broken.aprof
echo text >folder/other.txt
# The history is only there if aprof was built with SQLite.
for label in first second; do
    aprof history add --database=folder.history --workload=w --label=$label "$data/growth.aprof" 2>err || :
done
compile busy '-O1 -fno-inline' busy.c
build gcc "-O1 -fno-inline" busy-compiled "$here/busy.c"
in_browser serve.mjs "$launcher"
finish
