/* Programs with known calling contexts; the first argument selects one.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP     __asm__ volatile("" ::: "memory") /* prevents tail calls and omission of calls */

NOINLINE void leaf(void)
{
    KEEP;
}

NOINLINE void twig(void)
{
    leaf();
    leaf();
    KEEP;
}

__attribute__((constructor)) static void before(void)
{
    if (getenv("LIVES_CONSTRUCTORS"))
        leaf();
    KEEP;
}

__attribute__((destructor)) static void after(void)
{
    if (getenv("LIVES_CONSTRUCTORS"))
        leaf();
    KEEP;
}

/* ---------------------------------------------------------------- ways out of routines */

static jmp_buf mark;

NOINLINE void jump(int depth)
{
    if (depth)
        jump(depth - 1);
    else
        longjmp(mark, 1);
    KEEP;
}

NOINLINE static void run_longjmp(void)
{
    for (volatile int i = 0; i < 100000; i++)
        if (!setjmp(mark))
            jump(2);
    leaf();
}

NOINLINE int recurse(long depth)
{
    volatile char here = 1;
    return depth ? recurse(depth - 1) + here : here;
}

NOINLINE static void run_deep(void)
{
    recurse(1200000);
    leaf();
    KEEP;
}

/* Runs on a stack of a gigabyte; only its used pages exist. */
NOINLINE static void on_large_stack(void (*run)(void))
{
    static ucontext_t here, there;
    size_t bytes = (size_t)1 << 30;
    getcontext(&there);
    there.uc_stack.ss_sp = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    there.uc_stack.ss_size = bytes;
    there.uc_link = &here;
    makecontext(&there, run, 0);
    swapcontext(&here, &there);
}

/* ---------------------------------------------------------------- floating point in registers */

NOINLINE double sum8(double a, double b, double c, double d, double e, double f, double g, double h)
{
    KEEP;
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

NOINLINE double printed(const char *format, ...)
{
    char text[64];
    __builtin_va_list list;
    __builtin_va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    __builtin_va_end(list);
    return atof(text);
}

NOINLINE static void run_doubles(void)
{
    for (int i = 0; i < 1000; i++)
        if (sum8(i, 2, 3, 4, 5, 6, 7, 8) != i + 203 || printed("%g", (double)i) != i)
            _exit(3);
}

/* ---------------------------------------------------------------- threads */

static void *thread_leaf(void *argument)
{
    twig();
    return argument;
}

static void *thread_exits(void *argument)
{
    twig();
    pthread_exit(argument);
}

static void *thread_waits(void *argument)
{
    twig();
    for (;;)
        pause();
    return argument;
}

NOINLINE static void run_one(void *(*start)(void *), int cancel)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, start, NULL))
        abort();
    if (cancel) {
        usleep(20000);
        pthread_cancel(thread);
    }
    pthread_join(thread, NULL);
}

NOINLINE static void run_threads(void)
{
    for (int i = 0; i < 500; i++)
        run_one(thread_leaf, 0);
    KEEP;
}

NOINLINE static void run_thread_ends(void)
{
    run_one(thread_exits, 0);
    run_one(thread_waits, 1);
    KEEP;
}

/* ---------------------------------------------------------------- signals */

static char signal_stack[65536];

static void handler(int number)
{
    (void)number;
    twig();
    KEEP;
}

NOINLINE static void run_signals(int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof(signal_stack)};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 100; i++) {
        leaf();
        raise(SIGUSR1);
        leaf();
    }
}

static sigjmp_buf out;
static volatile sig_atomic_t alarms;

static void jumping(int number)
{
    (void)number;
    alarms++;
    siglongjmp(out, 1);
}

/* A handler jumps out of any running code, including hooks. */
NOINLINE static void run_alarms(void)
{
    struct sigaction action = {.sa_handler = jumping};
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    sigsetjmp(out, 1);
    while (alarms < 20)
        twig();
    setitimer(ITIMER_PROF, &never, NULL);
}

/* ---------------------------------------------------------------- coroutines */

static ucontext_t home, away[2];
static char stacks[2][65536];

static void coroutine(int number)
{
    for (;;) {
        if (number)
            leaf();
        else
            twig();
        swapcontext(&away[number], &home);
    }
}

