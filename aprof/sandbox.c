/* Handles programs that install seccomp filters, so that aprof does not make such a program end.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A filter is a BPF program that the kernel runs for each system call of a thread. A filter cannot
 * distinguish the program's calls from those of Valgrind and aprof. So aprof copies each filter
 * when the program installs it, and evaluates the copy (seccomp_filter.h) in these cases:
 *
 *     case                                       action
 *     Valgrind or aprof makes a call that        the call fails with EPERM instead
 *     the filter would kill the process for      (core_calls.c)
 *     the program makes such a call              the report is written first
 *     the program's call would get a signal      the same, because Valgrind may not survive it
 *     the filter is about to be installed, and
 *       forbids to map memory                    memory is reserved
 *       forbids to create and rename files       the report's file is created
 *       forbids what an analysis thread needs    the analysis runs on the program's thread
 *       forbids write, or what Valgrind needs    the report is written now, with a message
 *
 * Each thread has its own filters: a new thread inherits its parent's filters. Filters that were
 * installed before the program started are not copied. If such a filter kills a thread,
 * analysis_thread.c detects this.
 */
#include "aprof/valgrind_core.h"

#include "aprof/analysis_thread.h"
#include "aprof/machine.h"
#include "aprof/report_file.h"
#include "aprof/sandbox.h"
#include "aprof/seccomp_filter.h"
#include "aprof/stream.h"
#include "aprof/threads.h"

/* Constants of Linux that Valgrind's headers lack. */
#define PR_SET_SECCOMP     22
#define MODE_STRICT        1
#define MODE_FILTER        2
#define SET_STRICT         0
#define SET_FILTER         1
#define FLAG_TSYNC         1
#define SIG_SETMASK        2
#define FUTEX_WAIT         0
#define FUTEX_WAKE         1
#define FUTEX_PRIVATE_FLAG 128
#define CLOCK_MONOTONIC    1

#define RESERVE_LEAST ((SizeT)1 << 20)

/* A filter of a thread, or strict mode. `older` is the thread's next older filter. A filter is
 * never freed, because threads share filters. */
struct filter {
    const struct filter *older;
    Bool is_strict;
    UInt n;
    struct filter_step steps[];
};

Bool sandbox_is_active;

static struct sandbox_actions act;
static Bool is_due;                   /* whether the program's current call itself is forbidden */
static const struct filter **filters; /* by ThreadId */

static struct pending {
    const struct filter *filter; /* filter that the call installs; NULL: no filter */
    Bool for_all;
} * pending; /* by ThreadId */

static UChar *reserve;
static SizeT reserve_bytes, reserve_left;

/*------------------------------------------------------------*/
/*--- What the kernel would answer                         ---*/
/*------------------------------------------------------------*/

static UInt strict_answer(UInt number)
{
    switch (number) {
    case __NR_read:
    case __NR_write:
    case __NR_exit:
    case __NR_rt_sigreturn:
        return FILTER_ALLOW;
    default:
        return FILTER_KILL_THREAD;
    }
}

/* Returns the combined action of all filters: the least of their actions. `from` receives the
 * filter with this action. */
static UInt answer(const struct filter *filter, const struct filter_call *call,
                   const struct filter **from)
{
    UInt least = FILTER_ALLOW;

    for (; filter; filter = filter->older) {
        UInt action = filter->is_strict ? strict_answer(call->number)
                                        : filter_run(filter->steps, filter->n, call);

        action &= FILTER_ACTION;
        if ((Int)action >= (Int)least)
            continue;
        least = action;
        *from = filter;
    }
    return least;
}

static struct filter_call call_of(UInt number, const UWord *args, UInt n)
{
    struct filter_call call = {.number = number, .architecture = MACHINE_AUDIT};

    for (UInt i = 0; i < n; i++)
        call.arguments[i] = args[i];
    return call;
}

static Bool allows(const struct filter *filter, UInt number, UWord a, UWord b, UWord c, UWord d)
{
    const UWord args[] = {a, b, c, d};
    const struct filter_call call = call_of(number, args, 4);
    UInt action = answer(filter, &call, &filter);

    return action == FILTER_ALLOW || action == FILTER_LOG;
}

/*------------------------------------------------------------*/
/*--- Calls of Valgrind and aprof                          ---*/
/*------------------------------------------------------------*/

/* Returns whether this call would kill the calling thread or send a signal to it. The thread holds
 * Valgrind's lock. Calls that acquire Valgrind's lock are not checked, because nothing could
 * replace them. The analysis thread has no filters. */
static Bool is_deadly(UWord number, const UWord *args)
{
    ThreadId tid = VG_(get_running_tid)();
    const struct filter *from;
    struct filter_call call;

    if (is_due || analysis_thread_is_current() || tid == VG_INVALID_THREADID ||
        filters[tid] == NULL)
        return False;
    call = call_of(number, args, 6);
    return (Int)answer(filters[tid], &call, &from) < (Int)FILTER_ERRNO;
}

