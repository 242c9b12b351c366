#!/bin/sh
# Installs, builds and shows aprof at work: profiles sqlite3 and draws the worst-case cost of a routine.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: demo.sh [ROUTINE]
#
# Leaves in ./demo (or the directory DEMO names): the script sqlite3 ran, the report, the table of its
# routines, the page, and the plot of ROUTINE [sqlite3VdbeSorterRewind, which sorts the rows of a result].
set -eu

# shellcheck source=scripts/build.sh
. "$(dirname "$0")/build.sh"
demo=${DEMO:-$PWD/demo}

# If this sqlite3 has no such routine, one that says much in a picture: many input sizes, high cost.
routine_choose() {
    "$build/tools/aprof" export --format=csv "$demo/aprof.out.sqlite3" | awk '
        { gsub(/"[^"]*"/, "quoted"); n = split($0, f, ",") }
        n == 17 && f[8] == "trms" && f[3] != "quoted" { cost[f[3]] += f[15]; points[f[3]]++ }
        END {
            for (name in cost)
                print cost[name] * points[name], name
        }' | sort -k1,1gr | sed -n '1s/^[^ ]* //p'
}

# Neither the compilers' wrappers nor what they link into programs.
parts='tools/aprof .in_place/stamp bench/generate'
build_all build
mkdir -p "$demo"
make -s -C "$build" bench/generate
"$build/bench/generate" sql 2000 >"$demo/script.sql"

echo "profiling sqlite3 ..."
"$build/tools/aprof" run -q "--aprof-out-file=$demo/aprof.out.sqlite3" -- \
    sqlite3 :memory: ".read $demo/script.sql" >"$demo/sqlite3.output"
"$build/tools/aprof" report "$demo/aprof.out.sqlite3" >"$demo/routines.txt"
routine=${1:-sqlite3VdbeSorterRewind}
if [ $# -eq 0 ] && ! grep -q "	$routine	" "$demo/aprof.out.sqlite3"; then
    routine=$(routine_choose)
fi
"$build/tools/aprof" plot "$routine" -o "$demo/worst-case.svg" "$demo/aprof.out.sqlite3"

if ! "$build/tools/aprof" html -o "$demo/page.html" "$demo/aprof.out.sqlite3" 2>"$demo/html.log"; then
    page="none: $(tail -n 1 "$demo/html.log")"
fi

head -n 20 "$demo/routines.txt"
echo
echo "What aprof has to say about $routine:"
echo
"$build/tools/aprof" report "$demo/aprof.out.sqlite3" "$routine"
echo
echo "all routines:   $demo/routines.txt"
echo "page:           ${page:-$demo/page.html (open it in a browser)}"
echo "plot:           $demo/worst-case.svg ($routine)"
echo "your program:   $build/tools/aprof run YOUR-PROGRAM ARGUMENTS"
echo "then:           $build/tools/aprof report"
