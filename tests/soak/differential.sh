#!/bin/sh
# Tests random programs under every front end: the points of all routines must equal the definition.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2086
#
# usage: differential.sh [SEED]    from the build folder; `make soak-differential`
#
# SOAK_PROGRAMS=N sets the number of programs [100], SOAK_SECONDS=N the time instead. A run continues after
# the last seed of the previous run, which is in tests/soak/state/differential of the build; SEED repeats one
# seed.
#
# Each program (tests/soak/generate.c) first writes down its own steps, from which soak_expect computes every
# point by the definition. Then it runs under the Valgrind tool, by turns sequential, concurrent and with
# both engines at once, compiled by gcc or clang; and compiled in, by each front end of the list below. Front
# ends that make events or count contexts have no points. They report how often each routine was called, as
# the definition also does. They also report callers, which must be equal for hooks and inline code (whole
# contexts, if there is neither a handler nor a coroutine). If results differ, the program and the difference
# remain in tests/soak/found/SEED, and the status is 1.
set -eu

here=$(cd "${0%/*}" && pwd)
source=${here%/tests*}
build=$(pwd)
state=$build/tests/soak/state/differential
found=${SOAK_FOUND:-$build/tests/soak/found}
PATH=$build/tools:$build/tests/soak:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "${state%/*}" "$found"

# Front ends of compiled programs: a name, the compiler, the options of aprof-cc.
front_ends()
{
    ! command -v gcc >/dev/null || echo 'gcc gcc --aprof=trms,hooks'
    ! command -v clang >/dev/null || echo 'clang clang --aprof=trms,hooks'
    ! has_inline || echo 'inline clang --aprof=trms,inline'
    ! command -v gcc >/dev/null || echo 'events-gcc gcc --aprof=events,hooks'
    ! command -v clang >/dev/null || echo 'events-clang clang --aprof=events,hooks'
    ! has_inline || echo 'events-inline clang --aprof=events,inline'
    ! command -v gcc >/dev/null || echo 'contexts-gcc gcc --aprof=contexts,hooks'
    ! command -v clang >/dev/null || echo 'contexts-clang clang --aprof=contexts,hooks'
    ! has_inline || echo 'contexts-inline clang --aprof=contexts,inline'
}

has_inline()
{
    echo 'int main(void) { return 0; }' >"$work/probe.c"
    APROF_CC_COMPILER=clang aprof-cc --aprof=trms,inline -o "$work/probe" "$work/probe.c" 2>"$work/probe.log"
}

programs=0
events=0
comparisons=0
differences=0

