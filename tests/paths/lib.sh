# Sourced by the tests of path profiling, after tests/setup.sh.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC2086

command -v aprof-pathcc >/dev/null || skip "built without LLVM"
programs=$source/tests/paths/programs

# compile OPTIONS NAME: makes ./NAME of a program of this folder.
compile()
{
    if test -f "$programs/$2.cpp"; then
        run 0 aprof-pathc++ $1 -o "$2" "$programs/$2.cpp"
    else
        run 0 aprof-pathcc $1 -o "$2" "$programs/$2.c"
    fi
}

# profile STATUS PROGRAM ARGUMENT PLAN-OPTIONS...: from plan to check; the program ends with STATUS.
profile()
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
