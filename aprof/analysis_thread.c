/* A kernel thread that runs the engine next to Valgrind's threads.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sleeping and waking. Each of the two threads sleeps on a separate futex word, `bell`, which
 * counts notifications. After any change for which the other thread may be waiting, a thread
 * increments the other thread's bell. So a thread can wait for several kinds of changes at once.
 * For example, the program's thread waits for a free chunk and for requests of the analysis thread
 * at the same time.
 *
 *     waits                                      rings
 *       seen_count = bell                          change the word
 *       fence (a)                                  fence (b)
 *       does the word have the old value?          bell++
 *       FUTEX_WAIT(bell, seen_count)               FUTEX_WAKE(bell), if a thread sleeps
 *
 * Invariant: no wake-up is lost. Either the waiter reads the new value, or the bell's count has
 * changed since the waiter read this count, so that FUTEX_WAIT returns at once.
 *
 * Death. The kernel can kill one thread and leave the others running, for example because of a
 * seccomp filter. Therefore no sleep is longer than WAIT_SECONDS. After a sleep, the program's
 * thread reads `alive`, which the kernel clears when the analysis thread ends. In turn, the
 * analysis thread tests whether the program's threads are alive. If all threads of the program are
 * dead, or the thread that holds Valgrind's lock is dead, no other thread can change anything. The
 * analysis thread may then use Valgrind's core. The analysis thread calls `orphaned`, and ends the
 * process by the signal that the kernel has recorded for the first thread. Without the analysis
 * thread, the process would have ended by the same signal. Linux 6 reports the status of the thread
 * that ends last; older kernels report the status of the first thread.
 */
#include "aprof/analysis_thread.h"
#include "ground/clone_thread.h"

#include "pub_tool_libcsignal.h"

#define STACK_BYTES (128 << 10)

#define WAIT_SECONDS 1

/* Constants of Linux that Valgrind's headers lack. */
#define FUTEX_WAIT         0
#define FUTEX_WAKE         1
#define FUTEX_TRYLOCK_PI   8
#define ETIMEDOUT          110
#define FUTEX_PRIVATE_FLAG 128

#define PR_SET_NAME 15

#define CLOCK_MONOTONIC 1

static UChar stack[STACK_BYTES] __attribute__((aligned(64)));

static UInt thread_id; /* thread id of the latest analysis thread */
/* a second copy of the thread id, which the kernel clears when the thread ends; the kernel then
 * wakes waiters */
static UInt alive;
static void (*run_once)(void);
static void (*orphaned)(Int signal);

static Int *program_threads; /* the kernel's thread ids by ThreadId; 0: no thread was recorded */
static UInt found_dead; /* number of consecutive checks that found no live thread of the program */
/* whether the analysis thread acts for the program's threads, all of which are dead */
static Bool is_alone;

/* The bells, each on a separate cache line. */
static struct bell {
    UInt count;
    UInt sleeps; /* whether the bell's owner sleeps or is about to sleep */
} __attribute__((aligned(64))) bells[2];

enum { BELL_PROGRAM, BELL_ANALYSIS };

/* A request of the analysis thread, which writes it while `state` is REQUEST_NONE. The program's
 * thread writes the answer while `state` is REQUEST_ASKED. */
enum request_state { REQUEST_NONE, REQUEST_ASKED, REQUEST_ANSWERED };

static struct request {
    UInt state; /* enum request_state */
    const HChar *site;
    SizeT bytes;
    void *pages;
} request __attribute__((aligned(64)));

/* The error that the analysis thread has reported. */
static struct thread_failure {
    UInt happened;
    const HChar *what;
    const HChar *file;
    Int line;
} failure;

Bool analysis_thread_is_current(void)
{
    Addr here = (Addr)__builtin_frame_address(0);

    return here - (Addr)stack < STACK_BYTES;
}

/*------------------------------------------------------------*/
/*--- Whether the other thread is alive                    ---*/
/*------------------------------------------------------------*/

