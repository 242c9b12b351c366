#!/bin/sh
# Tests that the calling-context profiler counts every call of programs with known contexts.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

aprof-cc --aprof=contexts,hooks -O2 -w -o lives "$here/contexts_lives.c"
aprof-cc --aprof=contexts,hooks -O2 -w -fPIC -shared -o liblives.so "$here/contexts_library.c"

# shellcheck source=tests/native/contexts_lives.sh
. "$here/contexts_lives.sh"

binary=./lives
export APROF_CONTEXTS
for mode in hcct cct; do
    APROF_CONTEXTS=mode=$mode
    lives
done
life 0 exit coroutines <<END
coroutine 2
coroutine;leaf 500
coroutine;twig 500
coroutine;twig;leaf 1000
main 1
main;run_coroutines 1
main;run_coroutines;leaf 1000
END

lives_elsewhere

begin 'deeper than any table: all activations are one context when recursion is folded'
APROF_CONTEXTS=mode=hcct,recursion=1
life 0 exit deep <<END
main 1
main;on_large_stack 1
run_deep 1
run_deep;leaf 1
run_deep;recurse 1200001
END

begin 'exceptions'
aprof-c++ --aprof=contexts,hooks -O2 -w -o throws "$here/contexts_throws.cpp"
exceptions

begin 'routines that two objects have are entered where the linker keeps them, and others all'
cat >shared.h <<'END'
template <class T> __attribute__((noinline)) T copied(T n)
{
    __asm__ volatile("");
    return n;
}
int only(int n);
END
printf '#include "shared.h"\nint main() { return copied(1) + only(2); }\n' >first.cpp
printf '#include "shared.h"\nint only(int n) { return copied(n) + copied(n); }\n' >second.cpp
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    test $compiler = clang || test -f "$build/tools/aprof-gcc-entries.so" || continue
    for files in 'first.cpp second.cpp' 'second.cpp first.cpp'; do
        rm -f aprof.contexts.*
        # shellcheck disable=SC2086
        APROF_CC_COMPILER=$compiler aprof-c++ --aprof=contexts,hooks -O1 -o shared $files
        APROF_CONTEXTS=mode=cct run 5 ./shared
        same "$(report_of shared aprof.contexts.* | tr '\n' ' ')" \
            'main 1 main;_Z4onlyi 1 main;_Z4onlyi;_Z6copiedIiET_S0_ 2 main;_Z6copiedIiET_S0_ 1 ' "$compiler: $files"
    done
done

# The hooks of -finstrument-functions, given by hand; without tail calls, but otherwise equal.
# shellcheck disable=SC2086
gcc -O2 -w -finstrument-functions -o by_hand "$here/contexts_lives.c" -Wl,--whole-archive \
    "$build/libaprof_contexts.a" -Wl,--no-whole-archive -pthread -ldl
binary=./by_hand
APROF_CONTEXTS=mode=cct
lives

recursion_from_two_places
one_tree

