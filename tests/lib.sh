# Sourced by every shell test: functions that name, run, compare, skip and count cases.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2086
#
#     . "${0%/*}/../lib.sh"
#     begin 'what is not there is named'      # a case: all up to the next one
#     run 1 aprof report missing              # must end with status 1
#     expect_error 'missing: No such file'
#     finish
#
# A test starts in the build folder, works in a scratch folder, which APROF_KEEP=1 keeps, and reads its own
# files from $here. Each case ends with a line `ok: NAME`, or has a line `not ok: NAME: WHAT` for each error.
# `skip REASON` ends a test that is not possible on this machine. After the first section follow functions for
# tests that profile: with the Valgrind tool, compiled in, paths.
set -eu

LC_ALL=C
export LC_ALL
unset NO_COLOR APROF_VALGRIND_LIB 2>/dev/null || :

build=$(pwd)
here=$(cd "${0%/*}" && pwd)
source=${here%/tests*}
test_name=$(basename "$0" .sh)
data=$source/tests/tools/data
APROF_SCRIPTS=${APROF_SCRIPTS:-$source/scripts}
export APROF_SCRIPTS
APROF_CC_PROFILE=trms,hooks # hooks, unless a test chooses another form; arm64 has none
test -z "${APROF_EMULATED-}" || APROF_CC_PROFILE=trms,inline
export APROF_CC_PROFILE
PATH=$build/tools:$build/tests/tools:$PATH
export PATH
launcher=${APROF_LAUNCHER:-$build/vg-in-place}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/aprof-test.XXXXXX")
trap 'clean_up $?' EXIT
trap 'exit 1' HUP INT TERM
cd "$scratch"

last=
case_name=
passed=0
failed=0
failures=0
failures_before=0
finished=no

# begin NAME: begins a case, whose name is a sentence, and ends the previous case.
begin()
{
    end_case
    case_name=$*
}

end_case()
{
    if test "$failures" != "$failures_before"; then
        failed=$((failed + 1))
    elif test "$case_name"; then
        passed=$((passed + 1))
        echo "ok: $case_name"
    fi
    failures_before=$failures
}

# Ends a test, and prints how many cases passed.
finish()
{
    case_name=${case_name:-$test_name}
    end_case
    finished=yes
    echo "$test_name: $passed passed, $failed failed"
    test "$failures" = 0 || exit 1
    exit 0
}

skip()
{
    test "$failures" = 0 || finish
    finished=yes
    echo "skipped: $*"
    exit 77
}

# An aborted test has failed, even if its last command has not.
clean_up()
{
    if test $finished = no; then
        echo "not ok: ${case_name:-$test_name}: broke off with status $1"
    fi
    if test "${APROF_KEEP-}"; then
        echo "kept: $scratch"
    else
        rm -rf "$scratch"
    fi
    test $finished = yes || exit 1
}

# need PROGRAM [REASON]: skips the test if the program is missing.
need()
{
    command -v "$1" >/dev/null 2>&1 || skip "${2:-$1 is not installed}"
}

# need_papers: skips a test of components that --disable-papers omits.
need_papers()
{
    test -f "$build/libaprof_events.a" || skip 'built with --disable-papers'
}

fail()
{
    failures=$((failures + 1))
    echo "not ok: ${case_name:-$test_name}: $*"
}

# show FILE...: prints the files below an error.
show()
{
    head -q -n 20 "$@" | sed 's/^/    /'
}

# run STATUS COMMAND...: runs the command with output to the files `out` and `err`.
run()
{
    wanted=$1
    shift
    last="$*"
    status=0
    "$@" >out 2>err </dev/null || status=$?
    expect_status "$wanted"
}

expect_status()
{
    test "$status" = "$1" || {
        fail "$last: status $status instead of $1"
        show out err
    }
}

# valid_json FILE: the file follows its schema in docs/schemas, if Python can validate it.
valid_json()
{
    ! python3 -c 'import jsonschema' 2>/dev/null ||
        python3 "$source/tests/tools/validate.py" "$source/docs/schemas" "$1" || fail "$1: not as its schema says"
}

# Checks that the output contains the text.
expect()
{
    grep -qF -e "$1" out || {
        fail "$last: no '$1' in:"
        show out
    }
}

expect_not()
{
    ! grep -qF -e "$1" out || fail "$last: should not print '$1'"
}

# Checks that the errors contain the message, perhaps among others.
expect_message()
{
    grep -q -e "$1" err || {
        fail "$last: no '$1' in:"
        show err
    }
}

expect_no_message()
{
    test ! -s err || {
        fail "$last: a message"
        show err
    }
}

# A failure prints one line, which begins like all messages of aprof.
expect_error()
{
    grep -qF -e "$1" err || {
        fail "$last: no '$1' in:"
        show err
    }
    test "$(wc -l <err)" = 1 || fail "$last: $(wc -l <err) lines of message"
    grep -q '^aprof: ' err || fail "$last: the message does not start with 'aprof: '"
}

# same TEXT1 TEXT2 WHAT
same()
{
    test "$1" = "$2" || fail "$3: '$1' instead of '$2'"
}

