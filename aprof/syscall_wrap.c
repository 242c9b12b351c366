/* Converts system calls to events about the memory that the kernel reads, writes, maps and unmaps.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Valgrind's core notifies the tool of a system call's reads before the call, and of its writes
 * after the call. Which part of an output buffer the kernel has read is known only after the call.
 * So reads are remembered until the end of the call. Each thread has separate remembered reads,
 * because a call may block while other threads run.
 *
 * Example: writev of 10 and 20 bytes returns 15. Three reads are remembered: the array of two
 * iovec as a whole, and 10 and 20 bytes of data. The recorded reads are the array, 10 bytes
 * and 5 bytes.
 *
 * A call that fails has read no data. But reads of names and structures count even if the call
 * fails, unless the memory was not readable (EFAULT).
 */
#include "aprof/valgrind_core.h"

#include "aprof/exec.h"
#include "aprof/machine.h"
#include "aprof/sandbox.h"
#include "aprof/spans.h"
#include "aprof/stream.h"
#include "aprof/syscall_wrap.h"
#include "aprof/threads.h"

/* Constants of Linux that Valgrind's headers lack. */
#define MAP_DENYWRITE 0x800
#define MADV_DONTNEED 4

/* The part of a remembered read that is recorded. */
enum limit {
    LIMIT_NONE, /* the whole read, if the memory was readable */
    /* data: all reads of data together have as many bytes as the call's result */
    LIMIT_RESULT,
    LIMIT_SUCCESS,  /* data: the whole read, if the call succeeds */
    LIMIT_MESSAGES, /* data of sendmmsg: as many bytes as the message's msg_len says */
};

struct kernel_read {
    Addr address;
    SizeT bytes;
    enum limit limit;
    UInt message; /* for sendmmsg: index of the message */
};

/* One thread's system call. */
struct call {
    XArray *reads; /* array of struct kernel_read, NULL until the first read */
    Bool has_data; /* whether some of the reads count only in part */
    UWord mmap_flags;
    Bool is_exec;
};

static struct call *calls; /* by ThreadId */
static void (*write_now)(const HChar *end);

/*------------------------------------------------------------*/
/*--- Reads                                                ---*/
/*------------------------------------------------------------*/

/* The core's descriptions of the data of calls that may transfer less than requested. Reads with
 * other descriptions (names, structures, arrays of iovec) count as a whole. */
static const struct {
    const HChar *description; /* prefix of the core's description of the data */
    enum limit limit;
} data_descriptions[] = {
    {"write(buf)", LIMIT_RESULT},
    {"pwrite64(buf)", LIMIT_RESULT},
    {"writev(vector[", LIMIT_RESULT},
    {"pwritev(vector[", LIMIT_RESULT},
    {"pwritev2(vector[", LIMIT_RESULT},
    {"vmsplice(iov[", LIMIT_RESULT},
    {"process_vm_writev(lvec[", LIMIT_RESULT},
    {"socketcall.send(msg)", LIMIT_RESULT},
    {"socketcall.sendto(msg)", LIMIT_RESULT},
    {"sendmsg(msg.msg_iov[", LIMIT_RESULT},
    {"sendmsg(mmsg[", LIMIT_MESSAGES}, /* of sendmmsg */
    {"msgsnd(msgp->mtext)", LIMIT_SUCCESS},
    {"mq_timedsend(msg_ptr)", LIMIT_SUCCESS},
    {"mq_timedsend_time64(msg_ptr)", LIMIT_SUCCESS},
};

/* Calls that transfer data. If such a call succeeds, but none of its reads has a description from
 * the list above, this release of Valgrind uses other descriptions. --stats=yes shows the number of
 * such calls. */
static const UInt data_calls[] = {
    __NR_write,    __NR_pwrite64,          __NR_writev,        __NR_pwritev, __NR_pwritev2,
    __NR_vmsplice, __NR_process_vm_writev, MACHINE_DATA_CALLS,
};
static UInt n_unknown;

