#!/bin/sh
# Tests files from untrusted sources: the work on a file grows with its size, or the file is refused.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The sizes are such that quadratic work takes minutes; linear work takes less than a second.
. "${0%/*}/../lib.sh"

limit='timeout 60'
tab=$(printf '\t')

# repeat N TEXT: N times.
repeat()
{
    yes -- "$2" | head -n "$1" | tr -d '\n'
}

# renamed NAME-FILE: makes a report whose first routines have the names in the file.
renamed()
{
    sed '$d' "$data/code.aprof" | awk -F '\t' -v OFS='\t' -v file="$1" 'BEGIN { getline name <file }
        $1 == "routine" && n++ < 2 { $6 = name } { print }' | seal
}

begin 'brackets of a name that nothing closes'
for text in 'std::vector<' 'f(' '<' 'operator<' '->'; do
    repeat 1000000 "$text" | head -c 3000000 >name
    renamed name >long
    run 0 $limit aprof report long
    ! has_page || run 0 $limit aprof html -o page.html long
    run 0 $limit aprof export --format=json long
done

# Ten bytes of a mangled name double the name: these names would have 2 to the power of 40 bytes.
begin 'mangled names that refer to their own parts'
awk 'function digits(n, base) { return (n >= base ? digits(int(n / base), base) : "") substr(all, n % base + 1, 1) }
    BEGIN {
        all = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        name = "_Z1f1AIiiE"
        for (i = 0; i < 40; i++) {
            part = "S" toupper(digits(i, 36)) "_"
            name = name "S_I" part part "E"
        }
        print name >"cplusplus"
        name = "INvC1a1f"
        part = "TllE"
        for (i = 0; i < 40; i++) {
            at = "B" digits(length(name) - 1, 62) "_"
            name = name part
            part = "T" at at "E"
        }
        print "_R" name "E" >"rust"
    }'
for language in cplusplus rust; do
    renamed $language >doubled
    run 0 $limit aprof report doubled
    expect "$(head -c 20 $language)"
    run 0 $limit aprof export --format=json doubled
done
printf '_Z1f1AIiiES_IS0_S0_E\n' >short
renamed short >doubled
run 0 $limit aprof report doubled
expect 'f(A<int, int>, A<A<int, int>, A<int, int> >)'
printf '_RINvC1a1fTllETB7_B7_EE\n' >short
renamed short >doubled
run 0 $limit aprof report doubled
expect 'a::f::<(i32, i32), ((i32, i32), (i32, i32))>'

begin 'a command of many words'
{ sed '$d' "$data/basic.aprof" | sed '/^command/,$d'
    printf 'command'
    repeat 200000 "${tab}a"
    printf '\nprocess'
    repeat 200000 "${tab}1"
    printf '\n'
    sed '$d' "$data/basic.aprof" | sed '1,/^process/d'; } | seal >words
run 0 $limit aprof report words
run 0 $limit aprof history add --database=words.history --label=x words || skip 'aprof was built without SQLite'
run 0 $limit aprof export --format=sqlite -o words.sqlite words

begin 'many options'
for n in 1 2; do
    awk -F '\t' -v OFS='\t' -v n=$n '$1 == "process" { $2 = n } $1 == "complete" { next }
        { printf "%s", $0 } $1 == "options" { for (i = 0; i < 200000; i++) printf "\t-x%d", i }
        { print "" }' "$data/basic.aprof" | seal >options$n
done
run 0 $limit aprof merge -o sum options1 options2

# inlined_in NUMBERS: makes a report with inlined functions, each inside the function that the expression
# names.
inlined_in()
{
    sed '$d' "$data/code.aprof" | sed '/^inlined/,$d'
    awk -v n="$1" -v parent="$2" 'BEGIN { for (i = 0; i < n; i++)
        printf "inlined\t%d\t%s\t0\t7\tswap%d\n", i, parent == "last" && i ? i - 1 : "-", i }'
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "lines\t0\t%d\t0\t5\t1\n", i }'
}

begin 'many inlined functions'
inlined_in 200000 none | seal >wide
run 0 $limit aprof report wide
! has_page || run 0 $limit aprof html -o page.html wide
inlined_in 128 last | seal >deep
run 0 $limit aprof report deep
inlined_in 129 last | seal >deep
run 1 $limit aprof report deep
expect_error 'inlined: nested in too many functions'

begin 'many objects, all of which exist'
{ sed '$d' "$data/basic.aprof" | sed '/^object/,$d' | sed "s/^tool.*/tool${tab}compiled/"
    awk 'BEGIN { n = 60000
        for (i = 0; i < n; i++) printf "object\t%d\t/bin/true\n", i
        for (i = 0; i < n; i++) printf "routine\t%d\t%d\t0x1000\t9\tf%d\t-\t0\n", i, i, i
        for (i = 0; i < n; i++) printf "profile\t%d\t0\t1\t5\t5\ntrms\t1\t1\t5\t5\t5\t25\t5\t0\t0\n", i }'; } |
    seal >exist
run 0 $limit aprof report exist f1