void analysis_thread_follow(ThreadId tid)
{
    if (program_threads == NULL)
        program_threads =
            VG_(calloc)("aprof.analysis_thread.program", VG_N_THREADS, sizeof *program_threads);
    program_threads[tid] = VG_(gettid)();
}

Bool analysis_thread_has_ended(void)
{
    return __atomic_load_n(&alive, __ATOMIC_ACQUIRE) == 0;
}

/* Tries to take a priority-inheritance lock that belongs to `thread`. The kernel returns ESRCH if
 * the owner of such a lock is dead. This test also works for the process's first thread, which
 * stays in /proc and accepts signals until the whole process has ended. The test needs neither a
 * file descriptor nor a path. */
static Bool thread_is_dead(Int thread)
{
    UInt owned = thread;
    SysRes locked = VG_(do_syscall)(__NR_futex, (UWord)&owned,
                                    FUTEX_TRYLOCK_PI | FUTEX_PRIVATE_FLAG, 0, 0, 0, 0, 0, 0);

    return sr_isError(locked) && sr_Err(locked) == VKI_ESRCH;
}

/* Returns whether Valgrind's lock belongs to a killed thread, which can never release it. */
static Bool lock_is_dead(void)
{
    ThreadId tid = VG_(get_running_tid)();

    return tid != VG_INVALID_THREADID && program_threads[tid] &&
           thread_is_dead(program_threads[tid]);
}

static Bool program_is_dead(void)
{
    if (lock_is_dead())
        return True;
    for (UInt i = 0; i < VG_N_THREADS; i++) {
        if (program_threads[i] && !thread_is_dead(program_threads[i]))
            return False;
    }
    return True;
}

/* This function is called when the analysis thread has waited for a second. The only live thread
 * may be new and not yet recorded. So the program counts as dead only after two checks without a
 * live thread. */
static void watch_program(void)
{
    found_dead = program_is_dead() ? found_dead + 1 : 0;
    is_alone = found_dead == 2;
}

/* Returns the signal by which the kernel killed the first thread. The last field of the thread's
 * line in /proc is the status for wait(2). Returns SIGSYS, the signal of seccomp filters, if this
 * field cannot be read. */
static Int signal_of_death(void)
{
    const UInt signal_bits = 0x7f;
    HChar path[64], line[1024], *field;
    Int fd, n = 0, signal;

    VG_(sprintf)(path, "/proc/self/task/%d/stat", VG_(getpid)());
    fd = VG_(fd_open)(path, VKI_O_RDONLY, 0);
    if (fd >= 0) {
        n = VG_(read)(fd, line, sizeof line - 1);
        VG_(close)(fd);
    }
    line[n > 0 ? n : 0] = '\0';
    field = VG_(strrchr)(line, ' ');
    signal = field ? VG_(strtoll10)(field, NULL) & signal_bits : 0;
    return signal ? signal : VKI_SIGSYS;
}

static void end_by(Int signal)
{
    const UWord by_default[8] = {0}; /* an empty struct sigaction of the kernel; the array has space
                                      * for members that later kernels add */
    const UWord mask_bytes = 8;
    vki_sigset_t all;

    VG_(memset)(&all, 0xff, sizeof all);
    VG_(do_syscall)(__NR_rt_sigaction, signal, (UWord)by_default, 0, mask_bytes, 0, 0, 0, 0);
    VG_(do_syscall)(__NR_tgkill, VG_(getpid)(), VG_(gettid)(), signal, 0, 0, 0, 0, 0);
    VG_(sigprocmask)(VKI_SIG_UNBLOCK, &all, NULL);
    VG_(do_syscall)(__NR_exit, 0, 0, 0, 0, 0, 0, 0, 0);
}

/* When the program's threads are dead, the analysis thread serves its own requests. If the analysis
 * thread waits for anything but an answer to its request, it has consumed all records. This
 * function then ends the process, and does not return. */
