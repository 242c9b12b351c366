#!/bin/sh
# Tests code that programs generate at run time and name in a perf map (values derived in jit.c).
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require amd64

compile jit -O1 jit.c

for concurrent in no yes; do
    begin "code that takes the place of other code has another name, concurrent=$concurrent"
    profile --concurrent=$concurrent ./jit again
    expect_status 0
    measured report 'routine=one object=[JIT] calls=5 trms=1x5'
    measured report 'routine=three object=[JIT] calls=7 trms=3x7'
done

begin 'the name in the map gives file and line'
run 0 aprof report report one
expect 'book.js:3'

begin 'a program calls back from its own code'
profile '' ./jit back
measured report 'routine=back calls=2 trms=3x2'
measured report 'routine=callback calls=4 trms=2x4'

begin "an interpreter's work is part of the script's function that it is for"
cp jit node
profile '' ./node back
measured report 'routine=back calls=2 trms=3x2'
measured report 'absent=callback'
profile --runtime=show ./node back
measured report 'routine=callback calls=4 trms=2x4'

begin 'code that is not listed is known by its address'
profile '' ./jit unlisted
measured report 'offset=0x10000000 calls=5 trms=1x5'

for concurrent in no yes both; do
    begin "code that is listed after it ran is named at the end, concurrent=$concurrent"
    profile "--concurrent=$concurrent" ./jit late
    rm "/tmp/perf-$(awk '$1 == "process" { print $2 }' report).map"
    expect_status 0
    measured report 'routine=Book.one(int[]) object=[JIT] calls=7 trms=1x7'
    measured report 'absent=0x10000000'
    same "$(awk -F '\t' '$1 == "routine" && $6 ~ /^(drive|Book.one.*)$/ { number[$6] = $2 }
        $1 == "edge" && $2 == number["drive"] && $3 == number["Book.one(int[])"] { calls += $7 }
        END { print calls }' report)" 7 'calls of the edge'
done

begin 'contexts of code that is listed after it ran have its name'
profile --contexts=full ./jit late
rm "/tmp/perf-$(awk '$1 == "process" { print $2 }' report).map"
same "$(awk -F '\t' '$1 == "routine" { name[$2] = $6 }
    $1 == "context" && name[$4] == "Book.one(int[])" { calls += $5 }
    END { print calls }' report)" 7 'calls of the contexts'
run 0 aprof report report

begin 'a child has the names of its parent'
profile '' ./jit child
for file in report*; do
    measured "$file" 'routine=one object=[JIT] calls>=2 input_min=1 input_max=1'
done

begin 'a map that is a FIFO, or broken, does no harm'
profile '' ./jit fifo
expect_status 0
measured report 'offset=0x10000000 calls=5 trms=1x5'
profile '' ./jit broken
expect_status 0
measured report 'routine=one object=[JIT] calls=5 trms=1x5'

begin 'the map of an earlier process of the same number is not read'
sh -c 'echo "10000000 100 stale" >/tmp/perf-$$.map; exec "$@"' sh \
    "$build/vg-in-place" -q --tool=aprof --aprof-out-file=report ./jit unlisted
measured report 'offset=0x10000000 calls=5 trms=1x5'

finish
