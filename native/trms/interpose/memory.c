/* Interposes mem* and similar functions; their reads and writes are recorded for the caller.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each function records the bytes that its specification requires. For example, memchr records the
 * bytes up to the match, and memcmp the bytes up to the first difference. If the compiler expands a
 * call to loads and stores, hooks record these loads and stores instead.
 */
#include "native/trms/interpose/interpose.h"

static void count_copy(uintptr_t caller, const void *to, const void *from, size_t bytes)
{
    if (!interpose_counts(caller))
        return;
    interpose_reads(from, bytes);
    interpose_writes(to, bytes);
}

static void count_fill(uintptr_t caller, const void *to, size_t bytes)
{
    if (interpose_counts(caller))
        interpose_writes(to, bytes);
}

/* Records the bytes that a search has read. The search began at `from`; it ended at `hit`, or found
 * nothing in `bytes` bytes if `hit` is NULL. */
static void count_search(uintptr_t caller, const void *from, const void *hit, size_t bytes)
{
    if (interpose_counts(caller))
        interpose_reads(from, hit ? (size_t)((const char *)hit - (const char *)from) + 1 : bytes);
}

/* ---------------------------------------------------------------- copies */

/* Accesses are recorded after the call, so that invalid arguments crash in the library's function
 * and not in the runtime. */
#define COPIES(name, parameters, arguments)                                                        \
    INTERPOSE(void *, name, parameters)                                                            \
    {                                                                                              \
        void *result = REAL(name) arguments;                                                       \
        count_copy(CALLER, to, from, bytes);                                                       \
        return result;                                                                             \
    }

COPIES(memcpy, (void *to, const void *from, size_t bytes), (to, from, bytes))
COPIES(memmove, (void *to, const void *from, size_t bytes), (to, from, bytes))
COPIES(mempcpy, (void *to, const void *from, size_t bytes), (to, from, bytes))
COPIES(__mempcpy, (void *to, const void *from, size_t bytes), (to, from, bytes))
COPIES(__memcpy_chk, (void *to, const void *from, size_t bytes, size_t room),
       (to, from, bytes, room))
COPIES(__memmove_chk, (void *to, const void *from, size_t bytes, size_t room),
       (to, from, bytes, room))
COPIES(__mempcpy_chk, (void *to, const void *from, size_t bytes, size_t room),
       (to, from, bytes, room))

INTERPOSE(void, bcopy, (const void *from, void *to, size_t bytes))
{
    REAL(bcopy)(from, to, bytes);
    count_copy(CALLER, to, from, bytes);
}

INTERPOSE(void *, memccpy, (void *to, const void *from, int byte, size_t bytes))
{
    char *end = REAL(memccpy)(to, from, byte, bytes);
    count_copy(CALLER, to, from, end ? (size_t)(end - (char *)to) : bytes);
    return end;
}

INTERPOSE(void, swab, (const void *from, void *to, ssize_t bytes))
{
    REAL(swab)(from, to, bytes);
    if (bytes > 1)
        count_copy(CALLER, to, from, (size_t)bytes & ~(size_t)1);
}

/* ---------------------------------------------------------------- fills */

INTERPOSE(void *, memset, (void *to, int byte, size_t bytes))
{
    void *result = REAL(memset)(to, byte, bytes);
    count_fill(CALLER, to, bytes);
    return result;
}

INTERPOSE(void *, __memset_chk, (void *to, int byte, size_t bytes, size_t room))
{
    void *result = REAL(__memset_chk)(to, byte, bytes, room);
    count_fill(CALLER, to, bytes);
    return result;
}

INTERPOSE(void, bzero, (void *to, size_t bytes))
{
    REAL(bzero)(to, bytes);
    count_fill(CALLER, to, bytes);
}

INTERPOSE(void, explicit_bzero, (void *to, size_t bytes))
{
    REAL(explicit_bzero)(to, bytes);
    count_fill(CALLER, to, bytes);
}

