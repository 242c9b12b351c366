#!/bin/sh
# Runs an end-to-end test: a program with known input sizes and costs, profiled and compared.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: run.sh NAME.test     from the build folder
#
# NAME.test is a list of `key: value` lines, `#` starts a comment:
#
#   source: FILE...           default NAME.c; .c, .cpp and .S, which is arm64/NAME.S on arm64
#   cflags: A | B | ...       the test runs under each of them (default -O0)
#   opts: A | B | ...         and under each of these options of the profiler
#   env: A | B | ...          and in each of these environments (VAR=VALUE words; - is empty)
#   lib: FILE.so SOURCE [FLAG...]   build a shared library first (with the cflags of the case)
#   libs: WORD...             put behind the sources when linking
#   strip: yes                strip the program, by $STRIP (offset=@NAME still finds routines)
#   args: WORD...             arguments of the program
#   require: FEATURE...       m32, m32c++, openmp, amd64, arm64 or a flag of /proc/cpuinfo; else skipped
#   status: N                 the exit status (default 0)
#   stdout: TEXT              the whole standard output is this line (default: empty)
#   timeout: SECONDS          default 100
#   expect: ...               see measured.awk
#   expect@WORD: ...          only for cases with the word WORD in cflags, opts or env, or for a machine
#   KEY@MACHINE: ...          instead of KEY on that machine: amd64, arm64

. "${0%/*}/../lib.sh"

test_name=$(basename "$1" .test)
test_file=$here/$test_name.test

# value KEY DEFAULT: the value of the first line with this key; rather the one for this machine.
value()
{
    found=$(sed -n "s/^$1@$machine:[[:space:]]*//p" "$test_file" | head -n 1)
    test "$found" || found=$(sed -n "s/^$1:[[:space:]]*//p" "$test_file" | head -n 1)
    printf '%s\n' "${found:-$2}"
}

# alternatives KEY DEFAULT: one per line.
alternatives()
{
    value "$1" "$2" | sed 's/[[:space:]]*|[[:space:]]*/\n/g'
}

build_libraries()
{
    sed -n 's/^lib:[[:space:]]*//p' "$test_file" >libraries
    while read -r library words <&3; do
        # shellcheck disable=SC2086
        compile "$library" "$1 -shared -fPIC" $words || return 1
    done 3<libraries
}

# An offset may be given as @NAME: the address that the symbol table (before strip) has for NAME.
# Without symbols, main begins at __wrap_main if that is what the C library calls (programs of arm64 at
# fixed addresses).
resolve_offsets()
{
    nm prog >symbols
    awk 'NR == FNR { sub(/^0+/, "", $1); address[$NF] = "0x" $1; next }
         "__wrap_main" in address { address["main"] = address["__wrap_main"] }
         match($0, /offset=@[A-Za-z0-9_.]+/) {
             name = substr($0, RSTART + 8, RLENGTH - 8)
             $0 = substr($0, 1, RSTART + 6) address[name] substr($0, RSTART + RLENGTH)
         }
         { print }' symbols "$1"
}

# The expectations of one case.
select_expectations()
{
    awk -v words=" $1 " '
        /^expect(@[^:]*)?:/ {
            key = $1; sub(/^expect@?/, "", key); sub(/:$/, "", key)
            if (key != "" && !index(words, " " key " ")) next
            sub(/^[^ \t]*[ \t]*/, "")
            print
        }' "$test_file" >selected
    resolve_offsets selected >expectations
}

check_output()
{
    text=$(value stdout "")
    same "$(cat out)" "$text" 'standard output'
}

run_case()
{
    cflags=$1
    opts=$2
    environment=$3
    begin "$cflags $opts $environment"
    build_libraries "$cflags" || return 0
    # Lists of words.
    # shellcheck disable=SC2046
    compile prog "$cflags" $(value source "$test_name.c") $(value libs "") || return 0
    select_expectations "$cflags $opts $environment $machine"
    if [ "$(value strip no)" = yes ]; then
        "${STRIP:-strip}" prog
    fi
    [ "$environment" != - ] || environment=
    # shellcheck disable=SC2046,SC2086
    (
        for setting in $environment; do
            export "${setting?}"
        done
        profile "$opts" ./prog $(value args "")
        echo "$status" >status
    )
    status=$(cat status)
    expect_status "$(value status 0)"
    check_output
    measured_as report expectations
}

# Read by profile.
# shellcheck disable=SC2034
time_limit=$(value timeout 100)
# shellcheck disable=SC2046
require $(value require "")
alternatives cflags -O0 >cflags.list
alternatives opts --resolution=4 >opts.list
alternatives env - >env.list
while IFS= read -r flags <&4; do
    while IFS= read -r options <&5; do
        while IFS= read -r environment <&6; do
            run_case "$flags" "$options" "$environment"
        done 6<env.list
    done 5<opts.list
done 4<cflags.list
finish