NOINLINE static void run_coroutines(void)
{
    for (int i = 0; i < 2; i++) {
        getcontext(&away[i]);
        away[i].uc_stack.ss_sp = stacks[i];
        away[i].uc_stack.ss_size = sizeof(stacks[i]);
        makecontext(&away[i], (void (*)(void))coroutine, 1, i);
    }
    for (int i = 0; i < 1000; i++) {
        leaf();
        swapcontext(&home, &away[i % 2]);
    }
}

/* ---------------------------------------------------------------- callbacks and libraries */

static int compare(const void *a, const void *b)
{
    leaf();
    return *(const int *)a - *(const int *)b;
}

NOINLINE static void run_callbacks(void)
{
    int numbers[64];
    for (int i = 0; i < 64; i++)
        numbers[i] = i * 37 % 64;
    qsort(numbers, 64, sizeof(*numbers), compare);
}

NOINLINE static void run_library(const char *path)
{
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(path, RTLD_NOW);
        void (*work)(void (*)(void)) =
            library ? (void (*)(void (*)(void)))dlsym(library, "library_work") : NULL;
        if (!work)
            _exit(3);
        work(leaf);
        dlclose(library);
    }
}

/* ---------------------------------------------------------------- processes */

NOINLINE static void run_fork(void)
{
    twig();
    pid_t child = fork();
    if (child == 0) {
        leaf();
        exit(0);
    }
    waitpid(child, NULL, 0);
}

NOINLINE static void run_vfork(void)
{
    pid_t child = vfork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    twig();
}

static void *ends_main(void *argument)
{
    usleep(20000);
    twig();
    return argument;
}

NOINLINE static void run_main_exits(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, ends_main, NULL);
    pthread_exit(NULL);
}

NOINLINE void work(void)
{
    for (volatile int i = 0; i < 8; i++)
        ;
}

NOINLINE void twofold(void)
{
    work();
    work();
    KEEP;
}

/* Two phases, for bursts: 4, 8 and 40 millions of calls. */
NOINLINE static void run_phases(void)
{
    for (int i = 0; i < 4000000; i++)
        twofold();
    for (int i = 0; i < 40000000; i++)
        work();
}

NOINLINE static void run_time(void)
{
    usleep(300000);
    for (volatile int i = 0; i < 20; i++)
        leaf();
    for (volatile long i = 0; i < 100000000; i++)
        ;
    leaf();
}

NOINLINE static void run_end(const char *how)
{
    twig();
    if (strcmp(how, "_exit") == 0)
        _exit(4);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)NULL);
    if (strcmp(how, "segv") == 0)
        *(volatile int *)(uintptr_t)8 = 1;
}

/* Calls itself from two places. With call sites, each level has twice as many contexts as the level
 * above; without them, each level has one. */
#define DOUBLINGS 16
NOINLINE static int doubling(int left)
{
    if (left == 0)
        return 1;
    volatile int one = doubling(left - 1); /* keeps the compiler from making a loop */
    volatile int other = doubling(left - 1);
    return one + other;
}

NOINLINE static void run_doubling(void)
{
    volatile int sum = doubling(DOUBLINGS);
    (void)sum;
}

/* A call of rt_sigprocmask would kill the process; other system calls are allowed. */
NOINLINE static void run_unmasked(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(steps) / sizeof(*steps), steps};
    leaf();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        _exit(77);
    doubling(3);
    twig();
    syscall(SYS_exit_group, 5);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    static const struct {
        const char *name;
        void (*run)(void);
    } lives[] = {
        {"longjmp", run_longjmp},       {"doubles", run_doubles},   {"threads", run_threads},
        {"ends", run_thread_ends},      {"alarms", run_alarms},     {"coroutines", run_coroutines},
        {"callbacks", run_callbacks},   {"fork", run_fork},         {"vfork", run_vfork},
        {"main-exits", run_main_exits}, {"phases", run_phases},     {"time", run_time},
        {"doubling", run_doubling},     {"unmasked", run_unmasked},
    };
    for (size_t i = 0; i < sizeof(lives) / sizeof(*lives); i++)
        if (strcmp(name, lives[i].name) == 0)
            lives[i].run();
    if (strcmp(name, "deep") == 0)
        on_large_stack(run_deep);
    if (strcmp(name, "signals") == 0)
        run_signals(0);
    if (strcmp(name, "signal-stack") == 0)
        run_signals(SA_ONSTACK);
    if (strcmp(name, "library") == 0)
        run_library(argv[2]);
    if (strcmp(name, "end") == 0)
        run_end(argv[2]);
    if (strcmp(name, "constructors") == 0)
        leaf();
    return 0;
}