# wrong NAME WHAT: keeps the program, with all other files of the working folder.
wrong()
{
    differences=$((differences + 1))
    echo "seed $seed: $1: $2"
    mkdir -p "$found/$seed"
    cp "$work"/program.c "$found/$seed"
    for kept in "$work"/*.points "$work"/*.difference "$work"/*.report "$work"/*.log; do
        test ! -f "$kept" || cp "$kept" "$found/$seed"
    done
}

# compile OUTPUT COMPILER...
compile()
{
    output=$1
    shift
    "$@" -w -g -pthread -fno-stack-protector "-I$source" $turns -o "$work/$output" "$work/program.c" \
        >"$work/compile.log" 2>&1 || {
        wrong "$output" "$* does not compile"
        return 1
    }
}

# ran NAME COMMAND...: checks that the run ends without an error, and prints the program's usual output.
ran()
{
    name=$1
    shift
    status=0
    timeout 300 "$@" >"$work/out" 2>"$work/$name.log" </dev/null || status=$?
    if test $status != 0; then
        wrong "$name" "status $status: $(tail -n 1 "$work/$name.log")"
        return 1
    elif ! cmp -s "$work/out" "$work/wanted"; then
        wrong "$name" "printed $(cat "$work/out") instead of $(cat "$work/wanted")"
        return 1
    fi
    rm "$work/$name.log"
}

# agrees NAME VIEW: checks that the report's points equal the definition.
agrees()
{
    awk -f "$here/points.awk" "$work/$2.expected" "$work/$1.report" >"$work/$1.points"
    comparisons=$((comparisons + 1))
    diff "$work/$2.points" "$work/$1.points" >"$work/$1.difference" ||
        wrong "$1" "$(grep -c '^[<>]' "$work/$1.difference") points differ: $(sed -n 2p "$work/$1.difference")"
    rm -f "$work/$1.points" "$work/$1.difference" "$work/$1.report"
}

# expect VIEW RESOLUTION
expect()
{
    soak_expect "$work/steps" "$1" "$2" >"$work/$1.expected" 2>"$work/n_events"
    awk -f "$here/points.awk" "$work/$1.expected" >"$work/$1.points"
}

one_program()
{
    rm -f "$work"/*
    soak_generate "$seed" >"$work/program.c"
    head -c 100000 "$0" "$work/program.c" /dev/zero | tail -c 100000 >"$work/data"
    SOAK_DATA=$work/data SOAK_LOG=$work/steps
    export SOAK_DATA SOAK_LOG
    level=-O$((seed / 2 % 3))
    turns=
    test $((seed / 3 % 2)) = 0 || turns=-DSOAK_SEMAPHORES
    resolution=$(echo 4 4 4 1 8 16 2 4 | cut -d ' ' -f $((seed % 8 + 1)))
    compile recording gcc -O0 -DSOAK_RECORD || return 0
    timeout 60 "$work/recording" >"$work/wanted" || { wrong recording "status $?"; return 0; }
    expect machine "$resolution"
    expect compiled "$resolution"
    programs=$((programs + 1))
    events=$((events + $(cat "$work/n_events")))
    under_valgrind
    front_ends >"$work/list"
    while read -r name compiler options; do
        case $options in
        *events*) makes_events "$name" "$compiler" "$options" ;;
        *contexts*) counts_contexts "$name" "$compiler" "$options" ;;
        *) compiled_in "$name" "$compiler" "$options" ;;
        esac
    done <"$work/list"
}

under_valgrind()
{
    plain=gcc
    test $((seed % 3)) != 0 || ! command -v clang >/dev/null || plain=clang
    concurrent=$(echo both no yes | cut -d ' ' -f $((seed % 3 + 1)))
    more=
    test $((seed % 5)) != 0 || more='--counter-bits=9'
    test $((seed % 4)) != 0 || more="$more --chunk-words=1024 --ring-chunks=3"
    test $((seed % 7)) != 0 || more="$more --contexts=full --separate-threads=no"
    compile machine $plain $level -fno-tree-vectorize -fno-tree-slp-vectorize \
        -static -fno-pic -no-pie -fcf-protection=none -DSOAK_MACHINE || return 0
    ran valgrind "$build/vg-in-place" --tool=aprof -q "--concurrent=$concurrent" "--resolution=$resolution" \
        --aprof-out-file="$work/valgrind.report" --metrics=trms,rms $more "$work/machine" || return 0
    agrees valgrind machine
}

# compiled_in NAME COMPILER OPTIONS
compiled_in()
{
    APROF_CC_COMPILER=$2
    APROF="out=$work/$1.report resolution=$resolution"
    export APROF_CC_COMPILER APROF
    compile "$1.program" aprof-cc $3 $level || return 0
    ran "$1" "$work/$1.program" || return 0
    agrees "$1" compiled
}

# same_counts NAME WHAT: checks that WHAT.counts and NAME.counts have equal lines.
same_counts()
{
    comparisons=$((comparisons + 1))
    diff "$work/$2.counts" "$work/$1.counts" >"$work/$1.difference" ||
        wrong "$1" "$(grep -c '^[<>]' "$work/$1.difference") counts differ from $2: $(sed -n 2p "$work/$1.difference")"
    rm -f "$work/$1.difference"
}

# counts ANALYSIS COLUMNS: runs the program $work/$name.program under the analysis; prints the counts of the
# test's routines.
counts()
{
    APROF_EVENTS=out=$work/$name.events,analysis=$1
    export APROF_EVENTS
    ran "$name" "$work/$name.program" || return 1
    aprof events export "$work/$name.events" | awk -F , -v columns="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(columns, column, " "); next }
        {
            key = ""
            for (i = 1; i <= n && $at[column[i]] ~ /^f[0-9]+$/; i++)
                key = key $at[column[i]] " "
            if (i > n)
                count[key] += $at["count"]
        }
        END { for (key in count) print key count[key] | "sort" }' >"$work/$name.counts"
}

# Prints how often routines are called by the definition.
count_defined()
{
    awk '$2 == "trms" { count[$1] += $4 } END { for (key in count) print key, count[key] | "sort" }' \
        "$work/compiled.expected" >"$work/definition.counts"
}

# makes_events NAME COMPILER OPTIONS
makes_events()
{
    name=$1
    APROF_CC_COMPILER=$2
    export APROF_CC_COMPILER
    compile "$name.program" aprof-cc $3 $level || return 0
    counts methods routine || return 0
    count_defined
    same_counts "$name" definition
    test "$2" = clang || return 0 # a coroutine has other callers if it has other frames
    counts callgraph 'caller callee' || return 0
    test -e "$work/callers.counts" || cp "$work/$name.counts" "$work/callers.counts"
    same_counts "$name" callers
}

# counts_contexts NAME COMPILER OPTIONS: Hooks and inline code attribute handlers and coroutines to different
# callers. Callees of a call in tail position also differ, if the code generator keeps its frame; every other
# program has no tail calls.
counts_contexts()
{
    APROF_CC_COMPILER=$2
    APROF_CONTEXTS=mode=cct,out=$work/$1.contexts
    export APROF_CC_COMPILER APROF_CONTEXTS
    frames=
    test $((seed % 2)) = 1 || frames=-fno-optimize-sibling-calls
    compile "$1.program" aprof-cc $3 $level $frames || return 0
    ran "$1" "$work/$1.program" || return 0
    aprof contexts export --format=folded "$work/$1.contexts" | sed 's/^[^;]*;//' >"$work/$1.folded"
    awk '{ name = $1; sub(/.*;/, "", name) } name ~ /^f[0-9]+$/ { calls[name] += $2 }
        END { for (name in calls) print name, calls[name] | "sort" }' "$work/$1.folded" >"$work/$1.counts"
    count_defined
    same_counts "$1" definition
    test "$2$frames" = clang-fno-optimize-sibling-calls && ! grep -Eq 'handler|coroutine' "$work/$1.folded" || return 0
    sort "$work/$1.folded" >"$work/$1.counts"
    test -e "$work/paths.counts" || cp "$work/$1.counts" "$work/paths.counts"
    same_counts "$1" paths
}

if test $# = 1; then
    seed=$1
    one_program
else
    seed=$(cat "$state" 2>/dev/null || echo 0)
    last=$((seed + ${SOAK_PROGRAMS:-100}))
    ends=$(($(date +%s) + ${SOAK_SECONDS:-0}))
    while if test "${SOAK_SECONDS-}"; then test "$(date +%s)" -lt $ends; else test "$seed" -lt $last; fi; do
        seed=$((seed + 1))
        one_program
        echo "$seed" >"$state"
        test $((programs % 10)) != 0 || echo "seed $seed: $programs programs, $differences differences"
    done
fi
echo "soak-differential: $programs programs, $events events, $comparisons comparisons, $differences differences"
test $differences = 0
