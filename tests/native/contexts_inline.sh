#!/bin/sh
# Tests inline counting code in programs with known contexts, like contexts.sh with hooks.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

unset APROF_CC_COMPILER # clang it is
command -v clang >/dev/null || skip 'no clang'
test -x "$build/tools/aprof-instrument" || skip 'built without LLVM'
aprof-cc --aprof=contexts,inline -O2 -w -o lives "$here/contexts_lives.c"
aprof-cc --aprof=contexts,inline -O2 -w -fPIC -shared -o liblives.so "$here/contexts_library.c"

# shellcheck source=tests/native/contexts_lives.sh
. "$here/contexts_lives.sh"

begin 'all calls are counted, whatever happens'
binary=./lives
export APROF_CONTEXTS
modes='hcct cct'
! is_emulated || modes=hcct # emulation takes long
for mode in $modes; do
    APROF_CONTEXTS=mode=$mode
    lives
done

begin 'the same with debug information, which says of arguments where routines begin'
aprof-cc --aprof=contexts,inline -O1 -g -w -o debugged "$here/contexts_lives.c" || fail 'does not compile'
binary=./debugged
lives
binary=./lives

begin 'a coroutine belongs to who has resumed it first'
life 0 exit coroutines <<END
main 1
main;run_coroutines 1
main;run_coroutines;coroutine 2
main;run_coroutines;coroutine;leaf 500
main;run_coroutines;coroutine;twig 500
main;run_coroutines;coroutine;twig;leaf 1000
main;run_coroutines;leaf 1000
END

begin 'what a thread calls in its last destructor is counted, and its variables are looked at no more'
cat >late.c <<'END'
#include <pthread.h>
static pthread_key_t key;
__attribute__((noinline)) static long leaf(long n) { __asm__ volatile(""); return n; }
__attribute__((noinline)) static long late(long n)
{
    long s = 0;
    for (long i = 0; i < n; i++)
        s += leaf(i);
    return s;
}
static void destroy(void *value)
{
    long round = (long)value;
    if (round < 4)
        pthread_setspecific(key, (void *)(round + 1));
    else
        late(5);
}
static void *thread(void *argument)
{
    pthread_setspecific(key, (void *)1);
    return argument;
}
int main(void)
{
    pthread_attr_t large; /* such stacks are given back at once */
    pthread_t other;
    pthread_key_create(&key, destroy);
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, 64ul << 20);
    for (int i = 0; i < 8; i++) {
        pthread_create(&other, &large, thread, NULL);
        pthread_join(other, NULL);
    }
    return 0;
}
END
for level in -O1 -O2; do # with -O2, the destructor's call is a jump, so that its calling frame has ended
    aprof-cc --aprof=contexts,inline $level -g -w -o late late.c -pthread
    for weight in calls time; do
        APROF_CONTEXTS=out=late.report,weight=$weight run 0 ./late
        run 0 aprof contexts report late.report
        expect ' 89 calls; '
    done
done

