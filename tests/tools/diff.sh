#!/bin/sh
# Tests `aprof diff`: worse, better, new and missing routines, formats, and the status for CI.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

# In the second report, heap_sort costs n/60 times as much above n = 60, checksum half and tree_lookup
# 5 % more, all addresses differ, and setup is called teardown.
base=$data/growth.aprof
new=$data/growth-changed.aprof

run 0 aprof diff "$base" "$base"
expect_error 'growth.aprof come from the same run'
expect '0 worse, 0 better, 0 appeared, 0 vanished, 8 the same; total cost +0.0%'
run 1 aprof diff "$base" "$new"
expect '1 worse, 1 better, 0 appeared, 0 vanished, 7 the same'
expect 'n log n -> n^2 log n'
same "$(awk '$1 == "worse" { print $NF }' out)" heap_sort 'what is worse'
same "$(awk '$1 == "better" { print $5, $6, $NF }' out)" '-50.0% 26 checksum' 'what is better'
expect_not tree_lookup
run 1 aprof diff "$new" "$base"
same "$(awk '$1 == "worse" { print $5, $NF }' out)" '+100.0% checksum' 'what is worse the other way'

begin 'thresholds: 5 % more is worse below 5 %, and only routines that matter count'
run 1 aprof diff --threshold=4 "$base" "$new"
same "$(awk '$1 == "worse" { print $NF }' out | sort | tr '\n' ' ')" 'heap_sort tree_lookup ' 'above 4 %'
run 0 aprof diff --threshold=1000000 "$base" "$new"
run 1 aprof diff --min-share=50 "$base" "$new"
expect '0 worse, 0 better, 0 appeared, 0 vanished, 9 the same; total cost +72.0%'
run 1 aprof diff --min-share=0 "$base" "$new"
expect '1 appeared, 1 vanished'
run 1 aprof diff --all "$base" "$new"
expect 'bubble_sort'

begin 'reports of two processors: input sizes are comparable, costs are not quite'
sed -e '$d' -e 's/^arch.*/arch	arm64/' "$base" | seal >arm64
run 0 aprof diff arm64 "$base"
expect 'The architectures differ: arm64, amd64; '
expect '0 worse, 0 better, 0 appeared, 0 vanished, 8 the same'
run 0 aprof diff arm64 arm64
expect_not 'architectures'

begin 'code of one processor architecture does not make a report of another architecture worse'
# of_arch ARCH LINKER COST MORE: work costs COST, the dynamic linker relocates, and MORE is a routine of the program.
of_arch()
{
    awk -v arch="$1" -v linker="$2" -v work="$3" -v more="$4" 'BEGIN {
        OFS = "\t"; loader = arch == "arm64" ? 30000 : 9000; all = work + loader + 5000
        print "aprof", 1; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"; print "arch", arch
        print "command", "./app"; print "process", work; print "options", "-"; print "metrics", "trms"; print "resolution", 4
        print "cost", "bb"; print "threads", "merged"; print "end", "exit"; print "totals", all, 3, 9, 0, 0
        print "object", 0, "/app"; print "object", 1, linker
        print "routine", 0, 0, "0x1000", 64, "work", "-", 0; print "routine", 1, 1, "0x2000", 64, "relocate", "-", 0
        print "routine", 2, 0, "0x3000", 64, more, "-", 0
        put(0, work); put(1, loader); put(2, 5000)
    }
    function put(id, cost) {
        print "profile", id, 0, 1, cost, cost
        print "trms", 10, 1, cost, cost, cost, sprintf("%.0f", cost * cost), cost, 0, 0
    }' | seal
}
of_arch amd64 /lib64/ld-linux-x86-64.so.2 100000 with_avx >on_amd64
of_arch arm64 /lib/ld-linux-aarch64.so.1 120000 with_neon >on_arm64
run 0 aprof diff on_amd64 on_arm64
expect '0 worse, 0 better, 1 appeared, 1 vanished'
expect_not relocate
expect_not 'add .* to the cost'
of_arch arm64 /lib/ld-linux-aarch64.so.1 160000 with_neon >slow_arm64
run 1 aprof diff on_amd64 slow_arm64
expect '1 worse'
run 2 aprof gate --base=on_amd64 on_arm64
expect_error 'on_amd64 and on_arm64 cannot be compared: different architectures, amd64 and arm64; use a base report of arm64'
run 0 aprof gate --base=on_arm64 on_arm64

