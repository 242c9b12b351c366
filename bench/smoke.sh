#!/bin/sh
# Checks the parts of `make bench` in seconds: kernels, inputs, measuring, tables.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: smoke.sh      run by `make check` in the build tree, with `srcdir` set
set -eu
export OMP_WAIT_POLICY=passive

source=${srcdir:-$(dirname "$0")/..}/bench
passed=0
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Compares $2 with the expected $3; $1 names the check.
check() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
        echo "ok: $1"
    else
        failed=$((failed + 1))
        printf 'not ok: %s: expected "%s", found "%s"\n' "$1" "$3" "$2"
    fi
}

# The checksum of a kernel must not depend on the number of threads.
check_kernel() {
    one=$("bench/programs/$1" "$2" 1)
    check "$1 on 3 threads" "$("bench/programs/$1" "$2" 3)" "$one"
    check "$1 on 16 threads" "$("bench/programs/$1" "$2" 16)" "$one"
}

check_kernel sparse_lu 5
check_kernel alignment 8
check_kernel molecular_dynamics 4
check_kernel multigrid 5
check_kernel kdtree 6
check_kernel smith_waterman 4
check_kernel tree_sort 3

bench/programs/kdtree nonsense >"$tmp/out" 2>"$tmp/err" && status=0 || status=$?
check "status of a wrong size" "$status" 2
check "lines of text" "$(bench/generate text 100 | wc -l)" 100
check "text is the same each time" "$(bench/generate text 50 | cksum)" "$(bench/generate text 50 | cksum)"
check "rows of the script" "$(bench/generate sql 70 | grep -c '^INSERT')" 70

bench/measure "$tmp/lines" label sh -c 'kill -TERM $$'
bench/measure "$tmp/lines" label sh -c 'exit 3'
check "fields of a measured line" "$(awk -F '\t' '{ print $1, NF, $5 }' "$tmp/lines" | tr '\n' ' ')" \
    "label 5 143 label 5 3 "

# Medians 2 and 6, so the ratio is 3.00; the third run of each is an outlier.
for run in '1.9 5.5' '2.0 6.0' '9.0 99.0'; do
    printf 'p\tnone\t4\t1\t%s\t1024\t0\n' "${run% *}"
    printf 'p\taprof\t4\t1\t%s\t2048\t0\n' "${run#* }"
done >"$tmp/results"
awk -f "$source/tables_library.awk" -f "$source/tables.awk" "$tmp/results" >"$tmp/tables"
check "ratio of medians" "$(awk '/aprof . none/ { print $7, $8, $9 }' "$tmp/tables")" "3.00 NOT reached"
check "peak is 2 x none" "$(awk '/^Peak/ { on = 1 } on && $1 == "p" { print $4; exit }' "$tmp/tables")" 2.00

# The worst of two programs counts. With other processes, the table has only one number.
for line in 'p none 2 2' 'p aprof 4 4' 'p concurrent 3 5' 'q none 1 1' 'q aprof 2 2' 'q concurrent 2.2 3'; do
    echo "$line" | awk '{ printf "%s\t%s\t4\t%s\t%s\t1024\t0\n", $1, $2, $3, $4 }'
done >"$tmp/results"
awk -f "$source/tables_library.awk" -f "$source/tables.awk" "$tmp/results" >"$tmp/tables"
check "concurrent over sequential" "$(awk '/concurrent . aprof/ { print $(NF - 2), $(NF - 1), $NF }' "$tmp/tables")" \
    "1.10 NOT reached"
check "what is slower" "$(awk '/slower than without/ { print $NF }' "$tmp/tables")" q
check "with other processes" \
    "$(awk -v loaders=1 -f "$source/tables_library.awk" -f "$source/tables.awk" "$tmp/results" | awk '/geometric mean: / { print $NF }')" 0.91

# A = 2, A_i = 1, A_q = 5 - 1 - 2 - 1 = 1, P_c = 0.5, P = 4 - 0.5 = 3.5 seconds.
for line in 'none 2 2' 'records 3 3' 'queue 4 5' 'concurrent 5 9' 'aprof 7 7'; do
    echo "$line" | awk '{ printf "p\t%s\t4\t%s\t%s\t1024\t0\n", $1, $2, $3 }'
done >"$tmp/results"
printf 'p\tqueue\t4\t1000000\np\ttouch\t4\t500000\np\tconcurrent\t4\t4000000\n' >"$tmp/analysis"
check "terms of the cost model" \
    "$(awk -f "$source/cost_model.awk" "$tmp/analysis" "$tmp/results" | awk '$1 == "p" { $1 = $1; print }')" \
    "p 2.00 0.50 0.50 1.75 0.25 | 3.25 2.00 | 3.50 2.50"

# Ten calls in two contexts; both have at least a tenth of the calls. Points with other sizes, and a count that is
# too small, violate the guarantees.
full='contexts full 0 0 calls unfolded|tree 0 10 2|context 0 - 0 1 100 10 0|trms 5 1 100|context 1 0 1 9 90 90 0|trms 3 4 40|trms 4 5 50'
hot=$(echo "$full" | sed 's/full 0 0/hot 0.1 0.02/')
compare_points()
{
    for lines in "$full" "$1"; do
        printf 'totals 100 10 0 0 0|routine 0 0 0x10 8 main - 0|routine 1 0 0x20 8 f - 0|%s\n' "$lines" | tr ' |' '\t\n' >"$tmp/report"
        mv "$tmp/report" "$tmp/points.$((n_reports += 1))"
    done
    awk -F '\t' -v label=p -v phi=0.1 -v exact="$tmp/exact" -v hot="$tmp/hot" -f "$source/contexts/points_compare.awk" \
        "$tmp/points.$((n_reports - 1))" "$tmp/points.$n_reports" | cut -f 3-10 | tr '\t' ' '
}
n_reports=0
check "equal points" "$(compare_points "$hot")" "10 2 2 2 0 0 2 3"
check "another size" "$(compare_points "$(echo "$hot" | sed 's/trms 4/trms 6/')")" "10 2 2 2 0 2 1 3"
check "a call too few" "$(compare_points "$(echo "$hot" | sed 's/1 9 90/1 8 90/')")" "10 2 2 2 0 1 2 3"
check "a hot context too few" "$(compare_points "${hot%|context 1*}")" "10 2 1 2 1 0 1 1"
check "contexts as routines" "$(grep -c context_ "$tmp/exact")" 2

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
