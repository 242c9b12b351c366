/* Programs, each of which leaves frames, stacks or the process in a different way.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: trms_lives NAME. trms.sh has the expected measurements of each program.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

static int cells[1000];
static volatile int result;
static jmp_buf landing;
static ucontext_t main_context, other_context;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;

KEPT static void touch(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += cells[i];
    result = sum;
}

KEPT static void deep_touch(int depth)
{
    if (depth == 0) {
        touch(10);
        longjmp(landing, 1);
    }
    deep_touch(depth - 1);
    result++;
}

KEPT static void jumper(int n)
{
    for (int i = 0; i < n; i++)
        if (setjmp(landing) == 0)
            deep_touch(3);
    touch(20);
}

/* Frames of different sizes, so that stack pointers alone do not distinguish frames. */
KEPT static void wide_touch(void)
{
    volatile char room[5000];
    room[0] = 1;
    touch(30);
    result += room[0];
}

KEPT static void recurse(int depth)
{
    if (depth) {
        recurse(depth - 1);
        result++;
    } else {
        touch(40);
    }
}

static void *recurse_deeply(void *unused)
{
    recurse(2000000);
    return unused;
}

/* A thread whose stack is large enough. */
static void in_large_stack(void *(*run)(void *))
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 30);
    pthread_create(&thread, &attributes, run, NULL);
    pthread_join(thread, NULL);
}

KEPT static void on_signal(int sig)
{
    (void)sig;
    touch(50);
}

KEPT static void raiser(void)
{
    touch(10);
    raise(SIGUSR1);
    touch(10);
}

/* No call ends the routine, so compilers release its frame and jump to its exit hook. */
KEPT static void on_interruption(int sig)
{
    (void)sig;
    touch(50);
    result++;
}

KEPT static void interrupted(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == 10)
            raise(SIGUSR1);
        sum += cells[i];
    }
    result = sum;
}

/* Data that a handler writes are new input of the interrupted activation. */
KEPT static void on_handing(int sig)
{
    for (int i = 0; i < 20; i++)
        cells[i] = sig + i;
}

KEPT static void handed(void)
{
    int sum = 0;
    for (int twice = 0; twice < 2; twice++) {
        for (int i = 0; i < 20; i++)
            sum += cells[i];
        raise(SIGUSR1);
    }
    result = sum;
}

KEPT static void coroutine(void)
{
    for (int i = 0; i < 5; i++) {
        touch(60);
        swapcontext(&other_context, &main_context);
    }
}

KEPT static void resumer(void)
{
    static char stack[64 << 10];
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = stack;
    other_context.uc_stack.ss_size = sizeof stack;
    other_context.uc_link = &main_context;
    makecontext(&other_context, coroutine, 0);
    for (int i = 0; i < 5; i++) {
        swapcontext(&main_context, &other_context);
        touch(7);
    }
}

/* Code that continues without a call when another stack or a handler is left. */
KEPT static void reading_coroutine(void)
{
    int sum = 0;
    for (int i = 0; i < 60; i++) {
        if (i % 20 == 0)
            swapcontext(&other_context, &main_context);
        sum += cells[i];
    }
    result = sum;
}

KEPT static void reading_resumer(void)
{
    static char stack[64 << 10];
    int sum = 0;
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = stack;
    other_context.uc_stack.ss_size = sizeof stack;
    other_context.uc_link = &main_context;
    makecontext(&other_context, reading_coroutine, 0);
    for (int i = 0; i < 40; i++) {
        if (i % 10 == 0)
            swapcontext(&main_context, &other_context);
        sum += cells[i];
    }
    result = sum;
}

KEPT static void on_leaving(int sig)
{
    result = sig + cells[0];
    siglongjmp(landing, 1);
}

KEPT static void handler_leaver(void)
{
    int sum = 0;
    if (sigsetjmp(landing, 1) == 0)
        raise(SIGUSR1);
    for (int i = 0; i < 90; i++)
        sum += cells[i];
    result = sum;
}

