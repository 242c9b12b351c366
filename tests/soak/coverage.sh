#!/bin/sh
# Prints the number, size and reached lines of code of the fuzzers' inputs, kept and found.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: coverage.sh SOURCE NAME...      from the build folder, after `make fuzz`
#
# Each fuzzer has a line; tests/fuzz/covered/NAME.txt has the lines of each file that the fuzzer reaches.
set -eu

source=$1
shift

# The tool of LLVM, by its name in Debian.
tool()
{
    program=$1
    shift
    command -v "$program" >/dev/null || program=$program-14
    "$program" "$@"
}

mkdir -p tests/fuzz/covered
for name; do
    base=tests/fuzz/covered/$name
    kept=$source/tests/fuzz/corpus/$name
    found=tests/fuzz/found/$name
    LLVM_PROFILE_FILE=$base.raw "tests/fuzz/fuzz_$name" -runs=0 "$kept" "$found" >"$base.log" 2>&1 || {
        echo "soak-fuzz: $name: an input ends it, see $base.log"
        exit 1
    }
    echo "soak-fuzz: $name: $(find "$kept" -type f | wc -l) inputs kept, of $(cat "$kept"/* | wc -c) bytes," \
        "and $(find "$found" -type f | wc -l) found"
    tool llvm-profdata merge -o "$base.data" "$base.raw" 2>"$base.log" &&
        tool llvm-cov report "tests/fuzz/fuzz_$name" -instr-profile="$base.data" >"$base.table" 2>"$base.log" || {
        echo '    its lines are not counted: llvm-profdata and llvm-cov are missing'
        continue
    }
    # File, ..., lines, missed lines, percent, ...
    awk 'NF >= 10 && /\.[ch] / && !/^tests/ && $8 > $9 { printf "%-40s %6d of %6d lines\n", $1, $8 - $9, $8 }' \
        "$base.table" >"$base.txt"
    awk '{ reached += $2; lines += $4 }
         END { printf "    %d of %d lines of %d files, %.0f%%\n", reached, lines, NR, 100 * reached / (lines + !lines) }' \
        "$base.txt"
    rm -f "$base.raw" "$base.data" "$base.table"
done
