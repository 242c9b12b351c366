#!/bin/sh
# `aprof check`: bounds that are kept, broken, unknown or unreadable.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${srcdir:-.}/tests/setup.sh"

report=$data/growth.aprof

# bound LINE STATUS TEXT
bound()
{
    printf '# a comment\n\n%s\n' "$1" >bounds
    run "$2" aprof check --bounds=bounds "$report"
    expect "$3"
}

bound 'heap_sort  n log n' 0 'kept     heap_sort: declared n log n, measured n log n: fitted on the smaller sizes, it foretold'
bound 'heap_* nlogn' 0 'kept     heap_sort'
bound 'heap_sort	O(n^2)' 0 'kept     heap_sort'
bound 'heap_sort n^1.5' 0 'kept     heap_sort'
bound 'tree_lookup log n' 0 'kept     tree_lookup'
bound 'set_flag 1' 0 'kept     set_flag'
bound 'bubble_sort  n log n' 1 'BROKEN   bubble_sort: declared n log n, measured n^2: fitted'
expect '    input 954: worst cost 466945'
bound 'bubble_sort n^1.8' 1 'BROKEN   bubble_sort'
bound 'heap_sort n' 1 'BROKEN   heap_sort'
bound 'find_cached 1' 0 'unknown  find_cached: declared 1, measured neighbouring sizes differ'
bound '*_sort n^2' 0 'kept     bubble_sort'
bound 'setup n' 0 'unknown  setup: declared n, measured 3 sizes from'
expect '0 kept, 0 broken, 1 unknown'
run 1 aprof check --strict --bounds=bounds "$report"

# A pattern that matches nothing is an error: it, or the bound behind it, was mistyped.
for line in 'nobody n' 'heap_sort n lgo n'; do
    echo "$line" >bounds
    run 2 aprof check --bounds=bounds "$report"
    expect_error "${line% n}: no routine of the report has such a name"
done

# Names may have blanks.
sed -e '$d' -e 's/	heap_sort	/	_ZN4list4sortEii	/' "$report" | seal >cpp
echo 'list::sort(int, int) n log n' >bounds
run 0 aprof check --bounds=bounds cpp
expect 'kept     list::sort(int, int)'

for line in 'heap_sort' 'heap_sort fast' 'n' 'heap_sort n^x'; do
    printf 'checksum n\n%s\n' "$line" >bounds
    run 2 aprof check --bounds=bounds "$report"
    expect_error 'bounds:2: neither a comment nor PATTERN and BOUND'
done
: >bounds
run 2 aprof check --bounds=bounds "$report"
expect_error 'bounds: no bounds in this file'
run 2 aprof check --bounds=missing "$report"
expect_error 'missing: No such file'
echo 'checksum n' >bounds
run 2 aprof check --bounds=bounds missing
expect_error 'missing: No such file'
run 2 aprof check "$report"
expect_error 'wants --bounds=FILE and one report'

finish
