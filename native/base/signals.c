/* Writes the report before a signal ends the process; the program does not notice the handlers.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * If the program has not changed the default action of a fatal signal, the runtime installs a
 * handler. The runtime's sigaction, signal and similar functions take precedence over the C
 * library's functions, and hide the handler from the program. A handler of the program replaces the
 * runtime's handler; if the program restores the default, the runtime's handler is installed again.
 * After the report, the default action follows, so exit status and core file are the same as
 * without the runtime. The runtime's handlers run on an alternate stack, because the thread's stack
 * may have overflowed. The interposed sigaltstack hides the alternate stack from the program.
 */
#define _GNU_SOURCE
#include "native/base/threads.h"

#include "ground/host.h"
#include "native/base/dump.h"
#include "native/base/lifecycle.h"
#include "native/base/report_output.h"
#include "native/base/process.h"
#include "native/base/syscalls.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#define SIGNALS 65
/* size of the alternate stack; it is large because handlers of the program may also run on it */
#define STACK_BYTES ((size_t)256 << 10)
#define KERNEL_SET  8     /* size of the kernel's sigset_t in bytes */
#define FIRST_RT    34    /* first real-time signal; the C library uses 32 and 33 */
#define POSTPONE_NS 50000 /* time by which a signal is postponed; longer than a hook takes */
/* a signal is postponed at most this number of times, because a hook's analysis might never end */
#define POSTPONE_TIMES 100
#define MASK_OF(sig)   ((uint64_t)1 << ((sig)-1))

extern int __sigaction(int sig, const struct sigaction *action, struct sigaction *old);

static const uint8_t fatal[] = {
    SIGHUP,  SIGINT,    SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,    SIGFPE,
    SIGUSR1, SIGSEGV,   SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU,
    SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSYS,
};

uint32_t native_may_be_interrupted;
static uint64_t fatal_mask;
static struct sigaction
    claimed[SIGNALS]; /* the program's latest action, if this is the default action */

/* ---------------------------------------------------------------- masks */

void native_signals_block(uint64_t *old)
{
    uint64_t mask = ~(MASK_OF(SIGSEGV) | MASK_OF(SIGBUS) | MASK_OF(SIGFPE) | MASK_OF(SIGILL) |
                      MASK_OF(SIGTRAP) | MASK_OF(SIGABRT) | MASK_OF(SIGSYS));
    native_syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, old, KERNEL_SET);
}

void native_signals_restore(const uint64_t *old)
{
    native_syscall(SYS_rt_sigprocmask, SIG_SETMASK, old, 0, KERNEL_SET);
}

#define WRITE_SIGNALS (MASK_OF(SIGPIPE) | MASK_OF(SIGXFSZ))

void native_signals_write_begin(struct native_write_signals *of)
{
    uint64_t mask = WRITE_SIGNALS;
    native_syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, &of->mask, KERNEL_SET);
    native_syscall(SYS_rt_sigpending, &of->pending, KERNEL_SET);
}

void native_signals_write_end(const struct native_write_signals *of)
{
    const struct timespec now = {0, 0};
    uint64_t ours = WRITE_SIGNALS & ~of->pending;
    while (native_syscall(SYS_rt_sigtimedwait, &ours, NULL, &now, KERNEL_SET) > 0)
        continue;
    native_signals_restore(&of->mask);
}

/* ---------------------------------------------------------------- the handler */

/* Returns whether the signal is raised again when the handler returns. If the signal is raised
 * again, the process ends with the original signal and registers. */
static bool will_happen_again(int sig, const siginfo_t *info)
{
    return info->si_code > 0 && (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL);
}

static void die(int sig, siginfo_t *info)
{
    uint64_t mask = MASK_OF(sig);
    long process = native_syscall(SYS_getpid), thread = native_syscall(SYS_gettid);
    if (native_syscall(SYS_rt_tgsigqueueinfo, process, thread, sig, info) < 0)
        native_syscall(SYS_tgkill, process, thread, sig);
    native_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, 0, KERNEL_SET);
}

