#!/bin/sh
# Tests the report: paths with their lines, formats, and counts that were derived by hand.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers
need aprof-pathcc 'built without LLVM'

cat >hand.c <<'END'
#include <stdlib.h>
static int parity(int n)
{
    if (n % 2)
        return 1;
    return 0;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0, odd = 0;
    for (int i = 0; i < n; i++)
        odd += parity(i);
    return odd;
}
END
run 0 aprof-pathcc -O0 -o hand hand.c
run 0 aprof paths plan ./hand --policy=sbl
run 3 aprof paths run -- 7
run 0 aprof paths merge

begin 'as other reports: by the file, or by the folder'
run 0 aprof paths report
cp out paths
for named in . ./aprof.paths.profile "$PWD" "$PWD/aprof.paths.profile" aprof.paths.profile; do
    run 0 aprof report "$named"
    cmp out paths || fail "report of $named differs"
done
run 0 aprof paths report --format=csv
cp out paths
run 0 aprof export -o exported aprof.paths.profile
cmp exported paths || fail 'the export differs'
run 2 aprof diff . .
expect_error "contains counts of paths, which 'diff' does not support"

# parity: 4 even and 3 odd numbers.
run 0 aprof paths report --routine=parity --format=csv
sed 's/\r$//' out >rows
same "$(head -n 1 rows)" 'procedure,path,count,lines' 'csv header'
same "$(cut -d, -f1,3 rows | sed 1d | tr '\n' ' ')" 'parity,4 parity,3 ' 'counts of parity'
grep -q 'hand.c:4 > hand.c:6' rows || fail 'lines of the even path'
grep -q 'hand.c:4 > hand.c:5' rows || fail 'lines of the odd path'

run 0 aprof paths report --top=1 --lines
expect 'hits: executed edges with a non-zero label'
expect 'hand.c:'
run 0 aprof paths report --format=json
expect '"policy": "sbl"'
valid_json out
run 1 aprof paths report --routine=nothing
expect_error 'no path of a procedure of this name'
run 2 aprof paths report --format=xml
run 1 aprof paths report -o /nowhere/file
expect_error '/nowhere/file'

begin 'equal input, equal output: a second plan and run give the same bytes'
run 0 aprof paths report --format=csv
cp out first
run 0 aprof paths plan ./hand --policy=p3 --copies=3
run 3 aprof paths run -- 7
run 0 aprof paths merge
run 0 aprof paths report --format=csv
cmp first out || fail 'policies give different profiles'

finish
