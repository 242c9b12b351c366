#!/bin/sh
# Tests that threads that exchange data by a volatile variable have thread input.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

cat >volatile.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

#define ROUTINE __attribute__((noinline)) static

static int data[20];
static volatile int result;

/* Flags of all sizes, and one that is not aligned, which gcc has no hooks of volatiles for. */
static struct {
    volatile uint8_t one;
    volatile uint16_t two;
    volatile uint32_t four;
    volatile uint64_t eight;
} flags;
static struct __attribute__((packed)) {
    char before;
    volatile uint32_t flag;
} packed;

ROUTINE void produce(int value)
{
    for (int i = 0; i < 20; i++)
        data[i] = value;
}

ROUTINE void consume(void)
{
    int sum = 0;
    for (int i = 0; i < 20; i++)
        sum += data[i];
    result = sum;
}

/* What one does when the other has set the flag, ten times. */
#define HAND_OVER(name, flag)                                                                      \
    ROUTINE void *name##_producer(void *unused)                                                    \
    {                                                                                              \
        for (int i = 0; i < 10; i++) {                                                             \
            while (flag)                                                                           \
                sched_yield();                                                                     \
            produce(i);                                                                            \
            flag = 1;                                                                              \
        }                                                                                          \
        return unused;                                                                             \
    }                                                                                              \
    ROUTINE void name(void)                                                                        \
    {                                                                                              \
        pthread_t thread;                                                                          \
        pthread_create(&thread, NULL, name##_producer, NULL);                                      \
        for (int i = 0; i < 10; i++) {                                                             \
            while (!flag)                                                                          \
                sched_yield();                                                                     \
            consume();                                                                             \
            flag = 0;                                                                              \
        }                                                                                          \
        pthread_join(thread, NULL);                                                                \
    }
HAND_OVER(by_one, flags.one)
HAND_OVER(by_two, flags.two)
HAND_OVER(by_four, flags.four)
HAND_OVER(by_eight, flags.eight)
HAND_OVER(by_packed, packed.flag)

int main(void)
{
    by_one();
    by_two();
    by_four();
    by_eight();
#ifdef __clang__
    by_packed();
#endif
    return 0;
}
END

need_compilers
for compiler in $compilers; do
    for level in -O0 -O2; do
        begin "$compiler $level"
        build $compiler $level volatile volatile.c
        APROF=out=report run 0 timeout 60 ./volatile
        calls=$(test $compiler = gcc && echo 40 || echo 50)
        measured report \
            "routine=consume trms=20x$calls induced_thread=$((20 * calls)) induced_external=0"
    done
done
finish
