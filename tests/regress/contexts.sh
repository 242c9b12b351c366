#!/bin/sh
# Tests --contexts: points for all or only the hot calling contexts; the other parts of the report do not change.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require

# The code has no tail calls, because a recursion would not return through itself.
flags="-O1 -fno-inline -fno-optimize-sibling-calls"

begin "contexts.c compiles"
compile contexts "$flags" contexts.c || :

# Routines with their profiles; process, options and the proof differ.
plain_part()
{
    sed -e '1d; /^contexts	/,$d; /^complete	/d' -e '/^\(process\|options\|command\)	/d' "$1"
}

# growth REPORT CALLER: prints the growth class of sort's worst case in calls by CALLER.
growth()
{
    aprof report --by=context --format=tsv "$1" | awk -F '\t' -v wanted="main;$2;sort" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["context"] ~ wanted "$" { print $at["average_growth"] }'
}

# n_contexts REPORT: prints the number of contexts
n_contexts()
{
    grep -c '^context	' "$1" || :
}

begin "without the option there are none"
profile "" ./contexts sorts
expect_status 0
check "version 3" grep -q '^aprof	3$' report
check "there are contexts" [ "$(n_contexts report)" = 0 ]
plain_part report >plain
run 1 aprof report --by=context report
expect_error 'has no contexts: profile with --contexts'

for options in "--contexts=full" "--contexts=full --fold-recursion=yes" \
    "--contexts=hot --fold-recursion=yes" \
    "--contexts=hot --contexts-weight=cost --phi=1e-3 --fold-recursion=yes"; do
    begin "a sort that grows in two ways: $options"
    profile "$options" ./contexts sorts
    expect_status 0
    check "version 3" grep -q '^aprof	3$' report
    plain_part report >again
    check "the report differs in more than contexts" cmp plain again
    case $options in
    *fold*)
        same "$(growth report sort_shuffled)" "n log n" shuffled
        same "$(growth report sort_ordered)" "n^2" ordered
        ;;
    esac
done

begin "all contexts of a tree"
profile "--contexts=full" ./contexts tree
expect_status 0
all=$(n_contexts report)
check "only $all contexts" [ "$all" -gt 4096 ]

# 1/epsilon = 100 counters, and the callers of those that have one.
begin "hot contexts in small space"
profile "--contexts=hot --phi=0.05 --epsilon=0.01" ./contexts tree
expect_status 0
some=$(n_contexts report)
check "$some contexts" [ "$some" -lt 20 ]
run 0 aprof report --by=context --routine=hot report
check "the hot one is missed" grep -q '^hot .* < main < .* 4000 ' out
aprof export --format=csv report | awk -F, '$7 ~ /main;hot$/ && $8 == "trms" { n += $10 }
    END { exit n != 4000 }' || fail "calls of the hot one"

begin "folded, the tree is no deeper than its routines"
profile "--contexts=full --fold-recursion=yes" ./contexts tree
expect_status 0
folded=$(n_contexts report)
check "$folded contexts" [ "$folded" -lt 1000 ]

begin "threads have trees of their own"
compile threads "-O1 -pthread" threads.c || :
profile "--contexts=full --separate-threads=yes" ./threads
expect_status 0
check "one tree" [ "$(grep -c '^tree	' report)" -gt 1 ]
check "thread 0" [ "$(grep -c '^tree	0	' report)" = 0 ]
aprof merge -o sum report
check "one tree in the sum" [ "$(grep -c '^tree	' sum)" = 1 ]
check "contexts in the sum" [ "$(n_contexts sum)" -gt 10 ]

if [ "$(uname -m)" = x86_64 ] && $CC -m32 -I"$source" -o x86 "$here/contexts.c" 2>/dev/null; then
    begin "a 32-bit program"
    compile contexts32 "$flags -m32" contexts.c || :
    profile "--contexts=hot --fold-recursion=yes" ./contexts32 sorts
    expect_status 0
    same "$(growth report sort_shuffled)" "n log n" shuffled
    same "$(growth report sort_ordered)" "n^2" ordered
fi

finish