static void do_alone(const UInt *word)
{
    Int signal;

    analysis_thread_attend();
    if (word == &request.state)
        return;
    signal = signal_of_death();
    orphaned(signal);
    end_by(signal);
}

/*------------------------------------------------------------*/
/*--- Sleeping                                             ---*/
/*------------------------------------------------------------*/

static SysRes futex(const UInt *word, UInt operation, UInt value)
{
    const struct {
        UWord seconds, nanoseconds;
    } limit = {WAIT_SECONDS, 0};

    return VG_(do_syscall)(__NR_futex, (UWord)word, operation | FUTEX_PRIVATE_FLAG, value,
                           (UWord)&limit, 0, 0, 0, 0);
}

/* Notifies the bell's owner, and wakes the owner if it sleeps. This function pairs with
 * analysis_thread_wait. */
static void bell_ring(struct bell *bell)
{
    /* (b) If a waiter reads the new count at (a) in analysis_thread_wait, it tests its word later,
     * and finds the change that was made before this increment. If it has read the old count,
     * either FUTEX_WAIT returns at once, or the call below wakes the waiter. */
    __atomic_add_fetch(&bell->count, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&bell->sleeps, __ATOMIC_SEQ_CST))
        futex(&bell->count, FUTEX_WAKE, 1);
}

void analysis_thread_wait(const UInt *word, UInt expected)
{
    Bool is_analysis = analysis_thread_is_current();
    struct bell *bell = &bells[is_analysis ? BELL_ANALYSIS : BELL_PROGRAM];
    UInt seen_count;
    SysRes slept;

    if (is_alone) {
        do_alone(word);
        return;
    }
    __atomic_store_n(&bell->sleeps, 1, __ATOMIC_SEQ_CST);
    seen_count = __atomic_load_n(&bell->count, __ATOMIC_SEQ_CST); /* (a), see bell_ring */
    if (!is_analysis)
        analysis_thread_attend();
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == expected) {
        slept = futex(&bell->count, FUTEX_WAIT, seen_count);
        if (is_analysis && sr_isError(slept) && sr_Err(slept) == ETIMEDOUT)
            watch_program();
    }
    __atomic_store_n(&bell->sleeps, 0, __ATOMIC_RELAXED);
}

void analysis_thread_wake(void)
{
    bell_ring(&bells[analysis_thread_is_current() ? BELL_PROGRAM : BELL_ANALYSIS]);
}

static ULong clock_ns(UWord clock)
{
    struct {
        UWord seconds, nanoseconds;
    } time = {0, 0};

    VG_(do_syscall)(__NR_clock_gettime, clock, (UWord)&time, 0, 0, 0, 0, 0, 0);
    return (ULong)time.seconds * 1000000000 + time.nanoseconds;
}

ULong analysis_thread_now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

/* The kernel encodes a thread's CPU clock as the inverted thread id followed by the kind of
 * clock. */
ULong analysis_thread_cpu_ns(void)
{
    const UWord scheduled_time_of_thread = 6;

    return clock_ns(~(UWord)thread_id << 3 | scheduled_time_of_thread);
}

/*------------------------------------------------------------*/
/*--- Requests                                             ---*/
/*------------------------------------------------------------*/

void analysis_thread_ask_pages(const HChar *site, SizeT bytes)
{
    request.site = site;
    request.bytes = bytes;
    /* This release store of `request.state` pairs with the acquire load in
     * analysis_thread_attend. */
    __atomic_store_n(&request.state, REQUEST_ASKED, __ATOMIC_RELEASE);
    bell_ring(&bells[BELL_PROGRAM]);
}

Bool analysis_thread_has_asked(void)
{
    return __atomic_load_n(&request.state, __ATOMIC_RELAXED) != REQUEST_NONE;
}

