/* Tables of system calls' accesses to the program's memory; macros make wrappers from them.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A wrapper is one line of a table: result type, name, parameters, arguments, and the memory that
 * the kernel reads and writes, in that order.
 *
 *     SYSTEM_CALL(ssize_t, read, (int fd, void *buffer, size_t n), (fd, buffer, n),
 *                 NOTHING, WRITES(buffer, result))
 *
 * The wrappers count the same accesses as the Valgrind tool. Only data that the call has
 * transferred are counted; a failed call transfers no data. Names and structures that are passed to
 * the kernel are counted even if the call failed, unless they could not be read (EFAULT). The
 * kernel's reads are recorded before its writes. errno and cancellation points are the same as for
 * the library's function. Before a call that may notify another thread, the time of the execution
 * context is advanced (watch_thread_sync).
 *
 * An expression may use the parameters and `result`; in WRITES, `result` is never -1. Pointers may
 * be NULL.
 */
#ifndef NATIVE_TRMS_INTERPOSE_INTERPOSE_CALLS_H
#define NATIVE_TRMS_INTERPOSE_INTERPOSE_CALLS_H

#include "native/trms/interpose/interpose.h"

#include <sys/uio.h>

#define SYSTEM_CALL(type, name, parameters, arguments, reads, writes)                              \
    SYSTEM_CALL_AFTER(NOTHING, type, name, parameters, arguments, reads, writes)

/* Like SYSTEM_CALL, with an additional declaration that is evaluated before the call. */
#define SYSTEM_CALL_AFTER(before, type, name, parameters, arguments, reads, writes)                \
    INTERPOSE(type, name, parameters)                                                              \
    {                                                                                              \
        before;                                                                                    \
        watch_thread_sync();                                                                       \
        type result = REAL(name) arguments;                                                        \
        int error = errno;                                                                         \
        bool failed = result == (type)-1;                                                          \
        if (!failed || error != EFAULT) {                                                          \
            reads;                                                                                 \
        }                                                                                          \
        if (!failed) {                                                                             \
            writes;                                                                                \
        }                                                                                          \
        errno = error;                                                                             \
        return result;                                                                             \
    }

#define NOTHING (void)0

/* Accesses to the program's memory: an address, and the number of bytes. */
#define WRITES(to, bytes)   calls_write((to), (size_t)(bytes))
#define READS(from, bytes)  calls_read((from), (size_t)(bytes))
#define READS_DATA(from, n) (failed ? (void)0 : calls_read((from), (size_t)(n)))

/* Accesses to one object of the pointer's type, and to a name with its zero byte. */
#define WRITES_ONE(to)   calls_write((to), sizeof *(to))
#define READS_ONE(from)  calls_read((from), sizeof *(from))
#define READS_NAME(from) calls_read_name(from)

/* Accesses to the buffers of an array of iovec; the array itself is read completely. */
#define WRITES_VECTOR(vector, n) calls_write_vector((vector), (size_t)(n), (size_t)(result))
#define READS_ARRAY(array, n)    calls_read((array), (size_t)(n) * sizeof *(array))
#define READS_DATA_VECTOR(vector, n)                                                               \
    (failed ? (void)0 : calls_read_vector((vector), (size_t)(n), (size_t)(result)))

APROF_INLINE void calls_write(const volatile void *to, size_t bytes)
{
    if (to)
        watch_kernel_write((uintptr_t)to, bytes);
}

APROF_INLINE void calls_read(const volatile void *from, size_t bytes)
{
    if (from)
        watch_kernel_read((uintptr_t)from, bytes);
}

APROF_INLINE void calls_read_name(const char *name)
{
    if (name)
        watch_kernel_read((uintptr_t)name, interpose_string_bytes(name));
}

/* Records accesses to the first `bytes` bytes of the buffers. */
APROF_INLINE void calls_vector(const struct iovec *vector, size_t n, size_t bytes,
                               void (*report)(uintptr_t, size_t))
{
    for (size_t i = 0; i < n && bytes; i++) {
        size_t here = interpose_smaller(bytes, vector[i].iov_len);
        report((uintptr_t)vector[i].iov_base, here);
        bytes -= here;
    }
}

static inline void calls_write_vector(const struct iovec *vector, size_t n, size_t bytes)
{
    calls_vector(vector, n, bytes, watch_kernel_write);
}

static inline void calls_read_vector(const struct iovec *vector, size_t n, size_t bytes)
{
    calls_vector(vector, n, bytes, watch_kernel_read);
}

#endif
