#!/bin/sh
# Tests data about the code: call edges, cost per line and inlined functions, with all options and engines.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require
code=$here/code.cpp

# The program has no calls of memmove, and therefore no stubs of the linkage table. callgrind attributes stubs
# to the calling line, aprof to no line.
begin "the programs compile"
compile code "-O2 -fno-tree-loop-distribute-patterns" code.cpp || :
compile recursion "-O1 -fno-optimize-sibling-calls" recursion.c recursion.S || :
compile libplug_a.so "-shared -fPIC -O1" reload_a.c || :
compile libplug_b.so "-shared -fPIC -O1" reload_b.c || :
compile reload "-O1" reload.c -ldl || :
compile threads "-O1 -pthread" threads.c || :
compile signals "-O1" signals.c signals.S || :

# line_of TEXT: prints the number of the line with TEXT in code.cpp.
line_of()
{
    grep -n "// line: $1\$" "$code" | cut -d: -f1
}

# edges REPORT CALLER CALLEE: prints lines, calls and cost of the edges between routines with these names.
edges()
{
    awk -F '\t' -v caller="$2" -v callee="$3" '
        $1 == "routine" { name[$2] = $6 }
        $1 == "edge" && name[$3] ~ callee && name[$2] ~ caller { printf "%s:%s:%s ", $6, $7, $8 }
    ' "$1"
}

# sum_of REPORT FILE: prints the cost of each line of a file, as LINE COST, for all routines together.
sum_of()
{
    awk -F '\t' -v file="$2" '
        $1 == "file" { is_wanted[$2] = $3 ~ ("(^|/)" file "$") }
        $1 == "lines" && is_wanted[$4] {
            line = 0
            for (i = 5; i < NF; i += 2)
                cost[line += $i] += $(i + 1)
        }
        END { for (line in cost) print line, cost[line] }
    ' "$1" | sort -n
}

# inlined REPORT ROUTINE NAME: prints the line at which NAME is inlined, and its cost in ROUTINE.
inlined()
{
    awk -F '\t' -v routine="$2" -v wanted="$3" '
        $1 == "routine" { name[$2] = $6 }
        $1 == "inlined" { what[$2] = $6; into[$2] = $3; at[$2] = $5 }
        $1 == "lines" && name[$2] == routine {
            for (i = $3; i != "-"; i = into[i])
                if (what[i] == wanted) {
                    for (k = 6; k <= NF; k += 2)
                        cost += $k
                    line = at[i]
                    break
                }
        }
        END { print line, cost + 0 }
    ' "$1"
}

for options in "" "--cost=instr" "--concurrent=no --cost=instr" "--separate-threads=yes" \
    "--chunk-words=1024 --ring-chunks=3 --cost=instr"; do
    begin "sums agree with the profiles: $options"
    for program in code recursion reload threads signals; do
        profile "$options" "./$program"
        measured report "routine=main calls=1"
        check "lines of $program" grep -q '^lines' report
        check "edges of $program" grep -q '^edge' report
    done
done

begin "two engines agree"
profile "--concurrent=both --cost=instr" ./threads
check "the reports differ" cmp report report.sequential
check "there are lines" grep -q '^lines' report.sequential

begin "aprof merge gives one report back in its order"
aprof merge -o merged report
for each in report merged; do
    sed -n '/^file/,/^complete/p' $each | grep -v '^complete' >$each.code
done
same_files report.code merged.code "the code of a report and of its sum"

begin "edges: calls of recursive routines cost once"
profile "" ./recursion
for expected in "^main$ ^descend$ 2 604" "^descend$ ^descend$ 200 0" "^main$ ^binary$ 1 any" \
    "^binary$ ^binary$ 2046 0" "^ping$ ^pong$ 10 any" "^pong$ ^ping$ 10 0"; do
    # shellcheck disable=SC2086
    set -- $expected
    found=$(edges report "$1" "$2" | tr ' ' '\n' |
        awk -F: '{ calls += $2; cost += $3 } END { print calls + 0, cost + 0 }')
    case $found in
    "$3 $4") ;;
    "$3 "*[1-9]*) [ "$4" = any ] || fail "$1 > $2: $found instead of $3 $4" ;;
    *) fail "$1 > $2: $found instead of $3 $4" ;;
    esac
done

begin "what is inlined has its lines and its place"
profile "--cost=instr" ./code
# shellcheck disable=SC2046
set -- $(inlined report main insert)
check "insert is inlined at line $1" [ "$1" = "$(line_of "insert is inlined")" ]
# shellcheck disable=SC2046
set -- $(inlined report main shift)
check "shift is inlined at line $1" [ "$1" = "$(line_of "shift is inlined")" ]
check "shift costs $2" [ "$2" -gt 100000 ]
sum_of report code.cpp >lines
# shellcheck disable=SC2016
check "the inner line" awk -v line="$(line_of shift)" '$1 == line && $2 > 50000 { ok = 1 } END { exit !ok }' lines
check "two sites of find: $(edges report '^main$' find)" \
    [ "$(edges report '^main$' find | tr ' ' '\n' | grep -c :)" = 2 ]

