/* System calls that change the address space; mapped files are external input.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that is mapped without a file counts as never accessed. Each unmapping is recorded before
 * it happens. Otherwise, another thread could map the same addresses before the unmapping is
 * recorded.
 */
#define _GNU_SOURCE
#include "native/trms/interpose/interpose_calls.h"
#include "ground/pages.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

static bool on_a_page(const void *address)
{
    return ((uintptr_t)address & 4095) == 0;
}

/* ---------------------------------------------------------------- mmap */

static void *mapped(void *address, size_t bytes, int flags)
{
    int error = errno;
    if (address != MAP_FAILED && (flags & MAP_ANONYMOUS))
        watch_forget((uintptr_t)address, pages_bytes(bytes));
    else if (address != MAP_FAILED)
        watch_map_file((uintptr_t)address, pages_bytes(bytes));
    errno = error;
    return address;
}

INTERPOSE(void *, mmap, (void *at, size_t bytes, int protection, int flags, int fd, off_t offset))
{
    return mapped(REAL(mmap)(at, bytes, protection, flags, fd, offset), bytes, flags);
}

INTERPOSE(void *, mmap64,
          (void *at, size_t bytes, int protection, int flags, int fd, off64_t offset))
{
    return mapped(REAL(mmap64)(at, bytes, protection, flags, fd, offset), bytes, flags);
}

INTERPOSE(int, munmap, (void *at, size_t bytes))
{
    if (on_a_page(at) && bytes)
        watch_forget((uintptr_t)at, pages_bytes(bytes));
    return REAL(munmap)(at, bytes);
}

/* Records moved memory, which counts as written by this thread at its new address. */
static void moved(uintptr_t from, size_t old_bytes, uintptr_t to, size_t bytes)
{
    size_t kept = interpose_smaller(old_bytes, bytes);
    if (bytes > kept)
        watch_forget(to + kept, bytes - kept);
    if (to == from) {
        if (old_bytes > kept)
            watch_forget(from + kept, old_bytes - kept);
        return;
    }
    watch_forget(to, kept);
    watch_access(to, kept, WATCH_WRITE);
    watch_forget(from, old_bytes);
}

INTERPOSE(void *, mremap, (void *at, size_t old_bytes, size_t bytes, int flags, ...))
{
    va_list list;
    va_start(list, flags);
    void *fixed = flags & MREMAP_FIXED ? va_arg(list, void *) : NULL;
    va_end(list);
    void *to = REAL(mremap)(at, old_bytes, bytes, flags, fixed);
    int error = errno;
    if (to != MAP_FAILED)
        moved((uintptr_t)at, pages_bytes(old_bytes), (uintptr_t)to, pages_bytes(bytes));
    errno = error;
    return to;
}

INTERPOSE(int, madvise, (void *at, size_t bytes, int advice))
{
    if (advice == MADV_DONTNEED && on_a_page(at))
        watch_forget((uintptr_t)at, pages_bytes(bytes));
    return REAL(madvise)(at, bytes, advice);
}

/* A direct-mapped shadow is larger than the machine's memory, so mlockall returns success without
 * locking the shadow. */
INTERPOSE(int, mlockall, (int flags))
{
    return trms_direct_shadows_exist() ? 0 : REAL(mlockall)(flags);
}

/* ---------------------------------------------------------------- other ways */

INTERPOSE(void *, shmat, (int memory, const void *at, int flags))
{
    struct shmid_ds data;
    void *address = REAL(shmat)(memory, at, flags);
    int error = errno;
    if (address != (void *)-1 && shmctl(memory, IPC_STAT, &data) == 0)
        watch_forget((uintptr_t)address, pages_bytes(data.shm_segsz));
    errno = error;
    return address;
}

/* Memory between the old and the new end of the heap counts as never accessed. */
static void end_moved(uintptr_t from, uintptr_t to)
{
    if (from < to)
        watch_forget(from, to - from);
    else
        watch_forget(to, from - to);
}

INTERPOSE(void *, sbrk, (intptr_t bytes))
{
    void *from = REAL(sbrk)(bytes);
    if (from != (void *)-1 && bytes)
        end_moved((uintptr_t)from, (uintptr_t)from + (uintptr_t)bytes);
    return from;
}

INTERPOSE(int, brk, (void *to))
{
    uintptr_t from = (uintptr_t)sbrk(0);
    int result = REAL(brk)(to);
    if (result == 0)
        end_moved(from, (uintptr_t)to);
    return result;
}
