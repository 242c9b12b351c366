#!/bin/sh
# Draws a picture of each kind of `aprof plot`, and a picture of `aprof scale`, for docs/charts.md.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     scripts/pictures.sh FOLDER
#
# draws FOLDER/worst.svg, FOLDER/average.svg, ... from the small reports that the tests use, with the `aprof`
# that the shell finds. `make pictures` draws the pictures into the sources.
set -eu
test $# = 1 || { echo 'usage: pictures.sh FOLDER' >&2; exit 2; }
data=$(cd "$(dirname "$0")/../tests/tools/data" && pwd)
tab=$(printf '\t')

for kind in $(aprof --list-commands | sed -n "s/^plot$tab--kind=$tab//p"); do
    case $kind in
    variants) routine=checksum ;;
    variance) routine=set_flag ;;
    *) routine=heap_sort ;;
    esac
    # Kinds for whole reports would treat the routine as a report.
    aprof plot --kind="$kind" -o "$1/$kind.svg" $routine "$data/growth.aprof" 2>/dev/null ||
        aprof plot --kind="$kind" -o "$1/$kind.svg" "$data/growth.aprof" "$data/basic.aprof"
done
aprof scale --plot="$1/shares.svg" "$data/run-1000.aprof" "$data/run-2000.aprof" "$data/run-4000.aprof" >/dev/null