INTERPOSE(void, __explicit_bzero_chk, (void *to, size_t bytes, size_t room))
{
    REAL(__explicit_bzero_chk)(to, bytes, room);
    count_fill(CALLER, to, bytes);
}

/* ---------------------------------------------------------------- comparisons */

/* Returns the number of bytes up to and including the first difference, or `bytes` if there is no
 * difference. */
static size_t equal_bytes(const char *a, const char *b, size_t bytes)
{
    size_t n = 0;
    for (; n + sizeof(uint64_t) <= bytes; n += sizeof(uint64_t)) {
        uint64_t x, y;
        __builtin_memcpy(&x, a + n, sizeof x);
        __builtin_memcpy(&y, b + n, sizeof y);
        if (x != y)
            break;
    }
    while (n < bytes && a[n] == b[n])
        n++;
    return n < bytes ? n + 1 : bytes;
}

static void count_comparison(uintptr_t caller, const void *a, const void *b, size_t bytes,
                             int result)
{
    if (!interpose_counts(caller))
        return;
    size_t n = result ? equal_bytes(a, b, bytes) : bytes;
    interpose_reads(a, n);
    interpose_reads(b, n);
}

INTERPOSE(int, memcmp, (const void *a, const void *b, size_t bytes))
{
    int result = REAL(memcmp)(a, b, bytes);
    count_comparison(CALLER, a, b, bytes, result);
    return result;
}

INTERPOSE(int, bcmp, (const void *a, const void *b, size_t bytes))
{
    int result = REAL(bcmp)(a, b, bytes);
    count_comparison(CALLER, a, b, bytes, result);
    return result;
}

#if __GLIBC_PREREQ(2, 35)
INTERPOSE(int, __memcmpeq, (const void *a, const void *b, size_t bytes))
{
    int result = REAL(__memcmpeq)(a, b, bytes);
    count_comparison(CALLER, a, b, bytes, result);
    return result;
}
#endif

/* ---------------------------------------------------------------- searches */

INTERPOSE(void *, memchr, (const void *from, int byte, size_t bytes))
{
    void *hit = REAL(memchr)(from, byte, bytes);
    count_search(CALLER, from, hit, bytes);
    return hit;
}

INTERPOSE(void *, rawmemchr, (const void *from, int byte))
{
    void *hit = REAL(rawmemchr)(from, byte);
    count_search(CALLER, from, hit, 0);
    return hit;
}

INTERPOSE(void *, memrchr, (const void *from, int byte, size_t bytes))
{
    void *hit = REAL(memrchr)(from, byte, bytes);
    const char *first = hit ? hit : from;
    if (interpose_counts(CALLER))
        interpose_reads(first, (size_t)((const char *)from + bytes - first));
    return hit;
}

INTERPOSE(void *, memmem, (const void *from, size_t bytes, const void *part, size_t part_bytes))
{
    char *hit = REAL(memmem)(from, bytes, part, part_bytes);
    if (part_bytes && part_bytes <= bytes) {
        count_search(CALLER, from, hit ? hit + part_bytes - 1 : NULL, bytes);
        count_search(CALLER, part, NULL, part_bytes);
    }
    return hit;
}

/* ---------------------------------------------------------------- for the runtime itself */

NATIVE_HIDDEN void *interpose_plain_memcpy(void *to, const void *from, size_t bytes);
NATIVE_HIDDEN void *interpose_plain_memmove(void *to, const void *from, size_t bytes);
NATIVE_HIDDEN void *interpose_plain_memset(void *to, int byte, size_t bytes);

void *interpose_plain_memcpy(void *to, const void *from, size_t bytes)
{
    return REAL(memcpy)(to, from, bytes);
}

void *interpose_plain_memmove(void *to, const void *from, size_t bytes)
{
    return REAL(memmove)(to, from, bytes);
}

void *interpose_plain_memset(void *to, int byte, size_t bytes)
{
    return REAL(memset)(to, byte, bytes);
}
