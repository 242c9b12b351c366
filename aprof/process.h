/* The identity of a process, which distinguishes its report from those of other processes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_PROCESS_H
#define APROF_PROCESS_H

#include "aprof/valgrind_core.h"

struct process_identity {
    HChar pid[16];
    HChar host[80];        /* "host=NAME"; 64 characters are the longest name that Linux allows */
    HChar rank[80];        /* "rank=NUMBER" */
    const HChar *words[4]; /* the pid; for a process of a parallel job host and rank; then NULL */
};

/* Fills `identity`, which must stay where it is as long as its words are used. The function reads
 * system files, so the program must not have called chroot before. */
void process_identify(struct process_identity *identity, Int pid);

/* After a fork. */
void process_set_pid(struct process_identity *identity, Int pid);

#endif
