#!/bin/sh
# Runs end-to-end tests: programs with known input sizes and costs, profiled and compared.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: run.sh [TEST...]     from the build directory; TEST is a NAME.test or NAME.sh [all]
#
# NAME.test is a list of `key: value` lines, `#` starts a comment:
#
#   source: FILE...           default NAME.c; .c, .cpp and .S
#   cflags: A | B | ...       the test runs under each of them (default -O0)
#   opts: A | B | ...         and under each of these options of the profiler
#   env: A | B | ...          and in each of these environments (VAR=VALUE words; - is empty)
#   lib: FILE.so SOURCE [FLAG...]   build a shared library first (with the cflags of the case)
#   libs: WORD...             put behind the sources when linking
#   strip: yes                strip the program (offset=@NAME still finds routines)
#   args: WORD...             arguments of the program
#   require: FEATURE...       m32, m32c++, openmp, amd64 or a flag of /proc/cpuinfo; else skipped
#   status: N                 the exit status (default 0)
#   stdout: TEXT              the whole standard output is this line (default: empty)
#   timeout: SECONDS          default 100
#   report: NAME              the expectations that follow are about this report (default out)
#   expect: ...               see measured.awk
#   expect@WORD: ...          only for cases with the word WORD in cflags, opts or env
#
# One line per case, `ok` or `not ok` with what is wrong, and a closing line with the counts.

here=$(dirname "$0")

run_all() {
    total=0
    bad=0
    for test; do
        [ -e "$test" ] || test=$here/$test
        total=$((total + 1))
        case $test in
        *.test) sh "$0" "$test" ;;
        *) sh "$test" ;;
        esac
        case $? in
        0 | 77) ;;
        *) bad=$((bad + 1)) ;;
        esac
    done
    echo "$((total - bad)) passed, $bad failed"
    [ "$bad" = 0 ]
    exit
}

case $# in
0)
    set --
    for file in "$here"/*.test "$here"/*.sh; do
        case $file in
        */run.sh | */lib.sh) ;;
        *) set -- "$@" "$file" ;;
        esac
    done
    run_all "$@"
    ;;
1)
    case $1 in
    */*.test) ;;
    *) run_all "$@" ;;
    esac
    ;;
*) run_all "$@" ;;
esac

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"

test_file=$1
begin "$(basename "$test_file" .test)"

# value KEY DEFAULT: the value of the first line with this key.
value() {
    found=$(sed -n "s/^$1:[[:space:]]*//p" "$test_file" | head -n 1)
    printf '%s\n' "${found:-$2}"
}

# alternatives KEY DEFAULT: one per line.
alternatives() {
    value "$1" "$2" | sed 's/[[:space:]]*|[[:space:]]*/\n/g'
}

build_libraries() {
    sed -n 's/^lib:[[:space:]]*//p' "$test_file" > "$work/libraries"
    while read -r library words <&3; do
        # shellcheck disable=SC2086
        compile "$library" "$1 -shared -fPIC" $words || return 1
    done 3< "$work/libraries"
}

# An offset may be given as @NAME: the address that the symbol table (before strip) has for NAME.
resolve_offsets() {
    nm "$work/prog" > "$work/symbols"
    awk 'NR == FNR { sub(/^0+/, "", $1); address[$NF] = "0x" $1; next }
         match($0, /offset=@[A-Za-z0-9_.]+/) {
             name = substr($0, RSTART + 8, RLENGTH - 8)
             $0 = substr($0, 1, RSTART + 6) address[name] substr($0, RSTART + RLENGTH)
         }
         { print }' "$work/symbols" "$1"
}

# The expectations of one case, sorted out by report into $work/expect.REPORT.
select_expectations() {
    rm -f "$work"/expect.*
    awk -v words=" $1 " -v dir="$work" '
        BEGIN { report = "out" }
        /^report:/ { report = $2 }
        /^expect(@[^:]*)?:/ {
            key = $1; sub(/^expect@?/, "", key); sub(/:$/, "", key)
            if (key != "" && !index(words, " " key " ")) next
            sub(/^[^ \t]*[ \t]*/, "")
            print > (dir "/expect." report)
        }' "$test_file"
}

check_output() {
    text=$(value stdout "")
    [ "$(cat "$work/stdout")" = "$text" ] ||
        problem "standard output is '$(head -n 3 "$work/stdout")' instead of '$text'"
}

run_case() {
    cflags=$1
    opts=$2
    environment=$3
    case_begin "$cflags $opts $environment"
    build_libraries "$cflags" || return 0
    # Lists of words.
    # shellcheck disable=SC2046
    compile prog "$cflags" $(value source "$test_name.c") $(value libs "") || return 0
    select_expectations "$cflags $opts $environment"
    for file in "$work"/expect.*; do
        resolve_offsets "$file" > "$work/resolved"
        mv "$work/resolved" "$file"
    done
    if [ "$(value strip no)" = yes ]; then
        strip "$work/prog"
    fi
    [ "$environment" != - ] || environment=
    # shellcheck disable=SC2046,SC2086
    (
        for setting in $environment; do
            export "${setting?}"
        done
        profile "$opts" ./prog $(value args "")
        echo "$status" > "$work/status"
    )
    status=$(cat "$work/status")
    expect_status "$(value status 0)"
    check_output
    for file in "$work"/expect.*; do
        expect_file "${file##*/expect.}" "$file"
    done
}

# Read by profile.
# shellcheck disable=SC2034
time_limit=$(value timeout 100)
# shellcheck disable=SC2046
require $(value require "")
alternatives cflags -O0 > "$work/cflags.list"
alternatives opts --resolution=4 > "$work/opts.list"
alternatives env - > "$work/env.list"
while IFS= read -r flags <&4; do
    while IFS= read -r options <&5; do
        while IFS= read -r environment <&6; do
            run_case "$flags" "$options" "$environment"
            case_end
        done 6< "$work/env.list"
    done 5< "$work/opts.list"
done 4< "$work/cflags.list"
finish
