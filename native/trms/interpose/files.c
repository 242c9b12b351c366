/* Tables of system calls on files, and of their accesses to the program's memory.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * interpose_calls.h explains the table. The stdio functions do not call these wrappers, because
 * calls inside the C library are not interposed (stdio.c).
 */
#define _GNU_SOURCE
#include "native/base/report_output.h"
#include "native/trms/interpose/interpose_calls.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <termios.h>
#include <utime.h>

/* ---------------------------------------------------------------- data */

SYSTEM_CALL(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), NOTHING, WRITES(to, result))
SYSTEM_CALL(ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), NOTHING,
            WRITES(to, result))
SYSTEM_CALL(ssize_t, pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at), NOTHING,
            WRITES(to, result))
SYSTEM_CALL(ssize_t, __read_chk, (int fd, void *to, size_t n, size_t room), (fd, to, n, room),
            NOTHING, WRITES(to, result))
SYSTEM_CALL(ssize_t, __pread_chk, (int fd, void *to, size_t n, off_t at, size_t room),
            (fd, to, n, at, room), NOTHING, WRITES(to, result))
SYSTEM_CALL(ssize_t, __pread64_chk, (int fd, void *to, size_t n, off64_t at, size_t room),
            (fd, to, n, at, room), NOTHING, WRITES(to, result))
SYSTEM_CALL(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n),
            READS_DATA(from, result), NOTHING)
SYSTEM_CALL(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at),
            READS_DATA(from, result), NOTHING)
SYSTEM_CALL(ssize_t, pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at),
            READS_DATA(from, result), NOTHING)

#define VECTOR_CALLS(name, parameters, arguments)                                                  \
    SYSTEM_CALL(ssize_t, name, parameters, arguments, READS_ARRAY(vector, n),                      \
                WRITES_VECTOR(vector, n))
#define VECTOR_CALLS_OUT(name, parameters, arguments)                                              \
    SYSTEM_CALL(ssize_t, name, parameters, arguments, READS_ARRAY(vector, n);                      \
                READS_DATA_VECTOR(vector, n), NOTHING)

VECTOR_CALLS(readv, (int fd, const struct iovec *vector, int n), (fd, vector, n))
VECTOR_CALLS(preadv, (int fd, const struct iovec *vector, int n, off_t at), (fd, vector, n, at))
VECTOR_CALLS(preadv64, (int fd, const struct iovec *vector, int n, off64_t at), (fd, vector, n, at))
VECTOR_CALLS(preadv2, (int fd, const struct iovec *vector, int n, off_t at, int flags),
             (fd, vector, n, at, flags))
VECTOR_CALLS(preadv64v2, (int fd, const struct iovec *vector, int n, off64_t at, int flags),
             (fd, vector, n, at, flags))
VECTOR_CALLS_OUT(writev, (int fd, const struct iovec *vector, int n), (fd, vector, n))
VECTOR_CALLS_OUT(pwritev, (int fd, const struct iovec *vector, int n, off_t at),
                 (fd, vector, n, at))
VECTOR_CALLS_OUT(pwritev64, (int fd, const struct iovec *vector, int n, off64_t at),
                 (fd, vector, n, at))
VECTOR_CALLS_OUT(pwritev2, (int fd, const struct iovec *vector, int n, off_t at, int flags),
                 (fd, vector, n, at, flags))
VECTOR_CALLS_OUT(pwritev64v2, (int fd, const struct iovec *vector, int n, off64_t at, int flags),
                 (fd, vector, n, at, flags))
VECTOR_CALLS_OUT(vmsplice, (int fd, const struct iovec *vector, size_t n, unsigned flags),
                 (fd, vector, n, flags))

/* The following calls copy from file to file; of their data, only the file positions are in the
 * program's memory. */
SYSTEM_CALL(ssize_t, sendfile, (int to, int from, off_t *at, size_t n), (to, from, at, n),
            READS_ONE(at), WRITES_ONE(at))