/* Replaces exit_group by exit if only exit is allowed. In a process with one thread, both calls end
 * the process. */
static UWord allowed_exit(UWord number, const UWord *args)
{
    if (number != __NR_exit_group || !is_deadly(number, args) || is_deadly(__NR_exit, args))
        return number;
    return __NR_exit;
}

Bool sandbox_refuses(UWord *number, const UWord *args)
{
    *number = allowed_exit(*number, args);
    return *number != __NR_exit_group && is_deadly(*number, args);
}

/*------------------------------------------------------------*/
/*--- Memory                                               ---*/
/*------------------------------------------------------------*/

static void reserve_memory(void)
{
    SizeT bytes = MACHINE_RESERVE_BYTES;
    SysRes got;

    if (reserve)
        return;
    do {
        got = __real_vgPlain_am_mmap_anon_float_valgrind(bytes);
        bytes /= 2;
    } while (sr_isError(got) && bytes >= RESERVE_LEAST);
    if (sr_isError(got))
        return;
    reserve = (UChar *)sr_Res(got);
    reserve_bytes = reserve_left = bytes * 2;
}

/* This function of the core allocates all memory of Valgrind and its tools. */
SysRes __wrap_vgPlain_am_mmap_anon_float_valgrind(SizeT bytes)
{
    SysRes got = __real_vgPlain_am_mmap_anon_float_valgrind(bytes);
    SizeT wanted = VG_PGROUNDUP(bytes);

    if (!sr_isError(got) || reserve == NULL)
        return got;
    if (wanted > reserve_left) {
        VG_(umsg)("aprof: the program's seccomp filter forbids mapping memory, and the reserved "
                  "%lu MB are used up\n",
                  reserve_bytes >> 20);
        return got;
    }
    reserve_left -= wanted;
    return VG_(mk_SysRes_Success)((UWord)(reserve + reserve_left));
}

/*------------------------------------------------------------*/
/*--- A filter is installed                                ---*/
/*------------------------------------------------------------*/

static Bool is_readable(Addr address, SizeT bytes)
{
    return VG_(am_is_valid_for_client)(address, bytes, VKI_PROT_READ);
}

static struct filter *filter_new(const struct filter *older, Bool is_strict, UInt n)
{
    struct filter *filter =
        VG_(calloc)("aprof.sandbox.filter", 1, sizeof *filter + n * sizeof filter->steps[0]);

    filter->older = older;
    filter->is_strict = is_strict;
    filter->n = n;
    return filter;
}

/* Returns a copy of the struct sock_fprog at `address`; NULL if the kernel will refuse the
 * filter. */
static const struct filter *filter_read(const struct filter *older, Addr address)
{
    const struct {
        UShort n;
        const struct filter_step *steps;
    } *program = (const void *)address;
    struct filter *filter;

    if (!is_readable(address, sizeof *program) || program->n == 0 ||
        program->n > FILTER_MOST_STEPS ||
        !is_readable((Addr)program->steps, program->n * sizeof *program->steps))
        return NULL;
    filter = filter_new(older, False, program->n);
    VG_(memcpy)(filter->steps, program->steps, program->n * sizeof *program->steps);
    return filter;
}

/* Returns the filter that the call would install. Libraries also call seccomp() with flags and
 * arguments that the kernel refuses, to test for features. */
static struct pending pending_of(const struct filter *older, UInt number, const UWord *args)
{
    Bool is_prctl = number == __NR_prctl && args[0] == PR_SET_SECCOMP;
    Bool is_seccomp = number == __NR_seccomp;

    if ((is_prctl && args[1] == MODE_STRICT) ||
        (is_seccomp && args[0] == SET_STRICT && args[1] == 0 && args[2] == 0))
        return (struct pending){filter_new(older, True, 0), False};
    if (is_prctl && args[1] == MODE_FILTER)
        return (struct pending){filter_read(older, args[2]), False};
    if (is_seccomp && args[0] == SET_FILTER)
        return (struct pending){filter_read(older, args[2]), (args[1] & FLAG_TSYNC) != 0};
    return (struct pending){NULL, False};
}

/* Tests whether the filters allow mmap with the arguments that Valgrind's core uses. */
static Bool allows_memory(const struct filter *filter)
{
    return allows(filter, MACHINE_NR_MMAP, 1 << 24, 1 << 22,
                  VKI_PROT_READ | VKI_PROT_WRITE | VKI_PROT_EXEC,
                  VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS | VKI_MAP_FIXED);
}

