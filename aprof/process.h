/* The identity of a process, which distinguishes its report from the reports of other processes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_PROCESS_H
#define APROF_PROCESS_H

#include "aprof/valgrind_core.h"

struct process_identity {
    HChar pid[16];
    HChar host[80]; /* "host=NAME"; Linux allows names of at most 64 characters */
    HChar rank[80]; /* "rank=NUMBER" */
    /* the pid, then host and rank for a process of a parallel job, then NULL */
    const HChar *words[4];
};

/* Fills `identity`. The member `words` points into `identity`, so a copy of `identity` at another
 * address is not valid. The function reads system files, so the program must not have called chroot
 * before this call. */
void process_identify(struct process_identity *identity, Int pid);

/* Updates the identity in a forked child. */
void process_set_pid(struct process_identity *identity, Int pid);

#endif
