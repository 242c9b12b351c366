#!/bin/sh
# Tests the events runtime: analyses on other cores have the results of a sequential analysis, for all ends of a program.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154,SC2094
. "${0%/*}/../lib.sh"
need_papers

APROF_CC_PROFILE=events,hooks
export APROF_CC_PROFILE
run 0 aprof-cc -O1 -g -o calls "$here/events_program.c"
run 0 aprof-cc -O1 -g -DEVENTS_PATHS -o paths "$here/events_program.c"
run 0 aprof-cc --aprof=events,memory -O1 -g -o memory "$here/events_program.c"

# shellcheck source=tests/native/events_lives.sh
. "$here/events_lives.sh"

for threads in 1 5; do
    for analysis in methods callgraph calltree; do
        same_as_sequential $analysis ./calls $threads 2000
    done
    same_as_sequential paths ./paths $threads 3000
done

begin 'the cache simulator sees one stream of addresses per thread: one thread, addresses that are the same'
same_as_sequential cache setarch -R ./memory 1 2000

begin 'the numbers themselves, worked out: rounds i = 0 .. 1999, each i % 4 + 1 branches'
analysed analysis=methods ./calls 3 2000
calls=$(awk -F '\t' '$1 == "method" { print $NF }' report | sort -n | tr '\n' ' ')
leaves=$(awk 'BEGIN { for (i = 0; i < 2000; i++) for (d = 0; d <= i % 4; d++) n += 1 + ((i + d) % 7 == 0); print 3 * n }')
same "$calls" "3 15000 $leaves " 'calls of work, branch and leaf'
analysed analysis=paths ./paths 2 3000
test "$(awk -F '\t' '$1 == "path" { sum += $NF } END { print sum }' report)" -gt 0 || fail 'no paths'
grep -q "	1099511627776	\|	0x10000000000" report || fail 'no path beyond 2^36'

begin 'signals that interrupt hooks; more threads than cores; rings much smaller than the work'
analysed analysis=callgraph,mode=sequential ./calls 1 50000
mv body wanted
analysed analysis=callgraph,ring=4K ./calls 1 50000 signals
cmp -s wanted body || fail 'signals: calls are missing'
analysed analysis=methods,mode=sequential ./calls 64 500
mv body wanted
analysed analysis=methods,consumers=2 ./calls 64 500
cmp -s wanted body || fail '64 threads: calls are missing'

begin 'every end of a process, as base.sh has them: what was enqueued is in the report'
lives

begin 'callers and callees in libraries that come and go'
for options in mode=concurrent mode=sequential; do
    run 7 env APROF_EVENTS=out=report,analysis=callgraph,$options timeout 60 ./lives libraries
    calls=$(awk -F '\t' '
        $1 == "object" { n = split($3, part, "/"); object[$2] = part[n] }
        $1 == "routine" { of[$2] = object[$3] }
        $1 == "call" { sum[(of[$2] ? of[$2] : "-") ">" of[$3]] += $4 }
        END { for (pair in sum) print pair, sum[pair] }' report | sort | tr '\n' ' ')
    same "$calls" '->libone.so 3 ->libtwo.so 3 ->lives 2 libone.so>libone.so 9 libtwo.so>libtwo.so 12 ' \
        "$options: calls in libraries"
done
for name in busy storm; do
    rm -f aprof.*
    run 7 env APROF_EVENTS=ring=64K timeout 60 ./lives $name
    sum_of_calls aprof.events.* | grep -q 'not whole' && fail "$name: report is not whole"
done

# ---- Analysis threads do not hinder functions that need a process of one thread, and have the process's
# user. In a namespace for future processes, new threads are impossible, so the program's threads do the
# analysis.
run 0 aprof-cc -O1 -o identities "$here/identities.c"
chmod 777 .
for how in user uid pid; do
    for options in analysis=methods,ring=4K analysis=callgraph,consumers=3,ring=4K; do
        status=0
        APROF_EVENTS=out=report,$options timeout 60 ./identities $how >out 2>err || status=$?
        case $status in
        77) continue ;;
        0) ;;
        *) fail "$how, $options: status $status: $(cat err)" ;;
        esac
        same "$(awk -F '\t' '($1 == "method" || $1 == "call") && $NF > 10 { print $NF }' report)" 200000 \
            "$how, $options"
        same "$(grep -c '^aprof: events: cannot start an analysis thread' err)" \
            "$([ $how = pid ] && echo 1 || echo 0)" "$how, $options: messages"
    done
done