SYSTEM_CALL(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t n), (to, from, at, n),
            READS_ONE(at), WRITES_ONE(at))
SYSTEM_CALL(ssize_t, splice,
            (int from, off64_t *at, int to, off64_t *to_at, size_t n, unsigned flags),
            (from, at, to, to_at, n, flags), READS_ONE(at);
            READS_ONE(to_at), WRITES_ONE(at); WRITES_ONE(to_at))
SYSTEM_CALL(ssize_t, copy_file_range,
            (int from, off64_t *at, int to, off64_t *to_at, size_t n, unsigned flags),
            (from, at, to, to_at, n, flags), READS_ONE(at);
            READS_ONE(to_at), WRITES_ONE(at); WRITES_ONE(to_at))
SYSTEM_CALL(int, close, (int fd), (fd), NOTHING, NOTHING)

/* ---------------------------------------------------------------- names */

#define OPENS(name, parameters, arguments, last)                                                   \
    INTERPOSE(int, name, parameters)                                                               \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, last);                                                                      \
        mode_t mode = last & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;                   \
        va_end(list);                                                                              \
        watch_thread_sync();                                                                       \
        int result = REAL(name) arguments, error = errno;                                          \
        if (result >= 0 || error != EFAULT)                                                        \
            calls_read_name(path);                                                                 \
        errno = error;                                                                             \
        return result;                                                                             \
    }

OPENS(open, (const char *path, int flags, ...), (path, flags, mode), flags)
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode), flags)
OPENS(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), flags)
OPENS(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), flags)

#define NAME_CALL(name, parameters, arguments)                                                     \
    SYSTEM_CALL(int, name, parameters, arguments, READS_NAME(path), NOTHING)
#define TWO_NAMES_CALL(name, parameters, arguments)                                                \
    SYSTEM_CALL(int, name, parameters, arguments, READS_NAME(path); READS_NAME(other), NOTHING)

/* native_output_keep_folder runs before chroot. */
#define IN_NEW_ROOT (native_output_keep_folder(), path)
SYSTEM_CALL(int, chroot, (const char *path), (IN_NEW_ROOT), READS_NAME(path), NOTHING)
#undef IN_NEW_ROOT

NAME_CALL(__open_2, (const char *path, int flags), (path, flags))
NAME_CALL(__open64_2, (const char *path, int flags), (path, flags))
NAME_CALL(__openat_2, (int folder, const char *path, int flags), (folder, path, flags))
NAME_CALL(__openat64_2, (int folder, const char *path, int flags), (folder, path, flags))
NAME_CALL(creat, (const char *path, mode_t mode), (path, mode))
NAME_CALL(creat64, (const char *path, mode_t mode), (path, mode))
NAME_CALL(access, (const char *path, int mode), (path, mode))
NAME_CALL(faccessat, (int folder, const char *path, int mode, int flags),
          (folder, path, mode, flags))
