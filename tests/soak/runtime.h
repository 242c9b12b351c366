/* The parts of generated programs: one source, three programs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     -DSOAK_MACHINE     for the Valgrind tool. A routine accesses only the memory that its
 *                        statements name, its frame and, after SOAK_NOISE, the C library's memory.
 *                        System calls and copies are instructions; longjmp is in this file.
 *     (nothing)          for compiled-in profilers: the C library's functions are called instead.
 *     -DSOAK_RECORD      the same, and each step is written to the file $SOAK_LOG.
 *
 * LOAD and STORE make all accesses to memory that routines share. Threads take turns (soak_turn,
 * soak_pass) in one order, or work on regions that no other thread writes. So there is no data
 * race, and all runs are the same.
 */
#ifndef TESTS_SOAK_RUNTIME_H
#define TESTS_SOAK_RUNTIME_H

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/soak/log.h"

#ifdef __clang__
#define KEPT __attribute__((noinline)) static
#else
#define KEPT __attribute__((noipa)) static
#endif
#define INLINE static inline __attribute__((always_inline))

/* Objects never share a cell, for all cell sizes. */
#define ALONE __attribute__((aligned(64)))

typedef uint8_t __attribute__((may_alias)) u8;
typedef uint16_t __attribute__((may_alias)) u16;
typedef uint32_t __attribute__((may_alias)) u32;
typedef uint64_t __attribute__((may_alias)) u64;
typedef uint16_t __attribute__((may_alias, aligned(1))) loose16;
typedef uint32_t __attribute__((may_alias, aligned(1))) loose32;
typedef uint64_t __attribute__((may_alias, aligned(1))) loose64;
typedef uint32_t __attribute__((may_alias, vector_size(16))) quad;
struct __attribute__((may_alias)) piece12 {
    uint32_t word[3];
};
struct __attribute__((may_alias)) piece20 {
    uint32_t word[5];
};
struct __attribute__((may_alias)) piece40 {
    uint64_t word[5];
};

enum {
    THREADS = 8, /* maximum number of threads besides the main thread */
    COROUTINES = 3,
    LEVELS = 3, /* of pending landings */
    KINDS = 2 + COROUTINES,
    REGION_BYTES = 1024,
    PAGES_BYTES = 65536,
    STACK_BYTES = 131072,
    TURN_FD = 100,
    DATA_FD = 200,
    NULL_FD = 250,
    FIRST_SIGNAL = 40,
    DATA_BYTES = 100000
};

/* The environment of a running routine. */
enum {
    WRITABLE = 1,
    IN_TURN = 2,
    CAN_JUMP = 4,
    LEVEL_SHIFT = 8, /* pending landings of this execution context */
    KIND_SHIFT = 16  /* 0 thread, 1 handler, 2 and more coroutine */
};
#define LEVEL(mode) ((mode) >> LEVEL_SHIFT & 255)
#define KIND(mode)  ((mode) >> KIND_SHIFT)

static u8 soak_private[THREADS + 1][REGION_BYTES] ALONE;
static u8 soak_shared[2 * THREADS][REGION_BYTES] ALONE;
static u8 soak_baton[REGION_BYTES] ALONE;
static u8 soak_handlers[THREADS + 1][REGION_BYTES] ALONE;
static u8 soak_tokens[THREADS + 1][64] ALONE;
static u8 soak_byte[64] ALONE;
static u64 soak_handed[THREADS + 1][8] ALONE;
static u32 soak_turns[THREADS + 1][16] ALONE;
static u32 soak_sums[THREADS + 1][16] ALONE;
static u32 soak_done[THREADS + 1][16] ALONE;
static ucontext_t soak_co[THREADS + 1][COROUTINES], soak_back[THREADS + 1][COROUTINES];
static char soak_stacks[THREADS + 1][COROUTINES][STACK_BYTES] ALONE;
static char soak_signal_stacks[THREADS + 1][STACK_BYTES] ALONE;
static sem_t soak_sems[THREADS + 1];
/* The variable is not static, because a compiler could omit reads of known values. */
int soak_threads[16] ALONE;