static Bool allows_files(const struct filter *filter)
{
    return allows(filter, __NR_openat, 3, 0, VKI_O_CREAT | VKI_O_EXCL | VKI_O_WRONLY, 0600) &&
           allows(filter, __NR_renameat, 3, 0, 3, 0);
}

/* Tests whether the filters allow the calls that the program's thread needs to start, end and await
 * the analysis thread. */
static Bool allows_concurrency(const struct filter *filter)
{
    return allows(filter, __NR_futex, 0, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, 0) &&
           allows(filter, __NR_futex, 0, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, 0) &&
           allows(filter, __NR_futex, 0, FUTEX_WAIT, 0, 0) &&
           allows(filter, __NR_clock_gettime, CLOCK_MONOTONIC, 0, 0, 0) &&
           allows(filter, __NR_sched_yield, 0, 0, 0, 0) &&
           allows(filter, __NR_tgkill, VG_(getpid)(), VG_(getpid)(), 0, 0) &&
           allows(filter, __NR_clone, VKI_CLONE_VM | VKI_CLONE_THREAD, 0, 0, 0);
}

/* Returns a forbidden call that a later report would need, or NULL. */
static const HChar *obstacle(const struct filter *filter)
{
    if (!allows(filter, __NR_rt_sigprocmask, SIG_SETMASK, 0, 0, 8))
        return "rt_sigprocmask";
    if (!allows(filter, __NR_write, 3, 0, 1, 0))
        return "write";
    return NULL;
}

static void prepare(const struct pending *next)
{
    const HChar *call = obstacle(next->filter);

    if (next->for_all || !allows_concurrency(next->filter))
        stream_stay_sequential();
    if (!allows_memory(next->filter))
        reserve_memory();
    if (call == NULL && !allows_files(next->filter))
        report_file_reserve();
    if (call == NULL)
        return;
    VG_(umsg)(
        "aprof: the program's seccomp filter forbids the system call %s, which Valgrind and aprof "
        "need: the report is written now, because Valgrind may end\n",
        call);
    act.write_now("seccomp filter");
}

/*------------------------------------------------------------*/
/*--- Around a call                                        ---*/
/*------------------------------------------------------------*/

static void end_comes(UInt number, const struct filter *by)
{
    const Int sigkill = 9, sigsys = 31;

    if (VG_(clo_verbosity) > 0)
        VG_(umsg)("aprof: the program's seccomp filter kills the program for system call %u\n",
                  number);
    act.write_last(by->is_strict ? sigkill : sigsys);
}

static void trap_comes(UInt number)
{
    static Bool is_reported;

    if (is_reported)
        return;
    is_reported = True;
    VG_(umsg)("aprof: the program's seccomp filter sends a signal for system call %u: "
              "the report is written first, because Valgrind may end\n",
              number);
    act.write_now("seccomp filter");
}

/* Writes the report if the thread's filters will end the process or send a signal because of this
 * call. If the filters end only the thread, no report is written, because the other threads
 * continue. Until the program's call has ended, no call of the core is refused, because the core
 * makes some calls on behalf of the program. */
static void predict(ThreadId tid, UInt number, const UWord *args)
{
    const struct filter_call call = call_of(number, args, 6);
    const struct filter *from = NULL;
    UInt action = answer(filters[tid], &call, &from);

    if (action == FILTER_TRAP)
        trap_comes(number);
    if (action == FILTER_KILL_PROCESS || (action == FILTER_KILL_THREAD && threads_count() == 1))
        end_comes(number, from);
    is_due = (Int)action < (Int)FILTER_ERRNO;
}

void sandbox_call_begins(ThreadId tid, UInt number, const UWord *args)
{
    if (filters[tid])
        predict(tid, number, args);
    pending[tid] = pending_of(filters[tid], number, args);
    if (pending[tid].filter == NULL)
        return;
    prepare(&pending[tid]);
    sandbox_is_active = True;
}

void sandbox_call_ended(ThreadId tid, Bool failed)
{
    struct pending installed = pending[tid];

    is_due = False;
    if (installed.filter == NULL)
        return;
    pending[tid].filter = NULL;
    if (failed && filters[tid] == NULL)
        report_file_release();
    if (failed)
        return;
    for (ThreadId other = 1; installed.for_all && other < VG_N_THREADS; other++)
        filters[other] = installed.filter;
    filters[tid] = installed.filter;
}

static void thread_begins(ThreadId parent, ThreadId child)
{
    filters[child] = parent == VG_INVALID_THREADID ? NULL : filters[parent];
}

void sandbox_register(const struct sandbox_actions *actions)
{
    act = *actions;
    filters = VG_(calloc)("aprof.sandbox.filters", VG_N_THREADS, sizeof *filters);
    pending = VG_(calloc)("aprof.sandbox.pending", VG_N_THREADS, sizeof *pending);
    VG_(track_pre_thread_ll_create)(thread_begins);
}
