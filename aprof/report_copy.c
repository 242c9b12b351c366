/* Writes a report in the middle of a run, in a copy of the process.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof/report_copy.h"

#include "aprof/engine.h"
#include "aprof/second_engine.h"

/* Ends every activation, writes the report, prints the result and exits. This function runs in the
 * copy of the process. */
__attribute__((noreturn)) static void write_copy(struct engine *engine, const HChar *suffix,
                                                 const HChar *end, Int outcome_fd)
{
    struct report_outcome outcome;

    engine_finish(engine);
    outcome = report_file_write_silently(engine, suffix, end);
    if (second_engine()) {
        HChar other[32];

        VG_(sprintf)(other, "%s" SECOND_ENGINE_SUFFIX, suffix);
        engine_finish(second_engine());
        report_file_write_silently(second_engine(), other, end);
    }
    VG_(write)(outcome_fd, &outcome, sizeof outcome);
    VG_(do_syscall)(__NR_exit_group, 0, 0, 0, 0, 0, 0, 0, 0);
    VG_(exit)(1);
}

struct report_outcome report_copy_write(struct engine *engine, const HChar *suffix,
                                        const HChar *end)
{
    const UWord no_signal = 0, wait_all = 0x40000000; /* __WALL */
    struct report_outcome outcome = {VKI_EIO, VKI_EIO};
    Int ends[2], status;
    SysRes cloned;

    VG_(message_flush)();
    if (VG_(pipe)(ends) < 0)
        return (struct report_outcome){VKI_EMFILE, VKI_EMFILE};
    cloned = VG_(do_syscall)(__NR_clone, no_signal, 0, 0, 0, 0, 0, 0, 0);
    if (!sr_isError(cloned) && sr_Res(cloned) == 0)
        write_copy(engine, suffix, end, ends[1]);
    VG_(close)(ends[1]);
    VG_(read)(ends[0], &outcome, sizeof outcome);
    VG_(close)(ends[0]);
    if (sr_isError(cloned))
        return (struct report_outcome){sr_Err(cloned), sr_Err(cloned)};
    VG_(waitpid)(sr_Res(cloned), &status, wait_all);
    return outcome;
}
