/* Handles changes of namespaces and identities: unshare, setns and set*id.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This file is for runtimes that may have their own threads. The TRMS runtime has its own
 * setgroups, which records input (native/trms/interpose/system.c) and does not change the groups of
 * the runtime's thread. After setgroups, a program that drops its privileges calls setgid or
 * setuid; these calls change the groups of the runtime's thread.
 */
#define _GNU_SOURCE
#include "native/base/lifecycle.h"
#include "native/base/process.h"
#include "native/base/raw_thread.h"

#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <unistd.h>

/* Some calls that change namespaces or identities fail in a process with several threads. The C
 * library applies a new identity only to its own threads. So the runtime ends its threads before a
 * call that changes namespaces or identities. Raw system calls of the program are not intercepted.
 * A child of vfork shares the program's memory but has no threads of the runtime, so it waits for
 * no threads. */
static bool stop_our_threads(void)
{
    return !native_is_vfork_child() && native_raw_threads_stop();
}

/* Defines an interposed function. If `alone` is true, the runtime's threads must end before the
 * call. */
#define AROUND(name, parameters, arguments, alone)                                                 \
    NATIVE_EXPORT int name parameters                                                              \
    {                                                                                              \
        static int(*real_function) parameters;                                                     \
        if (!real_function)                                                                        \
            native_look_up(#name, &real_function);                                                 \
        bool stopped = (alone) && stop_our_threads();                                              \
        int result = real_function arguments, error = errno;                                       \
        if (stopped)                                                                               \
            native_raw_threads_resume();                                                           \
        errno = error;                                                                             \
        return result;                                                                             \
    }
#define OF_ONE_THREAD (CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM)

AROUND(unshare, (int flags), (flags), (flags & OF_ONE_THREAD) != 0)
AROUND(setns, (int fd, int type), (fd, type), true)
AROUND(setuid, (uid_t id), (id), true)
AROUND(seteuid, (uid_t id), (id), true)
AROUND(setreuid, (uid_t ruid, uid_t euid), (ruid, euid), true)
AROUND(setresuid, (uid_t ruid, uid_t euid, uid_t suid), (ruid, euid, suid), true)
AROUND(setgid, (gid_t id), (id), true)
AROUND(setegid, (gid_t id), (id), true)
AROUND(setregid, (gid_t rgid, gid_t egid), (rgid, egid), true)
AROUND(setresgid, (gid_t rgid, gid_t egid, gid_t sgid), (rgid, egid, sgid), true)
__attribute__((weak)) AROUND(setgroups, (size_t n, const gid_t *groups), (n, groups), true)
    AROUND(initgroups, (const char *user, gid_t group), (user, group), true)