begin 'the same program at another workload: points in common decide, not the total'
sed -e '$d' -e 's/^command.*/command	.\/growth	small/' \
    -e '/^trms	\(954\|795\|662\|552\|460\|383\)	/d;/^rms	\(954\|795\|662\|552\|460\|383\)	/d' "$base" |
    seal >small
run 0 aprof diff small "$base"
expect_not 'total cost'
expect 'The arguments differ'
run 0 aprof diff "$base" small
run 0 aprof diff "$base" "$base"
expect_not 'differ'
sed -e '$d' -e 's/^command.*/command	.\/shrink/' "$base" | seal >shrink
run 0 aprof diff "$base" shrink
expect 'The programs differ: growth, shrink'

begin 'calls of one workload that cost the same are the same, though they are at other sizes'
# one_of INPUT COST INPUT COST: makes one call of each input.
one_of()
{
    awk -v n="$1" -v a="$2" -v m="$3" -v b="$4" 'BEGIN {
        OFS = "\t"
        print "aprof", 1; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"; print "arch", "amd64"
        print "command", "./app"; print "process", a; print "options", "-"; print "metrics", "trms"; print "resolution", 4
        print "cost", "bb"; print "threads", "merged"; print "end", "exit"; print "totals", a + b, 2, 9, 0, 0
        print "object", 0, "/app"; print "routine", 0, 0, "0x1000", 64, "look", "-", 0; print "profile", 0, 0, 2, a + b, a + b
        print "trms", n, 1, a, a, a, a * a, a, 0, 0; print "trms", m, 1, b, b, b, b * b, b, 0, 0
    }' | seal
}
one_of 50 1310 60 9000 >first
one_of 50 1000 61 9310 >second
run 0 aprof diff first second
expect '0 worse, 0 better, 0 appeared, 0 vanished, 1 the same'
run 0 aprof diff second first
expect '0 worse, 0 better, 0 appeared, 0 vanished, 1 the same'

begin 'a few equal sizes that cost more do not make worse what costs less in all'
one_of 50 1000 60 9000 >first
one_of 50 2000 70 5000 >second
run 0 aprof diff first second
expect '0 worse, 1 better'
one_of 50 1000 60 1500 >first
one_of 50 2000 70 480 >second
run 0 aprof diff first second
expect '0 worse, 0 better, 0 appeared, 0 vanished, 1 the same'
run 0 aprof diff second first
expect '0 worse, 0 better, 0 appeared, 0 vanished, 1 the same'

begin 'fewer calls that each cost more than at that size before are worse, though they cost as much in all'
# calls_of N COST: makes one call of each size from 1 to N, with the cost COST for each cell.
calls_of()
{
    awk -v n="$1" -v cost="$2" 'BEGIN {
        OFS = "\t"
        all = cost * n * (n + 1) / 2
        print "aprof", 1; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"; print "arch", "amd64"
        print "command", "./app"; print "process", n; print "options", "-"; print "metrics", "trms"; print "resolution", 4
        print "cost", "bb"; print "threads", "merged"; print "end", "exit"; print "totals", all, n, 9, 0, 0
        print "object", 0, "/app"; print "routine", 0, 0, "0x1000", 64, "look", "-", 0; print "profile", 0, 0, n, all, all
        for (i = 1; i <= n; i++) {
            c = cost * i
            print "trms", i, 1, c, c, c, c * c, c, 0, 0
        }
    }' | seal
}
calls_of 8 1000 >first
calls_of 4 3500 >second
run 1 aprof diff first second
expect '1 worse, 0 better'