static Bool hands_over_data(UInt number)
{
    for (UInt i = 0; i < sizeof data_calls / sizeof data_calls[0]; i++) {
        if (data_calls[i] == number)
            return True;
    }
    return False;
}

static enum limit limit_of(const HChar *description)
{
    for (UInt i = 0; i < sizeof data_descriptions / sizeof data_descriptions[0]; i++) {
        const HChar *beginning = data_descriptions[i].description;

        if (VG_(strncmp)(description, beginning, VG_(strlen)(beginning)) == 0)
            return data_descriptions[i].limit;
    }
    return LIMIT_NONE;
}

static void pre_mem_read(CorePart part, ThreadId tid, const HChar *description, Addr address,
                         SizeT bytes)
{
    struct kernel_read read = {address, bytes, LIMIT_NONE, 0};
    struct call *call = &calls[tid];

    if (part != Vg_CoreSysCall || bytes == 0)
        return;
    read.limit = limit_of(description);
    if (read.limit == LIMIT_MESSAGES) {
        if (VG_(strstr)(description, "msg_iov[") == NULL)
            read.limit = LIMIT_NONE;
        read.message = VG_(strtoull10)(VG_(strchr)(description, '[') + 1, NULL);
    }
    call->has_data = call->has_data || read.limit != LIMIT_NONE;
    if (call->reads == NULL)
        call->reads = VG_(newXA)(VG_(malloc), "aprof.syscall.reads", VG_(free), sizeof read);
    VG_(addToXA)(call->reads, &read);
}

static Bool is_readable(Addr address, SizeT bytes)
{
    return VG_(am_is_valid_for_client)(address, bytes, VKI_PROT_READ);
}

static void pre_mem_read_asciiz(CorePart part, ThreadId tid, const HChar *description, Addr address)
{
    Addr end = address;

    for (;; end++) {
        Bool new_page = end == address || (end & (VKI_PAGE_SIZE - 1)) == 0;

        if (new_page && !is_readable(end, 1))
            break;
        if (*(const HChar *)end == '\0') {
            end++;
            break;
        }
    }
    pre_mem_read(part, tid, description, address, end - address);
}

/* Returns the number of bytes of message `message` that the kernel has reported as sent. */
static SizeT message_bytes(const UWord *args, UInt message)
{
    const struct vki_mmsghdr *messages = (const struct vki_mmsghdr *)args[1];

    if (!is_readable((Addr)&messages[message], sizeof messages[message]))
        return 0;
    return messages[message].msg_len;
}

struct result {
    const UWord *args;
    Bool failed, faulted;
    SizeT bytes_left; /* remaining bytes for LIMIT_RESULT */
    UInt message;     /* for LIMIT_MESSAGES: index of the message whose remaining bytes are
                         `message_left` */
    SizeT message_left;
    UInt messages; /* sent */
};

static SizeT take(SizeT *left, SizeT bytes)
{
    if (bytes > *left)
        bytes = *left;
    *left -= bytes;
    return bytes;
}

/* Returns the number of bytes that were actually read. */
static SizeT bytes_read(struct result *result, const struct kernel_read *read)
{
    switch (read->limit) {
    case LIMIT_NONE:
        return result->faulted ? 0 : read->bytes;
    case LIMIT_RESULT:
        return result->failed ? 0 : take(&result->bytes_left, read->bytes);
    case LIMIT_SUCCESS:
        return result->failed ? 0 : read->bytes;
    case LIMIT_MESSAGES:
        if (result->failed || read->message >= result->messages)
            return 0;
        if (read->message != result->message) {
            result->message = read->message;
            result->message_left = message_bytes(result->args, read->message);
        }
        return take(&result->message_left, read->bytes);
    }
    return 0;
}