begin 'however a thread ends, its calls are counted'
cat >ends.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <threads.h>
#include <unistd.h>
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *object);
extern void *__dso_handle;
static pthread_key_t key;
static int ended;
__attribute__((noinline)) static void leaf(void) { __asm__ volatile(""); }
static void destroy(void *value)
{
    leaf();
    if ((long)value < 4) {
        pthread_setspecific(key, (void *)((long)value + 1));
        return;
    }
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELEASE);
    sched_yield();
}
static void variable_ends(void *argument) { leaf(); }
__attribute__((noinline)) static void cleanup(void *argument) { leaf(); }
__attribute__((noinline)) static void begin(void)
{
    pthread_setspecific(key, (void *)1);
    __cxa_thread_atexit_impl(variable_ends, NULL, &__dso_handle);
    leaf();
}
static void *returns(void *argument) { begin(); return argument; }
static void *exits(void *argument) { begin(); pthread_exit(argument); }
static void *exits_c11(void *argument) { begin(); thrd_exit(0); }
static void *cancelled(void *argument)
{
    begin();
    pthread_cleanup_push(cleanup, NULL);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    pthread_cleanup_pop(0);
    return argument;
}
static void *stays(void *argument)
{
    leaf();
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELEASE);
    for (;;)
        pause();
}
int main(void)
{
    static void *(*const ways[])(void *) = {returns, exits, exits_c11, cancelled, stays};
    pthread_t other;
    pthread_key_create(&key, destroy);
    for (int i = 0; i < 50; i++) {
        pthread_create(&other, NULL, ways[i % 5], NULL);
        if (i % 2)
            pthread_detach(other);
    }
    while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) < 50)
        sched_yield();
    return 0;
}
END
# main; of 40 threads the function, `begin` and its leaf, two of the variable's end, eight of the destructor;
# of the 10 cancelled ones two more; of the 10 that stay two.
for level in -O1 -O2; do
    aprof-cc --aprof=contexts,inline $level -g -w -o ends ends.c -pthread
    for weight in calls time; do
        APROF_CONTEXTS=out=ends.report,weight=$weight run 0 ./ends
        run 0 aprof contexts report ends.report
        expect ' 561 calls; '
    done
done

lives_elsewhere

begin 'deeper than any table, all activations are one context when recursion is folded'
APROF_CONTEXTS=mode=hcct,recursion=1
life 0 exit deep <<END
main 1
main;on_large_stack 1
main;on_large_stack;run_deep 1
main;on_large_stack;run_deep;leaf 1
main;on_large_stack;run_deep;recurse 1200001
END

begin 'exceptions end what they leave'
aprof-c++ --aprof=contexts,inline -O2 -w -o throws "$here/contexts_throws.cpp"
exceptions

recursion_from_two_places
one_tree

begin 'time: sleeping is not counted, the rest is, where it is spent, and no call is lost'
for mode in cct hcct; do
    APROF_CONTEXTS=mode=$mode,weight=time
    time_is_counted
    # The conversion of cycles to nanoseconds loses less than a nanosecond for each context.
    same "$(awk -F '\t' '$1 == "tree" { calls = $4; total = $3 } $1 == "context" { sum += $7; n++ }
        END { print calls, (total - sum >= 0 && total - sum <= n) }' aprof.contexts.*)" '25 1' "$mode: calls, and all time is somewhere"
    same "$(report_of lives aprof.contexts.* | sed 's/ [0-9]*$//' | tr '\n' ' ')" \
        'main main;leaf main;run_time main;run_time;leaf ' "$mode: contexts"
done
unset APROF_CONTEXTS

begin 'signals are blocked for programs that have handlers, and for no others'
status=0
./lives unmasked || status=$?
if is_emulated; then
    same $status 77 'qemu has seccomp'
else
    test $status != 77 || skip 'no seccomp'
    same $status 5 'status'
fi

begin 'it counts all calls: what was asked for else is said once'
rm -f aprof.contexts.*
APROF_CONTEXTS=burst=2ms/200us run 0 ./lives ends
same "$(grep -c '^aprof: APROF_CONTEXTS: burst' err)" 1 'burst: messages'
same "$(awk -F '\t' '$1 == "tree" { sum += $3 } END { print sum }' aprof.contexts.*)" 14 burst
rm -f aprof.contexts.*
APROF_CONTEXTS=mode=off run 0 ./lives ends
same "$(echo aprof.contexts.*)" 'aprof.contexts.*' mode=off

begin 'a library that counts itself runs in a program that does not'
cat >user.c <<'END'
void library_work(void (*call)(void));
static int calls;
static void called(void) { calls++; }
int main(void)
{
    library_work(called);
    return calls;
}
END
clang -o user user.c ./liblives.so
run 2 ./user
same "$(echo aprof.contexts.*)" 'aprof.contexts.*' 'a library alone'