/* Frames of later handlers contain data that earlier handlers have left on the stack. */
KEPT static void on_litter(int sig)
{
    volatile char room[3000];
    room[0] = (char)sig;
    touch(50);
    result++;
}

KEPT static void litterer(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == n / 2)
            raise(SIGUSR1);
        sum += cells[i];
    }
    result = sum;
}

KEPT static void litter_below(int bytes)
{
    volatile char room[bytes];
    room[0] = 1;
    litterer(40);
    result += room[0];
}

KEPT static void *locked_writer(void *unused)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        cells[0]++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

KEPT static void *leaver(void *unused)
{
    touch(5);
    pthread_exit(unused);
}

KEPT static void *sleeper(void *unused)
{
    touch(6);
    atomic_store(&flag, 1);
    for (;;)
        pause();
    return unused;
}

KEPT static void many_threads(void)
{
    for (int i = 0; i < 1500; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, leaver, NULL);
        pthread_join(thread, NULL);
    }
    pthread_t thread;
    pthread_create(&thread, NULL, sleeper, NULL);
    while (!atomic_load(&flag))
        ;
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}

KEPT static int ping_pong(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, locked_writer, NULL);
    pthread_join(thread, NULL);
    touch(1);
    return cells[0];
}

KEPT static _Atomic __int128 *wide_atomic(void)
{
    static _Atomic __int128 value;
    return &value;
}

KEPT static int atomics(void)
{
    static _Atomic unsigned char byte = 250;
    static _Atomic short half = 5;
    static _Atomic long word = 1;
    int was = 6;
    byte += 10;
    half ^= 3;
    word |= 6;
    atomic_compare_exchange_strong(&flag, &was, 9);
    was = 0;
    atomic_compare_exchange_strong(&flag, &was, 8);
    atomic_fetch_sub(&flag, 3);
    atomic_thread_fence(memory_order_seq_cst);
    *wide_atomic() = ((__int128)1 << 100) + 7;
    return byte == 4 && half == 6 && word == 7 && flag == 5 && (int)(*wide_atomic() >> 100) == 1;
}

KEPT static void forker(void)
{
    touch(11);
    pid_t child = fork();
    if (child == 0) {
        touch(12);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    touch(13);
}

KEPT static void failing_exec(void)
{
    touch(14);
    execl("/nowhere/nothing", "nothing", (char *)NULL);
    close(open("no_program", O_CREAT | O_WRONLY, 0700));
    execl("./no_program", "no_program", (char *)NULL);
    touch(15);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (!strcmp(name, "longjmp")) {
        jumper(100000);
        wide_touch();
    } else if (!strcmp(name, "recursion")) {
        in_large_stack(recurse_deeply);
    } else if (!strcmp(name, "handed")) {
        signal(SIGUSR1, on_handing);
        handed();
    } else if (!strcmp(name, "signal")) {
        signal(SIGUSR1, on_signal);
        raiser();
    } else if (!strcmp(name, "interruption")) {
        signal(SIGUSR1, on_interruption);
        interrupted(1000);
    } else if (!strcmp(name, "coroutine")) {
        resumer();
    } else if (!strcmp(name, "reading_coroutine")) {
        reading_resumer();
    } else if (!strcmp(name, "left_handler")) {
        signal(SIGUSR1, on_leaving);
        handler_leaver();
    } else if (!strcmp(name, "litter")) {
        signal(SIGUSR1, on_litter);
        for (int bytes = 4000; bytes > 0; bytes -= 100)
            litter_below(bytes);
    } else if (!strcmp(name, "induced")) {
        return ping_pong();
    } else if (!strcmp(name, "threads")) {
        many_threads();
    } else if (!strcmp(name, "atomics")) {
        return atomics() ? 0 : 1;
    } else if (!strcmp(name, "fork")) {
        forker();
    } else if (!strcmp(name, "exec")) {
        failing_exec();
    } else if (!strcmp(name, "abort")) {
        touch(16);
        abort();
    } else {
        touch(3);
    }
    return 0;
}
