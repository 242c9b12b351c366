#!/bin/sh
# Makes docs/evaluation.md of its text and the results: a table for each line that begins with `@`.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: document.sh [-r RESULTS] [TEMPLATE]        [the results and evaluation.md.in beside this script]
#
# In the template:
#     @measured PART             when, where, and beside which load the part was measured
#     @table PART TABLE          a table of tables.awk
# The document goes to standard output. A part without results says so. Exit status: 0; 1 if a table cannot
# be made; 2 usage.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
results=$here/results
while getopts r: option; do
    case $option in
    r) results=$OPTARG ;;
    *) sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
template=${1:-$here/evaluation.md.in}

# table PART TABLE
table()
{
    set -- "$1" "$2" "$results/$1"/*.txt
    if [ ! -e "$3" ]; then
        echo "(Not measured yet: \`make evaluate-$1\`.)"
        return
    fi
    part=$1 table=$2
    shift 2
    awk -v part="$part" -v table="$table" -f "$here/tables.awk" "$@"
}

while IFS= read -r line; do
    case $line in
    '@measured '*) table "${line#@measured }" measured ;;
    '@table '*) eval "table ${line#@table }" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$template"
