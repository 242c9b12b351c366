#!/bin/sh
# Tests that Valgrind's own test programs behave under aprof as under Valgrind without a tool.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: vgtests.sh [-b BUILD] [-w WORK] [-j JOBS] [DIRECTORY/NAME...]
#
#     make vgtests
#     tests/vgtests/vgtests.sh -b . none/tests/sigstackgrowth memcheck/tests/amd64/insn_basic
#     make vgtests-locks                        # those of file locks, in a minute
#
# Fetches the source package of the Valgrind that is installed (Debian), builds its test programs, or
# those that are named, in WORK [BUILD/tests/vgtests/work], and runs each of them, as its .vgtest file says, four times: twice with
# --tool=none, then with aprof, its analysis in turns with the program and concurrent with it.
#
# A program passes if exit status, standard output and standard error are what they were under
# `none` (except for addresses and process ids), and if `aprof report` reads every report. A program is skipped
# if its two runs under `none` differ, if it is not for this machine, or if it is in the list `unstable` in
# this folder. Last line: `N passed, N failed, N skipped`. WORK/results has the results, one line per program,
# and WORK/failed the outputs of failed programs. An interrupted run continues: WORK/done has the finished
# programs.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
time_limit=${VGTESTS_TIMEOUT:-120}

fail()
{
    echo "vgtests: $*" >&2
    exit 1
}

# ---------------------------------------------------------------- One program

# field NAME FILE: prints the field of a .vgtest file, with all lines joined.
field()
{
    sed -n "s/^$1:[[:space:]]*//p" "$2" | tr '\n' ' '
}

# Removes text that differs between any two runs: Valgrind's own lines, addresses, process ids.
normalise()
{
    sed -e '/^==[0-9]*==/d' -e '/^--[0-9]*--/d' -e '/^\*\*[0-9]*\*\*/d' \
        -e 's/0x[0-9A-Fa-f][0-9A-Fa-f]*/0x/g' -e "s/\\b$2\\b/PID/g" -e 's/[Pp]id[ =]*[0-9][0-9]*/PID/g' "$1"
}

# run_as NAME OPTION...: status, out and err into $result/NAME.*
run_as()
{
    to=$result/$1
    shift
    rm -f vgcore.*
    {
        # The words of a .vgtest file are for a shell.
        status=0
        timeout -k 5 "$time_limit" sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "$to.pid" \
            env $environment "$launcher" -q --vgdb=no "$@" \
            </dev/null >"$to.out" 2>"$to.err" || status=$?
    } 2>/dev/null
    echo "$status" >"$to.status"
    pid=$(cat "$to.pid")
    normalise "$to.out" "$pid" >"$to.o"
    normalise "$to.err" "$pid" >"$to.e"
}

# differs NAME: prints how the run differs from the first run.
differs()
{
    cmp -s "$result/none.status" "$result/$1.status" ||
        echo "$1: status $(cat "$result/$1.status") instead of $(cat "$result/none.status")"
    cmp -s "$result/none.o" "$result/$1.o" || echo "$1: stdout"
    cmp -s "$result/none.e" "$result/$1.e" || echo "$1: stderr"
}

# A child that outlives the program may still write its report.
writing()
{
    ls "$result"/report.*.tmp-* >/dev/null 2>&1
}

invalid_reports()
{
    waited=0
    while writing && [ $waited -lt 10 ]; do
        sleep 1
        waited=$((waited + 1))
    done
    for report in "$result"/report.*; do
        [ -e "$report" ] || { echo "$1: no report"; return; }
        "$build/tools/aprof" report "$report" >/dev/null 2>"$result/complaint" ||
            echo "$1: $(head -n 1 "$result/complaint")"
        rm -f "$report"
    done
}

verdict()
{
    [ "$1" = failed ] || rm -rf "$result"
    echo "$1 $name $2"
    exit 0
}

one()
{
    name=$1
    file=$work/valgrind/$name.vgtest
    result=$work/runs/$(echo "$name" | tr / _)
    rm -rf "$result"
    mkdir -p "$result"
    reason=$(sed -n "s|^$name[[:space:]][[:space:]]*||p" "$here/unstable")
    [ -z "$reason" ] || verdict skipped "unstable: $reason"
    cd "$(dirname "$file")"
    program=$(field prog "$file" | sed 's/ *$//')
    [ -f "$program" ] && [ -x "$program" ] || verdict skipped 'not built'
    condition=$(field prereq "$file")
    [ -z "$condition" ] || sh -c "$condition" >/dev/null 2>&1 || verdict skipped 'not for this machine'
    environment=$(field env "$file")
    arguments=$(field args "$file")
    # shellcheck disable=SC2086
    eval "set -- ./$program $arguments" 2>/dev/null || verdict skipped 'arguments'

    run_as none --tool=none "$@"
    run_as again --tool=none "$@"
    [ "$(cat "$result/none.status")" != 124 ] || verdict skipped 'takes too long without a tool'
    problems=$(differs again)
    [ -z "$problems" ] || verdict skipped "differs without a tool"
    for concurrent in no yes; do
        run_as "concurrent-$concurrent" --tool=aprof --concurrent=$concurrent \
            "--aprof-out-file=$result/report.%p" "$@"
        problems="$problems $(differs "concurrent-$concurrent")"
        problems="$problems $(invalid_reports "concurrent-$concurrent")"
    done
    problems=$(echo "$problems" | tr '\n' ' ' | sed 's/^ *//; s/ *$//')
    [ -z "$problems" ] || verdict failed "$problems"
    verdict passed ''
}

