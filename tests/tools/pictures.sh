#!/bin/sh
# Tests that the pictures of docs/charts.md equal the pictures that the build draws, one of each kind.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need gnuplot

drawn_by()
{
    sed -n 's/<desc>Produced by GNUPLOT \(.*\)<\/desc>/\1/p' "$1"
}

mkdir drawn
run 0 sh "$source/scripts/pictures.sh" drawn
ls drawn >kinds
test -s kinds || fail 'nothing was drawn'
while read -r picture; do
    kept=$source/docs/pictures/$picture
    grep -qF "(pictures/$picture)" "$source/docs/charts.md" || fail "charts.md does not show $picture"
    test -s "$kept" || { fail "$picture is not in docs/pictures: make pictures"; continue; }
    test -n "$(drawn_by "$kept")" || fail "$picture does not say who drew it"
    test "$(drawn_by "$kept")" = "$(drawn_by "drawn/$picture")" ||
        skip "the pictures are of gnuplot $(drawn_by "$kept"), this is $(drawn_by "drawn/$picture")"
    cmp "$kept" "drawn/$picture" || fail "$picture is not what is drawn now: make pictures"
done <kinds

finish