/* Postpones a signal from another process or thread until the interrupted hook has ended, so that
 * the report's data are consistent. A timer sends the postponed signal again. */
static bool comes_again(int sig, const siginfo_t *info)
{
    struct native_thread *self = native_self;
    if (!self || !native_is_inside(self) || will_happen_again(sig, info) ||
        self->postponed++ >= POSTPONE_TIMES)
        return false;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sig};
    event._sigev_un._tid = (int)native_syscall(SYS_gettid);
    struct itimerspec soon = {.it_value = {.tv_nsec = POSTPONE_NS}};
    int timer;
    return native_syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0 &&
           native_syscall(SYS_timer_settime, timer, 0, &soon, 0) == 0;
}

static void on_fatal(int sig, siginfo_t *info, void *context)
{
    static const struct sigaction by_default = {.sa_handler = SIG_DFL};
    char reason[16];
    size_t n = 0;
    (void)context;
    if (native_dump_requested(sig))
        return;
    reason[0] = 0;
    native_text_append(reason, sizeof reason, &n, "signal ");
    native_text_append_decimal(reason, sizeof reason, &n, (uint64_t)sig);
    if (!native_is_vfork_child()) {
        if (comes_again(sig, info))
            return;
        native_finish(reason);
    }
    __sigaction(sig, &by_default, NULL);
    if (!will_happen_again(sig, info))
        die(sig, info);
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_fatal;
}

static struct sigaction our_action(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    action.sa_sigaction = on_fatal;
    return action;
}

static bool is_fatal(int sig)
{
    return sig > 0 && sig < SIGNALS && (fatal_mask & MASK_OF(sig));
}

