#!/bin/sh
# Tests inline code that writes events into the ring, like events.sh with hooks, and compares the counts with hooks.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154,SC2094
. "${0%/*}/../lib.sh"
need_papers

unset APROF_CC_COMPILER # clang it is
command -v clang >/dev/null || skip 'no clang'
test -x "$build/tools/aprof-instrument" || skip 'built without LLVM'
APROF_CC_PROFILE=events,inline
export APROF_CC_PROFILE
# shellcheck source=tests/native/events_lives.sh
. "$here/events_lives.sh"

# Programs of arm64 have no hooks; in emulation, hooks count the calls of a program of this machine.
hooks_compiler=aprof-cc
! is_emulated || hooks_compiler="env APROF_ARM64_INNER=1 $APROF_HOST_TOOLS/aprof-cc"
for level in 0 2; do
    run 0 aprof-cc -O$level -g -o calls "$here/events_program.c"
    # shellcheck disable=SC2086
    run 0 env APROF_CC_COMPILER=clang $hooks_compiler --aprof=events,hooks -O$level -g -o hooks "$here/events_program.c"
    run 0 aprof-cc -O$level -g -c -o calls.o "$here/events_program.c"
    nm calls.o >symbols
    ! grep -q ' U __cyg_profile' symbols || fail "-O$level: hooks in the code"
    for analysis in methods callgraph calltree; do
        begin "-O$level: $analysis as hooks count them"
        analysed analysis=$analysis,mode=sequential ./hooks 1 2000
        counts body >wanted
        analysed analysis=$analysis,mode=sequential ./calls 1 2000
        counts body >counted
        same "$(cat counted)" "$(cat wanted)" "$analysis"
        test -s counted || fail 'nothing was counted'
    done
done

begin 'one thread or several, on other cores or not'
for threads in 1 5; do
    for analysis in methods callgraph calltree; do
        same_as_sequential $analysis ./calls $threads 2000
    done
done

begin 'signals that interrupt events; more threads than cores; rings much smaller than the work'
analysed analysis=calltree,mode=sequential ./calls 1 50000
mv body wanted
analysed analysis=calltree,ring=4K ./calls 1 50000 signals
cmp -s wanted body || fail 'signals: calls are missing'
analysed analysis=methods,mode=sequential ./calls 64 500
mv body wanted
analysed analysis=methods,consumers=2 ./calls 64 500
cmp -s wanted body || fail '64 threads: calls are missing'

begin 'sampling: everything at 100 %, and about what the rate says'
analysed analysis=methods,sampling=100,ring=8M ./calls 1 20000
mv body all
analysed analysis=methods,mode=sequential ./calls 1 20000
cmp -s all body || fail 'sampling=100 in a ring that is large enough: events are missing'
analysed analysis=callgraph,sampling=10,ring=8M ./calls 1 20000

begin 'every end of a process: what was enqueued is in the report'
lives

begin 'a call that must be a jump stays one'
cat >jumps.c <<'END'
#include <stdio.h>
static int __attribute__((noinline)) count(int n, int sum);
static int __attribute__((noinline)) again(int n, int sum)
{
    __attribute__((musttail)) return count(n - 1, sum + 1);
}
static int count(int n, int sum)
{
    if (n == 0)
        return sum;
    __attribute__((musttail)) return again(n, sum);
}
int main(void)
{
    printf("%d\n", count(1000000, 0));
    return 0;
}
END
run 0 aprof-cc -O1 -o jumps jumps.c
(ulimit -s 1024 && analysed analysis=callgraph ./jumps)
expect 1000000
same "$(counts report | tr '\n' ' ')" '1 1000000 1000001 ' 'calls of main, of again, of count: from main, all of them'
finish
