#!/bin/sh
# --contexts: points per calling context, all or the hot ones; the rest of the report is as without.
# SPDX-License-Identifier: GPL-2.0-or-later

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin contexts
aprof=$builddir/tools/aprof
[ -x "$aprof" ] || skip "$aprof has not been built"

# Without tail calls: they would keep a recursion from returning through itself.
flags="-O1 -fno-inline -fno-optimize-sibling-calls"

case_begin "contexts.c compiles"
compile contexts "$flags" contexts.c || :
case_end

# Routines with their profiles; process, options and the proof differ.
plain_part() {
    sed -e '1d; /^contexts	/,$d; /^complete	/d' -e '/^\(process\|options\|command\)	/d' "$1"
}

# growth REPORT CALLER: growth class of sort's worst case where CALLER called it.
growth() {
    "$aprof" report --by=context --format=tsv "$1" | awk -F '\t' -v wanted="main;$2;sort" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["context"] ~ wanted "$" { print $at["average_growth"] }'
}

# n_contexts REPORT: how many there are
n_contexts() {
    grep -c '^context	' "$1" || :
}

case_begin "without the option there are none"
profile "" ./contexts sorts
expect_status 0
check "version 1" grep -q '^aprof	1$' "$work/out"
check "there are contexts" [ "$(n_contexts "$work/out")" = 0 ]
plain_part "$work/out" > "$work/plain"
run_status=0
"$aprof" report --by=context "$work/out" 2> "$work/message" > /dev/null || run_status=$?
check "status of the report" [ "$run_status" = 1 ]
check "message of the report" grep -q 'has no contexts: profile with --contexts' "$work/message"
case_end

for options in "--contexts=full" "--contexts=full --fold-recursion=yes" \
    "--contexts=hot --fold-recursion=yes" \
    "--contexts=hot --contexts-weight=cost --phi=1e-3 --fold-recursion=yes"; do
    case_begin "a sort that grows in two ways: $options"
    profile "$options" ./contexts sorts
    expect_status 0
    check "version 2" grep -q '^aprof	2$' "$work/out"
    plain_part "$work/out" > "$work/again"
    check "the report differs in more than contexts" cmp "$work/plain" "$work/again"
    case $options in
    *fold*)
        check "shuffled: $(growth "$work/out" sort_shuffled)" \
            [ "$(growth "$work/out" sort_shuffled)" = "n log n" ]
        check "ordered: $(growth "$work/out" sort_ordered)" \
            [ "$(growth "$work/out" sort_ordered)" = "n^2" ]
        ;;
    esac
    case_end
done

case_begin "all contexts of a tree"
profile "--contexts=full" ./contexts tree
expect_status 0
all=$(n_contexts "$work/out")
check "only $all contexts" [ "$all" -gt 4096 ]
case_end

# 1/epsilon = 100 counters, and the callers of those that have one.
case_begin "hot contexts in small space"
profile "--contexts=hot --phi=0.05 --epsilon=0.01" ./contexts tree
expect_status 0
some=$(n_contexts "$work/out")
check "$some contexts" [ "$some" -lt 20 ]
check "the hot one is missed" sh -c "'$aprof' report --by=context --routine=hot '$work/out' |
    grep -q '^ *4000 .*hot .* < main < '"
"$aprof" export --format=csv "$work/out" | awk -F, '$7 ~ /main;hot$/ && $8 == "trms" { n += $10 }
    END { exit n != 4000 }' || problem "calls of the hot one"
case_end

case_begin "folded, the tree is no deeper than its routines"
profile "--contexts=full --fold-recursion=yes" ./contexts tree
expect_status 0
folded=$(n_contexts "$work/out")
check "$folded contexts" [ "$folded" -lt 1000 ]
case_end

case_begin "threads have trees of their own"
compile threads "-O1 -pthread" threads.c || :
profile "--contexts=full --separate-threads=yes" ./threads
expect_status 0
check "one tree" [ "$(grep -c '^tree	' "$work/out")" -gt 1 ]
check "thread 0" [ "$(grep -c '^tree	0	' "$work/out")" = 0 ]
"$aprof" merge -o "$work/sum" "$work/out"
check "one tree in the sum" [ "$(grep -c '^tree	' "$work/sum")" = 1 ]
check "contexts in the sum" [ "$(n_contexts "$work/sum")" -gt 10 ]
case_end

if [ "$(uname -m)" = x86_64 ] && $CC -m32 -I"$regress/../.." -o "$work/x86" "$regress/contexts.c" 2> /dev/null; then
    case_begin "a 32-bit program"
    compile contexts32 "$flags -m32" contexts.c || :
    profile "--contexts=hot --fold-recursion=yes" ./contexts32 sorts
    expect_status 0
    check "shuffled" [ "$(growth "$work/out" sort_shuffled)" = "n log n" ]
    check "ordered" [ "$(growth "$work/out" sort_ordered)" = "n^2" ]
    case_end
fi

finish
