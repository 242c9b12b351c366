#!/bin/sh
# Measures the size of the report, and the tool's time, for programs that make 1 000 to 50 000 routines while they run.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: jit.sh -b BUILD
#
# For each number of routines: processor time of the program under Valgrind's empty tool and under aprof, without the
# time for the least number; the size of the report; and the processor time of `aprof report`. Each time is the least
# of three. docs/measurements/performance.md has the results.
set -eu

# shellcheck source=bench/scripts/setup.sh
. "${0%/*}/setup.sh"
cd "$work"
${CC:-gcc} -O1 -g -o jit "$here/jit.c"

# least COMMAND...: user time in seconds, the least of three.
least() {
    for _ in 1 2 3; do
        command time -f %U -o one "$@" >output 2>messages
        cat one
    done | sort -n | head -n 1
}

printf '%9s %7s %7s %12s %9s %8s\n' routines none aprof report bytes/r. reading
for n in 1 1000 5000 10000 50000; do
    none=$(least valgrind -q --tool=none ./jit $n)
    aprof=$(least aprof run -q --vgdb=no --concurrent=no -o report ./jit $n)
    listed=$(awk -F '\t' '$1 == "routine" && $6 ~ /^routine/' report | wc -l)
    [ "$listed" = $n ] || { echo "jit.sh: $listed routines instead of $n" >&2; exit 1; }
    bytes=$(wc -c <report)
    [ $n != 1 ] || first=$bytes
    reading=$(least aprof report report)
    printf '%9d %7s %7s %12d %9.0f %8s\n' $n "$none" "$aprof" "$bytes" "$(((bytes - first) / n))" "$reading"
done
