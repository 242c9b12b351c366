#!/bin/sh
# Tests debug data that Valgrind's core cannot read: the run continues, and the command finds lines and inlined functions.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require
need clang++
need readelf
need objcopy
need strip
grep -q 'define HAVE_LIBDW 1' "$build/aprof-config.h" || skip 'built without libdw'
clang_flags="-O2 -Wno-unknown-attributes -Wl,--build-id"

# line_of TEXT: prints the number of the line with TEXT in code.cpp.
line_of()
{
    grep -n "// line: $1\$" "$here/code.cpp" | cut -d: -f1
}

# code_with COMPILER FLAGS: the program ./code.
code_with()
{
    CXX=$1 compile code "$2" code.cpp || :
}

# places REPORT: prints the costs of lines and calls as text, without parts of names that only libdw provides.
places()
{
    awk -F '\t' '
        function plain(text) { sub(/\(.*/, "", text); sub(/.*::/, "", text); return text }
        function at(path, line) { sub(/.*\//, "", path); return path ":" line }
        function chain(i, text) {
            for (text = ""; i != "-"; i = into[i])
                text = text " < " what[i]
            return text
        }
        $1 == "routine" { name[$2] = $6; print "routine", $6, at($7, $8) }
        $1 == "file" { file[$2] = $3 }
        $1 == "inlined" { into[$2] = $3; what[$2] = plain($6) " " at(file[$4], $5) }
        $1 == "edge" && $5 != "-" { print "edge", name[$2], name[$3], at(file[$5], $6) chain($4), $7, $8 }
        $1 == "lines" && $4 != "-" {
            line = 0
            for (i = 5; i < NF; i += 2)
                print "line", name[$2], at(file[$4], line += $i) chain($3), $(i + 1)
        }' "$1" | sort
}

# merged NAME OPTIONS: profiles ./code; NAME has the places of the report after the search for lines.
merged()
{
    profile "--cost=instr $2" ./code
    check "the program ends with $status" [ "$status" = 0 ]
    check "Valgrind complains: $(grep -h unhandled log out err)" [ -z "$(grep -h unhandled log out err)" ]
    run 0 test_round_trip report
    run 0 aprof merge -o sum report
    same "$(wc -c <err)" 0 'messages of merge'
    run 0 test_round_trip sum
    places sum >"$1"
}

# unread REPORT: prints the build id of a program's record, if the command must read the debug data.
unread()
{
    awk -F '\t' '$1 == "object" && $3 ~ /\/code$/ { print $4 }' "$1"
}

build_id()
{
    readelf -n code | sed -n 's/.*Build ID: //p'
}

# Later releases of Valgrind read DWARF 5. Valgrind 3.24 does not find the files of calls that were inlined.
case $(valgrind --version) in
valgrind-3.1[89].*) ;;
*)
    begin 'clang, DWARF 5, read by the core: lines and inlined functions are those of DWARF 4, without files of calls'
    for version in 4 5; do
        code_with clang++ "$clang_flags -gdwarf-$version"
        merged dwarf "--read-inline-info=yes"
        same "$(unread report)" '' 'debug data are read by the tool'
        sed 's/\( < [^ ]*\) [^ ]*:/\1 :/g' dwarf | sort >"dwarf$version"
    done
    same_files dwarf4 dwarf5 'lines, calls and inlined functions'
    check 'shift in insert in main' grep -q "^line main code.cpp:$(line_of shift) < shift :" dwarf5
    finish
    ;;
esac

for options in "" "--read-inline-info=yes" "--separate-threads=yes --concurrent=no"; do
    begin "clang, DWARF 5: lines and inlined functions are those of DWARF 4: $options"
    code_with clang++ "$clang_flags -gdwarf-4"
    merged dwarf4 "$options"
    same "$(unread report)" '' 'DWARF 4 is read by the tool'
    code_with clang++ "$clang_flags -gdwarf-5"
    merged dwarf5 "$options"
    same "$(unread report)" "$(build_id)" 'DWARF 5 is left to the command'
    same "$(unread sum)" '' 'the sum has the lines itself'
    same_files dwarf4 dwarf5 'lines, calls and inlined functions'
    check "shift in insert in main" grep -q "^line main code.cpp:$(line_of shift) < shift code.cpp:$(
        line_of 'shift is inlined') < insert code.cpp:$(line_of 'insert is inlined') [0-9]*" dwarf5
