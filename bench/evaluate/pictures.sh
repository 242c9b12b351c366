#!/bin/sh
# Draws the pictures of docs/evaluation.md from the results.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: pictures.sh RESULTS FOLDER            with the `aprof` that the shell finds
set -eu
export LC_ALL=C
[ $# = 2 ] || { echo 'usage: pictures.sh RESULTS FOLDER' >&2; exit 2; }
results=$1
folder=$2
scripts=$(cd "$(dirname "$0")/../../scripts" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$folder"

# routine PART REPORT PICTURE OPTION...: draws a kind of `aprof plot` for a stored routine.
routine()
{
    report=$results/$1/$2.aprof picture=$folder/$3.svg
    shift 3
    [ ! -f "$report" ] || aprof plot "$@" -o "$picture" \
        "$(awk -F '\t' '$1 == "routine" { print $6; exit }' "$report")" "$report" >/dev/null
}

# A representative set of runs, as in the paper.
runs="mariadb-slap-50 redis vips imagemagick x264 pigz sparse_lu tree_sort"

# curves FIELD PICTURE TITLE YLABEL [LOG]: draws one curve for each of the representative runs (curves.awk has
# the fields).
curves()
{
    awk -F '\t' -v field="$1" -v runs="$runs" '
        BEGIN { for (i = split(runs, name, " "); i > 0; i--) wanted[name[i]] }
        $1 == "curve" && $2 in wanted && $2 != last { printf "%s\"%s\"\n", last ? "\n\n" : "", last = $2 }
        $1 == "curve" && $2 in wanted { print $3, $field }' "$results"/*/*.txt >"$scratch/data"
    [ ! -s "$scratch/data" ] || gnuplot -c "$scripts/curves.gp" "$scratch/data" "$folder/$2.svg" "$3" 'routines (%)' "$4"
}

# Draws figure 17, with a bar for each run.
totals()
{
    awk -F '\t' '$1 == "totals" && $6 + $7 > 0 {
        printf "%.6f\t\"%s\"\t%.2f\t%.2f\n", $6 / ($6 + $7), $2, 100 * $7 / ($6 + $7), 100 * $6 / ($6 + $7) }' \
        "$results"/*/*.txt | sort -rn | cut -f 2- >"$scratch/data"
    [ ! -s "$scratch/data" ] || gnuplot -c "$scripts/induced.gp" "$scratch/data" "$folder/totals.svg" \
        'Where induced input comes from' 'runs' 'induced first reads (%)'
}

routine mariadb mysql_select mysql-select-rms --metric=rms
routine mariadb mysql_select mysql-select-trms --metric=trms
routine innodb flush_buffered_writes flush-buffered-writes-rms --metric=rms
routine innodb flush_buffered_writes flush-buffered-writes-trms --metric=trms
for clients in 10 50; do
    routine mariadb net_send_eof-$clients net-send-eof-$clients --kind=workload --group=40
done
for build in slow fixed; do
    routine story $build cmark-$build
done
routine vips wbuffer_write_thread wbuffer-write-thread --kind=variants
totals
curves 4 richness 'Figure 15: more sizes by trms than by rms' '(sizes by trms - sizes by rms) / sizes by rms'
curves 5 volume 'Figure 16: input that rms does not see' '1 - rms / trms (%)'
curves 6 thread-induced 'Figure 18: induced input from threads' 'induced input (%)'
curves 7 external 'Figure 19: induced input from outside' 'induced input (%)'
