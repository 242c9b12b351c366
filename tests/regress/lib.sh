# Functions of the end-to-end tests: compile a program, profile it, compare the report.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Sourced by run.sh, which interprets NAME.test, and by the scripts NAME.sh for what a table of
# expectations cannot say. A script calls `begin NAME`, then for each case `case_begin`, `compile`,
# `profile`, `expect`, `check` and `case_end`, and at last `finish`.
#
# Environment: builddir (default `.`), CC, CXX, APROF_VG (the launcher, default
# BUILDDIR/vg-in-place), APROF_KEEP (leave the work directories).

set -eu

regress=$(cd "$(dirname "$0")" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
launcher=${APROF_VG:-$builddir/vg-in-place}
CC=${CC:-gcc}
CXX=${CXX:-g++}

# -fno-stack-protector: the canary is a memory cell that every protected routine reads.
base_flags="-g -fno-stack-protector -Wall -I$regress/../.. -I$regress/../../aprof"

passed=0
failed=0
case_name=
case_problems=

begin() {
    test_name=$1
    work=$builddir/tests/regress/$test_name.d
    rm -rf "$work"
    mkdir -p "$work"
    [ -x "$launcher" ] || skip "$launcher has not been built"
    trap clean_up EXIT
}

clean_up() {
    if [ -z "${APROF_KEEP-}" ] && [ "$failed" = 0 ]; then
        rm -rf "$work"
    fi
}

skip() {
    echo "skip: $test_name: $1"
    exit 77
}

finish() {
    echo "$test_name: $passed passed, $failed failed"
    [ "$failed" = 0 ] || exit 1
    exit 0
}

# require FEATURE...: skip the whole test where the machine or the compiler lacks one.
require() {
    for feature; do
        case $feature in
        m32)
            echo 'int main(void) { return 0; }' > "$work/probe.c"
            $CC -m32 -o "$work/probe" "$work/probe.c" 2> /dev/null ||
                skip "$CC builds no 32-bit programs"
            "$launcher" -q --tool=aprof --aprof-out-file="$work/probe.out" "$work/probe" \
                > /dev/null 2>&1 || skip "there is no aprof for 32-bit programs"
            ;;
        m32c++)
            echo 'int main() { return 0; }' > "$work/probe.cpp"
            $CXX -m32 -o "$work/probe" "$work/probe.cpp" 2> /dev/null ||
                skip "$CXX builds no 32-bit programs"
            ;;
        openmp)
            echo 'int main(void) { return 0; }' > "$work/probe.c"
            $CC -fopenmp -o "$work/probe" "$work/probe.c" 2> /dev/null || skip "$CC has no OpenMP"
            ;;
        amd64)
            case $(uname -m) in
            x86_64) ;;
            *) skip "the machine is not an amd64" ;;
            esac
            ;;
        *)
            grep -qw "$feature" /proc/cpuinfo || skip "the processor has no $feature"
            ;;
        esac
    done
}

# A case is one program under one set of flags; problems are collected and told together.
case_begin() {
    case_name=$1
    case_problems=
}

problem() {
    case_problems="$case_problems
$1"
}

case_end() {
    if [ -z "$case_problems" ]; then
        passed=$((passed + 1))
        echo "ok: $test_name: $case_name"
        return
    fi
    failed=$((failed + 1))
    echo "not ok: $test_name: $case_name"
    printf '%s\n' "$case_problems" | sed '1d; s/^/    /'
}

# compile OUTPUT FLAGS SOURCE...: sources stand in the test directory; ./X and -X are passed on.
compile() {
    compile_output=$1
    compile_flags=$2
    shift 2
    compiler=$CC
    compile_files=
    for file; do
        case $file in
        *.cpp)
            compiler=$CXX
            compile_files="$compile_files $regress/$file"
            ;;
        ./* | -*) compile_files="$compile_files $file" ;;
        *) compile_files="$compile_files $regress/$file" ;;
        esac
    done
    # Flags and files are lists of words.
    # shellcheck disable=SC2086
    (cd "$work" && $compiler $base_flags $compile_flags -o "$compile_output" $compile_files) \
        > "$work/compiler.log" 2>&1 || {
        problem "does not compile: $(tail -n 3 "$work/compiler.log")"
        return 1
    }
}

# profile "OPTIONS" PROGRAM [ARGUMENT...]: run it in the work directory. Leaves the report in
# $work/out, the tool's messages in $work/log, the program's output in $work/stdout and
# $work/stderr, and $status.
profile() {
    profile_options=$1
    shift
    rm -f "$work"/out "$work"/out.*
    set +e
    # Options are a list of words. The outer braces silence the shell's own word on a signal.
    # shellcheck disable=SC2086
    {
        (cd "$work" && exec timeout "${time_limit:-100}" "$launcher" --tool=aprof --log-file=log \
            --aprof-out-file=out --metrics=trms,rms $profile_options "$@") \
            > "$work/stdout" 2> "$work/stderr" < /dev/null
        status=$?
    } 2> /dev/null
    set -e
    if [ "$status" = 124 ]; then
        problem "still ran after ${time_limit:-100} seconds"
    fi
}

# expect REPORT LINE: see measured.awk for the language of LINE.
expect() {
    printf '%s\n' "$2" > "$work/expectation"
    expect_file "$1" "$work/expectation"
}

expect_file() {
    if [ ! -f "$work/$1" ]; then
        problem "no report $1; the log ends: $(tail -n 2 "$work/log" 2> /dev/null || :)"
        return 0
    fi
    answer=$(awk -f "$regress/../measured.awk" "$2" "$work/$1" 2>&1) || :
    if [ -n "$answer" ]; then
        problem "$answer"
    fi
    accept "$1"
}

# The one reader of the format must agree that the report is whole.
accept() {
    if [ ! -x "$builddir/tools/aprof" ]; then
        return 0
    fi
    answer=$("$builddir/tools/aprof" export --format=csv "$work/$1" 2>&1 > /dev/null) ||
        problem "aprof refuses $1: $answer"
}

# check WHAT COMMAND...: a condition of any kind.
check() {
    what=$1
    shift
    "$@" > /dev/null 2>&1 || problem "$what"
}

expect_status() {
    [ "$status" = "$1" ] || problem "exit status $status instead of $1:
$(tail -q -n 2 "$work/log" "$work/stderr" 2> /dev/null)"
}