NAME_CALL(unlink, (const char *path), (path))
NAME_CALL(unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
NAME_CALL(mkdir, (const char *path, mode_t mode), (path, mode))
NAME_CALL(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
NAME_CALL(rmdir, (const char *path), (path))
NAME_CALL(chdir, (const char *path), (path))
NAME_CALL(chmod, (const char *path, mode_t mode), (path, mode))
NAME_CALL(fchmodat, (int folder, const char *path, mode_t mode, int flags),
          (folder, path, mode, flags))
NAME_CALL(chown, (const char *path, uid_t user, gid_t group), (path, user, group))
NAME_CALL(lchown, (const char *path, uid_t user, gid_t group), (path, user, group))
NAME_CALL(fchownat, (int folder, const char *path, uid_t user, gid_t group, int flags),
          (folder, path, user, group, flags))
NAME_CALL(truncate, (const char *path, off_t bytes), (path, bytes))
NAME_CALL(truncate64, (const char *path, off64_t bytes), (path, bytes))
NAME_CALL(mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device))
NAME_CALL(mknodat, (int folder, const char *path, mode_t mode, dev_t device),
          (folder, path, mode, device))
NAME_CALL(mkfifo, (const char *path, mode_t mode), (path, mode))
NAME_CALL(memfd_create, (const char *path, unsigned flags), (path, flags))
NAME_CALL(shm_open, (const char *path, int flags, mode_t mode), (path, flags, mode))
NAME_CALL(shm_unlink, (const char *path), (path))
NAME_CALL(inotify_add_watch, (int fd, const char *path, uint32_t mask), (fd, path, mask))
TWO_NAMES_CALL(rename, (const char *path, const char *other), (path, other))
TWO_NAMES_CALL(renameat, (int folder, const char *path, int other_folder, const char *other),
               (folder, path, other_folder, other))
TWO_NAMES_CALL(renameat2,
               (int folder, const char *path, int other_folder, const char *other, unsigned flags),
               (folder, path, other_folder, other, flags))
TWO_NAMES_CALL(link, (const char *path, const char *other), (path, other))
TWO_NAMES_CALL(linkat,
               (int folder, const char *path, int other_folder, const char *other, int flags),
               (folder, path, other_folder, other, flags))
TWO_NAMES_CALL(symlink, (const char *path, const char *other), (path, other))
TWO_NAMES_CALL(symlinkat, (const char *path, int folder, const char *other), (path, folder, other))

/* ---------------------------------------------------------------- attributes of files */

#define TELLS_OF_NAME(name, type)                                                                  \
    SYSTEM_CALL(int, name, (const char *path, type *to), (path, to), READS_NAME(path),             \
                WRITES_ONE(to))
#define TELLS_OF_FILE(name, type)                                                                  \
    SYSTEM_CALL(int, name, (int fd, type *to), (fd, to), NOTHING, WRITES_ONE(to))

TELLS_OF_NAME(stat, struct stat)
TELLS_OF_NAME(stat64, struct stat64)
TELLS_OF_NAME(lstat, struct stat)
TELLS_OF_NAME(lstat64, struct stat64)
TELLS_OF_FILE(fstat, struct stat)
TELLS_OF_FILE(fstat64, struct stat64)
SYSTEM_CALL(int, fstatat, (int folder, const char *path, struct stat *to, int flags),
            (folder, path, to, flags), READS_NAME(path), WRITES_ONE(to))
SYSTEM_CALL(int, fstatat64, (int folder, const char *path, struct stat64 *to, int flags),
            (folder, path, to, flags), READS_NAME(path), WRITES_ONE(to))
SYSTEM_CALL(int, statx, (int folder, const char *path, int flags, unsigned mask, struct statx *to),
            (folder, path, flags, mask, to), READS_NAME(path), WRITES_ONE(to))
/* Before glibc 2.33, stat and related functions were inline functions that called __xstat and
 * similar functions. */
SYSTEM_CALL(int, __xstat, (int version, const char *path, struct stat *to), (version, path, to),
            READS_NAME(path), WRITES_ONE(to))
SYSTEM_CALL(int, __xstat64, (int version, const char *path, struct stat64 *to), (version, path, to),
            READS_NAME(path), WRITES_ONE(to))
SYSTEM_CALL(int, __lxstat, (int version, const char *path, struct stat *to), (version, path, to),
            READS_NAME(path), WRITES_ONE(to))
SYSTEM_CALL(int, __lxstat64, (int version, const char *path, struct stat64 *to),
            (version, path, to), READS_NAME(path), WRITES_ONE(to))
SYSTEM_CALL(int, __fxstat, (int version, int fd, struct stat *to), (version, fd, to), NOTHING,
            WRITES_ONE(to))
SYSTEM_CALL(int, __fxstat64, (int version, int fd, struct stat64 *to), (version, fd, to), NOTHING,
            WRITES_ONE(to))
TELLS_OF_NAME(statfs, struct statfs)
TELLS_OF_NAME(statfs64, struct statfs64)
TELLS_OF_FILE(fstatfs, struct statfs)
TELLS_OF_FILE(fstatfs64, struct statfs64)
TELLS_OF_NAME(statvfs, struct statvfs)
TELLS_OF_NAME(statvfs64, struct statvfs64)
TELLS_OF_FILE(fstatvfs, struct statvfs)
TELLS_OF_FILE(fstatvfs64, struct statvfs64)

SYSTEM_CALL(ssize_t, readlink, (const char *path, char *to, size_t n), (path, to, n),
            READS_NAME(path), WRITES(to, result))
SYSTEM_CALL(ssize_t, readlinkat, (int folder, const char *path, char *to, size_t n),
            (folder, path, to, n), READS_NAME(path), WRITES(to, result))
SYSTEM_CALL(ssize_t, __readlink_chk, (const char *path, char *to, size_t n, size_t room),
            (path, to, n, room), READS_NAME(path), WRITES(to, result))
SYSTEM_CALL(ssize_t, __readlinkat_chk,
            (int folder, const char *path, char *to, size_t n, size_t room),
            (folder, path, to, n, room), READS_NAME(path), WRITES(to, result))

/* Records that the kernel has written a name and its zero byte. A name of NULL means that the call
 * has failed. */
static char *name_written(char *name)
{
    int error = errno;
    if (name)
        calls_write(name, interpose_string_bytes(name));
    errno = error;
    return name;
}

INTERPOSE(char *, getcwd, (char *to, size_t n))
{
    return name_written(REAL(getcwd)(to, n));
}

INTERPOSE(char *, __getcwd_chk, (char *to, size_t n, size_t room))
{
    return name_written(REAL(__getcwd_chk)(to, n, room));
}

INTERPOSE(char *, get_current_dir_name, (void))
{
    return name_written(REAL(get_current_dir_name)());
}

static char *resolved(const char *path, char *name)
{
    int error = errno;
    calls_read_name(path);
    errno = error;
    return name_written(name);
}

INTERPOSE(char *, realpath, (const char *path, char *to))
{
    return resolved(path, REAL(realpath)(path, to));
}

INTERPOSE(char *, __realpath_chk, (const char *path, char *to, size_t room))
{
    return resolved(path, REAL(__realpath_chk)(path, to, room));
}

INTERPOSE(char *, canonicalize_file_name, (const char *path))
{
    return resolved(path, REAL(canonicalize_file_name)(path));
}

/* ---------------------------------------------------------------- extended attributes */

#define WRITES_IF_ROOM(to, n) WRITES((n) ? (to) : NULL, result)

#define ATTRIBUTE_CALLS(suffix, first_type, file, reads_file)                                      \
    SYSTEM_CALL(ssize_t, suffix##getxattr,                                                         \
                (first_type file, const char *name, void *to, size_t n), (file, name, to, n),      \
                reads_file;                                                                        \
                READS_NAME(name), WRITES_IF_ROOM(to, n))                                           \
    SYSTEM_CALL(ssize_t, suffix##listxattr, (first_type file, char *to, size_t n), (file, to, n),  \
                reads_file, WRITES_IF_ROOM(to, n))                                                 \
    SYSTEM_CALL(int, suffix##setxattr,                                                             \
                (first_type file, const char *name, const void *from, size_t n, int flags),        \
                (file, name, from, n, flags), reads_file;                                          \
                READS_NAME(name); READS(from, n), NOTHING)                                         \
    SYSTEM_CALL(int, suffix##removexattr, (first_type file, const char *name), (file, name),       \
                reads_file;                                                                        \
                READS_NAME(name), NOTHING)

ATTRIBUTE_CALLS(, const char *, path, READS_NAME(path))
ATTRIBUTE_CALLS(l, const char *, path, READS_NAME(path))
ATTRIBUTE_CALLS(f, int, fd, NOTHING)

/* ---------------------------------------------------------------- times of files */

SYSTEM_CALL(int, utime, (const char *path, const struct utimbuf *times), (path, times),
            READS_NAME(path);
            READS_ONE(times), NOTHING)
SYSTEM_CALL(int, utimes, (const char *path, const struct timeval *times), (path, times),
            READS_NAME(path);
            READS(times, 2 * sizeof *times), NOTHING)
SYSTEM_CALL(int, lutimes, (const char *path, const struct timeval *times), (path, times),
            READS_NAME(path);
            READS(times, 2 * sizeof *times), NOTHING)
SYSTEM_CALL(int, futimes, (int fd, const struct timeval *times), (fd, times),
            READS(times, 2 * sizeof *times), NOTHING)
SYSTEM_CALL(int, utimensat, (int folder, const char *path, const struct timespec *times, int flags),
            (folder, path, times, flags), READS_NAME(path);
            READS(times, 2 * sizeof *times), NOTHING)
SYSTEM_CALL(int, futimens, (int fd, const struct timespec *times), (fd, times),
            READS(times, 2 * sizeof *times), NOTHING)

/* ---------------------------------------------------------------- fcntl and ioctl */

static void count_lock(int command, void *argument, bool failed)
{
    switch (command) {
    case F_GETLK:
    case F_OFD_GETLK:
        calls_read(argument, sizeof(struct flock));
        if (!failed)
            calls_write(argument, sizeof(struct flock));
        break;
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
        calls_read(argument, sizeof(struct flock));
    }
}

#define CONTROLS(name)                                                                             \
    INTERPOSE(int, name, (int fd, int command, ...))                                               \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, command);                                                                   \
        void *argument = va_arg(list, void *);                                                     \
        va_end(list);                                                                              \
        watch_thread_sync();                                                                       \
        int result = REAL(name)(fd, command, argument), error = errno;                             \
        if (result != -1 || error != EFAULT)                                                       \
            count_lock(command, argument, result == -1);                                           \
        errno = error;                                                                             \
        return result;                                                                             \
    }

