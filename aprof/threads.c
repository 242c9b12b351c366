/* Converts threads, signals and forks to events.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Valgrind reuses the numbers of ended threads, but the engine needs unique numbers. So each thread
 * gets a serial number. For the engine, a thread begins with its first instruction, because its
 * stack limits are known only then.
 */
#include "aprof/valgrind_core.h"

#include "aprof/analysis_thread.h"
#include "aprof/stream.h"
#include "aprof/threads.h"

static UInt *serials; /* serial numbers by ThreadId; 0: not started, or ended */
static UInt last_serial;
static UInt current; /* serial number of the thread to which the stream's latest records belong */

static Int reported_signal; /* latest signal, until the signal's thread continues */
static ThreadId reported_to;
static Bool reported_fault; /* whether an instruction raised the signal */

static void (*after_fork)(void);
static void (*when_stopped)(void);
static void (*waiting)(void);

/* Call this function before the tool itself (and not instrumented code) puts records of a thread
 * into the stream. Usually, the thread is the same as at the previous call of this function; the
 * call then costs only a load and a comparison. */
void threads_switch(ThreadId tid)
{
    UInt serial = serials[tid];

    if (serial == current || serial == 0)
        return;
    current = serial;
    stream_put(EVENT_THREAD_SWITCH, serial, 0, 0);
}

/*------------------------------------------------------------*/
/*--- Threads                                              ---*/
/*------------------------------------------------------------*/

/* Go's runtime creates threads with its own function. The child thread of runtime.clone returns on
 * a stack of GO_STACK_BYTES. */
#define GO_CLONE       "runtime.clone"
#define GO_STACK_BYTES 16384

/* Valgrind assumes that the whole mapping below the stack's end is the stack. In Go, one mapping
 * contains the stacks of several threads and goroutines. */
static SizeT stack_bytes(ThreadId tid)
{
    const HChar *name;

    if (VG_(get_fnname)(VG_(current_DiEpoch)(), VG_(get_IP)(tid), &name) &&
        VG_(strncmp)(name, GO_CLONE, sizeof GO_CLONE - 1) == 0)
        return VG_(thread_get_stack_max)(tid) + 1 - VG_(get_SP)(tid) + GO_STACK_BYTES;
    return VG_(thread_get_stack_size)(tid);
}

static void thread_starts(ThreadId tid)
{
    Addr highest = VG_(thread_get_stack_max)(tid);
    SizeT bytes = stack_bytes(tid);

    analysis_thread_follow(tid);
    serials[tid] = ++last_serial;
    if (highest == 0 || bytes == 0 || bytes > highest)
        stream_put(EVENT_THREAD_START, serials[tid], 0, 0);
    else
        stream_put(EVENT_THREAD_START, serials[tid], highest - bytes + 1, highest);
}

static void thread_ends(ThreadId tid)
{
    if (serials[tid] == 0)
        return; /* the thread was created but never ran, because clone failed */
    stream_put(EVENT_THREAD_END, serials[tid], 0, 0);
    if (current == serials[tid])
        current = 0;
    serials[tid] = 0;
}

UInt threads_count(void)
{
    UInt n = 0;

    for (UInt i = 0; i < VG_N_THREADS; i++)
        n += serials[i] != 0;
    return n;
}

static void client_starts(ThreadId tid, ULong blocks)
{
    if (tid == reported_to)
        reported_signal = 0;
    threads_switch(tid);
    stream_run(tid);
}

static void client_stops(ThreadId tid, ULong blocks)
{
    void (*action)(void) = waiting;

    waiting = NULL;
    if (action)
        action();
    if (when_stopped)
        when_stopped();
}

void threads_when_stopped(void (*action)(void))
{
    if (VG_(in_generated_code))
        waiting = action;
    else
        action();
}

/*------------------------------------------------------------*/
/*--- Signals                                              ---*/
/*------------------------------------------------------------*/

/* Returns whether an instruction raised the signal. A positive code means that the kernel or
 * Valgrind raised the signal, and no process sent it. */
static Bool is_fault(const vki_siginfo_t *info)
{
    switch (info->si_signo) {
    case VKI_SIGSEGV:
    case VKI_SIGBUS:
    case VKI_SIGFPE:
    case VKI_SIGILL:
    case VKI_SIGTRAP:
        return info->si_code > 0;
    default:
        return False;
    }
}

Bool __wrap_vgPlain_gdbserver_report_signal(vki_siginfo_t *info, ThreadId tid)
{
    Bool deliver = __real_vgPlain_gdbserver_report_signal(info, tid);

    if (deliver) {
        reported_signal = info->si_signo;
        reported_to = tid;
        reported_fault = is_fault(info);
    }
    return deliver;
}

Int threads_fatal_signal(void)
{
    return reported_signal;
}

static void signal_enters(ThreadId tid, Int number, Bool alternate_stack)
{
    if (reported_signal == number && reported_to == tid && reported_fault)
        stream_cut(VG_(get_IP)(tid));
    reported_signal = 0;
    threads_switch(tid);
    stream_put(EVENT_SIGNAL_ENTER, serials[tid], VG_(get_SP)(tid), 0);
}

static void signal_leaves(ThreadId tid, Int number)
{
    threads_switch(tid);
    stream_put(EVENT_SIGNAL_LEAVE, serials[tid], VG_(get_SP)(tid), 0);
}

/*------------------------------------------------------------*/
/*--- Forks                                                ---*/
/*------------------------------------------------------------*/

/* This function is called in a forked child, which has only the thread that called fork. The
 * records in the stream's buffer belong to the parent process. */
static void forked(ThreadId tid)
{
    for (UInt i = 0; i < VG_N_THREADS; i++) {
        if (i != tid)
            serials[i] = 0;
    }
    threads_switch(tid);
    stream_put(EVENT_FORKED, serials[tid], 0, 0);
    after_fork();
}

void threads_register(void (*forked_action)(void), void (*stopped_action)(void))
{
    after_fork = forked_action;
    when_stopped = stopped_action;
    serials = VG_(calloc)("aprof.threads.serials", VG_N_THREADS, sizeof *serials);
    VG_(track_pre_thread_first_insn)(thread_starts);
    VG_(track_pre_thread_ll_exit)(thread_ends);
    VG_(track_start_client_code)(client_starts);
    VG_(track_stop_client_code)(client_stops);
    VG_(track_pre_deliver_signal)(signal_enters);
    VG_(track_post_deliver_signal)(signal_leaves);
    VG_(atfork)(NULL, NULL, forked);
}