# ---------------------------------------------------------------- All of them

build_all()
{
    for suite in none memcheck helgrind drd; do
        make -k -s "-j$jobs" -C $suite/tests check || : # what needs another machine does not build
    done
    touch "$work/built"
}

# build_named TEST...: builds the programs of tests; programs that cannot be built are skipped later.
build_named()
{
    for test; do
        program=$(field prog "$test.vgtest" | sed 's/ *$//')
        make -s -C "$(dirname "$test")" "$program" || :
    done
}

# build_programs [TEST...]: builds only the programs; neither Valgrind's core nor its tools are needed.
build_programs()
{
    # shellcheck source-path=SCRIPTDIR source=../../bench/debian_source.sh
    . "$here/../../bench/debian_source.sh"
    debian_source valgrind
    [ ! -e "$work/built" ] || return 0
    echo 'building; this takes some minutes'
    (
        cd "$work/valgrind"
        [ -e config.status ] || ./configure -q
        make -s -C include
        if [ $# = 0 ]; then build_all; else build_named "$@"; fi
    ) >"$work/build.log" 2>&1 || fail "Valgrind's tests cannot be built, see $work/build.log"
}

# One line per test; of tests that run one program in one way, only the first.
list_tests()
{
    cd "$work/valgrind"
    for suite in none memcheck helgrind drd; do
        for folder in $suite/tests $suite/tests/amd64 $suite/tests/linux $suite/tests/amd64-linux; do
            for file in "$folder"/*.vgtest; do
                [ -e "$file" ] || continue
                printf '%s\t%s|%s|%s|%s\n' "${file%.vgtest}" "$folder" "$(field prog "$file")" \
                    "$(field args "$file")" "$(field env "$file")"
            done
        done
    done | awk -F '\t' '!seen[$2]++ { print $1 }'
}

build=.
work=
jobs=${VGTESTS_JOBS:-1}
only_one=
while getopts b:w:j:1: option; do
    case $option in
    b) build=$OPTARG ;;
    w) work=$OPTARG ;;
    j) jobs=$OPTARG ;;
    1) only_one=$OPTARG ;; # by ourselves
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(cd "$build" && pwd)
work=${work:-$build/tests/vgtests/work}
mkdir -p "$work"
work=$(cd "$work" && pwd)
launcher=$build/vg-in-place
LC_ALL=C
export LC_ALL

[ -z "$only_one" ] || one "$only_one"
command -v dpkg-source >/dev/null || fail 'dpkg-source is missing: the source comes from Debian'
[ -x "$launcher" ] || fail "$launcher has not been built"
build_programs "$@"
if [ $# = 0 ]; then
    list_tests >"$work/tests"
else
    printf '%s\n' "$@" >"$work/tests"
fi
touch "$work/done"
awk 'FILENAME == ARGV[1] { done[$2]; next } !($1 in done)' "$work/done" "$work/tests" >"$work/left"
[ ! -s "$work/done" ] ||
    echo "$(grep -c . "$work/left" || :) of $(grep -c . "$work/tests") left; from the beginning: rm $work/done"
xargs -r -P "$jobs" -n 1 "$here/vgtests.sh" -b "$build" -w "$work" -1 <"$work/left" >>"$work/done"
awk 'NR == FNR { asked[$1]; next } $2 in asked' "$work/tests" "$work/done" >"$work/results"
awk 'NR == FNR { asked[$1]; next } !($2 in asked)' "$work/tests" "$work/done" >"$work/left"
mv "$work/left" "$work/done"
grep '^failed' "$work/results" || :
rm -rf "$work/failed"
mkdir "$work/failed"
sed -n 's/^failed \([^ ]*\).*/\1/p' "$work/results" | tr / _ | while read -r run; do
    mv "$work/runs/$run" "$work/failed/"
done
count()
{
    grep -c "^$1" "$work/results" || :
}
echo "$(count passed) passed, $(count failed) failed, $(count skipped) skipped"
[ "$(count failed)" = 0 ]