begin 'every way to compile gives the same contexts'
cat >first.c <<'END'
int second(int);
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += second(i);
    return sum == 45 ? 3 : 4;
}
END
cat >second.c <<'END'
__attribute__((noinline)) int third(int i)
{
    __asm__ volatile("");
    return i;
}
int second(int i)
{
    int n = third(i);
    __asm__ volatile("");
    return n;
}
END
by_all_ways()
{
    rm -f aprof.contexts.*
    run 3 ./both
    same "$(report_of both aprof.contexts.* | tr '\n' ' ')" \
        'main 1 main;second 10 main;second;third 10 ' "$last"
    rm -f both first.o second.o
}
for flags in -O0 '-O2 -g' '-O2 -flto -fuse-ld=lld' '-O1 -fPIC' -Os '-O1 -fsanitize=undefined'; do
    case $flags in *undefined) ! is_emulated || continue ;; esac # clang's libraries are for this machine
    # shellcheck disable=SC2086
    {
        last="$flags: at once"
        aprof-cc --aprof=contexts,inline $flags -o both first.c second.c
        by_all_ways
        last="$flags: apart"
        aprof-cc --aprof=contexts,inline $flags -MMD -c first.c second.c
        same "$(cat first.d)" 'first.o: first.c' "$last: dependencies"
        aprof-cc --aprof=contexts,inline $flags -o both first.o second.o
        by_all_ways
    }
done
last=assembly
aprof-cc --aprof=contexts,inline -O2 -S first.c second.c
aprof-cc --aprof=contexts,inline -o both first.s second.s
by_all_ways
last='another name'
aprof-cc --aprof=contexts,inline -O2 -xc -c -o first.o - <first.c
aprof-cc --aprof=contexts,inline -O2 -o both first.o second.c
by_all_ways

begin "a tail call is its caller's sibling, as with hooks"
cat >tails.c <<'END'
#define KEPT __attribute__((noinline))
KEPT int odd(int n)
{
    __asm__ volatile("");
    return n;
}
KEPT int even(int n)
{
    __asm__ volatile("");
    return n + 1;
}
KEPT int either(int n)
{
    __asm__ volatile("");
    if (n == 9)
        return 7;
    if (n & 1)
        return odd(n + 1);
    return even(n - 1);
}
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += either(i);
    return sum & 0;
}
END
# Programs of arm64 have no hooks.
profiles='contexts,hooks contexts,inline'
! is_emulated || profiles=contexts,inline
for profile in $profiles; do
    APROF_CC_COMPILER=clang aprof-cc --aprof=$profile -O2 -o tails tails.c
    rm -f aprof.contexts.*
    run 0 ./tails
    report_of tails aprof.contexts.* >"$profile.paths"
done
is_emulated || same "$(cat contexts,inline.paths)" "$(cat contexts,hooks.paths)" 'tail calls'
same "$(grep 'even' contexts,inline.paths)" 'main;even 5' 'tail calls'

# walks MODE FILE ARGUMENT...: leaves the report, and the used memory in `out`.
walks()
{
    rm -f aprof.contexts.*
    walks_mode=$1
    walks_file=$2
    shift 2
    run 0 env APROF_CONTEXTS="$walks_mode" ./walks "$@"
    mv aprof.contexts.* "$walks_file"
}

begin 'a hot tree gives back what nobody needs, and keeps its promise'
aprof-cc --aprof=contexts,inline -O2 -w -o walks "$here/contexts_walks.c"
walks mode=cct all 50000
mv out whole
walks phi=1e-2 hot 50000
is_emulated || awk 'NR == FNR { whole = $1; next } { exit !($1 * 4 < whole) }' whole out ||
    fail "memory: $(cat out) of $(cat whole) KiB"
run 0 aprof contexts compare --phi=1e-2 --max-missed=0 --max-error=20 all hot
same "$(awk -F '\t' '$1 == "tree" { print $3 }' hot)" "$(awk -F '\t' '$1 == "tree" { print $3 }' all)" 'calls'

