/* Programs that forbid themselves system calls by seccomp: none may end sooner than without aprof.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_SANDBOX_H
#define APROF_SANDBOX_H

#include "aprof/valgrind_core.h"

struct sandbox_actions {
    /* The program goes on, but Valgrind or the report may not: writes the report so far. */
    void (*write_now)(const HChar *end);

    /* The kernel ends the process by `signal` when this returns: writes the report. */
    void (*write_last)(Int signal);
};

void sandbox_register(const struct sandbox_actions *actions);

extern Bool sandbox_is_active; /* a filter was installed, or is about to be */

/* Whether the program's call is one for which sandbox_call_begins must be called, and
 * sandbox_call_ended if sandbox_is_active. */
static inline Bool sandbox_is_concerned(UInt number)
{
    return sandbox_is_active || number == __NR_prctl || number == __NR_seccomp;
}

void sandbox_call_begins(ThreadId tid, UInt number, const UWord *args);
void sandbox_call_ended(ThreadId tid, Bool failed);

/* If sandbox_is_active: whether Valgrind or aprof must not make a call, with six arguments, lest
 * the program be killed for it. May replace it by an equivalent one. */
Bool sandbox_refuses(UWord *number, const UWord *args);

#endif
