/* Handles programs that install seccomp filters, so that aprof does not make such a program end.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_SANDBOX_H
#define APROF_SANDBOX_H

#include "aprof/valgrind_core.h"

struct sandbox_actions {
    /* Writes the report so far. The program continues, but later Valgrind may fail, or be unable to
     * write a report. */
    void (*write_now)(const HChar *end);

    /* Writes the last report. The kernel ends the process by `signal` when the function returns. */
    void (*write_last)(Int signal);
};

void sandbox_register(const struct sandbox_actions *actions);

extern Bool sandbox_is_active; /* a filter was installed, or is about to be installed */

/* Returns whether sandbox_call_begins must be called before this system call of the program. After
 * the call, sandbox_call_ended must be called if sandbox_is_active is true. */
static inline Bool sandbox_is_concerned(UInt number)
{
    return sandbox_is_active || number == __NR_prctl || number == __NR_seccomp;
}

void sandbox_call_begins(ThreadId tid, UInt number, const UWord *args);
void sandbox_call_ended(ThreadId tid, Bool failed);

/* Call this function if sandbox_is_active is true. Returns true if Valgrind or aprof must not make
 * this call, because the filter would kill the program; the call has up to six arguments. The
 * function may replace the call by an equivalent call. */
Bool sandbox_refuses(UWord *number, const UWord *args);

#endif
