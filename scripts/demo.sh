#!/bin/sh
# Installs, builds and demonstrates aprof: why bash is slow at replacing characters, and how to make it fast.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: demo.sh [ROUTINE]
#
# bash replaces the blanks of a line, by ${line// /_}: lines of three sizes for `aprof scale`, then lines of growing
# length, first in a UTF-8 locale and then without. Leaves in ./demo (or the directory DEMO names): the script and
# its input, the reports, the prediction, the table of routines, the page, and the plot of ROUTINE
# [utf8_mbsmbchar, which searches for multibyte characters].
set -eu

# shellcheck source=scripts/build.sh
. "$(dirname "$0")/build.sh"
# shellcheck source=scripts/demo_program.sh
. "$top/scripts/demo_program.sh"
demo=${DEMO:-$PWD/demo}

# If this bash lacks the routine, the plot shows a routine with many input sizes and a high cost.
routine_choose() {
    "$build/tools/aprof" export --format=csv "$demo/aprof.out.bash" | awk '
        { gsub(/"[^"]*"/, "quoted"); n = split($0, f, ",") }
        n == 17 && f[8] == "trms" && f[3] != "quoted" { cost[f[3]] += f[15]; points[f[3]]++ }
        END {
            for (name in cost)
                print cost[name] * points[name], name
        }' | sort -k1,1gr | sed -n '1s/^[^ ]* //p'
}

# profile LOCALE REPORT
profile() {
    LC_ALL=$1 "$build/tools/aprof" run -q "--aprof-out-file=$demo/$2" -- \
        bash "$demo/underscores.sh" <"$demo/lines.txt" >"$demo/bash.output"
}

# The demo needs neither the compiler wrappers nor their runtimes. shellcheck disable=SC2034
parts='tools/aprof .in_place/stamp'
build_all demo
mkdir -p "$demo"
demo_program "$demo"

echo "profiling bash ..."
# shellcheck disable=SC2016
(cd "$demo" && LC_ALL=C.UTF-8 "$build/tools/aprof" scale --top=4 --run='bash underscores.sh <line.{}' 2000 4000 8000 \
    >scale.txt 2>scale.log) || tail -n 3 "$demo/scale.log" >&2
profile C.UTF-8 aprof.out.bash
profile C aprof.out.bash-without-utf8
"$build/tools/aprof" report "$demo/aprof.out.bash" >"$demo/routines.txt"
routine=${1:-utf8_mbsmbchar}
if [ $# -eq 0 ] && ! grep -q "	$routine	" "$demo/aprof.out.bash"; then
    routine=$(routine_choose)
fi
"$build/tools/aprof" plot "$routine" -o "$demo/worst-case.svg" "$demo/aprof.out.bash"

if ! "$build/tools/aprof" html -o "$demo/page.html" "$demo/aprof.out.bash" 2>"$demo/html.log"; then
    page="none: $(tail -n 1 "$demo/html.log")"
fi

echo
echo "What a line ten times as long would cost (aprof scale):"
echo
cat "$demo/scale.txt"
echo
echo "Where the cost is, and how it grows within one run (aprof report):"
echo
head -n 20 "$demo/routines.txt"
echo
echo "The routine $routine (aprof report FILE $routine):"
echo
"$build/tools/aprof" report "$demo/aprof.out.bash" "$routine" | head -n 24
echo
echo "The same with LC_ALL=C, which has no multibyte characters (aprof diff):"
echo
"$build/tools/aprof" diff "$demo/aprof.out.bash" "$demo/aprof.out.bash-without-utf8" | head -n 8
echo
echo "all routines:   $demo/routines.txt"
echo "page:           ${page:-$demo/page.html (open it in a browser)}"
echo "plot:           $demo/worst-case.svg ($routine)"
echo "your program:   $build/tools/aprof run YOUR-PROGRAM ARGUMENTS"
echo "then:           $build/tools/aprof report"