done

begin 'other kinds of debug data: compressed, without a build id, lines alone, not optimised'
for flags in "-gz" "-Wl,--build-id=none" "-g1" "-O0"; do
    code_with clang++ "$clang_flags -gdwarf-4 $flags"
    merged dwarf4 ""
    code_with clang++ "$clang_flags -gdwarf-5 $flags"
    merged dwarf5 ""
    same "$(grep -c '^object.*/code	' report)" 1 "$flags: objects that are left to the command"
    same_files dwarf4 dwarf5 "$flags"
done

begin 'gcc: what the core knows is read by the tool, units of types are not'
code_with g++ "-O2 -gdwarf-4"
merged dwarf4 ""
for flags in "-gdwarf-5" "-gdwarf-4 -fdebug-types-section" "-gdwarf-5 -fdebug-types-section"; do
    code_with g++ "-O2 $flags"
    merged dwarf5 ""
    same_files dwarf4 dwarf5 "$flags"
done
same "$(grep -c '^object.*/code	' report)" 1 'objects with units of types'

begin 'inlined functions are found by name'
code_with clang++ "$clang_flags -gdwarf-5"
profile "" ./code
run 1 aprof report report insert
expect_error "insert: no such routine: it was inlined into main (code.cpp:$(line_of 'insert is inlined'))"
run 1 aprof plot insert report
expect_error "insert: no such routine: it was inlined into main (code.cpp:$(line_of 'insert is inlined'))"
run 0 aprof annotate report
expect "orders[i] = orders[i - 1]; // line: shift"

begin 'debug data in a file of their own, also when the program is gone'
mkdir -p .debug
objcopy --only-keep-debug code .debug/code.debug
strip code
(cd .debug && objcopy --add-gnu-debuglink=code.debug ../code)
run 0 aprof merge -o sum report
same "$(wc -c <err)" 0 'messages'
places sum >separate
profile "" ./code
same "$(unread report)" "$(build_id)" 'left to the command'
run 0 aprof merge -o sum report
places sum >dwarf5
same_files separate dwarf5 'a report of the stripped program'

begin 'what is not found is said once, and the report is readable'
rm -r .debug
run 0 aprof report report
expect main
expect_error "$scratch/code: has no debug data on this machine: its lines and inlined functions are unknown; keep the file that ran, or its debug file, or compile with -gdwarf-4"
same "$(grep -c 'has no debug data' err)" 1 'messages'
for command in "plot insert" annotate; do
    # shellcheck disable=SC2086 # words
    run 1 aprof $command report
    check "$command says why" grep -q "^aprof: $scratch/code: has no debug data on this machine: " err
done
check "annotate: $(tail -n 1 err)" [ "$(tail -n 1 err)" = 'aprof: report: no source line of the program is known' ]
code_with clang++ "$clang_flags -gdwarf-5 -DANOTHER=1 -O1"
run 0 aprof merge -o later report
expect_error "$scratch/code: is not the build that was profiled: its lines and inlined functions are unknown"
same "$(grep -c 'is not the build' err)" 1 'messages'
rm code
run 0 aprof merge -o later report
expect_error "$scratch/code: cannot be read: its lines and inlined functions are unknown"
same "$(unread later)" "$(unread report)" 'the sum can be read where the program is'

begin 'a sum that was made beside the program can be read elsewhere'
run 0 aprof report sum
same "$(wc -c <err)" 0 'messages'
places sum >elsewhere
same_files dwarf5 elsewhere 'lines'

finish