begin 'activations on a stack keep their contexts: of what a handler interrupts, and of coroutines'
for what in 'trap 10' 'coroutine 20000'; do
    # shellcheck disable=SC2086
    walks phi=1e-2 hot ${what#* } ${what% *}
    same "$(report_of walks hot | sed 's/ [0-9]*$//' |
        grep -Evc '^main(;(coroutine|trapped|handler))?(;step;walk[0-7])*(;step)?$')" 0 "$what: contexts that are none"
done

# steps MODE: each call of `work` has the correct context, and each call of the handler has all its callees.
steps()
{
    rm -f aprof.contexts.*
    APROF_CONTEXTS=$1 run 0 ./steps 30
    same "$(awk -F '\t' '$1 == "tree" { print $4 }' aprof.contexts.*)" $((3 * $(cat out) + 77)) "$1: calls"
    report_of steps aprof.contexts.* >paths
    same "$(grep -Evc '^main(;work(;first|;second)?)?(;handler(;(third|fourth)(;below_handler)?)?)? |^main;work;(first;below_first|second;below_second) ' paths)" \
        0 "$1: contexts that are none"
}

test_single_steps()
{
    begin 'a signal may come between any two instructions'
    aprof-cc --aprof=contexts,inline -O2 -w -I"$source" -o steps "$here/contexts_steps.c"
    for mode in cct hcct; do
        steps mode=$mode
        same "$(grep -v handler paths | tr '\n' ' ')" \
            'main 1 main;work 1 main;work;first 15 main;work;first;below_first 15 main;work;second 15 main;work;second;below_second 30 ' "$mode"
        same "$(awk -v calls="$(cat out)" '{ name = $1; sub(/.*;/, "", name); sum[name] += $2 }
            END { print (sum["handler"] == calls && sum["third"] + sum["fourth"] == calls && sum["below_handler"] == calls) }' paths)" \
            1 "$mode: the handler's"
    done
    steps mode=cct,weight=time
    same "$(awk -F '\t' '$1 == "tree" { total = $3 } $1 == "context" && $7 > total { print }' aprof.contexts.*)" '' 'time: more than all'

    begin 'where nothing is counted the code sees that by itself'
    APROF_CONTEXTS=mode=off run 0 ./steps 30
    test "$(cat out)" -lt 1500 || fail "30 calls and what they call take $(cat out) instructions"
}
is_emulated || test_single_steps

begin 'a routine may have more calls than there are places'
awk 'BEGIN {
    print "__attribute__((noinline)) void called(int n) { __asm__ volatile(\"\" :: \"r\"(n)); }"
    for (f = 0; f < 3; f++) {
        print "__attribute__((noinline)) void many" f "(void)\n{"
        for (i = 0; i < (f == 2 ? 5000 : 700); i++)
            print "    called(" i ");"
        print "    __asm__ volatile(\"\");\n}"
    }
    print "int main(void)\n{\n    many0();\n    many1();\n    many2();\n    many0();\n    return 0;\n}"
}' >many.c
aprof-cc --aprof=contexts,inline -O1 -o many many.c
for sites in no yes; do
    rm -f aprof.contexts.*
    APROF_CONTEXTS=mode=cct,sites=$sites run 0 ./many
    same "$(report_of many aprof.contexts.* | awk '{ sum[$1] += $2 } END { for (path in sum) print path, sum[path] }' |
        sort | tr '\n' ' ')" \
        'main 1 main;many0 2 main;many0;called 1400 main;many1 1 main;many1;called 700 main;many2 1 main;many2;called 5000 ' \
        "sites=$sites"
done

begin "mistakes are the compiler's own messages, and gcc cannot"
echo 'int main(void) { return x; }' >wrong.c
status=0
aprof-cc --aprof=contexts,inline -c wrong.c 2>err || status=$?
same "$status $(grep -c 'wrong.c:1:.*error' err)" '1 1' 'a mistake in the source'
status=0
APROF_CC_COMPILER=gcc aprof-cc --aprof=contexts,inline -c first.c 2>err || status=$?
same "$status $(cat err)" '2 aprof: aprof-cc: contexts,inline: only clang can compile it; set APROF_CC_COMPILER=clang' gcc

finish