# callgrind counts instructions with equal debug information, for a separate program.
begin "instructions per line are those of callgrind"
"$launcher" --tool=callgrind --callgrind-out-file=callgrind --dump-line=yes \
    --compress-strings=no --compress-pos=no ./code >callgrind.log 2>&1
awk '
    /^f[lie]=/ { wanted = /\/code\.cpp$/; next }
    /^calls=/ { getline; next }
    /^[0-9]+ [0-9]+$/ && wanted { cost[$1] += $2 }
    END { for (line in cost) print line, cost[line] }
' callgrind | sort -n >callgrind.lines
aprof export --format=callgrind report >exported
awk '
    /^f[lie]=/ { wanted = /\/code\.cpp$/; next }
    /^calls=/ { getline; next }
    /^[0-9]+ [0-9]+$/ && wanted { cost[$1] += $2 }
    END { for (line in cost) print line, cost[line] }
' exported | sort -n >exported.lines
same_files lines exported.lines "what aprof export says of lines"
check "callgrind saw lines" [ "$(wc -l <callgrind.lines)" -gt 8 ]
check "they differ: $(diff lines callgrind.lines | head -5)" \
    cmp lines callgrind.lines

begin "what is inlined in an object whose debug data are elsewhere is read if asked for"
cp code whole
objcopy --only-keep-debug code code.debug
objcopy --strip-debug --add-gnu-debuglink=code.debug code
profile "--cost=instr" ./code
check "it has lines" grep -q '^lines' report
# Later releases of Valgrind read debug data only when they are needed, and always read inlined functions.
case $(valgrind --version) in
valgrind-3.1[89].*) check "nothing is inlined" [ "$(grep -c '^inlined' report)" = 0 ] ;;
esac
profile "--cost=instr --read-inline-info=yes" ./code
# shellcheck disable=SC2046
set -- $(inlined report main shift)
check "shift is inlined at line $1" [ "$1" = "$(line_of "shift is inlined")" ]
mv whole code
profile "--read-inline-info=no" ./code
check "not if that is not wanted" [ "$(grep -c '^inlined' report)" = 0 ]

begin "lines of a library that was unloaded"
profile "--cost=instr" ./reload
check "lines of reload_a.c" [ "$(sum_of report reload_a.c | wc -l)" -ge 1 ]
check "lines of reload_b.c" [ "$(sum_of report reload_b.c | wc -l)" -ge 1 ]

begin "--edges=no --lines=no"
profile "--edges=no" ./code
check "edges were kept" [ "$(grep -c '^edge' report)" = 0 ]
check "no lines were kept" grep -q '^lines' report
profile "--lines=no" ./code
check "lines were kept" [ "$(grep -c '^lines' report)" = 0 ]
check "no edges were kept" grep -q '^edge' report
profile "--edges=no --lines=no" ./code
check "version 1" grep -q '^aprof	1$' report
measured report "routine=main calls=1"

begin "stripped code has cost, and calls, at addresses"
cp code bare
strip bare
profile "" ./bare
object=$(awk -F '\t' '$1 == "object" && $3 ~ /\/bare$/ { print $2 }' report)
# shellcheck disable=SC2016
check "cost without a line" awk -F '\t' -v object="$object" '
    $1 == "routine" && $3 == object { is_bare[$2] = 1 }
    $1 == "lines" && is_bare[$2] && $4 == "-" && $5 > 0 && $6 > 0 && NF >= 10 { found = 1 }
    END { exit !found }' report
# shellcheck disable=SC2016
check "two sites of one callee" awk -F '\t' -v object="$object" '
    $1 == "routine" && $3 == object { is_bare[$2] = 1 }
    $1 == "edge" && is_bare[$2] && is_bare[$3] && $5 == "-" && $6 > 0 { sites[$2 " " $3]++ }
    END { for (pair in sites) if (sites[pair] >= 2) found = 1; exit !found }' report
aprof report report "$(aprof export --format=csv report | awk -F, '$4 ~ /\/bare$/ { print $3; exit }')" >told
check "lines by address" grep -q '^0x[0-9a-f]* ' told
aprof export --format=callgrind report >exported
check "an address is no line" awk '/^ob=/ { bare = /\/bare$/ } bare && /^[0-9]+ [0-9]+/ && $1 { exit 1 }' exported
measured report "end=exit"

finish
