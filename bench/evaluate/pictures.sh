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

# routine PART REPORT PICTURE OPTION...: a kind of `aprof plot` of a routine that was kept.
routine()
{
    report=$results/$1/$2.aprof picture=$folder/$3.svg
    shift 3
    [ ! -f "$report" ] || aprof plot "$@" -o "$picture" \
        "$(awk -F '\t' '$1 == "routine" { print $6; exit }' "$report")" "$report" >/dev/null
}

# curves PART FIELD PICTURE TITLE YLABEL: one curve for each run.
curves()
{
    part=$1 field=$2 picture=$folder/$3.svg
    shift 3
    set -- "$1" "$2" "$results/$part"/*.txt
    [ -e "$3" ] || return 0
    title=$1 label=$2
    shift 2
    awk -F '\t' -v field="$field" '
        $1 == "curve" && $2 != last { printf "%s\"%s\"\n", last ? "\n\n" : "", last = $2 }
        $1 == "curve" { print $3, $field }' "$@" >"$scratch/data"
    gnuplot -c "$scripts/curves.gp" "$scratch/data" "$picture" "$title" 'routines (%)' "$label"
}

routine mariadb mysql_select mysql-select-rms --metric=rms
routine mariadb mysql_select mysql-select-trms --metric=trms
for clients in 10 50; do
    routine mariadb net_send_eof-$clients net-send-eof-$clients --kind=workload --group=40
done
