/* The identity of a process: its pid or, in a parallel job, its host and rank.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Processes on different hosts may have the same pid. MPI's launchers and Slurm pass a process's
 * rank in an environment variable. If such a variable exists, host and rank become part of the
 * identity.
 */
#include "aprof/process.h"

static const HChar *rank_find(void)
{
    static const HChar *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                             "SLURM_PROCID"};

    for (UInt i = 0; i < sizeof variables / sizeof *variables; i++) {
        const HChar *rank = VG_(getenv)(variables[i]);

        if (rank && *rank)
            return rank;
    }
    return NULL;
}

static void host_read(HChar *name, Int bytes)
{
    Int fd = VG_(fd_open)("/proc/sys/kernel/hostname", VKI_O_RDONLY, 0);
    Int n = fd < 0 ? 0 : VG_(read)(fd, name, bytes - 1);

    if (fd >= 0)
        VG_(close)(fd);
    name[n > 0 ? n : 0] = '\0';
    for (HChar *end = name; *end; end++) {
        if (*end == '\n')
            *end = '\0';
    }
}

void process_set_pid(struct process_identity *identity, Int pid)
{
    VG_(sprintf)(identity->pid, "%d", pid);
}

void process_identify(struct process_identity *identity, Int pid)
{
    const HChar *rank = rank_find();
    HChar name[72];
    Int n = 0;

    process_set_pid(identity, pid);
    identity->words[n++] = identity->pid;
    if (rank) {
        host_read(name, sizeof name);
        VG_(snprintf)(identity->host, sizeof identity->host, "host=%s", name);
        VG_(snprintf)(identity->rank, sizeof identity->rank, "rank=%s", rank);
        identity->words[n++] = identity->host;
        identity->words[n++] = identity->rank;
    }
    identity->words[n] = NULL;
}
