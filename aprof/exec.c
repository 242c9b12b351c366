/* Exec: a process that turns into another program leaves the report of what it was until then.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof/exec.h"

#include "aprof/report_file.h"
#include "aprof/second_engine.h"
#include "aprof/stream.h"

static struct engine *engine;
static UInt n_execs;
static struct report_outcome exec_outcome; /* of the report before the latest exec */

/* Whether an exec may succeed. Shells and execvp try one directory after the other: what obviously
 * fails must cost nothing. */
Bool exec_is(UInt number, const UWord *args)
{
    const UInt may_execute = 0111, kind = 0170000, regular = 0100000;
    struct vg_stat file;

    if (number == __NR_execveat)
        return True;
    if (number != __NR_execve || !VG_(am_is_valid_for_client)(args[0], 1, VKI_PROT_READ))
        return False;
    if (sr_isError(VG_(stat)((const HChar *)args[0], &file)))
        return False;
    return (file.mode & kind) == regular && (file.mode & may_execute) != 0;
}

static void exec_suffix(HChar *suffix)
{
    VG_(sprintf)(suffix, ".exec%u", n_execs);
}

/* A process that is profiled across exec keeps its id, and with it the reports of its former lives.
 */
void exec_init(struct engine *measures)
{
    HChar suffix[16];

    engine = measures;
    do {
        n_execs++;
        exec_suffix(suffix);
    } while (report_file_is_ours(suffix));
    n_execs--;
}

/* Ends every activation, writes the report, says what became of it and ends: in the copy of the
 * process. */
__attribute__((noreturn)) static void write_copy(const HChar *suffix, Int told)
{
    struct report_outcome outcome;

    engine_finish(engine);
    outcome = report_file_write_silently(engine, suffix, "exec");
    if (second_engine()) {
        HChar other[32];

        VG_(sprintf)(other, "%s" SECOND_ENGINE_SUFFIX, suffix);
        engine_finish(second_engine());
        report_file_write_silently(second_engine(), other, "exec");
    }
    VG_(write)(told, &outcome, sizeof outcome);
    VG_(do_syscall)(__NR_exit_group, 0, 0, 0, 0, 0, 0, 0, 0);
    VG_(exit)(1);
}

/* The copy makes no SIGCHLD, which the program would see. 0, or the error that has prevented it. */
static UWord write_in_copy(const HChar *suffix, struct report_outcome *outcome)
{
    const UWord no_signal = 0, wait_all = 0x40000000; /* __WALL */
    Int ends[2], status, n;
    SysRes cloned;

    if (VG_(pipe)(ends) < 0)
        return VKI_EMFILE;
    cloned = VG_(do_syscall)(__NR_clone, no_signal, 0, 0, 0, 0, 0, 0, 0);
    if (!sr_isError(cloned) && sr_Res(cloned) == 0)
        write_copy(suffix, ends[1]);
    VG_(close)(ends[1]);
    n = VG_(read)(ends[0], outcome, sizeof *outcome);
    VG_(close)(ends[0]);
    if (sr_isError(cloned))
        return sr_Err(cloned);
    VG_(waitpid)(sr_Res(cloned), &status, wait_all);
    return n == sizeof *outcome ? 0 : VKI_EIO;
}

/* The report is written in a copy of this process: if the exec fails, this one goes on as if
 * nothing had been. */
void exec_begins(void)
{
    HChar suffix[16];
    UWord error;

    n_execs++;
    exec_suffix(suffix);
    stream_drain();
    VG_(message_flush)();
    error = write_in_copy(suffix, &exec_outcome);
    if (error)
        exec_outcome = (struct report_outcome){error, error};
    report_file_tell(suffix, exec_outcome);
}

void exec_failed(void)
{
    HChar suffix[16];

    exec_suffix(suffix);
    report_file_remove(suffix, exec_outcome);
    n_execs--;
}

void exec_forked(void)
{
    n_execs = 0;
}
