#!/bin/sh
# Makes docs/evaluation.md, or docs/story.md, from a template and the results: a table for each line that begins with `@`.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: document.sh [-r RESULTS] [TEMPLATE]        [the results and evaluation.md.in beside this script]
#
# In the template:
#     @measured PART             when, where, and beside which load the part was measured
#     @table PART,... TABLE      a table of tables.awk
#     @output PART CELL [TITLE]  what a cell has, as it is, or the table in it whose title begins so
#     @patch FILE                a patch beside this script
#     @bench PART TITLE          the table of bench/tables.awk whose title begins so
#     @native, @contexts, @compiled, @paths PART [TITLE]      the tables of those benchmarks, or one, of all cells
#     @figures PART              those of the paper on calling contexts, beside what was found (paper_contexts.awk)
#     @paper PART QUANTITY       geometric means, cpu or peak, beside those of the paper (paper.awk)
# The document is written to standard output, with a note for each part without results. Exit status: 0; 1 if
# a table cannot be made; 2 usage.
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

# table PART,... TABLE
table()
{
    parts=$1 table=$2
    set --
    for part in $(echo "$parts" | tr , ' '); do
        set -- "$@" "$results/$part"/*.txt
        for last; do :; done
        if [ ! -e "$last" ]; then
            echo "(Not measured yet: \`make evaluate-$part\`.)"
            return
        fi
    done
    awk -v part="$part" -v table="$table" -f "$here/../tables_library.awk" -f "$here/tables.awk" "$@"
}

# patch_text FILE
patch_text()
{
    echo '```diff'
    cat "$1"
    echo '```'
}

# part_table TITLE: selects, of the tables on standard input, the table whose title begins with TITLE; all
# tables without a title.
part_table()
{
    awk -v title="$1" '
        title == "" { print; next }
        !inside && index($0, title) == 1 { print; inside = 1; next }
        inside && $0 == "" && rows { exit }
        inside { print; rows += $0 != "" }'
}

# output PART CELL [TITLE]
output()
{
    if [ ! -e "$results/$1/$2.txt" ]; then
        echo "(Not measured yet: \`make evaluate-$1\`.)"
        return
    fi
    echo '```'
    grep -v '^# ' "$results/$1/$2.txt" | part_table "${3:-}"
    echo '```'
}

# lines PART: prints the lines of all cells, without their heads.
lines()
{
    cat "$results/$1"/*.txt | grep -v '^# '
}

# tables BENCHMARK CELLS PART [TITLE]
tables()
{
    script=$here/../$1/tables.awk cells=$2 part=$3 title=${4:-}
    # shellcheck disable=SC2086
    set -- "$results/$part"/$cells.txt
    if [ ! -e "$1" ]; then
        echo "(Not measured yet: \`make evaluate-$part\`.)"
        return
    fi
    echo '```'
    cat "$@" | grep -v '^# ' | awk -f "$here/../tables_library.awk" -f "$script" | part_table "$title"
    echo '```'
}

# bench PART: prints all tables of bench/tables.awk for the lines of all cells.
bench()
{
    lines "$1" | awk -f "$here/../tables_library.awk" -f "$here/../tables.awk"
}

# paper PART QUANTITY
paper()
{
    [ ! -e "$results/$1" ] || bench "$1" | awk -v quantity="$2" -f "$here/paper.awk"
}

# figures PART
figures()
{
    set -- "$1" "$results/$1"/*.txt
    if [ ! -e "$2" ]; then
        echo "(Not measured yet: \`make evaluate-$1\`.)"
        return
    fi
    lines "$1" | awk -v large="$([ "$1" != trees ] || echo yes)" -f "$here/paper_contexts.awk"
}

# bench_table PART TITLE
bench_table()
{
    if [ ! -e "$results/$1" ]; then
        table "$1" measured
        return
    fi
    echo '```'
    bench "$1" | part_table "$2"
    echo '```'
}

while IFS= read -r line; do
    case $line in
    '@measured '*) table "${line#@measured }" measured ;;
    '@table '*) eval "table ${line#@table }" ;;
    '@patch '*) patch_text "$here/${line#@patch }" ;;
    '@output '*) eval "output ${line#@output }" ;;
    '@native '*) eval "tables native analyses ${line#@native }" ;;
    '@contexts '*) eval "tables contexts '*' ${line#@contexts }" ;;
    '@figures '*) figures "${line#@figures }" ;;
    '@compiled '*) eval "tables compiled '*' ${line#@compiled }" ;;
    '@paths '*) eval "tables paths '*' ${line#@paths }" ;;
    '@bench '*) eval "bench_table ${line#@bench }" ;;
    '@paper '*) eval "paper ${line#@paper }" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$template"