CONTROLS(fcntl)
CONTROLS(fcntl64)

/* Requests of ioctl that do not encode the transferred data in their numbers. */
static const struct {
    unsigned long request;
    uint16_t reads, writes; /* number of bytes that the kernel reads and writes */
} old_requests[] = {
    {TCGETS, 0, 36},
    {TCSETS, 36, 0},
    {TCSETSW, 36, 0},
    {TCSETSF, 36, 0},
    {TIOCGWINSZ, 0, sizeof(struct winsize)},
    {TIOCSWINSZ, sizeof(struct winsize), 0},
    {TIOCGPGRP, 0, sizeof(pid_t)},
    {TIOCSPGRP, sizeof(pid_t), 0},
    {FIONREAD, 0, sizeof(int)},
    {FIONBIO, sizeof(int), 0},
    {FIOASYNC, sizeof(int), 0},
    {TIOCOUTQ, 0, sizeof(int)},
};

/* Counts the data of a request of ioctl. Newer request numbers contain the direction and the number
 * of bytes of the transfer. */
static void count_request(unsigned long request, void *argument, bool failed)
{
    size_t reads = 0, writes = 0;
    if (request >> _IOC_SIZESHIFT) {
        reads = request >> _IOC_DIRSHIFT & _IOC_WRITE ? _IOC_SIZE(request) : 0;
        writes = request >> _IOC_DIRSHIFT & _IOC_READ ? _IOC_SIZE(request) : 0;
    }
    for (size_t i = 0; i < sizeof old_requests / sizeof *old_requests; i++)
        if (old_requests[i].request == request) {
            reads = old_requests[i].reads;
            writes = old_requests[i].writes;
        }
    calls_read(argument, reads);
    if (!failed)
        calls_write(argument, writes);
}

INTERPOSE(int, ioctl, (int fd, unsigned long request, ...))
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    watch_thread_sync();
    int result = REAL(ioctl)(fd, request, argument), error = errno;
    if (result != -1 || error != EFAULT)
        count_request(request, argument, result == -1);
    errno = error;
    return result;
}
