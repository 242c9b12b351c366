#!/bin/sh
# Tests whether `aprof diff` names planted faults in third-party programs, and no routine without a fault.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: planted.sh [-b BUILD] [-w WORK] [FAULT...]
#
#   -b  the build folder [.]
#   -w  where sources, programs and profiles are kept [BUILD/bench/planted.work]; what is there is not made again
#
# The sources are Debian's. Each fault is one edit. The program is built before and after the edit, and the
# two builds run on one workload. A fault is found if the first routine that `aprof diff` names is the edited
# routine, the routine into which it is inlined, or a function of the C library that it calls needlessly. Then
# each unedited program is profiled again, in another folder, with another environment, a moved executable
# and, with threads, another schedule; no routine may be worse. Finally, each program is compiled at other
# levels of optimisation; if the whole program costs no more, no routine may be worse. Exit status: 0; 1 if a
# program cannot be built or profiled; 2 usage.
set -eu
export LC_ALL=C OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive

here=$(cd "$(dirname "$0")" && pwd)
build=.
work=

fail()
{
    echo "aprof: planted: $*" >&2
    exit 1
}

while getopts b:w: option; do
    case $option in
    b) build=$OPTARG ;;
    w) work=$OPTARG ;;
    *) sed -n 's/^# Usage: /usage: /p' "$0" >&2 && exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(cd "$build" && pwd)
work=${work:-$build/bench/planted.work}
mkdir -p "$work"
work=$(cd "$work" && pwd)
PATH=$build/tools:$PATH
[ ! -d "$build/.in_place" ] || export VALGRIND_LIB="$build/.in_place"

# shellcheck source=bench/debian_source.sh
. "$here/../debian_source.sh"

faults="cjson-tail cjson-append cjson-strlen lua-strings lua-length lua-sort jansson-hash jansson-append zlib-hash
    mawk-hash tinyxml2-tail bzip2-sort"
kernels="kdtree alignment"

# ---------------------------------------------------------------- Faults

# The edit: `file` is changed by the sed script; one of `culprits` must be named.
fault()
{
    case $1 in
    cjson-tail) # a lost tail pointer
        file=cJSON.c culprits='add_item_to_array|cJSON_AddItemToArray'
        edit='/^static cJSON_bool add_item_to_array/,/^}/ s/if (child->prev)/for (; child->next; child = child->next) { }\n        array->child->prev = child;\n        child = array->child;\n        if (child->prev)/'
        ;;
    cjson-append) # a buffer that grows by a constant, and is copied each time
        file=cJSON.c culprits='ensure|__memcpy_.*|memcpy'
        edit='s/newsize = needed \* 2;/newsize = needed + 64;/
            /^static unsigned char\* ensure/,/^}/ s/if (p->hooks.reallocate != NULL)/if (0)/'
        ;;
    cjson-strlen) # the length of the whole text is computed for each string
        file=cJSON.c culprits='parse_string|__strlen_.*|strlen'
        edit='/^static cJSON_bool parse_string/,/^}/ s/if (buffer_at_offset(input_buffer)\[0\] !=/if (strlen((const char *)input_buffer->content) + 1 < input_buffer->length || buffer_at_offset(input_buffer)[0] !=/'
        ;;
    lua-strings) # a hash table that never grows
        file=src/lstring.c culprits='internshrstr|luaS_newlstr'
        edit='s/if (tb->nuse >= tb->size) {/if (0) {/'
        ;;
    lua-length) # a linear search instead of a binary search
        file=src/ltable.c culprits='luaH_getn|luaH_getint'
        edit='/^lua_Unsigned luaH_getn (Table \*t) {/ s/$/ lua_Unsigned k = 0; while (!isempty(luaH_getint(t, k + 1))) k++; if (k) return k;/'
        ;;
    lua-sort) # sorted again
        file=src/ltablib.c culprits='auxsort|sort|sort_comp|partition'
        edit='s/^    auxsort(L, 1, (IdxT)n, 0);/    for (int i = 0; i < 4; i++) auxsort(L, 1, (IdxT)n, 0);/'
        ;;
    jansson-hash) # a hash table that never grows
        file=src/hashtable.c culprits='hashtable_find_pair|hashtable_set|hashtable_get'
        edit='s/if (hashtable->size >= hashsize(hashtable->order))/if (0)/'
        ;;
    jansson-append) # a string that is copied for each appended part
        file=src/strbuffer.c culprits='strbuffer_append_bytes|__memcpy_.*|memcpy'
        edit='s/^#define STRBUFFER_FACTOR .*/#define STRBUFFER_FACTOR 1/'
        ;;
    zlib-hash) # a hash that ignores most of its input, a macro
        file=deflate.c culprits='longest_match|deflate_slow'
        edit='s/^#define UPDATE_HASH(s,h,c) .*/#define UPDATE_HASH(s,h,c) (h = (c) \& 7)/'
        ;;
    mawk-hash) # a list instead of a hash table
        file=array.c culprits='find_by_sval|find_by_ival|find_by_dval'
        edit='s/^#define MAX_AVE_LIST_LENGTH .*/#define MAX_AVE_LIST_LENGTH 100000/'
        ;;
    tinyxml2-tail) # a lost tail pointer
        file=tinyxml2.cpp culprits='tinyxml2::XMLNode::InsertEndChild.*'
        edit='/^XMLNode\* XMLNode::InsertEndChild/,/^}/ s/if ( _lastChild ) {/for (XMLNode *n = _firstChild; n; n = n->_next) _lastChild = n;\n    if ( _lastChild ) {/'
        ;;
    bzip2-sort) # the sort for repetitive blocks is used for all blocks
        file=blocksort.c culprits='BZ2_blockSort|fallbackSort|fallbackSimpleSort|fallbackQSort3'
        edit='s/if (nblock < 10000) {/if (1) {/'
        ;;
    *) fail "$1: no such fault" ;;
    esac
}