/* ---------------------------------------------------------------- the record */

#ifdef SOAK_RECORD
enum { EVENTS_MAX = 1 << 24 };
static struct soak_event *soak_events;
static unsigned soak_n_events, soak_n_exec_contexts;
static __thread unsigned soak_exec_context, soak_depth;

static void soak_log(unsigned kind, unsigned view, uint64_t a, uint64_t b)
{
    unsigned at = __atomic_fetch_add(&soak_n_events, 1, __ATOMIC_SEQ_CST);
    if (at >= EVENTS_MAX)
        abort();
    soak_events[at] = (struct soak_event){(uint16_t)kind, (uint16_t)view, soak_exec_context,
                                          (uint64_t)a, (uint64_t)b};
}

static unsigned soak_exec_context_new(void)
{
    return __atomic_fetch_add(&soak_n_exec_contexts, 1, __ATOMIC_SEQ_CST);
}

/* The execution context that runs, and its depth. */
struct soak_place {
    unsigned ctx, depth;
};

static struct soak_place soak_here(void)
{
    return (struct soak_place){soak_exec_context, soak_depth};
}

static void soak_go(struct soak_place to)
{
    soak_exec_context = to.ctx;
    soak_depth = to.depth;
}

static struct soak_place soak_begin_exec_context(void)
{
    struct soak_place before = soak_here();
    soak_go((struct soak_place){soak_exec_context_new(), 0});
    soak_log(SOAK_EXEC_CONTEXT_START, VIEW_BOTH, 0, 0);
    return before;
}

static void soak_end_exec_context(struct soak_place before)
{
    soak_log(SOAK_EXEC_CONTEXT_END, VIEW_BOTH, 0, 0);
    soak_go(before);
}

/* Ends handlers and activations that a jump has left. */
static void soak_land(struct soak_place to)
{
    if (soak_exec_context != to.ctx)
        soak_end_exec_context(to);
    soak_depth = to.depth;
    soak_log(SOAK_LAND, VIEW_BOTH, to.depth, 0);
}

static struct soak_place soak_coroutines[THREADS + 1][COROUTINES],
    soak_resumers[THREADS + 1][COROUTINES];

#define ENTER(routine) (soak_log(SOAK_CALL, VIEW_BOTH, routine, 0), soak_depth++)
#define LEAVE()        (soak_log(SOAK_RETURN, VIEW_BOTH, 0, 0), soak_depth--)
#define TAIL(call)                                                                                 \
    do {                                                                                           \
        u32 tail_result = (call);                                                                  \
        LEAVE();                                                                                   \
        return tail_result;                                                                        \
    } while (0)
#define RECORD(...) __VA_ARGS__
#else
#define soak_log(kind, view, a, b) ((void)0)
#define ENTER(routine)             ((void)0)
#define LEAVE()                    ((void)0)
#define TAIL(call)                 return (call)
#define RECORD(...)
#endif

#define NOISE() soak_log(SOAK_NOISE, VIEW_MACHINE, 0, 0)
#define LOAD(type, from)                                                                           \
    (soak_log(SOAK_READ, VIEW_BOTH, (uint64_t)(from), sizeof(type)), *(type const *)(from))
#define STORE(type, to, value)                                                                     \
    do {                                                                                           \
        type stored_value = (type)(value);                                                         \
        soak_log(SOAK_WRITE, VIEW_BOTH, (uint64_t)(to), sizeof(type));                             \
        *(type *)(to) = stored_value;                                                              \
    } while (0)
#define COPY(type, to, from)                                                                       \
    do {                                                                                           \
        soak_log(SOAK_READ, VIEW_BOTH, (uint64_t)(from), sizeof(type));                            \
        soak_log(SOAK_WRITE, VIEW_BOTH, (uint64_t)(to), sizeof(type));                             \
        *(type *)(to) = *(type const *)(from);                                                     \
    } while (0)
/* Uses all bytes of a LOAD, because the compiler omits reads of unused bytes. */
#define ALL(value) ((u32)((uint64_t)(value) ^ (uint64_t)(value) >> 32))
/* After this statement, the compiler has no assumptions about memory, but keeps computed values. */
#define KEEP(value) __asm__ volatile("" ::"r"(value))