begin 'a total that is worse by itself is worse'
sed -e '$d' -e 's/^totals	2120764/totals	3000000/' "$base" | seal >total
run 1 aprof diff "$base" total
expect 'total cost +41.5%'

# One workload in which a routine gets more calls and larger inputs (sizes that the base lacks), and its
# callee gets more expensive. The cause is the callee's own code, and not the caller.
report_of()
{
    awk -v append="$1" -v input="$2" 'BEGIN {
        OFS = "\t"; parse = 50000; total = append + parse
        print "aprof", 1; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"
        print "arch", "amd64"; print "command", "./app", "x"; print "process", 7; print "options", "-"
        print "metrics", "trms"; print "resolution", 4; print "cost", "bb"; print "threads", "merged"
        print "end", "exit"; print "totals", total, 101, 9, 0, 0; print "object", 0, "/app"
        print "routine", 0, 0, "0x1000", 64, "append", "-", 0
        print "routine", 1, 0, "0x2000", 64, "parse", "-", 0
        print "profile", 0, 0, 100, append, append
        print "trms", input, 100, append, append / 100, append / 100, sprintf("%.0f", append * append / 100), append, 0, 0
        print "profile", 1, 0, 1, total, parse
        print "trms", 500, 1, total, total, total, sprintf("%.0f", total * total), parse, 0, 0
    }' | seal
}
report_of 1000 3 >before.aprof
report_of 32000 300 >after.aprof
run 1 aprof diff before.aprof after.aprof
same "$(awk '$1 == "worse" { print $2, $3, $NF }' out)" 'x32.0 +0.0% append' 'whose own code costs more'
expect '1 worse, 0 better, 0 appeared, 0 vanished, 1 the same; total cost +60.8%'


# A repeated sort: the calling routine has as many calls as before, the sort and its callees four times as
# many.
again()
{
    awk -v times="$1" 'BEGIN {
        OFS = "\t"; compare = 40000 * times; sort = 10 * times; whole = compare + sort + 60000
        print "aprof", 1; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"
        print "arch", "amd64"; print "command", "./app", "x"; print "process", 7; print "options", "-"
        print "metrics", "trms"; print "resolution", 4; print "cost", "bb"; print "threads", "merged"
        print "end", "exit"; print "totals", whole, 101, 9, 0, 0; print "object", 0, "/app"
        print "routine", 0, 0, "0x1000", 64, "main", "-", 0; print "routine", 1, 0, "0x2000", 64, "sort", "-", 0
        print "routine", 2, 0, "0x3000", 64, "compare", "-", 0
        put(0, 1, whole, 60000, 900); put(1, 1, compare + sort, sort, 800); put(2, 1000 * times, compare, compare, 2)
    }
    function put(id, calls, cost, own, input) {
        print "profile", id, 0, calls, cost, own
        print "trms", input, calls, cost, cost / calls, cost / calls, sprintf("%.0f", cost * cost / calls), own, 0, 0
    }' | seal
}
again 1 >once.aprof
again 4 >again.aprof
run 1 aprof diff once.aprof again.aprof
expect 'The increase begins in sort: about as many calls as before, total cost +300.0%'
same "$(awk '$1 == "worse" { printf "%s ", $NF }' out)" 'sort compare ' 'who is to blame'
run 1 aprof diff --format=json once.aprof again.aprof
same "$(grep -c '"begins_here": true' out)" 1 'one beginning'
run 0 aprof diff again.aprof once.aprof

begin 'a copy is one instruction, however long: whoever reads so much more is to blame, though it costs the same'
report_of 1000 3 >before.aprof
report_of 1000 300 >after.aprof
run 1 aprof diff before.aprof after.aprof
same "$(awk '$1 == "worse" { print $4, $NF }' out)" 'x100.0 append' 'who reads more'
run 0 aprof diff after.aprof before.aprof

