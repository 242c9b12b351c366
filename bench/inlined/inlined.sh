#!/bin/sh
# Tests how often input sizes of inlined functions would be correct, on third-party programs with and without inlining.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: inlined.sh BUILD WORK [COMPILER...]
#
# Builds bzip2, cJSON, Lua and tinyxml2 from Debian's sources with -O2, and once more with -fno-inline; traces
# both (trace.c), and compares each function that the first inlines: its calls, the input sizes of those, and
# the class by which a call grows. WORK keeps sources, traces and `inlined.tsv`:
#
#     compiler program rule function calls-without calls-with alike class-without class-with
#
# where `alike` is the part of the calls without inlining that has a call with the same input size.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
source=${here%/bench/inlined}
build=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
shift 2
compilers=${*:-gcc clang}

fail() {
    echo "inlined: $*" >&2
    exit 1
}
. "$source/bench/debian_source.sh"

# The drivers do equal work on growing inputs.
cat >"$work/xml.cpp" <<'END'
#include "tinyxml2.h"
#include <string>
int main()
{
    for (int n = 1; n <= 24; n++) {
        std::string text = "<list>";
        for (int i = 0; i < n; i++)
            text += "<item key='" + std::to_string(i) + "'>  some &amp; text " + std::string(i, 'x') + "</item>";
        text += "</list>";
        tinyxml2::XMLDocument document;
        if (document.Parse(text.c_str()))
            return 1;
        tinyxml2::XMLPrinter printer;
        document.Print(&printer);
    }
}
END
cat >"$work/json.c" <<'END'
#include "cJSON.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    for (int n = 1; n <= 24; n++) {
        char *text = malloc(100 * n + 100), *at = text;
        at += sprintf(at, "[");
        for (int i = 0; i < n; i++)
            at += sprintf(at, "%s {\"name\": \"caf\\u00e9 %0*d\", \"value\": %d.5 }", i ? "," : "", i, i, i);
        sprintf(at, "]");
        cJSON *all = cJSON_Parse(text);
        char *printed = cJSON_Print(all);
        if (!printed)
            return 1;
        free(printed);
        cJSON_Delete(all);
        free(text);
    }
    return 0;
}
END
cat >"$work/script.lua" <<'END'
for n = 1, 20 do
    local list, words = {}, {}
    for i = 1, n do
        list[i] = (i * 7919) % 101
        words["key" .. i] = tostring(i) .. string.rep("x", i)
    end
    table.sort(list)
    table.concat(list, ",")
    local sum = 0
    for key, value in pairs(words) do sum = sum + #value end
    string.format("%d %s", sum, ("a b c"):gsub("%s", "_"))
end
END
awk 'BEGIN { for (i = 0; i < 400; i++) printf "%d line %d of some text %s\n", i * 7919 % 1009, i % 7, i % 3 ? "and more" : "" }' >"$work/text"

mkdir -p "$work/include"
: >"$work/include/lua5.4-deb-multiarch.h"

# compile COMPILER FLAGS PROGRAM OUTPUT: linked so that addresses are those of the file.
# shellcheck disable=SC2046,SC2086
compile() {
    flags="-O2 -g -w -static -no-pie $2"
    [ "$1" = gcc ] || flags="$flags -gdwarf-4" # Valgrind 3.19 does not start with clang's version 5
    case $3 in
    bzip2) (cd "$work/bzip2" && $1 $flags -o "$4" bzip2.c blocksort.c bzlib.c compress.c crctable.c decompress.c huffman.c randtable.c) ;;
    cjson) $1 $flags -I"$work/cjson" -o "$4" "$work/json.c" "$work/cjson/cJSON.c" -lm ;;
    lua) (cd "$work/lua5.4/src" && $1 $flags -DDEB_HOST_MULTIARCH='""' -I"$work/include" -o "$4" $(find . -name '*.c' ! -name luac.c) -lm) ;;
    tinyxml2)
        case $1 in gcc) cxx=g++ ;; clang) cxx=clang++ ;; esac
        $cxx $flags -I"$work/tinyxml2" -o "$4" "$work/xml.cpp" "$work/tinyxml2/tinyxml2.cpp"
        ;;
    esac
}

arguments() {
    case $1 in
    bzip2) echo "-1 -c $work/text" ;;
    lua) echo "$work/script.lua" ;;
    esac
}

# traced RULE PROGRAM EXECUTABLE: writes EXECUTABLE.RULE.aprof.
traced() {
    [ ! -s "$3.$1.aprof" ] || return 0
    # shellcheck disable=SC2046
    valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$3" $(arguments "$2") 9>&1 >/dev/null 2>&1 |
        "$work/trace" "$1" "$3" 2>"$3.$1.names" | "$build/tests/tools/seal" >"$3.$1.aprof"
    c++filt <"$3.$1.names" >"$3.$1.inlined"
}

# known REPORT: function, calls, class by which a call grows, then input size:calls...
known() {
    "$build/tools/aprof" report --format=tsv --top=0 --metric=rms "$1" | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print "class\t" $at["routine"] "\t" $at["average_growth"] }' >"$1.class"
    c++filt <"$1" >"$1.named"
    awk -F '\t' '
        $1 == "class" { class[$2] = $3 }
        $1 == "routine" { name[$2] = $6 }
        $1 == "profile" { which = name[$2]; calls[which] = $4 }
        $1 == "rms" { sizes[which] = sizes[which] " " $2 ":" $3 }
        END { for (which in calls) print which "\t" calls[which] "\t" class[which] "\t" sizes[which] }
    ' "$1.class" "$1.named"
}

# compared RULE EXECUTABLE: prints a line for each function that is inlined and has calls in the build without
# inlining.
compared() {
    known "$2.plain.range.aprof" >"$2.without"
    known "$2.$1.aprof" >"$2.with"
    awk -F '\t' -v OFS='\t' '
        function sizes_of(text, sizes,    n, list, i, pair) {
            split("", sizes)
            n = split(text, list, " ")
            for (i = 1; i <= n; i++) {
                split(list[i], pair, ":")
                sizes[pair[1]] = pair[2]
            }
        }
        FILENAME ~ /inlined$/ { is_inlined[$1] = 1; next }
        FILENAME ~ /without$/ { calls[$1] = $2; class[$1] = $3; points[$1] = $4; next }
        is_inlined[$1] && calls[$1] {
            alike = 0
            sizes_of(points[$1], without)
            sizes_of($4, with)
            for (size in without)
                if (size in with)
                    alike += with[size] < without[size] ? with[size] : without[size]
            print $1, calls[$1], $2, sprintf("%.3f", alike / calls[$1]), class[$1], $3
        }' "$2.$1.inlined" "$2.without" "$2.with" | sort
}

for package in bzip2 cjson lua5.4 tinyxml2; do
    debian_source $package
done
gcc -D_GNU_SOURCE -O2 -g -I"$source" -I"$build" -o "$work/trace" "$here/trace.c" "$build/libaprof_lib.a" -ldw -lelf
: >"$work/inlined.tsv"

for compiler in $compilers; do
    for program in bzip2 cjson lua tinyxml2; do
        compile "$compiler" '' $program "$work/$compiler.$program"
        compile "$compiler" -fno-inline $program "$work/$compiler.$program.plain"
        traced range $program "$work/$compiler.$program.plain"
        for rule in range entry; do
            traced $rule $program "$work/$compiler.$program"
            compared $rule "$work/$compiler.$program" | sed "s/^/$compiler	$program	$rule	/" >>"$work/inlined.tsv"
        done
    done
done