/* ---------------------------------------------------------------- the kernel */

#ifdef SOAK_MACHINE
INLINE long soak_system(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#define SOAK_READ_CALL(fd, to, n)      soak_system(SYS_read, fd, (long)(to), (long)(n), 0, 0, 0)
#define SOAK_WRITE_CALL(fd, from, n)   soak_system(SYS_write, fd, (long)(from), (long)(n), 0, 0, 0)
#define SOAK_PREAD_CALL(fd, to, n, at) soak_system(SYS_pread64, fd, (long)(to), (long)(n), at, 0, 0)
#define SOAK_MAP_CALL(at, n, flags, fd)                                                            \
    soak_system(SYS_mmap, (long)(at), (long)(n), PROT_READ | PROT_WRITE, flags, fd, 0)
#define SOAK_RAISE(number)                                                                         \
    soak_system(SYS_tgkill, soak_system(SYS_getpid, 0, 0, 0, 0, 0, 0),                             \
                soak_system(SYS_gettid, 0, 0, 0, 0, 0, 0), number, 0, 0, 0)

INLINE void soak_move(void *to, const void *from, size_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
}

INLINE void soak_fill(void *to, int byte, size_t bytes)
{
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(byte) : "memory");
}
#else
#define SOAK_READ_CALL(fd, to, n)       read(fd, to, n)
#define SOAK_WRITE_CALL(fd, from, n)    write(fd, from, n)
#define SOAK_PREAD_CALL(fd, to, n, at)  pread(fd, to, n, at)
#define SOAK_MAP_CALL(at, n, flags, fd) (long)mmap(at, n, PROT_READ | PROT_WRITE, flags, fd, 0)
#define SOAK_RAISE(number)              raise(number)
#define soak_move                       memcpy
#define soak_fill                       memset
#endif

INLINE u32 soak_kernel_read(void *to, long n)
{
    soak_log(SOAK_KERNEL_WRITE, VIEW_BOTH, (uint64_t)to, (uint64_t)n);
    return (u32)n;
}

INLINE u32 soak_input(int me, void *to, size_t n)
{
    long got = SOAK_READ_CALL(DATA_FD + me, to, n);
    return got > 0 ? soak_kernel_read(to, got) : 0;
}

INLINE u32 soak_input_at(int me, void *to, size_t n, long at)
{
    long got = SOAK_PREAD_CALL(DATA_FD + me, to, n, at);
    return got > 0 ? soak_kernel_read(to, got) : 0;
}

INLINE void soak_output(const void *from, size_t n)
{
    soak_log(SOAK_READ, VIEW_BOTH, (uint64_t)from, n);
    if (SOAK_WRITE_CALL(NULL_FD, from, n) != (long)n)
        __builtin_trap();
}

INLINE void soak_copy(void *to, const void *from, size_t n)
{
    soak_log(SOAK_READ, VIEW_BOTH, (uint64_t)from, n);
    soak_log(SOAK_WRITE, VIEW_BOTH, (uint64_t)to, n);
    soak_move(to, from, n);
}

INLINE void soak_set(void *to, int byte, size_t n)
{
    soak_log(SOAK_WRITE, VIEW_BOTH, (uint64_t)to, n);
    soak_fill(to, byte, n);
}

/* A thread's own pages: an address without a variable. */
INLINE u8 *soak_pages(int me)
{
    return (u8 *)(0x5500000000 + (uintptr_t)me * 16 * PAGES_BYTES);
}

INLINE void soak_fresh(u8 *at, size_t bytes)
{
    soak_log(SOAK_FORGET, VIEW_BOTH, (uint64_t)at, bytes);
    if (SOAK_MAP_CALL(at, bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1) != (long)at)
        __builtin_trap();
}

INLINE void soak_map_file(int me, u8 *at, size_t bytes)
{
    soak_log(SOAK_MAP_FILE, VIEW_BOTH, (uint64_t)at, bytes);
    if (SOAK_MAP_CALL(at, bytes, MAP_PRIVATE | MAP_FIXED, DATA_FD + me) != (long)at)
        __builtin_trap();
}

