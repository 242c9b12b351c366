/* Interposes process calls that bypass destructors: exec, _exit, daemon, chroot, _Fork, dlclose.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The interposed functions are in the executable and take precedence over functions of the C
 * library, also for calls from libraries. posix_spawn, system and popen do not call the interposed
 * functions. Reports do not depend on these three functions, because they only start new processes.
 */
#define _GNU_SOURCE
#include "native/base/lifecycle.h"

#include "native/base/modules.h"
#include "native/base/process.h"
#include "native/base/report_output.h"
#include "native/base/syscalls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    int (*execvpe)(const char *file, char *const arguments[], char *const environment[]);
    int (*dlclose)(void *handle);
    pid_t (*fork_only)(void); /* _Fork */
} real;

/* ISO C has no conversion from dlsym's result to a function pointer; POSIX guarantees this
 * conversion. */
void native_look_up(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

void native_interpose_init(void)
{
    native_look_up("execvpe", &real.execvpe);
    native_look_up("dlclose", &real.dlclose);
    native_look_up("_Fork", &real.fork_only);
}

/* ---------------------------------------------------------------- _exit */

__attribute__((noreturn)) static void exit_now(int status)
{
    if (!native_is_vfork_child())
        native_finish("_exit");
    for (;;)
        native_syscall(SYS_exit_group, status);
}

NATIVE_EXPORT __attribute__((noreturn)) void _exit(int status)
{
    exit_now(status);
}

NATIVE_EXPORT __attribute__((noreturn)) void _Exit(int status)
{
    exit_now(status);
}

/* The C library's daemon ends the parent by an internal call of _exit, which cannot be
 * interposed. */
NATIVE_EXPORT int daemon(int stay, int keep_streams)
{
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child)
        exit_now(0);
    if (setsid() < 0 || (!stay && chdir("/") < 0))
        return -1;
    if (keep_streams)
        return 0;
    int null = open("/dev/null", O_RDWR);
    if (null < 0)
        return -1;
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
    if (null > 2)
        close(null);
    return 0;
}

/* ---------------------------------------------------------------- exec */

static bool can_be_executed(const char *path)
{
    return native_access(path, X_OK) == 0;
}

static int exec_system_call(long number, long a, long b, long c, long d, long e)
{
    bool has_finished = native_finish_before_exec();
    long result = native_syscall6(number, a, b, c, d, e, 0);
    if (has_finished)
        native_resume_after_exec();
    errno = (int)-result;
    return -1;
}

NATIVE_EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
    if (!can_be_executed(path)) { /* shells try exec in one directory after another */
        errno = (int)-native_syscall(SYS_execve, path, arguments, environment);
        return -1;
    }
    return exec_system_call(SYS_execve, (long)path, (long)arguments, (long)environment, 0, 0);
}

NATIVE_EXPORT int execveat(int directory, const char *path, char *const arguments[],
                           char *const environment[], int flags)
{
    return exec_system_call(SYS_execveat, directory, (long)path, (long)arguments, (long)environment,
                            flags);
}

NATIVE_EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
    if (fd < 0) {
        errno = EINVAL;
        return -1;
    }
    return execveat(fd, "", arguments, environment, AT_EMPTY_PATH);
}

NATIVE_EXPORT int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

NATIVE_EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    if (!real.execvpe)
        native_interpose_init();
    bool has_finished = native_finish_before_exec();
    int result = real.execvpe(file, arguments, environment), error = errno;
    if (has_finished)
        native_resume_after_exec();
    errno = error;
    return result;
}

NATIVE_EXPORT int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

static size_t count_words(va_list list)
{
    size_t n = 1;
    while (va_arg(list, char *))
        n++;
    return n;
}

/* Copies the variadic arguments up to NULL into an array on the caller's stack. The macro evaluates
 * `after` when it has read the final NULL. */
#define COLLECT(first, words, after)                                                               \
    va_list list;                                                                                  \
    va_start(list, first);                                                                         \
    size_t n_words = count_words(list);                                                            \
    va_end(list);                                                                                  \
    char *words[n_words + 1];                                                                      \
    va_start(list, first);                                                                         \
    words[0] = (char *)first;                                                                      \
    for (size_t i = 1; i <= n_words; i++)                                                          \
        words[i] = va_arg(list, char *);                                                           \
    after;                                                                                         \
    va_end(list)

NATIVE_EXPORT int execl(const char *path, const char *first, ...)
{
    COLLECT(first, words, (void)0);
    return execve(path, words, environ);
}

NATIVE_EXPORT int execlp(const char *file, const char *first, ...)
{
    COLLECT(first, words, (void)0);
    return execvpe(file, words, environ);
}

NATIVE_EXPORT int execle(const char *path, const char *first, ...)
{
    COLLECT(first, words, char *const *environment = va_arg(list, char *const *));
    return execve(path, words, environment);
}

/* ---------------------------------------------------------------- chroot, _Fork, dlclose */

/* The TRMS runtime has its own chroot, which also records that the name is read
 * (native/trms/interpose/files.c). */
NATIVE_EXPORT __attribute__((weak)) int chroot(const char *path)
{
    native_output_keep_folder();
    long result = native_syscall(SYS_chroot, path);
    if (result == 0)
        return 0;
    errno = (int)-result;
    return -1;
}

/* _Fork is fork without the handlers of pthread_atfork. */
NATIVE_EXPORT pid_t _Fork(void)
{
    if (!real.fork_only)
        native_interpose_init();
    native_around_fork(NATIVE_FORK_PREPARE);
    pid_t child = real.fork_only();
    native_around_fork(child == 0 ? NATIVE_FORK_CHILD : NATIVE_FORK_PARENT);
    return child;
}

NATIVE_EXPORT int dlclose(void *handle)
{
    if (!real.dlclose)
        native_interpose_init();
    if (native_start()) {
        native_modules_refresh();
        if (native_client.before_dlclose)
            native_client.before_dlclose();
    }
    int result = real.dlclose(handle);
    if (native_start())
        native_modules_reserve_unloaded();
    return result;
}
