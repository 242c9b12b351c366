#!/bin/sh
# Tests `aprof check`: bounds that are kept, broken, unknown or unreadable.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

report=$data/growth.aprof

# bound LINE STATUS TEXT
bound()
{
    printf '# a comment\n\n%s\n' "$1" >bounds
    run "$2" aprof check --bounds=bounds "$report"
    expect "$3"
}

bound 'heap_sort  n log n' 0 'kept     heap_sort: declared n log n, measured n log n: a curve fitted to the smaller sizes predicted'
bound 'heap_* nlogn' 0 'kept     heap_sort'
bound 'heap_sort	O(n^2)' 0 'kept     heap_sort'
bound 'heap_sort n^1.5' 0 'kept     heap_sort'
bound 'tree_lookup log n' 0 'kept     tree_lookup'
bound 'set_flag 1' 0 'kept     set_flag'
bound 'bubble_sort  n log n' 1 'BROKEN   bubble_sort: declared n log n, measured n^2: a curve fitted'
expect '    input 954: worst cost 466945, bound '
expect '    broken from n = '
bound 'bubble_sort n^1.8' 1 'BROKEN   bubble_sort'
bound 'heap_sort n' 1 'BROKEN   heap_sort'
bound 'find_cached 1' 0 'unknown  find_cached: declared 1, measured calls of nearly equal size differ'
bound '*_sort n^2' 0 'kept     bubble_sort'
bound 'setup n' 0 'unknown  setup: declared n, measured 3 input sizes, from 1 to 3, are too few'
expect '0 kept, 0 broken, 1 unknown'
expect '1 unknown (--strict counts unknown bounds as broken)'
run 1 aprof check --strict --bounds=bounds "$report"

begin 'from where on: behind the sizes that the bound was fitted to, before the largest ones'
bound 'bubble_sort n' 1 '    broken from n = '
from=$(sed -n 's/.*broken from n = \([0-9]*\) on/\1/p' out)
test "$from" -gt 10 && test "$from" -lt 500 || fail "broken from $from on"

# Bounds of numbers: awk computes the expected values from the report.
calls=$(awk -F '\t' '$1 == "routine" { name[$2] = $6 } $1 == "profile" && name[$2] == "heap_sort" { print $4 }' "$report")
self=$(awk -F '\t' '$1 == "routine" { name[$2] = $6 } $1 == "profile" && name[$2] == "heap_sort" { print $6 }' "$report")
largest=$(awk -F '\t' '$1 == "routine" { name[$2] = $6 } $1 == "profile" { of = name[$2] }
    $1 == "trms" && of == "heap_sort" { n = $2 } END { print n }' "$report")
total=$(awk -F '\t' '$1 == "totals" { print $2 }' "$report")
bound "heap_sort calls $calls" 0 "kept     heap_sort: declared calls $calls, measured $calls calls"
bound "heap_sort calls <= $((calls - 1))" 1 'BROKEN   heap_sort'
bound "heap_sort cost $self" 0 'kept     heap_sort'
bound "heap_sort cost $((self - 1))" 1 "measured self cost $self"
bound "heap_sort input $largest" 0 'kept     heap_sort'
bound "heap_sort input $((largest - 1))" 1 "measured inputs up to $largest"
bound "heap_sort cost $((100 * self / total + 1))%" 0 'kept     heap_sort'
bound "heap_sort cost $((100 * self / total)).0%" 1 'BROKEN   heap_sort'

begin 'a pattern that matches nothing is an error: it, or the bound behind it, was mistyped'
for line in 'nobody n' 'heap_sort n lgo n'; do
    echo "$line" >bounds
    run 2 aprof check --bounds=bounds "$report"
    expect_error "${line% n}: matches no routine of the report"
done

begin 'and does not hide the bounds behind it'
printf 'nobody n\nheap_sort n log n\n' >bounds
run 2 aprof check --bounds=bounds "$report"
expect 'kept     heap_sort'

begin 'names may have blanks'
sed -e '$d' -e 's/	heap_sort	/	_ZN4list4sortEii	/' "$report" | seal >cpp
echo 'list::sort(int, int) n log n' >bounds
run 0 aprof check --bounds=bounds cpp
expect 'kept     list::sort(int, int)'

for line in 'heap_sort' 'heap_sort fast' 'heap_sort  n lgo n' 'heap_sort	n lgo n' 'n' 'heap_sort n^x' 'heap_sort calls many' 'heap_sort calls 5%' 'heap_sort cost -1'; do
    printf 'checksum n\n%s\n' "$line" >bounds
    run 2 aprof check --bounds=bounds "$report"
    expect_error 'bounds:2: expected PATTERN BOUND, or a comment that starts with #'
    cp err message
done

begin 'the message and the help list all bounds, and each of them is read'
sed 's/.*bounds are: //' message | tr ',' '\n' | sed 's/^ //; s/[NK]/7/' >known
same "$(wc -l <known | tr -d ' ')" 15 'known bounds'
run 0 aprof check --help
same "$(tr -s '\n ' ' ' <out | sed 's/.*Bounds are: //; s/[.] -b.*//; s/N/7/g; s/K/7/; s/, /,/g')" "$(paste -sd , known)" 'bounds in the help'
sed 's/^/checksum  /' known >bounds
aprof check --bounds=bounds "$report" >out || :
same "$(grep -c 'checksum: declared' out)" 15 'bounds that were read'

: >bounds
run 2 aprof check --bounds=bounds "$report"
expect_error 'bounds: no bounds in this file'
run 2 aprof check --bounds=missing "$report"
expect_error 'missing: No such file'
run 2 aprof check --bound='heap_sort  n log n' "$report"
expect_error 'heap_sort  n log n: no such file; --bounds takes a file'
echo 'checksum n' >bounds
run 2 aprof check --bounds=bounds missing
expect_error 'missing: No such file'
run 2 aprof check "$report"
expect_error 'expected --bounds=FILE and one report'

finish