# build RECORD...: makes a report of one workload. Records are
#   routine:NAME:CALLS:SELF:TOTAL:INPUT   their numbers begin with 0
#   call:CALLER:CALLEE:CALLS:COST:INPUT
#   inlined:NAME:ROUTINE:COST             what a function costs that is inlined in a routine
build()
{
    printf '%s\n' "$@" | awk -F : '
        BEGIN { OFS = "\t"; routines = edges = inner = 0 }
        $1 == "routine" { name[routines] = $2; calls[routines] = $3; self[routines] = $4; total[routines] = $5; input[routines++] = $6; whole += $4 }
        $1 == "call" { call[edges++] = "edge" OFS $2 OFS $3 OFS "-" OFS 0 OFS 1 OFS $4 OFS $5 OFS $6 }
        $1 == "inlined" { inlined[inner] = $2; at[inner] = $3; cost[inner++] = $4 }
        END {
            print "aprof", 3; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"; print "arch", "amd64"
            print "command", "./app"; print "process", whole; print "options", "-"; print "metrics", "trms"; print "resolution", 4
            print "cost", "bb"; print "threads", "merged"; print "end", "exit"; print "totals", whole, 101, 9, 0, 0
            print "object", 0, "/app"
            for (i = 0; i < routines; i++)
                print "routine", i, 0, "0x" i + 1 "000", 64, name[i], "/app.c", 1
            for (i = 0; i < routines; i++) {
                print "profile", i, 0, calls[i], total[i], self[i]
                c = total[i] / calls[i]
                print "trms", input[i], calls[i], total[i], c, c, sprintf("%.0f", calls[i] * c * c), self[i], 0, 0
            }
            print "file", 0, "/app.c"
            for (i = 0; i < inner; i++)
                print "inlined", i, "-", 0, i + 1, inlined[i]
            for (i = 0; i < edges; i++)
                print call[i]
            for (i = 0; i < routines; i++) {
                left = self[i]
                for (k = 0; k < inner; k++)
                    left -= at[k] == i ? cost[k] : 0
                if (left > 0)
                    print "lines", i, "-", 0, 1, left
                for (k = 0; k < inner; k++) {
                    if (at[k] == i)
                        print "lines", i, k, 0, k + 1, cost[k]
                }
            }
        }' | seal
}

begin 'a callee that is inlined now costs its caller no more than before'
build routine:sort:1:100:1000:50 routine:compare:90:900:900:2 call:0:1:90:900:180 >base.aprof
build routine:sort:1:950:950:50 inlined:compare:0:860 >inlined.aprof
build routine:sort:1:950:950:50 >absorbed.aprof
build routine:sort:1:2950:2950:50 inlined:compare:0:860 >slower.aprof
build routine:sort:1:2950:2950:50 inlined:compare:0:2860 >slower-callee.aprof
run 0 aprof diff base.aprof inlined.aprof
expect '0 worse, 0 better, 0 appeared, 1 vanished, 1 the same'
run 0 aprof diff base.aprof absorbed.aprof
run 0 aprof diff inlined.aprof base.aprof
expect '0 worse, 0 better, 1 appeared, 0 vanished, 1 the same'
run 1 aprof diff base.aprof slower.aprof
expect '1 worse'
run 1 aprof diff base.aprof slower-callee.aprof
expect '1 worse'

begin 'a library function that a caller calls in place of an inlined loop is not worse for its calls'
build routine:main:1:10000:32003:100 routine:hash:2000:6000:22000:50 routine:keylen:2000:16000:16000:50 \
    routine:strlen:1:3:3:0 call:0:1:2000:22000:50 call:0:3:1:3:1 call:1:2:2000:16000:50 >base.aprof
build routine:main:1:10000:22003:100 routine:hash:2000:6000:12000:50 routine:strlen:2001:6003:6003:0 \
    call:0:1:2000:12000:50 call:0:2:1:3:1 call:1:2:2000:6000:50 >library.aprof
build routine:main:1:10000:62003:100 routine:hash:2000:6000:52000:50 routine:strlen:2001:46023:46023:0 \
    call:0:1:2000:52000:50 call:0:2:1:23:1 call:1:2:2000:46000:50 >slow.aprof
