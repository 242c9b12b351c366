#!/bin/sh
# Programs without a profiler load shared libraries that were compiled with one.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In such a program, the library is not measured and computes correct results. In a program with the profiler,
# the library is measured.
. "${0%/*}/../lib.sh"
need_papers

begin 'every name that the runtimes have for compiled code has a stub'
names()
{
    nm -g --defined-only "$@" | awk 'NF == 3 && $3 ~ /^(__tsan_|__sanitizer_|__cyg_|aprof_|Annotate|WTFAnnotate)/ { print $3 }' |
        LC_ALL=C sort -u
}
names "$build/libaprof_trms.a" "$build/libaprof_events.a" >wanted
names "$build/libaprof_stubs.a" >there
test -s wanted || fail 'no names'
same "$(LC_ALL=C comm -23 wanted there)" '' 'names without a stub'

cat >library.c <<'END'
#include <stdatomic.h>
#include <string.h>
static _Atomic int calls;
static volatile int seen;
__attribute__((noinline)) static int inner(const int *at, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += at[i];
    return total;
}
int work(int n)
{
    int table[64];
    char text[40];
    memset(text, 1, sizeof text);
    for (int i = 0; i < 64; i++)
        table[i] = i * n + text[i % 40];
    seen = atomic_fetch_add(&calls, 1);
    int sum = inner(table, 64) + (n > 0 ? work(n - 1) : 0);
    return sum + seen - calls;
}
END
cat >main.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static int (*work)(int);
static void *thread(void *unused)
{
    (void)unused;
    return (void *)(long)work(10);
}
int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW), *result;
    pthread_t other;
    if (!library) {
        fputs(dlerror(), stderr);
        return 1;
    }
    work = (int (*)(int))dlsym(library, "work");
    printf("%d\n", work(10));
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, &result);
    printf("%d\n", (int)(long)result);
    return 0;
}
END
echo 'NAMED { global: work; local: *; };' >script
gcc -O1 -o plain main.c -ldl -pthread
gcc -O2 -fPIC -shared -o native.so library.c
run 0 ./plain ./native.so
cp out native

# loads COMPILER PROFILE
loads()
{
    APROF_CC_COMPILER=$1 APROF_CC_PROFILE=$2
    export APROF_CC_COMPILER APROF_CC_PROFILE
    for level in -O0 -O2; do
        begin "$1 $2 $level: loaded by a plain program"
        run 0 aprof-cc $level -g -fPIC -shared -Wl,-z,defs -o library.so library.c
        run 0 ./plain ./library.so
        same "$(cat out)" "$(cat native)" 'output'
    done
    case $2 in
    contexts*) return ;;
    esac
    run 0 aprof-cc -O1 -g -o program main.c -ldl -pthread
    for words in -O2 -Wl,-Bsymbolic -Wl,--version-script=script -Wl,--exclude-libs,ALL; do
        begin "$1 $2 $words: measured in a program with the profiler"
        rm -f aprof.out.* aprof.events.*
        run 0 aprof-cc -O2 -g -fPIC -shared $words -o library.so library.c
        run 0 ./program ./library.so
        same "$(cat out)" "$(cat native)" 'output'
        grep -q '^object.*library\|	inner' aprof.out.* aprof.events.* 2>/dev/null || fail 'the library is not in the report'
    done
}

for profile in trms,hooks trms,inline trms,inline,sample contexts,hooks contexts,inline events,hooks events,inline \
    events,memory; do
    ! test -x "$build/tools/aprof-instrument" || ! command -v clang >/dev/null || loads clang $profile
    case $profile in
    *inline*) ;;
    *) loads gcc $profile ;;
    esac
done

if command -v python3 >/dev/null; then
    begin "Python's ctypes"
    APROF_CC_COMPILER=gcc run 0 aprof-cc --aprof=trms,hooks -O2 -fPIC -shared -o library.so library.c
    run 0 python3 -c 'import ctypes; print(ctypes.CDLL("./library.so").work(10))'
    same "$(cat out)" "$(head -n 1 native)" 'output'
fi
finish