/* ---------------------------------------------------------------- turns */

#ifdef SOAK_SEMAPHORES
enum { TURN_VIEW = VIEW_MACHINE };
#else
enum { TURN_VIEW = VIEW_BOTH };
#endif

INLINE void soak_wait(int me)
{
#if defined SOAK_SEMAPHORES && !defined SOAK_MACHINE
    while (sem_wait(&soak_sems[me]) != 0)
        continue;
#else
    if (SOAK_READ_CALL(TURN_FD + 2 * me, soak_tokens[me], 1) != 1)
        __builtin_trap();
#endif
    soak_log(SOAK_KERNEL_WRITE, TURN_VIEW, (uint64_t)soak_tokens[me], 1);
}

INLINE void soak_pass(int me)
{
    int next = (me + 1) % soak_threads[0];
    soak_log(SOAK_READ, VIEW_BOTH, (uint64_t)soak_threads, 4);
    soak_log(SOAK_READ, TURN_VIEW, (uint64_t)soak_byte, 1);
#if defined SOAK_SEMAPHORES && !defined SOAK_MACHINE
    sem_post(&soak_sems[next]);
#else
    if (SOAK_WRITE_CALL(TURN_FD + 2 * next + 1, soak_byte, 1) != 1)
        __builtin_trap();
#endif
}

/* The turn is passed: another thread may take it. */
INLINE bool soak_turn(int me)
{
    u32 left = LOAD(u32, &soak_turns[me][0]);
    if (left == 0)
        return false;
    STORE(u32, &soak_turns[me][0], left - 1);
    soak_wait(me);
    return true;
}

/* No thread continues before all threads have arrived here and have had all their turns. */
INLINE void soak_barrier(int me, u32 turns)
{
    while (soak_turn(me))
        soak_pass(me);
    for (int round = 0; round < 2; round++) {
        soak_wait(me);
        soak_pass(me);
    }
    STORE(u32, &soak_turns[me][0], turns);
}

/* ---------------------------------------------------------------- jumps */

#ifdef SOAK_MACHINE
static u64 soak_landings[THREADS + 1][KINDS][LEVELS][8] ALONE;
int soak_save(u64 *to) __attribute__((returns_twice));
void soak_jump(u64 *from) __attribute__((noreturn));
__asm__(".text\n"
        ".type soak_save, @function\n"
        ".globl soak_save\n"
        "soak_save:\n"
        "    mov (%rsp), %rdx\n"
        "    lea 8(%rsp), %rcx\n"
        "    mov %rbx, (%rdi)\n"
        "    mov %rbp, 8(%rdi)\n"
        "    mov %r12, 16(%rdi)\n"
        "    mov %r13, 24(%rdi)\n"
        "    mov %r14, 32(%rdi)\n"
        "    mov %r15, 40(%rdi)\n"
        "    mov %rcx, 48(%rdi)\n"
        "    mov %rdx, 56(%rdi)\n"
        "    xor %eax, %eax\n"
        "    ret\n"
        ".size soak_save, . - soak_save\n"
        ".type soak_jump, @function\n"
        ".globl soak_jump\n"
        "soak_jump:\n"
        "    mov (%rdi), %rbx\n"
        "    mov 8(%rdi), %rbp\n"
        "    mov 16(%rdi), %r12\n"
        "    mov 24(%rdi), %r13\n"
        "    mov 32(%rdi), %r14\n"
        "    mov 40(%rdi), %r15\n"
        "    mov 48(%rdi), %rcx\n"
        "    mov 56(%rdi), %rdx\n"
        "    mov $1, %eax\n"
        "    mov %rcx, %rsp\n"
        "    jmp *%rdx\n"
        ".size soak_jump, . - soak_jump\n");