run 0 aprof diff base.aprof library.aprof
expect '0 worse, 1 better, 0 appeared, 1 vanished'
run 1 aprof diff base.aprof slow.aprof
expect 'The increase begins in hash: calls strlen instead of keylen, total cost +136.4%'

begin 'the cost of a function that both builds inline is compared on its own'
build routine:main:1:100000:100000:50 inlined:insert:0:20000 inlined:hash:0:30000 >base.aprof
build routine:main:1:400000:400000:50 inlined:insert:0:320000 inlined:hash:0:30000 >new.aprof
build routine:main:1:440000:440000:50 inlined:insert:0:320000 inlined:hash:0:30000 >both.aprof
build routine:main:1:400000:400000:50 inlined:insert:0:30000 inlined:hash:0:320000 >other.aprof
build routine:main:1:100000:100000:50 inlined:insert:0:60000 inlined:hash:0:30000 >shifted.aprof
run 1 aprof diff base.aprof new.aprof
expect '1 worse, 0 better, 0 appeared, 0 vanished, 2 the same; total cost +300.0%'
same "$(awk '$1 == "worse" { print $2, $NF }' out)" 'x16.0 main)' 'the row of the function'
expect 'insert (inlined in main)'
expect 'insert (inlined in main): app.c:1: self cost 70000 -> 370000'
run 1 aprof diff base.aprof both.aprof
expect '2 worse'
run 1 aprof diff base.aprof other.aprof
expect '2 worse'
run 0 aprof diff new.aprof base.aprof
expect '0 worse, 1 better'
run 1 aprof diff --format=json base.aprof new.aprof
expect '"inlined": "insert"'
run 1 aprof gate --base=base.aprof new.aprof
expect 'FAILED  insert (inlined in main)'
# The compiler attributes the same code to another function.
run 0 aprof diff base.aprof shifted.aprof
expect '0 worse, 0 better, 0 appeared, 0 vanished, 1 the same'

begin 'routines that only appeared: worse if they raise the cost, not if they took the place of others'
build routine:main:1:9000:9000:100 >base.aprof
build routine:main:1:9000:9300:100 routine:check:10:300:300:9 call:0:1:10:300:90 >added.aprof
run 1 aprof diff base.aprof added.aprof
expect '0 worse, 0 better, 1 appeared, 0 vanished, 1 the same; total cost +3.3%'
expect 'The routines that appeared add 3.3% to the cost: this counts as worse.'
run 1 aprof gate --base=base.aprof added.aprof
expect 'FAILED  check'
run 0 aprof diff --threshold=10 added.aprof base.aprof
build routine:main:1:8700:9000:100 routine:part:10:300:300:9 call:0:1:10:300:90 >split.aprof
run 0 aprof diff base.aprof split.aprof
expect '1 appeared'
build routine:main:1:9000:9320:100 routine:verify:10:320:320:9 call:0:1:10:320:90 >renamed.aprof
run 0 aprof diff added.aprof renamed.aprof
expect '1 appeared, 1 vanished'
run 0 aprof gate --base=added.aprof renamed.aprof
build routine:main:1:9000:9900:100 routine:verify:10:900:900:9 call:0:1:10:900:90 >slower.aprof
run 1 aprof diff added.aprof slower.aprof
expect 'The routines that appeared add 6.5% to the cost: this counts as worse.'

begin 'a caller whose own code and calls have not changed is not blamed for the input of what it calls'
build routine:main:1:500:1500:100 routine:load:10:500:1000:90 routine:copy:10:500:500:90 call:0:1:10:1000:900 call:1:2:10:500:900 >base.aprof
build routine:main:1:500:1500:1000 routine:load:10:500:1000:990 routine:copy:10:500:500:990 call:0:1:10:1000:9900 call:1:2:10:500:9900 >new.aprof
run 1 aprof diff base.aprof new.aprof
same "$(awk '$1 == "worse" { printf "%s ", $NF }' out)" 'copy ' 'who reads more'