# Analysis threads sleep at a bell at the begin of a page, where the filter kills a thread. The program's
# threads sleep at other addresses.
begin 'an analysis thread that is killed loses no events'
cat >killed.c <<'END'
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) static void leaf(void) { __asm__ volatile(""); }
int main(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 128, 0, 3), /* FUTEX_WAIT_PRIVATE */
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0xfff, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {8, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
        return 77;
    usleep(300000);
    for (long i = 0; i < 200000; i++)
        leaf();
    return 0;
}
END
run 0 aprof-cc -O1 -o killed killed.c
for options in methods methods,ring=4K methods,consumers=3,ring=4K callgraph,ring=4K methods,ring=4K,dump-every=1ms; do
    status=0
    APROF_EVENTS=out=report,analysis=$options timeout -s KILL 60 ./killed >out 2>err || status=$?
    test "$status" != 77 || continue
    same "$status" 0 "$options: status"
    same "$(awk -F '\t' '($1 == "method" || $1 == "call") && $NF > 10 { print $NF }' report)" 200000 "$options"
    grep -q 'an analysis thread was killed' err || fail "$options: no message: $(cat err)"
done

begin 'sampling: nothing waits, what was seen is what the rate says, and everything at 100 %'
analysed analysis=methods,sampling=100,ring=8M ./calls 1 20000
mv body all
analysed analysis=methods,mode=sequential ./calls 1 20000
cmp -s all body || fail 'sampling=100 in a ring that is large enough: events are missing'
analysed analysis=methods,sampling=10,ring=8M ./calls 1 20000
ratio=$(awk -F '\t' '$1 == "method" { n[FILENAME] += $NF } END { printf "%d", 1000 * n["report"] / n["all"] }' report all)
{ test "$ratio" -gt 70 && test "$ratio" -lt 130; } || fail "sampling=10: $ratio per mille of the events"
analysed analysis=methods,sampling=auto,stats=no ./calls 2 20000

begin 'a sampled call graph has whole pairs, and no other ones: half of the calls, in the same proportions'
analysed analysis=callgraph,mode=sequential ./calls 1 20000
cp report exact
analysed analysis=callgraph,sampling=50,ring=8M ./calls 1 20000
wrong=$(awk -F '\t' '
    $1 == "call" { n[FILENAME, $2, $3] = $4; sum[FILENAME] += $4; pairs[$2, $3] }
    END {
        rate = sum["report"] / sum["exact"]
        for (pair in pairs) {
            exact = n["exact" SUBSEP pair]; sampled = n["report" SUBSEP pair]
            if (!exact) print "no such pair: " pair
            if (exact > 1000 && (sampled / rate / exact > 1.1 || sampled / rate / exact < 0.9))
                print sampled " of " exact " at " rate
        }
        if (rate < 0.4 || rate > 0.6) print "rate " rate
    }' exact report)
test -z "$wrong" || fail "sampled call graph: $wrong"

begin "the report knows how many events there were, and holds each pair's true count in an interval"
analysed analysis=callgraph,sampling=10,ring=8M ./calls 1 20000
same "$(sed -n 's/^options.*	made=\([0-9]*\).*/\1/p' report)" \
    "$(awk -F '\t' '$1 == "call" { sum += $4 } END { print sum }' exact)" 'events that were made'
run 0 aprof events report --top=0 report
expect 'of all events; low and high bound'
awk '$1 ~ /^[0-9]+$/ && NF > 5 { print $3, $4, $5, $6 }' out | sort -k3 >intervals
run 0 aprof events report --top=0 exact
awk '$1 ~ /^[0-9]+$/ && NF > 3 { print $3, $4, $1 }' out |
    awk 'FNR == NR { low[$3, $4] = $1; high[$3, $4] = $2; next }
        !(($1, $2) in low) { if ($3 > 10240) print $0 ": no row"; next }
        $3 < low[$1, $2] || $3 > high[$1, $2] { print $0 ": not from " low[$1, $2] " to " high[$1, $2] }' \
        intervals - >outside
test ! -s outside || fail "sampled call graph: $(cat outside)"
test "$(wc -l <intervals)" -ge 3 || fail "sampled call graph: too few rows: $(cat intervals)"

begin 'options'
while read -r option message; do
    run 0 env APROF_EVENTS="out=report,$option" ./calls 1 10
    expect_error "$message"
    body report >/dev/null
done <<'END'
analysis=fractals must be methods,
mode=enqueue must be concurrent or sequential
ring=10 must be auto, or 1K to 1G
sampling=0 must be off, auto, or a percentage
sampling=101 must be off, auto, or a percentage
sampling=1.x must be off, auto, or a percentage
consumers=0 must be from 1 to 64
ring=64K,chunk=100 must be a multiple of 64
END
run 0 env APROF_EVENTS=out=report,stats=yes,sampling=2.5 ./calls 1 100
grep -q '^aprof: events: streams=1 events=' err || fail "stats: $(cat err)"
grep -q 'sampling=2.5	made=' report || fail 'options in the report'
run 0 "$build/bench/measured/tools/aprof-cc" -O1 -g -o measured "$here/events_program.c"
for mode in none enqueue communicate; do
    run 0 env APROF_EVENTS=out=report,mode=$mode ./measured 3 1000
    expect 'done'
done
finish