# same_files FILE WANTED WHAT
same_files()
{
    cmp -s "$1" "$2" || {
        fail "$3"
        diff "$1" "$2" >differences || :
        show differences
    }
}

# check WHAT COMMAND...: checks any condition; WHAT describes the error if the condition is false.
check()
{
    what=$1
    shift
    "$@" >/dev/null 2>&1 || fail "$what"
}

# ---------------------------------------------------------------- Reports

# measured REPORT EXPECTATION...: measured.awk describes the language of expectations.
measured()
{
    measured_report=$1
    shift
    printf '%s\n' "$@" >expectations
    measured_as "$measured_report" expectations
}

# measured_as REPORT FILE: checks the expectations in the file, and that the command reads the report.
measured_as()
{
    if test ! -f "$1"; then
        fail "no report $1: $(tail -q -n 2 log err 2>/dev/null || :)"
        return 0
    fi
    awk -f "$source/tests/measured.awk" "$2" "$1" >differences 2>&1 || :
    if test -s differences; then
        fail "${last:-$1}"
        show differences
    fi
    accepted "$1"
}

accepted()
{
    aprof export --format=csv "$1" >/dev/null 2>differences || {
        fail "aprof refuses $1"
        show differences
    }
}

# body REPORT: prints the report without the lines that differ between two runs.
body()
{
    grep -av '^\(command\|process\|options\|complete\)	' "$1"
}

# altered FILE SED-SCRIPT: changes the body of a report or another sealed file, and seals it again.
altered()
{
    sed -e '$d' "$1" >.unaltered
    sed -e "$2" .unaltered >.altered
    ! cmp -s .unaltered .altered || fail "the script $2 changes nothing" >&2
    seal <.altered
}

# refuses_damage FILE COMMAND...: tests files that are truncated anywhere, or have any byte changed after the
# first line.
refuses_damage()
{
    whole=$1
    shift
    size=$(wc -c <"$whole")
    first=$(head -n 1 "$whole" | wc -c)
    for bytes in $((first - 1)) "$first" 100 101 500 $((size - 40)) $((size - 2)) $((size - 1)); do
        test "$bytes" -lt "$size" || continue
        head -c "$bytes" "$whole" >truncated
        run 1 "$@" truncated
        expect_error 'truncated: '
    done
    for offset in $((first + 1)) 60 $((size / 3)) $((size / 2)) $((size - 3)); do
        {
            head -c "$offset" "$whole"
            printf '~'
            tail -c +$((offset + 2)) "$whole"
        } >flipped
        run 1 "$@" flipped
        expect_error 'corrupted: its checksum does not match'
    done
    { cat "$whole" && echo; } >longer
    run 1 "$@" longer
    expect_error 'corrupted: data follow the last line'
}

# reads_packed FILE COMMAND...: tests that the output does not change for a compressed file, and for a pipe.
reads_packed()
{
    whole=$1
    shift
    run 0 "$@" "$whole"
    mv out plain
    for packer in gzip zstd; do
        command -v $packer >/dev/null || continue
        $packer -qc "$whole" >packed
        run 0 "$@" packed
        same_files out plain "$packer changes the result"
        head -c $(($(wc -c <packed) / 2)) packed >truncated
        run 1 "$@" truncated
        expect_error 'truncated: '
    done
    "$@" - <"$whole" >out || fail 'cannot read a pipe'
    same_files out plain 'a pipe changes the result'
}

# Whether the command has the page of `aprof html`, which a build without node, npm or network lacks.
has_page()
{
    aprof html "$data/basic.aprof" -o .page 2>.no_page || ! grep -q 'built without the page' .no_page
}

# Whether `aprof serve` can serve; what it printed is in .served and .no_serve.
has_serve()
{
    rm -f .served
    aprof serve "$data/basic.aprof" >.served 2>.no_serve &
    while test ! -s .served && kill -0 $! 2>/dev/null; do sleep 0.1; done
    kill $! 2>/dev/null && wait $!
}

# ---------------------------------------------------------------- The Valgrind tool

CC=${CC:-gcc}
CXX=${CXX:-g++}

# The machine for which tests compile. Assembly sources for machines other than amd64 have a folder.
machine=amd64
assembly=
case $($CC -dumpmachine 2>/dev/null) in
aarch64*)
    machine=arm64
    assembly=arm64/
    ;;
esac

# -fno-stack-protector: the canary is a memory cell that every protected routine reads.
base_flags="-g -fno-stack-protector -Wall -I$source -I$source/aprof"