begin 'what took the place of what'
build routine:main:1:500:1500:100 routine:sort_it:10:100:1000:90 routine:heap:10:900:900:90 call:0:1:10:1000:900 call:1:2:10:900:900 >base.aprof
build routine:main:1:500:9600:100 routine:sort_it:10:100:9100:90 routine:quad:10:9000:9000:90 call:0:1:10:9100:900 call:1:2:10:9000:900 >new.aprof
run 1 aprof diff base.aprof new.aprof
expect 'The increase begins in sort_it: calls quad instead of heap, total cost +810.0%'
same "$(awk '$1 == "worse" { printf "%s ", $NF }' out)" 'sort_it ' 'who calls another one'
run 1 aprof diff --format=json base.aprof new.aprof
expect '"calls_now": "quad"'
run 1 aprof diff --format=markdown base.aprof new.aprof
expect '- The increase begins in sort\_it: calls quad instead of heap'
run 1 aprof gate --base=base.aprof new.aprof
expect 'The increase begins in sort_it: calls quad instead of heap'
run 0 aprof diff new.aprof base.aprof
expect 'sort_it: calls heap instead of quad, total cost -89.0%'

begin 'a routine that a compiler only takes apart calls nothing instead of something'
build routine:main:1:500:1500:100 routine:sort_it:10:100:1000:90 routine:part:10:900:900:90 call:0:1:10:1000:900 call:1:2:10:900:900 >base.aprof
build routine:main:1:500:1500:100 routine:sort_it:10:1000:1000:90 inlined:part:1:900 call:0:1:10:1000:900 >new.aprof
run 0 aprof diff base.aprof new.aprof
expect_not instead

begin 'the increase begins where self cost rises more than calls explain'
build routine:main:1:5000:16000:10 routine:extend:10:1000:11000:9 routine:copy:10:10000:10000:9 call:0:1:10:11000:90 call:1:2:10:10000:90 >base.aprof
build routine:main:1:5000:58000:10 routine:extend:20:13000:53000:9 routine:copy:40:40000:40000:9 call:0:1:20:53000:180 call:1:2:40:40000:360 >new.aprof
run 1 aprof diff base.aprof new.aprof
same "$(awk '$1 == "worse" { printf "%s ", $NF }' out)" 'extend copy ' 'the beginning first'

begin 'of another compiler or level, a rise by less than half is no fault while the whole costs less'
build routine:main:1:500:4000:10 routine:a:1:500:500:9 routine:b:1:500:500:9 routine:c:1:500:500:9 routine:d:1:500:500:9 routine:e:1:500:500:9 routine:f:1:500:500:9 routine:g:1:500:500:9 >base.aprof
build routine:main:1:300:2900:10 routine:a:1:600:600:9 routine:b:1:400:400:9 routine:c:1:300:300:9 routine:d:1:300:300:9 routine:e:1:400:400:9 routine:f:1:300:300:9 routine:g:1:300:300:9 >other.aprof
build routine:main:1:300:2900:10 routine:a:1:900:900:9 routine:b:1:400:400:9 routine:c:1:300:300:9 routine:d:1:300:300:9 routine:e:1:400:400:9 routine:f:1:300:300:9 routine:g:1:300:300:9 >worse.aprof
run 0 aprof diff base.aprof other.aprof
expect 'Most routines of app changed, as by another compiler or optimisation level: increases below 50% are ignored.'
run 1 aprof diff base.aprof worse.aprof
same "$(awk '$1 == "worse" { printf "%s ", $NF }' out)" 'a ' 'what is worse all the same'

begin 'lines that fit: the verdict and the routine stay'
for width in 50 80; do
    run 1 aprof diff --width=$width "$base" "$new"
    widest=$(awk '/^verdict|^worse/ && length($0) > n { n = length($0) } END { print n }' out)
    test "$widest" -le $width || fail "$widest columns in place of $width"
    grep -q '^verdict .*routine$' out || fail "$width columns have not what matters most"
done

