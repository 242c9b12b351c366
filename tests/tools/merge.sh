#!/bin/sh
# Tests `aprof merge`: sums do not depend on order or grouping, and invalid sums are refused.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

basic=$data/basic.aprof

# Five different runs of one program: other arguments, ends, options, routines and points.
variant()
{
    name=$1
    shift
    sed -e '$d' "$@" "$basic" | seal >"$name"
}
variant a
variant b -e 's/^command.*/command	.\/app	other/' -e 's/^end.*/end	signal 9/' -e '/^trms	20	/d'
variant c -e 's/^options.*/options	--cost=bb	--metrics=trms,rms/' -e 's/^trms	20	1/trms	25	1/' \
    -e 's/^process.*/process	99	host	3/'
variant d -e 's/^command.*/command	\/usr\/bin\/app/' -e 's/	45	main/	45	main/;s/	\/src\/app.c	12/	-	0/'
sed -e '$d' -e '/^routine	7/d' -e '/^profile	7/,$d' "$basic" | seal >e

run 0 aprof merge a b c d e
cp out sum
for order in 'e d c b a' 'c a e b d' 'b d a c e'; do
    # shellcheck disable=SC2086
    run 0 aprof merge $order
    cmp sum out || fail "another order: $order"
done
aprof merge a b >ab
aprof merge c d >c_and_d
aprof merge c_and_d e >cde
run 0 aprof merge ab cde
cmp sum out || fail 'grouped (ab)((cd)e)'
aprof merge d e a >dea
aprof merge c >c1
run 0 aprof merge b dea c1
cmp sum out || fail 'grouped b(dea)(c)'
run 0 aprof merge sum
cmp sum out || fail 'a sum by itself changes'
expect_no_message

begin 'a file that is named twice is added twice, and that is said'
ln a linked
for names in 'a b a' 'a b ./a' 'a b linked'; do
    # shellcheck disable=SC2086
    run 0 aprof merge $names
    expect_error 'named twice, so it is added twice'
done

same "$(sed -n 's/^process	//p' sum)" 'merged	5' 'number of reports'
same "$(sed -n 's/^command	//p' sum)" 'app	...' 'command'
same "$(sed -n 's/^end	//p' sum)" several 'end'
same "$(sed -n 's/^totals	//p' sum)" '5000	70	750	30	60' 'totals'
run 0 aprof export --routine=lists.c:work --metric=trms sum
same "$(cut -d, -f9-12 out | tr '\n' ' ')" 'input_size,calls,cost_sum,cost_min 10,10,550,50 20,3,240,80 25,1,80,80 30,5,550,110 ' 'points'
run 0 aprof report sum
expect 'main (app.c:12)'

begin 'threads are added up; a folder stands for its reports'
run 0 aprof merge "$data/threads.aprof"
expect 'threads	merged'
expect 'trms	5	3	270	80	100	24500	270	3	0'
mkdir folder
cp a b folder
echo junk >folder/.hidden
run 0 aprof merge -o both folder
cmp both ab || fail 'a folder differs from its reports'
mkdir empty
run 1 aprof merge empty
expect_error 'empty: no reports in the folder'

begin 'the largest numbers stay the largest'
run 0 aprof merge "$data/wide.aprof" "$data/wide.aprof"
expect 'trms	18446744073709551615	18446744073709551615	340282366920938463463374607431768211455	0	'

begin 'many reports as a tree, as the manual says'
if command -v parallel >/dev/null && parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    mkdir reports
    for number in 1 2 3 4 5 6 7; do
        cp a "reports/$number"
    done
    run 0 aprof merge -o flat reports
    find reports -type f | parallel -N 3 aprof merge -o 'tree.{#}' '{}' 2>/dev/null
    run 0 aprof merge tree.*
    cmp flat out || fail 'a tree of sums differs'
fi

# Data about the code: files and inlined functions of one or several reports, added line by line.
code()
{
    name=$1
    shift
    sed -e '$d' "$@" "$data/code.aprof" | seal >"$name"
}
code c1
code c2 -e 's/shop.cc/zap.cc/' -e 's/	swap$/	move/'
code c3 -e '/^edge	0/d' -e '/^lines	0	0/d' -e 's/	40	60	2	100	2	20/	39	1	1	60	3	100/'
code c4 -e 's/^inlined	1	0/inlined	1	-/'
run 0 aprof merge c1 c2 c3 c4
cp out sum
for order in 'c4 c3 c2 c1' 'c2 c4 c1 c3'; do
    # shellcheck disable=SC2086
    run 0 aprof merge $order
    cmp sum out || fail "code in another order: $order"
done
aprof merge c2 c3 >c23
run 0 aprof merge c1 c23 c4
cmp sum out || fail 'code, grouped c1(c2 c3)c4'
run 0 test_round_trip sum
run 0 aprof merge c1
sed '1,/^trms	2	8/d;/^complete/d' out >code_1
sed '1,/^trms	2	8/d;/^complete/d' c1 >code_2
cmp code_1 code_2 || fail 'the code of one report changes'
grep '^file\|^inlined\|^edge	0	1\|^lines	[01]' sum >out
cat >wanted <<'END'
file	0	/src/book.cc
file	1	/src/book.h
file	2	/src/shop.cc
file	3	/src/zap.cc
inlined	0	-	0	7	swap
inlined	1	-	2	30	insert
inlined	2	-	3	30	insert
inlined	3	1	0	7	swap
inlined	4	2	0	7	move
edge	0	1	-	2	34	2	160	40
edge	0	1	-	3	34	1	80	20
edge	0	1	1	0	12	6	440	80
edge	0	1	2	0	12	3	220	40
lines	0	-	2	22	30	8	120
lines	0	-	3	22	10	8	40
lines	0	0	1	17	60
lines	0	1	0	5	300	1	800	1	80
lines	0	2	0	5	150	1	400	1	40
lines	0	3	1	17	120
lines	0	4	1	17	60
lines	1	-	0	39	1	1	240	2	300	1	100	1	60
END
cmp out wanted || { fail 'sums of code'; diff out wanted; }

# Refused sums; the message has the two names.
refused()
{
    altered "$basic" "$2" >other
    run 1 aprof merge a other
    expect_error 'a and other cannot be added: different '
    expect_error "$1"
}
refused 'resolutions, 4 and 8' 's/^resolution.*/resolution	8/'
refused 'cost units, bb and instr' 's/^cost.*/cost	instr/'
refused 'metrics, trms,rms and trms' '/^rms/d;s/^metrics.*/metrics	trms/'
refused 'machine codes, amd64 and x86' 's/^arch.*/arch	x86/'
refused 'programs, app and tool' 's/^command.*/command	.\/tool/'
refused 'different builds of /usr/bin/app: 0x1139 is main or begin' 's/	main	/	begin	/'
run 1 aprof merge a missing b
expect_error 'missing: No such file'
run 1 aprof merge a "$source/tests/lib.sh"
expect_error 'not a report'
run 1 aprof merge -o no/where a
expect_error 'no/where: cannot write'
run 2 aprof merge
expect_error 'expected at least one report'

finish