static void guard(int sig)
{
    struct sigaction old, ours = our_action();
    fatal_mask |= MASK_OF(sig);
    if (__sigaction(sig, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
        old.sa_handler == SIG_DFL) {
        claimed[sig] = old;
        __sigaction(sig, &ours, NULL);
    }
}

void native_signals_init(void)
{
    for (size_t i = 0; i < sizeof fatal; i++)
        guard(fatal[i]);
    for (int sig = FIRST_RT; sig < SIGNALS; sig++)
        guard(sig);
}

/* ---------------------------------------------------------------- alternate stacks */

void native_signals_thread_started(struct native_thread *self)
{
    stack_t now;
    if (native_syscall(SYS_sigaltstack, 0, &now) < 0 || !(now.ss_flags & SS_DISABLE))
        return;
    if (!self->signal_stack)
        self->signal_stack = host_map("native.signal_stack", STACK_BYTES);
    stack_t ours = {.ss_sp = self->signal_stack, .ss_size = STACK_BYTES};
    native_syscall(SYS_sigaltstack, &ours, 0);
}

void native_signals_thread_ended(struct native_thread *self)
{
    stack_t now, none = {.ss_flags = SS_DISABLE};
    if (self->signal_stack && native_syscall(SYS_sigaltstack, 0, &now) == 0 &&
        now.ss_sp == self->signal_stack)
        native_syscall(SYS_sigaltstack, &none, 0);
}

NATIVE_EXPORT int sigaltstack(const stack_t *restrict set, stack_t *restrict old)
{
    struct native_thread *self = native_self;
    stack_t now, ours = {0};
    if (self && self->signal_stack) {
        ours.ss_sp = self->signal_stack;
        ours.ss_size = STACK_BYTES;
    }
    const stack_t *use = set && (set->ss_flags & SS_DISABLE) && ours.ss_sp ? &ours : set;
    long result = native_syscall(SYS_sigaltstack, use, &now);
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    if (old)
        *old = ours.ss_sp && now.ss_sp == ours.ss_sp ? (stack_t){.ss_flags = SS_DISABLE} : now;
    return 0;
}

/* ---------------------------------------------------------------- what the program sees */

/* Sets native_may_be_interrupted, and waits for hooks that began without blocking signals. Later
 * hooks read the new value of native_may_be_interrupted. */
static void note_interruptions(void)
{
    static bool all_know;
    if (__atomic_load_n(&all_know, __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&native_may_be_interrupted, 1, __ATOMIC_RELAXED);
    native_await_hooks();
    __atomic_store_n(&all_know, true, __ATOMIC_RELAXED);
}

/* After a thread has permitted asynchronous cancellation, a signal handler of the C library may end
 * the thread at any instruction, so hooks must block signals. */
NATIVE_EXPORT int pthread_setcanceltype(int type, int *old)
{
    static int (*real)(int type, int *old);
    if (!real)
        native_look_up("pthread_setcanceltype", &real);
    if (type == PTHREAD_CANCEL_ASYNCHRONOUS)
        note_interruptions();
    return real(type, old);
}

static bool runs_code(const struct sigaction *action)
{
    return action && (action->sa_flags & SA_SIGINFO ||
                      (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN));
}

NATIVE_EXPORT int sigaction(int sig, const struct sigaction *restrict action,
                            struct sigaction *restrict old)
{
    struct sigaction ours = our_action(), was, former = {0};
    const struct sigaction *use = action;
    bool hidden = is_fatal(sig);
    if (runs_code(action))
        note_interruptions();
    if (hidden) {
        former = claimed[sig];
        if (action && !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL) {
            claimed[sig] = *action;
            use = &ours;
        }
    }
    if (__sigaction(sig, use, &was) < 0)
        return -1;
    if (old)
        *old = hidden && is_ours(&was) ? former : was;
    return 0;
}

static __sighandler_t set_handler(int sig, __sighandler_t handler, int flags)
{
    struct sigaction action = {.sa_flags = flags}, old;
    action.sa_handler = handler;
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (!(flags & SA_NODEFER) && sig > 0 && sig < SIGNALS)
        sigaddset(&action.sa_mask, sig);
    return sigaction(sig, &action, &old) < 0 ? SIG_ERR : old.sa_handler;
}

NATIVE_EXPORT __sighandler_t signal(int sig, __sighandler_t handler)
{
    return set_handler(sig, handler, SA_RESTART);
}

NATIVE_EXPORT __sighandler_t bsd_signal(int sig, __sighandler_t handler);
__sighandler_t bsd_signal(int sig, __sighandler_t handler)
{
    return set_handler(sig, handler, SA_RESTART);
}

NATIVE_EXPORT __sighandler_t ssignal(int sig, __sighandler_t handler)
{
    return set_handler(sig, handler, SA_RESTART);
}

NATIVE_EXPORT __sighandler_t __sysv_signal(int sig, __sighandler_t handler)
{
    return set_handler(sig, handler, (int)SA_RESETHAND | SA_NODEFER);
}

NATIVE_EXPORT __sighandler_t sysv_signal(int sig, __sighandler_t handler)
{
    return set_handler(sig, handler, (int)SA_RESETHAND | SA_NODEFER);
}

NATIVE_EXPORT int sigignore(int sig)
{
    return set_handler(sig, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

NATIVE_EXPORT __sighandler_t sigset(int sig, __sighandler_t handler)
{
    sigset_t one, old;
    struct sigaction was;
    if (sig <= 0 || sig >= SIGNALS || handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    sigemptyset(&one);
    sigaddset(&one, sig);
    if (handler == SIG_HOLD) {
        if (sigprocmask(SIG_BLOCK, &one, &old) < 0 || sigaction(sig, NULL, &was) < 0)
            return SIG_ERR;
    } else {
        was.sa_handler = set_handler(sig, handler, 0);
        if (was.sa_handler == SIG_ERR || sigprocmask(SIG_UNBLOCK, &one, &old) < 0)
            return SIG_ERR;
    }
    return sigismember(&old, sig) ? SIG_HOLD : was.sa_handler;
}