# require FEATURE...: skips the test if the tool, the machine or the compiler lacks a feature.
require()
{
    test -x "$launcher" || skip "$launcher has not been built"
    for feature; do
        case $feature in
        m32)
            echo 'int main(void) { return 0; }' >probe.c
            $CC -m32 -o probe probe.c 2>/dev/null || skip "$CC builds no 32-bit programs"
            "$launcher" -q --tool=aprof --aprof-out-file=probe.out ./probe >/dev/null 2>&1 ||
                skip "there is no aprof for 32-bit programs"
            ;;
        m32c++)
            echo 'int main() { return 0; }' >probe.cpp
            $CXX -m32 -o probe probe.cpp 2>/dev/null || skip "$CXX builds no 32-bit programs"
            ;;
        openmp)
            echo 'int main(void) { return 0; }' >probe.c
            $CC -fopenmp -o probe probe.c 2>/dev/null || skip "$CC has no OpenMP"
            ;;
        amd64 | arm64) test "$machine" = "$feature" || skip "the machine is not an $feature" ;;
        *)
            grep -qw "$feature" /proc/cpuinfo || skip "the processor has no $feature"
            ;;
        esac
    done
}

# compile OUTPUT FLAGS SOURCE...: compiles sources in the test's folder; ./X and -X are passed unchanged.
compile()
{
    compile_output=$1
    compile_flags=$2
    shift 2
    compiler=$CC
    compile_files=
    for file; do
        case $file in
        *.cpp)
            compiler=$CXX
            compile_files="$compile_files $here/$file"
            ;;
        *.S) compile_files="$compile_files $here/$assembly$file" ;;
        ./* | -*) compile_files="$compile_files $file" ;;
        *) compile_files="$compile_files $here/$file" ;;
        esac
    done
    $compiler $base_flags $compile_flags -o "$compile_output" $compile_files >compiler.log 2>&1 || {
        fail "$compile_output does not compile"
        show compiler.log
        return 1
    }
}

# profile "OPTIONS" PROGRAM [ARGUMENT...]: leaves its report in `report`, the tool's messages in `log`,
# the program's output in `out` and `err`, and $status.
profile()
{
    profile_options=$1
    shift
    last="$* $profile_options"
    rm -f report report.*
    status=0
    # The outer braces suppress the shell's own message about a signal.
    {
        timeout -k 20 "${time_limit:-100}" "$launcher" --tool=aprof --log-file=log --aprof-out-file=report \
            --metrics=trms,rms $profile_options "$@" >out 2>err </dev/null || status=$?
    } 2>/dev/null
    if test "$status" = 124; then
        fail "$last: still ran after ${time_limit:-100} seconds"
    fi
}

# ---------------------------------------------------------------- Compiled-in profilers

# Whether programs run in emulation by qemu-user (scripts/arm64_tests_root.sh). qemu starts no process without
# an exit signal, which the report before an exec needs, and has neither seccomp nor single steps.
is_emulated()
{
    test "${APROF_EMULATED-}"
}

# Sets $compilers to the installed ones of gcc, clang, and `inline`, which is clang with inline checks.
need_compilers()
{
    compilers=' inline'
    ! is_emulated || return 0
    compilers=
    for compiler in gcc clang; do
        ! command -v $compiler >/dev/null || compilers="$compilers $compiler"
    done
    test "$compilers" || skip 'neither gcc nor clang'
    case $compilers in
    *clang*) test ! -x "$build/tools/aprof-instrument" || compilers="$compilers inline" ;;
    esac
}

# chooses one of $compilers for aprof-cc; $plain is the compiler itself.
use_compiler()
{
    case $1 in
    inline) APROF_CC_PROFILE=trms,inline plain=clang ;;
    *) APROF_CC_PROFILE=trms,hooks plain=$1 ;;
    esac
    APROF_CC_COMPILER=$plain
    export APROF_CC_PROFILE APROF_CC_COMPILER
}

# build COMPILER FLAGS OUTPUT SOURCE: compiles with the compiled-in profiler.
build()
{
    driver=aprof-cc
    case $4 in *.cpp | *.cc) driver=aprof-c++ ;; esac
    last="$1 $2"
    (
        use_compiler "$1"
        $driver -g -w -fno-stack-protector -pthread $2 -o "$3" "$4"
    ) || fail "$last: $4 does not compile"
}

# all_points REPORT: prints names and points of all routines, in one order, without costs.
all_points()
{
    awk -F '\t' '
        $1 == "routine" { name[$2] = $6 }
        $1 == "profile" { of = name[$2] }
        $1 == "trms" || $1 == "rms" { print of, $1, $2, $3, $9, $10 }' "$1" | sort
}

# ---------------------------------------------------------------- Paths

# compile_paths OPTIONS NAME: compiles a program of the test's folder to ./NAME.
compile_paths()
{
    if test -f "$here/programs/$2.cpp"; then
        run 0 aprof-pathc++ $1 -o "$2" "$here/programs/$2.cpp"
    else
        run 0 aprof-pathcc $1 -o "$2" "$here/programs/$2.c"
    fi
}

# profile_paths STATUS PROGRAM ARGUMENT PLAN-OPTIONS...: runs all steps from plan to check; the program ends
# with STATUS.
profile_paths()
{
    ends=$1 program=$2 argument=$3
    shift 3
    run 0 aprof paths plan "./$program" "$@"
    run "$ends" aprof paths run -- "$argument"
    run 0 aprof paths merge
    run 0 aprof paths check
    expect 'sequential: equal'
    expect 'oracle: equal'
    expect_not 'differences'
}
