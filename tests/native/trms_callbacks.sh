#!/bin/sh
# Tests a library that calls routines and then waits for other threads: data from these threads are input.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

cat >library.c <<'END'
static int steps;

static void wait_for(int step)
{
    while (__atomic_load_n(&steps, __ATOMIC_ACQUIRE) < step)
        ;
}

/* The routine, then a step, and back after another thread's. */
void call_and_wait(void (*routine)(void), int step, int until)
{
    routine();
    __atomic_store_n(&steps, step, __ATOMIC_RELEASE);
    wait_for(until);
}

void wait_and_call(int until, void (*routine)(void), int step)
{
    wait_for(until);
    routine();
    __atomic_store_n(&steps, step, __ATOMIC_RELEASE);
}

void step_on(int step)
{
    __atomic_store_n(&steps, step, __ATOMIC_RELEASE);
}
END
cat >callbacks.c <<'END'
#include <pthread.h>

#define ROUTINE __attribute__((noinline)) static

void call_and_wait(void (*routine)(void), int step, int until);
void wait_and_call(int until, void (*routine)(void), int step);
void step_on(int step);

int first[16], second[16];
int result;

ROUTINE void write_first(void)
{
    for (int i = 0; i < 16; i++)
        first[i] = i;
}

ROUTINE void write_second(void)
{
    for (int i = 0; i < 16; i++)
        second[i] = i;
}

/* Finds the token that the other thread goes on with, if it does. */
ROUTINE void read_both(void)
{
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += first[i] + second[i];
    result = sum;
}

ROUTINE void read_second(void)
{
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += second[i];
    result = sum;
}

ROUTINE void read_first(void)
{
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += first[i];
    result = sum;
}

ROUTINE void *reader(void *unused)
{
    wait_and_call(1, read_both, 2);
    wait_and_call(3, read_second, 4);
    wait_and_call(4, read_first, 5);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    call_and_wait(write_first, 1, 2);
    write_second();
    write_first();
    step_on(3);
    pthread_join(thread, NULL);
    return 0;
}
END

need_compilers
need gcc
gcc -O2 -shared -fPIC -o libcallbacks.so library.c
for compiler in $compilers; do
    for level in -O0 -O2; do
        begin "$compiler $level"
        (
            use_compiler $compiler
            aprof-cc -g -pthread $level -o callbacks callbacks.c -L. -lcallbacks -Wl,-rpath,.
        ) || fail 'callbacks.c does not compile'
        APROF=out=report run 0 timeout 60 ./callbacks
        measured report 'routine=read_both trms=32x1 induced_thread=16' \
            'routine=read_second trms=16x1 induced_thread=16' \
            'routine=read_first trms=16x1 induced_thread=16'
    done
done
finish