#define SAVE(me, mode) soak_save(soak_landings[me][KIND(mode)][LEVEL(mode)])
#define JUMP(me, mode) soak_jump(soak_landings[me][KIND(mode)][LEVEL(mode) - 1])
#else
static struct ALONE {
    jmp_buf buffer;
} soak_landings[THREADS + 1][KINDS][LEVELS];
#define SAVE(me, mode)                                                                             \
    (soak_jump_access(SOAK_ROUTINE_SAVE, SOAK_WRITE, me, KIND(mode), LEVEL(mode)),                 \
     _setjmp(soak_landings[me][KIND(mode)][LEVEL(mode)].buffer))
#define JUMP(me, mode)                                                                             \
    do {                                                                                           \
        soak_jump_access(SOAK_ROUTINE_JUMP, SOAK_READ, me, KIND(mode), LEVEL(mode) - 1);           \
        longjmp(soak_landings[me][KIND(mode)][LEVEL(mode) - 1].buffer, 1);                         \
    } while (0)

/* Accesses the functions' 64 bytes as the two functions above would do. */
INLINE void soak_jump_access(unsigned routine, unsigned kind, int me, u32 of, u32 level)
{
    (void)routine, (void)kind, (void)me, (void)of, (void)level;
    soak_log(SOAK_CALL, VIEW_MACHINE, routine, 0);
    soak_log(kind, VIEW_MACHINE, (uint64_t)&soak_landings[me][of][level], 64);
    soak_log(SOAK_RETURN, VIEW_MACHINE, 0, 0);
}
#endif

/* ---------------------------------------------------------------- coroutines */

INLINE void soak_resume(int me, int c)
{
    if (LOAD(u32, &soak_done[me][c]))
        return;
    NOISE();
    RECORD(soak_resumers[me][c] = soak_here(); soak_go(soak_coroutines[me][c]); NOISE();)
    swapcontext(&soak_back[me][c], &soak_co[me][c]);
}

INLINE void soak_yield(int me, u32 mode)
{
    int c = (int)KIND(mode) - 2;
    NOISE();
    RECORD(soak_coroutines[me][c] = soak_here(); soak_go(soak_resumers[me][c]); NOISE();)
    swapcontext(&soak_co[me][c], &soak_back[me][c]);
}

/* ---------------------------------------------------------------- the process */

static void *soak_thread_signals(int me)
{
    const stack_t stack = {.ss_sp = soak_signal_stacks[me], .ss_size = STACK_BYTES};
    sigaltstack(&stack, NULL);
    return soak_pages(me);
}

static void soak_open(int me)
{
    int ends[2], data = open(getenv("SOAK_DATA"), O_RDONLY);
    if (data < 0 || pipe(ends) != 0)
        abort();
    dup2(data, DATA_FD + me);
    dup2(ends[0], TURN_FD + 2 * me);
    dup2(ends[1], TURN_FD + 2 * me + 1);
    close(data);
    close(ends[0]);
    close(ends[1]);
    sem_init(&soak_sems[me], 0, 0);
    soak_fresh(soak_pages(me), PAGES_BYTES);
}

static void soak_start(void)
{
    RECORD(soak_events = mmap(NULL, EVENTS_MAX * sizeof(struct soak_event), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
           soak_begin_exec_context();)
    dup2(open("/dev/null", O_WRONLY), NULL_FD);
    for (int me = 0; me <= THREADS; me++)
        soak_open(me);
    soak_thread_signals(THREADS);
}

/* The first of `n` threads has the first turn. */
static void soak_run_threads(int n, void *(*run)(void *))
{
    pthread_t threads[THREADS];
    soak_log(SOAK_WRITE, VIEW_BOTH, (uint64_t)soak_threads, 4);
    soak_threads[0] = n;
    soak_pass(n - 1);
    for (int i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i) != 0)
            abort();
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    soak_wait(0); /* for the turn of the last thread */
}

static int soak_end(void)
{
    u32 sum = 0;
    for (int me = 0; me <= THREADS; me++)
        sum = sum * 31 + soak_sums[me][0];
    printf("%08x\n", sum);
    RECORD(
        FILE *log = fopen(getenv("SOAK_LOG"), "w");
        if (!log ||
            fwrite(soak_events, sizeof(struct soak_event), soak_n_events, log) != soak_n_events ||
            fclose(log) != 0) abort();)
    return 0;
}

#endif