run 1 aprof diff --format=markdown "$base" "$new"
expect '| +837.0% | 26 |'
expect 'heap\_sort |'
run 1 aprof diff --format=json -o diff.json "$base" "$new"
grep -q '"verdict": "worse"' diff.json || fail 'no verdict in the JSON'
if command -v python3 >/dev/null; then
    python3 -c 'import json; d = json.load(open("diff.json")); assert d["worse"] == 1' || fail JSON
fi

begin 'an executable of another name is another one, unless it is mapped'
sed -e '$d' -e 's/^\(object.*\)growth$/\1growth-2/' "$new" | seal >renamed.aprof
run 1 aprof diff --min-share=0 "$base" renamed.aprof
expect '0 worse, 0 better, 8 appeared, 8 vanished'
run 1 aprof diff --map=growth=growth-2 "$base" renamed.aprof
expect '1 worse, 1 better, 0 appeared, 0 vanished'
run 2 aprof diff --map=grow=growth-2 "$base" renamed.aprof
expect_error "--map: $base has no object grow"
for map in growth =growth growth=; do
    run 2 aprof diff --map=$map "$base" renamed.aprof
    expect_error '--map: must be OLD=NEW'
done

begin 'copies that the compiler has made of a routine in one of the builds are that routine'
sed -e '$d' -e 's/\theap_sort\t/\theap_sort.constprop.0\t/' -e 's/\tsetup\t/\tsetup.part.0\t/' "$new" | seal >copies.aprof
sed -e '$d' -e 's/\ttree_lookup\t/\ttree_lookup.isra.0\t/' "$base" | seal >others.aprof
run 1 aprof diff --min-share=0 others.aprof copies.aprof
expect '1 worse, 1 better, 1 appeared, 1 vanished, 5 the same'
same "$(awk '$1 == "worse" { print $NF }' out)" heap_sort 'what is worse'
run 1 aprof diff --min-share=0 copies.aprof others.aprof
expect '1 appeared, 1 vanished'

begin 'a copy beside the routine itself is another one'
sed -e '$d' -e 's/\tchecksum\t/\theap_sort.constprop.0\t/' "$new" | seal >beside.aprof
run 1 aprof diff --min-share=0 "$base" beside.aprof
expect '2 appeared, 2 vanished'

begin 'a routine that was moved to another file is the same, if there is but one of its name'
sed -e '$d' -e '/^routine/s/\t[^\t]*\.c\t/\tmoved.c\t/' "$new" | seal >moved.aprof
run 1 aprof diff "$base" "$new"
cp out stayed
run 1 aprof diff "$base" moved.aprof
cmp out stayed || fail 'what was moved is not compared'
sed -e '$d' -e '/^routine/{s/\ttree_lookup\t/\theap_sort\t/;s/\t[^\t]*\.c\t/\tmoved.c\t/}' "$new" | seal >two.aprof
run 1 aprof diff --min-share=0 "$base" two.aprof
expect '3 appeared, 3 vanished'

begin 'where there are contexts: in which one it got worse'
awk 'BEGIN { FS = OFS = "\t" }
    $1 == "totals" { $2 += 662200 } $1 == "profile" && $2 != 2 { $5 += 662200 } $1 == "profile" && $2 == 1 { $6 += 662200 }
    $1 == "context" && $2 == 4 { $6 += 662200; $7 += 662200 } 1' "$data/contexts.aprof" | sed '$d' | seal >contexts.aprof
run 1 aprof diff "$data/contexts.aprof" contexts.aprof
expect 'insert < parse < main: self cost 331100 -> 993300'
run 1 aprof diff --format=json "$data/contexts.aprof" contexts.aprof
expect '"path": "main;parse;insert"'

begin 'contexts that have the same names are one'
sed -e '$d' -e 's/\tload\t/\tparse\t/' "$data/contexts.aprof" | seal >base.aprof
sed -e '$d' -e 's/\tload\t/\tparse\t/' contexts.aprof | seal >new.aprof
run 1 aprof diff base.aprof new.aprof
expect 'insert < parse < main: self cost 338030 -> 1000230'