void *analysis_thread_take_pages(SizeT *bytes)
{
    /* This acquire load of `request.state` pairs with the release store in
     * analysis_thread_attend. */
    while (__atomic_load_n(&request.state, __ATOMIC_ACQUIRE) == REQUEST_ASKED)
        analysis_thread_wait(&request.state, REQUEST_ASKED);
    request.state = REQUEST_NONE;
    *bytes = request.bytes;
    return request.pages;
}

void analysis_thread_fail(const HChar *what, const HChar *file, Int line)
{
    failure.what = what;
    failure.file = file;
    failure.line = line;
    /* This release store of `happened` pairs with the acquire load in analysis_thread_attend. */
    __atomic_store_n(&failure.happened, 1, __ATOMIC_RELEASE);
    bell_ring(&bells[BELL_PROGRAM]);
    for (;;)
        analysis_thread_wait(&failure.happened, 1);
}

__attribute__((noreturn)) static void out_of_memory(void)
{
    VG_(umsg)("aprof: out of memory: %s needs %lu bytes\n", request.site, request.bytes);
    VG_(exit)(1);
}

void analysis_thread_attend(void)
{
    /* These acquire loads of `happened` and `state` pair with the stores by which the analysis
     * thread reports a failure and posts a request. */
    if (__atomic_load_n(&failure.happened, __ATOMIC_ACQUIRE))
        VG_(assert_fail)(False, failure.what, failure.file, failure.line, "engine", "");
    if (__atomic_load_n(&request.state, __ATOMIC_ACQUIRE) != REQUEST_ASKED)
        return;
    request.pages = valgrind_map(request.bytes);
    if (request.pages == NULL)
        out_of_memory();
    /* This release store of `request.state` pairs with the acquire load in
     * analysis_thread_take_pages. */
    __atomic_store_n(&request.state, REQUEST_ANSWERED, __ATOMIC_RELEASE);
    bell_ring(&bells[BELL_ANALYSIS]);
}

/*------------------------------------------------------------*/
/*--- Life                                                 ---*/
/*------------------------------------------------------------*/

static void thread_main(void *unused)
{
    (void)unused;
    VG_(do_syscall)(__NR_prctl, PR_SET_NAME, (UWord) "aprof-analysis", 0, 0, 0, 0, 0, 0);
    run_once();
}

UWord analysis_thread_start(void (*run)(void), void (*if_orphaned)(Int signal))
{
    vki_sigset_t all, before;
    Word cloned;

    run_once = run;
    orphaned = if_orphaned;
    VG_(memset)(&all, 0xff, sizeof all);
    VG_(sigprocmask)(VKI_SIG_SETMASK, &all, &before);
    cloned = clone_thread(stack + STACK_BYTES, thread_main, NULL, &alive, NULL);
    VG_(sigprocmask)(VKI_SIG_SETMASK, &before, NULL);
    thread_id = cloned;
    return cloned < 0 ? -cloned : 0;
}

/* The kernel reports a thread's end before it removes the thread from the process's list of
 * threads. */
void analysis_thread_join(void)
{
    SysRes there;
    UInt id;

    while ((id = __atomic_load_n(&alive, __ATOMIC_ACQUIRE)) != 0)
        VG_(do_syscall)(__NR_futex, (UWord)&alive, FUTEX_WAIT, id, 0, 0, 0, 0, 0);
    do {
        VG_(do_syscall)(__NR_sched_yield, 0, 0, 0, 0, 0, 0, 0, 0);
        there = VG_(do_syscall)(__NR_tgkill, VG_(getpid)(), thread_id, 0, 0, 0, 0, 0, 0);
    } while (!sr_isError(there));
}

void analysis_thread_forget(ThreadId tid)
{
    alive = 0;
    found_dead = 0;
    request.state = REQUEST_NONE;
    VG_(memset)(bells, 0, sizeof bells);
    VG_(memset)(program_threads, 0, VG_N_THREADS * sizeof *program_threads);
    analysis_thread_follow(tid);
}
