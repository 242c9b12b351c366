/* Programs with one extreme load each; load.sh has the expected measurements.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * load threads N       N threads, one after the other
 * load crowd N         N threads at once
 * load coroutines N    N coroutines that take turns, twice
 * load depth N         a recursion N deep
 * load sizes N R       R times N activations of N input sizes
 * load sparse N        N gigabytes of addresses, of which each megabyte has one cell in use
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifdef __clang__
#define KEPT __attribute__((noinline)) static
#else
#define KEPT __attribute__((noipa)) static
#endif

enum { CO_STACK_BYTES = 16384, CROWD_STACK_BYTES = 65536 };

int cells[1 << 20]; /* not static: a compiler could omit reads of a variable that is never
                     * written */
static int result;  /* of the main thread */

KEPT int touch(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += cells[i];
    return sum;
}

/* ---------------------------------------------------------------- threads */

static pthread_barrier_t all_here;

static void *one_of_many(void *wait)
{
    int sum = touch(10);
    if (wait)
        pthread_barrier_wait(&all_here);
    return (void *)(intptr_t)(sum + touch(20));
}

static void in_sequence(long n)
{
    for (long i = 0; i < n; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, one_of_many, NULL) != 0)
            abort();
        pthread_join(thread, NULL);
    }
}

static void at_once(long n)
{
    pthread_t *threads = calloc((size_t)n, sizeof(*threads));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, CROWD_STACK_BYTES);
    pthread_barrier_init(&all_here, NULL, (unsigned)n);
    for (long i = 0; i < n; i++)
        if (pthread_create(&threads[i], &attributes, one_of_many, threads) != 0)
            abort();
    for (long i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

/* ---------------------------------------------------------------- coroutines */

static ucontext_t scheduler, *contexts;

KEPT void coroutine(int number)
{
    result += touch(5);
    swapcontext(&contexts[number], &scheduler);
    result += touch(7);
}

static void take_turns(long n)
{
    char *stacks = mmap(NULL, (size_t)n * CO_STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    contexts = calloc((size_t)n, sizeof(*contexts));
    for (long i = 0; i < n; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks + i * CO_STACK_BYTES;
        contexts[i].uc_stack.ss_size = CO_STACK_BYTES;
        contexts[i].uc_link = &scheduler;
        makecontext(&contexts[i], (void (*)(void))coroutine, 1, (int)i);
    }
    for (int turn = 0; turn < 2; turn++)
        for (long i = 0; i < n; i++)
            swapcontext(&scheduler, &contexts[i]);
}

/* ---------------------------------------------------------------- recursion */

static long depth, rounds;

KEPT int go_down(long n)
{
    return n ? go_down(n - 1) + 1 : touch(30);
}

/* A caller has one cell more than its callee: an activation for each input size. */
KEPT int grow(long n)
{
    int sum = cells[n];
    return n > 1 ? grow(n - 1) + sum : sum;
}

static void *down(void *unused)
{
    result = go_down(depth);
    return unused;
}

static void *growing(void *unused)
{
    for (long i = 0; i < rounds; i++) {
        result += grow(depth);
        __asm__ volatile("" ::: "memory"); /* values that were read may have changed */
    }
    return unused;
}

static void in_large_stack(void *(*run)(void *))
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)2 << 30);
    if (pthread_create(&thread, &attributes, run, NULL) != 0)
        abort();
    pthread_join(thread, NULL);
}

/* ---------------------------------------------------------------- addresses */

KEPT int sparse(const volatile char *from, long gigabytes)
{
    int sum = 0;
    for (long i = 0; i < gigabytes << 10; i++)
        sum += from[i << 20];
    return sum;
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 0;
    if (!strcmp(what, "threads")) {
        in_sequence(n);
    } else if (!strcmp(what, "crowd")) {
        at_once(n);
    } else if (!strcmp(what, "coroutines")) {
        take_turns(n);
    } else if (!strcmp(what, "depth")) {
        depth = n;
        in_large_stack(down);
    } else if (!strcmp(what, "sizes")) {
        depth = n;
        rounds = argc > 3 ? atol(argv[3]) : 1;
        in_large_stack(growing);
    } else if (!strcmp(what, "sparse")) {
        const char *from = mmap(NULL, (size_t)n << 30, PROT_READ,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (from == MAP_FAILED)
            abort();
        result = sparse(from, n);
    } else {
        return 2;
    }
    return result == 1;
}