begin 'where there are edges and lines: what calls it so often, and which line got dearer, though lines have moved'
# find calls compare ten times as often; line 10 of compare is line 12 now.
run 1 aprof diff "$data/code.aprof" "$data/code-changed.aprof"
expect 'The increase begins in Book::find(int): about as many calls as before'
same "$(grep -c 'called by' out)" 1 'one call told'
expect 'compare, called by Book::find(int) at book.cc:44: calls 8 -> 80, cost 120 -> 1200'
expect 'compare: book.h:12: self cost 60 -> 1140'
run 1 aprof diff --format=json "$data/code.aprof" "$data/code-changed.aprof"
expect '"line": {"place": "book.h:12", "own_base": 60, "own_new": 1140}'
expect '"callee": {"name": "compare", "place": "book.cc:44", "calls_base": 8, "calls_new": 80, "cost_base": 120, "cost_new": 1200}'
expect '"caller": {"name": "Book::find(int)", "place": "book.cc:44", "calls_base": 8, "calls_new": 80, "cost_base": 120, "cost_new": 1200}'
run 0 aprof diff "$data/code-changed.aprof" "$data/code.aprof"
expect_not 'self cost 60'

# A small part of the whole, which grows with its input now, and had only one size before.
grown()
{
    awk -v sizes="$1" 'BEGIN {
        OFS = "\t"; whole = 1000000; n = 10
        for (i = 1; i <= sizes; i++) { input[i] = n; cost[i] = sizes > 1 ? 2 * n : 20; sum += cost[i]; n = int(n * 1.25) + 1 }
        print "aprof", 1; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"
        print "arch", "amd64"; print "command", "./app"; print "process", 7; print "options", "-"
        print "metrics", "trms"; print "resolution", 4; print "cost", "bb"; print "threads", "merged"
        print "end", "exit"; print "totals", whole, 101, 9, 0, 0; print "object", 0, "/app"
        print "routine", 0, 0, "0x1000", 64, "main", "-", 0; print "routine", 1, 0, "0x2000", 64, "scan", "-", 0
        print "profile", 0, 0, 1, whole, whole - sum
        print "trms", 5, 1, whole, whole, whole, "1000000000000", whole - sum, 0, 0
        print "profile", 1, 0, sizes, sum, sum
        for (i = 1; i <= sizes; i++)
            print "trms", input[i], 1, cost[i], cost[i], cost[i], cost[i] * cost[i], cost[i], 0, 0
    }' | seal
}
grown 1 >one.aprof
grown 20 >many.aprof
run 1 aprof diff one.aprof many.aprof
same "$(awk '$1 == "worse" { print $NF }' out)" scan 'growth where there was none'
run 0 aprof diff many.aprof one.aprof

begin 'folders are sums'
mkdir before after
cp "$base" before/1
cp "$base" before/2
cp "$new" after/1
cp "$new" after/2
run 1 aprof diff before after
same "$(awk '$1 == "worse" { print $NF }' out)" heap_sort 'worse in folders'

run 2 aprof diff "$base" missing
expect_error 'missing: No such file'
run 2 aprof diff "$base"
expect_error 'expected two reports'
run 2 aprof diff --threshold=x "$base" "$new"
expect_error '--threshold must be a number'
sed -e '$d' -e 's/^cost.*/cost	instr/' "$base" | seal >unit
run 2 aprof diff "$base" unit
expect_error 'cannot be compared: different cost units'

begin 'without system libraries: neither shown nor judged'
for one in code code-changed; do
    sed -e '$d' -e 's,^object\t0\t.*,&\nobject\t1\t/usr/lib/libbook.so,' -e 's,^routine\t1\t0,routine\t1\t1,' "$data/$one.aprof" | seal >$one.library
done
run 1 aprof diff code.library code-changed.library
expect 'Book::find(int)'
aprof diff --mine code.library code-changed.library >out || :
expect_not 'Book::find(int)  '
same "$(grep -c '^\(worse\|better\|appeared\).*Book::find' out)" 0 'rows of the library'
run 0 aprof diff --mine code.library code.library

finish
