# Functions for event tests of all front ends: complete reports, and counted calls for all ends of a process.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034
#
# Sourced; APROF_CC_PROFILE selects the front end.

# analysed OPTIONS COMMAND...: makes a report, which must be complete, without messages.
analysed()
{
    options=$1
    shift
    rm -f report
    run 0 env APROF_EVENTS="out=report,$options" timeout 60 "$@"
    test ! -s err || fail "$options: $(cat err)"
    test "$(tail -1 report 2>/dev/null | cut -f1)" = complete || fail "$options: $*: no whole report"
    body report >body 2>/dev/null || :
}

# counts FILE: prints the counts of all rows of a report or its body, in ascending order.
counts()
{
    awk -F '\t' '$1 == "method" || $1 == "call" || $1 == "tree" { print $NF }' "$1" | sort -n
}

# same_as_sequential ANALYSIS COMMAND...: one thread or several, in any of these ways.
same_as_sequential()
{
    analysis=$1
    shift
    analysed "analysis=$analysis,mode=sequential" "$@"
    mv body wanted
    test "$(wc -l <wanted)" -ge 6 || fail "$analysis: an empty report: $(cat wanted)"
    for options in ring=auto ring=1K ring=4K,chunk=128 ring=64K consumers=2 consumers=3,ring=16K ring=8M; do
        analysed "analysis=$analysis,mode=concurrent,$options" "$@"
        cmp -s wanted body || {
            fail "$analysis, $options: $*: differs from sequential"
            diff wanted body | head -10
        }
    done
}

sum_of_calls()
{
    awk -F '\t' '$1 == "method" { sum += $NF } $1 == "complete" && $2 == NR - 1 { whole = 1 }
        END { print sum + 0 (whole ? "" : " not whole") }' "$1"
}

# life NAME STATUS CALLS...: expects one report for each number of calls.
life()
{
    name=$1 ends=$2
    shift 2
    for options in ${modes:-mode=concurrent mode=sequential}; do
        rm -f aprof.*
        run "$ends" env APROF_EVENTS="$options" timeout 60 ./lives "$name"
        ! grep '^aprof' err || fail "$name: a message"
        got=$(for report in aprof.events.*; do sum_of_calls "$report"; done | sort -n | tr '\n' ' ')
        same "$got" "$* " "$name, $options"
    done
}

# Programs that end in every way, as in base.sh.
lives()
{
    run 0 aprof-cc -O1 -g -w -o lives "$here/base_lives.c" -pthread
    run 0 aprof-cc -O1 -g -fPIC -shared -o libone.so "$here/base_library.c"
    run 0 aprof-cc -O1 -g -fPIC -shared -o libtwo.so "$here/base_library.c"
    echo text >text
    chmod +x text
    life return 7 7
    life _exit 7 6
    life abort 134 6
    life fault 139 6
    life term 143 6
    # qemu ends a forked process that creates threads, and its vfork is a fork.
    modes=
    ! is_emulated || modes=mode=sequential
    life fork 7 4 9
    life _Fork 7 3 7
    modes=
    is_emulated || {
        life exec 0 6
        life exec-self 7 6 7
        life exec-fails 7 11
        life vfork 7 8
    }
    life many-threads 7 6002
    life at-once 7 902
    life cancel 7 5
    life alive 7 5
    life main-leaves 0 7
    life library 7 6
    life libraries 7 29
}