# Bursts begin at random times, but the stack is correct at their begin, all calls are counted, and the bounds
# of each context are correct.
total_of()
{
    awk -F '\t' '$1 == "tree" { sum += $3 } END { print sum }' aprof.contexts.*
}
# intervals TRUTH: checks the intervals of contexts with a thousandth of the calls; contexts with a
# five-hundredth must be found.
intervals()
{
    aprof contexts report --format=tsv --top=0 aprof.contexts.* >estimates
    awk -F '\t' '
        FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        NR == FNR { low[$column["context"]] = $column["low"]; high[$column["context"]] = $column["high"]; next }
        { truth[$column["context"]] = $column["count"]; sum += $column["count"] }
        END {
            for (c in truth)
                if (truth[c] >= sum / 500 && !(c in low))
                    print c ": missing"
                else if (truth[c] >= sum / 1000 && c in low && (truth[c] < low[c] || (high[c] != "-" && truth[c] > high[c])))
                    print c ": " truth[c] " is not from " low[c] " to " high[c]
        }' estimates "$1"
}
begin 'bursts: the total is exact, intervals hold, and nothing hot is missed'
cat >tasks.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>
#define APART __attribute__((noinline, noclone))
static volatile int sum;
APART static void leaf(void) { sum++; }
APART static void twig(void) { leaf(); leaf(); }
APART static void work(int n) { for (int i = 0; i < n; i++) twig(); }
static void *task(void *n) { work(*(int *)n); return n; }
int main(void)
{
    int many = 2000000, some = 150000;
    pthread_t thread;
    work(many);
    for (int i = 0; i < 40; i++) {
        pthread_create(&thread, NULL, task, &some);
        work(some / 10);
        pthread_join(thread, NULL);
    }
    if (fork() == 0)
        work(many);
    else
        wait(NULL);
    return 0;
}
END
aprof-cc --aprof=contexts,hooks -O2 -o tasks tasks.c -pthread
for program in './lives phases' ./tasks; do
    rm -f aprof.contexts.*
    APROF_CONTEXTS=mode=cct,threads=merged run 0 $program
    truth=$(total_of)
    aprof contexts report --format=tsv --top=0 "$(ls aprof.contexts.* | head -n 1)" >truth
    for burst in 4ms/400us 2ms/700us adaptive,burst=4ms/400us; do
        rm -f aprof.contexts.*
        APROF_CONTEXTS=mode=hcct,threads=merged,burst=$burst run 0 $program
        same "$(total_of)" "$truth" "$program, $burst: all calls"
        [ "$program" = ./tasks ] || same "$(intervals truth)" '' "$program, $burst"
    done
done
# The threads alone, and the parent alone.
rm -f aprof.contexts.*
APROF_CONTEXTS=burst=2ms/200us run 0 ./tasks
same "$(total_of)" "$truth" 'threads: all calls'
same "$(report_of tasks aprof.contexts.* | sed 's/ [0-9]*$//' | sort -u |
    grep -vx 'main\|task\|\(main\|task\);work\(;twig\(;leaf\)*\|;leaf\)*')" '' 'contexts that are none'
rm -f aprof.contexts.*
APROF_CONTEXTS=burst=4ms/400us run 0 ./lives phases
same "$(report_of lives aprof.contexts.* |
    grep -v '^main \|^main;run_phases\( \|;work \|;twofold \|;twofold;work \)')" '' 'contexts that are none'
run 0 aprof contexts report aprof.contexts.*
expect 'bursts:  the total is exact'

begin 'bursts that save little say so; once, at the end'
rm -f aprof.contexts.*
APROF_CONTEXTS=burst=1ms/500us,dump-every=20ms run 0 ./lives phases
same "$(grep 'contexts: bursts' err)" \
    'aprof: contexts: bursts: bursts cover two fifths of all calls or more, so bursts save little time; leave out burst= for exact counts' 'too many'
cat >rare.c <<'END'
static volatile int sum;
__attribute__((noinline, noclone)) static void leaf(void) { for (int i = 0; i < 300000; i++) sum++; }
int main(void)
{
    for (int i = 0; i < 2000; i++)
        leaf();
    return 0;
}
END
aprof-cc --aprof=contexts,hooks -O1 -o rare rare.c
rm -f aprof.contexts.*
APROF_CONTEXTS=burst=4ms/400us run 0 ./rare
same "$(grep 'contexts: bursts' err)" \
    'aprof: contexts: bursts: calls are so rare that bursts save no time; leave out burst= for exact counts' 'too few'
same "$(total_of)" 2001 'too few: all calls'

begin 'time: sleeping is not counted, the rest is, where it is spent'
APROF_CONTEXTS=mode=cct,weight=time
time_is_counted
rm -f aprof.contexts.*
APROF_CONTEXTS=mode=cct,weight=time,burst=2ms/200us run 0 ./lives ends
same "$(grep '^aprof: ' err)" 'aprof: APROF_CONTEXTS: burst: ignored: weight=time is measured at all calls' 'time and bursts'

begin 'mistakes are said once, and the program runs as ever'
APROF_CONTEXTS=mode=empty,burst=often,phi=2 run 0 ./lives constructors
same "$(grep -c '^aprof: APROF_CONTEXTS' err)" 3 'unknown options'
APROF_CONTEXTS=mode=off
rm -f aprof.contexts.*
run 0 ./lives constructors
same "$(echo aprof.contexts.*)" 'aprof.contexts.*' 'mode=off'

finish
