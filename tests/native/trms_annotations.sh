#!/bin/sh
# Tests that programs that call ThreadSanitizer's interface link, run and synchronise.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The sources test whether ThreadSanitizer is enabled in clang; their announcements are synchronisations.
. "${0%/*}/../lib.sh"

# The turn is handed over by plain stores that nothing is told of: the announcements alone say when.
cat >announces.c <<'END'
#include <pthread.h>
#include <sched.h>

#ifndef __has_feature
#error this test is for clang
#endif
#if !__has_feature(thread_sanitizer)
#error not told that ThreadSanitizer is on
#endif

void __tsan_acquire(void *);
void __tsan_release(void *);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at, long bytes,
                             const char *why);
void __sanitizer_syscall_pre_impl_close(long);

#define ROUTINE __attribute__((noinline)) static

static int data[20], turn, result;

__attribute__((noinline, no_sanitize("thread"))) static void wait_for(int wanted)
{
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != wanted)
        sched_yield();
}

__attribute__((noinline, no_sanitize("thread"))) static void give(int next)
{
    __atomic_store_n(&turn, next, __ATOMIC_RELEASE);
}

ROUTINE void produce(int value)
{
    for (int i = 0; i < 20; i++)
        data[i] = value;
}

ROUTINE int consume(void)
{
    int sum = 0;
    for (int i = 0; i < 20; i++)
        sum += data[i];
    return sum;
}

static void *producer(void *unused)
{
    for (int i = 0; i < 10; i++) {
        wait_for(0);
        __tsan_acquire(&turn);
        produce(i);
        __tsan_release(&turn);
        give(1);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    AnnotateBenignRaceSized(__FILE__, __LINE__, &turn, sizeof turn, "handed over");
    __sanitizer_syscall_pre_impl_close(-1);
    pthread_create(&thread, NULL, producer, NULL);
    for (int i = 0; i < 10; i++) {
        wait_for(1);
        __tsan_acquire(&turn);
        result += consume();
        __tsan_release(&turn);
        give(0);
    }
    pthread_join(thread, NULL);
    return result != 20 * 45;
}
END

need_compilers
case $compilers in *clang*) ;; *) skip 'no clang' ;; esac
for compiler in ${compilers#* gcc}; do
    begin "$compiler"
    build $compiler -O2 announces announces.c
    APROF=out=report run 0 timeout 60 ./announces
    measured report 'routine=consume trms=20x10 induced_thread=200 induced_external=0'
done
finish