begin 'calling contexts of many objects'
{ sed '$d' "$data/basic.contexts" | sed '/^object/,$d'
    awk 'BEGIN { n = 100000
        for (i = 0; i < n; i++) printf "object\t%d\tlib%d\tc0ffee\n", i, i
        for (i = 0; i < n; i++) printf "routine\t%d\t%d\t0x%x\t0\tf%d\t-\t0\n", i, i, i, i
        printf "tree\t1\t2\t2\t2\t2\ncontext\t0\t-\t-\t-\t0x0\t1\t0\t1\ncontext\t1\t0\t0\t-\t0x0\t1\t0\t1\n"
    }'; } | seal >objects
run 0 $limit aprof report objects
run 0 $limit aprof diff objects objects
run 0 $limit aprof merge -o both objects objects

# damaged: makes a report of damaged.so, whose debug data the tool has not read (5) or has read (3).
damaged()
{
    at=$(nm damaged.so | sed -n 's/^0*\([0-9a-f]*\) T f$/\1/p')
    sed -n '/^aprof/d; /^object/q; p' "$data/code.aprof" >head
    for version in 5 3; do
        { printf 'aprof\t%d\n' $version
            cat head
            printf 'object\t0\t%s\n' "$scratch/damaged.so$(test $version = 3 || printf '\t-')"
            printf 'routine\t0\t0\t0x%s\t3\tf\t-\t0\n' "$at"
            printf 'profile\t0\t0\t1\t1000\t1000\ntrms\t4\t1\t1000\t1000\t1000\t1000000\t1000\t0\t0\n'
            if [ $version = 5 ]; then
                printf 'lines\t0\t-\t-\t%d\t1000\n' "0x$at"
            else
                printf 'file\t0\t/a.c\ninlined\t0\t-\t0\t3\tg\nlines\t0\t0\t0\t5\t1000\n'
            fi; } | seal >damaged$version
    done
}

begin 'debug data that refer to themselves'
if test "$(uname -m)" = x86_64 && grep -q 'define HAVE_LIBDW 1' "$build/aprof-config.h"; then
    for damage in 1 2 3 4; do
        run 0 gcc -shared -nostdlib -Wl,--build-id=none -DDAMAGE=$damage -o damaged.so "$here/damaged.S"
        damaged
        run 0 $limit aprof report damaged5
        expect_error "damaged.so: has damaged debug data: "
        run 0 $limit aprof report damaged3
    done
fi

# The following cases make databases.
command -v sqlite3 >/dev/null || finish

# history SQL: makes a history that the SQL has changed.
history()
{
    rm -f h
    aprof history add -d h --label=a --workload=w "$data/basic.aprof"
    aprof history add -d h --label=b --workload=w "$data/basic.aprof"
    sqlite3 h "PRAGMA foreign_keys=off; $1"
}

begin 'a history has the tables that it was made with, and no triggers'
history "ALTER TABLE run RENAME TO old; CREATE VIEW run AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL
SELECT x + 1 FROM c) SELECT x id, 'l' label, 'w' workload, 1 moment, 'trms' metric, 'bb' cost_unit, 1 cost FROM c"
run 1 $limit aprof history show -d h
expect_error 'h: does not have the tables of a history of aprof'
history 'CREATE TRIGGER t BEFORE INSERT ON run BEGIN DELETE FROM routine; END'
run 1 $limit aprof history add -d h --label=c --workload=w "$data/basic.aprof"
expect_error 'h: does not have the tables of a history of aprof'
history 'CREATE VIEW mine AS SELECT label FROM run'
run 0 $limit aprof history show -d h

begin 'a history has no text of a megabyte; what would be one is cut when it is added'
history "UPDATE routine SET name = replace(hex(zeroblob(1000000)), '00', 'A')"
run 1 $limit aprof history show -d h main
expect_error 'history: contains a text of more than 131072 bytes: not written by aprof'
rm h
run 0 $limit aprof history add -d h --label=x long
run 0 $limit aprof history show -d h
same "$(sqlite3 h 'SELECT max(length(name)) FROM routine')" 16384 'longest name'

# Pages of the table `run`, each of which refers three times to the next page: 3 to the power of 15 ways to
# the rows.
begin 'pages of a history that refer to each other without end'
if command -v python3 >/dev/null; then
    history ''
    root=$(sqlite3 h "SELECT rootpage FROM sqlite_master WHERE name = 'run'")
    python3 - h "$root" <<'SCRIPT'
import struct, sys
path, root, levels = sys.argv[1], int(sys.argv[2]), 15
data = bytearray(open(path, "rb").read())
size = struct.unpack(">H", data[16:18])[0]
pages = len(data) // size
leaf = bytes(data[(root - 1) * size : root * size])
def interior(to):
    page = bytearray(size)
    cells = [size - 8, size - 16]
    page[:12] = struct.pack(">BHHHBI", 5, 0, 2, size - 16, 0, to)
    for i, at in enumerate(cells):
        page[12 + 2 * i : 14 + 2 * i] = struct.pack(">H", at)
        page[at : at + 5] = struct.pack(">IB", to, i + 1)
    return page
data[(root - 1) * size : root * size] = interior(pages + 1)
for level in range(1, levels):
    data += interior(pages + level + 1)
data += leaf
data[28:32] = struct.pack(">I", pages + levels)
open(path, "wb").write(data)
SCRIPT
    run 1 $limit aprof history show -d h
    expect_error 'history: is damaged: its pages refer to each other'
fi

finish