static void put_reads(struct call *call, struct result *result)
{
    for (Word i = 0; i < VG_(sizeXA)(call->reads); i++) {
        const struct kernel_read *read = VG_(indexXA)(call->reads, i);
        SizeT bytes = bytes_read(result, read);

        if (bytes)
            stream_put(EVENT_KERNEL_READ, read->address, bytes, 0);
    }
    VG_(dropTailXA)(call->reads, VG_(sizeXA)(call->reads));
}

/*------------------------------------------------------------*/
/*--- Writes                                               ---*/
/*------------------------------------------------------------*/

/* Records the reads that count as a whole. This happens before the kernel's writes are recorded,
 * because the kernel reads a structure before it writes to the same structure. */
static void put_whole_reads(struct call *call)
{
    Word kept = 0, n = call->reads ? VG_(sizeXA)(call->reads) : 0;

    for (Word i = 0; i < n; i++) {
        struct kernel_read *read = VG_(indexXA)(call->reads, i);

        if (read->limit == LIMIT_NONE)
            stream_put(EVENT_KERNEL_READ, read->address, read->bytes, 0);
        else
            *(struct kernel_read *)VG_(indexXA)(call->reads, kept++) = *read;
    }
    if (n)
        VG_(dropTailXA)(call->reads, n - kept);
}

static void post_mem_write(CorePart part, ThreadId tid, Addr address, SizeT bytes)
{
    if ((part != Vg_CoreSysCall && part != Vg_CoreSignal) || bytes == 0)
        return;
    threads_switch(tid);
    if (part == Vg_CoreSysCall)
        put_whole_reads(&calls[tid]);
    stream_put(EVENT_KERNEL_WRITE, address, bytes, 0);
}

/*------------------------------------------------------------*/
/*--- Address space                                        ---*/
/*------------------------------------------------------------*/

/* A mapped file is external input, except code and data that the dynamic linker loads: only the
 * linker uses MAP_DENYWRITE. The cells of all other mappings count as never accessed. */
static void new_mem_mmap(Addr address, SizeT bytes, Bool r, Bool w, Bool x, ULong debuginfo)
{
    ThreadId tid = VG_(get_running_tid)();
    const NSegment *segment = VG_(am_find_nsegment)(address);
    Bool is_file = segment && segment->kind == SkFileC;

    if (tid != VG_INVALID_THREADID && (calls[tid].mmap_flags & MAP_DENYWRITE))
        is_file = False;
    stream_put(is_file ? EVENT_MAP_FILE : EVENT_FORGET, address, bytes, 0);
}

static void memory_gone(Addr address, SizeT bytes)
{
    stream_put(EVENT_FORGET, address, bytes, 0);
}

static void memory_unmapped(Addr address, SizeT bytes)
{
    /* at this call, the core still has the debug information of the unmapped object */
    spans_unload(address, bytes);
    memory_gone(address, bytes);
}

static void copy_mem_remap(Addr from, Addr to, SizeT bytes)
{
    stream_put(EVENT_MOVE, from, to, bytes);
}

/* Handles pages that the program has released; anonymous pages are zero afterwards. */
static void advised(const UWord *args)
{
    const NSegment *segment = VG_(am_find_nsegment)(args[0]);

    if (args[2] == MADV_DONTNEED && segment && segment->kind == SkAnonC)
        memory_gone(args[0], VG_PGROUNDUP(args[1]));
}

/* Warns about io_uring, which moves data without system calls that the core describes. */
static void warn_io_uring(void)
{
    static Bool is_reported;

    if (!is_reported && VG_(clo_verbosity) > 0)
        VG_(umsg)("aprof: the program uses io_uring: transfers by io_uring are not measured\n");
    is_reported = True;
}

static UWord mmap_flags(UInt number, const UWord *args)
{
    if (number == MACHINE_NR_MMAP)
        return args[3];
    if (number == __NR_mmap && is_readable(args[0], 4 * sizeof(UWord)))
        return ((const UWord *)args[0])[3]; /* on x86, mmap has one argument, a structure */
    return 0;
}