# ---------------------------------------------------------------- Programs

package_of()
{
    case $1 in
    lua) echo lua5.4 ;;
    *) echo "$1" ;;
    esac
}

# compile PROGRAM FOLDER TO: compiles the sources in the folder to a program, with the flags in $level.
level=-O1
# shellcheck disable=SC2086 # flags are words
compile()
{
    cflags="$level -g -w"
    case $1 in
    cjson) cc $cflags -I"$2" -o "$3" "$here/cjson.c" "$2/cJSON.c" -lm ;;
    jansson)
        : >"$2/src/jansson_private_config.h"
        cc $cflags -DHAVE_STDINT_H -I"$2/src" -I"$2/android" -o "$3" "$here/jansson.c" "$2"/src/*.c
        ;;
    zlib) cc $cflags -I"$2" -o "$3" "$here/zlib.c" "$2/adler32.c" "$2/compress.c" "$2/crc32.c" "$2/deflate.c" \
        "$2/trees.c" "$2/zutil.c" ;;
    tinyxml2) c++ $cflags -I"$2" -o "$3" "$here/tinyxml2.cpp" "$2/tinyxml2.cpp" ;;
    bzip2) (cd "$2" && cc $cflags -o "$3" bzip2.c blocksort.c huffman.c crctable.c randtable.c compress.c \
        decompress.c bzlib.c) ;;
    lua)
        printf '#define DEB_HOST_MULTIARCH ""\n' >"$2/src/lua5.4-deb-multiarch.h"
        (cd "$2/src" && rm -f luac.c && cc $cflags -DLUA_USE_POSIX '-Dluai_makeseed(L)=0' '-Dl_randomizePivot()=0' \
            -o "$3" ./*.c -lm)
        ;;
    mawk) (cd "$2" && CFLAGS="$cflags" ./configure -q && touch parse.c parse.h && make -s && cp mawk "$3") ;;
    esac
}

# run_of PROGRAM EXECUTABLE COMMAND...: runs the command with the program and its workload.
run_of()
{
    program=$1 executable=$2
    shift 2
    case $program in
    cjson) "$@" "$executable" 1200 ;;
    jansson) "$@" "$executable" 2500 ;;
    zlib) "$@" "$executable" 1500 ;;
    tinyxml2) "$@" "$executable" 1500 ;;
    bzip2) "$@" "$executable" -c "$work/text" ;;
    lua) "$@" "$executable" "$here/script.lua" 3000 ;;
    mawk) "$@" "$executable" 'BEGIN { for (i = 0; i < 20000; i++) a["k" (i * 7919) % 6000] = i; print length(a) }' ;;
    kdtree) "$@" "$executable" 20 2 ;;
    alignment) "$@" "$executable" 6 2 ;;
    esac
}

# built NAME PROGRAM [FAULT]: $work/NAME/PROGRAM, with the fault.
built()
{
    [ ! -x "$work/$1/$2" ] || return 0
    rm -rf "${work:?}/$1"
    mkdir -p "$work/$1"
    case " $kernels " in
    *" $2 "*)
        cp "$build/bench/programs/$2" "$work/$1/$2"
        return
        ;;
    esac
    debian_source "$(package_of "$2")"
    cp -r "$work/$(package_of "$2")" "$work/$1/source"
    if [ $# -gt 2 ]; then
        fault "$3"
        cp "$work/$1/source/$file" "$work/$1/unchanged"
        sed -i "$edit" "$work/$1/source/$file"
        ! cmp -s "$work/$1/source/$file" "$work/$1/unchanged" || fail "$3: the edit has changed nothing"
    fi
    compile "$2" "$work/$1/source" "$work/$1/$2" >"$work/$1/log" 2>&1 || fail "$1: see $work/$1/log"
}

# profiled NAME PROGRAM [OPTION...]: $work/NAME.out
profiled()
{
    run=$1 program=$2
    shift 2
    [ ! -s "$work/$run.out" ] || return 0
    (cd "$work/$run" && run_of "$program" "$work/$run/$program" valgrind -q --tool=aprof --concurrent=no "$@" \
        --aprof-out-file="$work/$run.part") >"$work/$run/output" 2>"$work/$run/errors" ||
        fail "$run: see $work/$run/errors"
    mv "$work/$run.part" "$work/$run.out"
}

# ---------------------------------------------------------------- Judging

# Prints the first routine of the diff and its verdict, or nothing.
first_named()
{
    aprof diff --format=json "$1" "$2" | awk -F '"' '
        $2 == "name" && !name { name = $4 }
        $2 == "verdict" && !verdict { verdict = $4; print verdict "\t" name; exit }'
}

[ -s "$work/text" ] || "$build/bench/generate" text 1500 >"$work/text"
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- $faults
found=0 blamed=0 pairs=0 programs=
printf '%-16s %-5s %s\n' fault found 'named first'
for name; do
    program=${name%%-*}
    built "before-$program" "$program"
    profiled "before-$program" "$program"
    built "$name" "$program" "$name"
    profiled "$name" "$program"
    fault "$name"
    named=$(first_named "$work/before-$program.out" "$work/$name.out")
    is_found=no
    if echo "$named" | grep -qE "^(worse|appeared)	($culprits)\$"; then
        is_found=yes
        found=$((found + 1))
    fi
    printf '%-16s %-5s %s\n' "$name" "$is_found" "$named"
    case " $programs " in *" $program "*) ;; *) programs="$programs $program" ;; esac
done
printf '\n%-16s %s\n' unchanged 'blamed'
for program in $programs $kernels; do
    built "before-$program" "$program"
    profiled "before-$program" "$program"
    mkdir -p "$work/again-$program"
    cp "$work/before-$program/$program" "$work/again-$program/$program"
    PLANTED_PADDING=$(printf '%0999d' 7) profiled "again-$program" "$program" --fair-sched=no
    pairs=$((pairs + 1))
    named=
    if ! aprof diff --format=json "$work/before-$program.out" "$work/again-$program.out" >"$work/diff.json"; then
        named=$(first_named "$work/before-$program.out" "$work/again-$program.out")
        blamed=$((blamed + 1))
    fi
    printf '%-16s %s\n' "$program" "${named:--}"
done

# worse_of BASE NEW: prints how many routines are worse, and whether the total cost rises above the threshold,
# or nothing.
worse_of()
{
    aprof diff --format=json "$work/$1.out" "$work/$2.out" | awk -F '[:,]' '
        /^  "total_ratio"/ { ratio = $2 }
        /^  "worse"/ { print $2 + 0, ratio <= 1.1 ? "-" : "all" }'
}

cheaper=0 wrong=0
printf '\n%-16s %-24s %s\n' levels 'from and to' 'worse'
for program in $programs; do
    for level in -O0 -O1 -O2 -O3 '-O2 -fno-inline'; do
        name=$(echo "$program$level" | tr -d ' ')
        built "$name" "$program"
        profiled "$name" "$program"
    done
    for levels in -O0:-O2 -O1:-O2 -O2:-O3 -O2-fno-inline:-O2 -O3:-O1; do
        worse=$(worse_of "$program${levels%:*}" "$program${levels#*:}")
        [ "${worse#* }" = all ] || cheaper=$((cheaper + 1))
        [ "${worse#* }" = all ] || wrong=$((wrong + ${worse% *}))
        printf '%-16s %-24s %s\n' "$program" "$levels" "$worse"
    done
done
echo
echo "culprit named first: $found of $#; blamed without a fault: $blamed of $pairs"
echo "routines worse though the whole is not: $wrong, in $cheaper comparisons of levels"