/*------------------------------------------------------------*/
/*--- Around a call                                        ---*/
/*------------------------------------------------------------*/

/* Returns whether the kernel may refuse this call to a process with several threads. The analysis
 * thread must not affect the result of such a call. */
static Bool wants_one_thread(UInt number)
{
    return number == __NR_unshare || number == __NR_setns;
}

/* Returns whether this clone makes Valgrind's core end the process. The core supports a clone only
 * for a thread, a process with separate memory, or a process that shares memory until its exec
 * (vfork). */
static Bool ends_valgrind(UInt number, const UWord *args)
{
    const UWord thread = VKI_CLONE_VM | VKI_CLONE_FS | VKI_CLONE_FILES;
    const UWord vfork = VKI_CLONE_VM | VKI_CLONE_VFORK;
    UWord flags = number == __NR_clone ? args[0] & (thread | vfork) : 0;

    return flags != 0 && flags != thread && flags != vfork;
}

static void pre_syscall(ThreadId tid, UInt number, UWord *args, UInt n_args)
{
    struct call *call = &calls[tid];

    if (call->reads)
        VG_(dropTailXA)(call->reads, VG_(sizeXA)(call->reads));
    call->has_data = False;
    call->mmap_flags = mmap_flags(number, args);
    call->is_exec = exec_is(number, args);
    threads_switch(tid);
    if (UNLIKELY(sandbox_is_concerned(number)))
        sandbox_call_begins(tid, number, args);
    if (wants_one_thread(number))
        stream_pause();
    if (ends_valgrind(number, args)) {
        VG_(umsg)("aprof: clone with flags 0x%lx: Valgrind may end here, so the report is written "
                  "first\n",
                  args[0]);
        write_now("clone");
    }
    if (call->is_exec)
        exec_begins(number, args);
}

static void post_syscall(ThreadId tid, UInt number, UWord *args, UInt n_args, SysRes res)
{
    struct result result = {.args = args, .failed = sr_isError(res), .message = ~0u};
    struct call *call = &calls[tid];

    threads_switch(tid);
    if (UNLIKELY(sandbox_is_active))
        sandbox_call_ended(tid, result.failed);
    if (!result.failed) {
        result.bytes_left = sr_Res(res);
        result.messages = sr_Res(res);
    } else {
        result.faulted = sr_Err(res) == VKI_EFAULT;
    }
    if (!result.failed && result.bytes_left && !call->has_data && hands_over_data(number))
        n_unknown++;
    if (call->reads)
        put_reads(call, &result);
    if (number == __NR_madvise && !result.failed)
        advised(args);
    if (number == __NR_io_uring_setup && !result.failed)
        warn_io_uring();
    if (call->is_exec && result.failed)
        exec_failed();
    call->is_exec = False;
    call->mmap_flags = 0;
}

void syscall_wrap_print_stats(void)
{
    VG_(umsg)("aprof: %u system calls transferred data that the tool cannot interpret\n",
              n_unknown);
}

void syscall_wrap_register(void (*write_report_now)(const HChar *end))
{
    write_now = write_report_now;
    calls = VG_(calloc)("aprof.syscall.calls", VG_N_THREADS, sizeof *calls);
    VG_(needs_syscall_wrapper)(pre_syscall, post_syscall);
    VG_(track_pre_mem_read)(pre_mem_read);
    VG_(track_pre_mem_read_asciiz)(pre_mem_read_asciiz);
    VG_(track_post_mem_write)(post_mem_write);
    VG_(track_new_mem_mmap)(new_mem_mmap);
    VG_(track_die_mem_munmap)(memory_unmapped);
    VG_(track_die_mem_brk)(memory_gone);
    VG_(track_copy_mem_remap)(copy_mem_remap);
}
