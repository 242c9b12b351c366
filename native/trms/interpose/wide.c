/* Interposes wcs*, wmem* and conversions of wide and multibyte text, like strings.c and memory.c.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#define _GNU_SOURCE
#include "native/trms/interpose/interpose.h"

#include <wchar.h>

static void reads(const wchar_t *from, size_t n)
{
    interpose_reads(from, n * sizeof *from);
}

static void writes(const wchar_t *to, size_t n)
{
    interpose_writes(to, n * sizeof *to);
}

/* Returns the number of characters, including the terminating null character. */
static size_t characters(const wchar_t *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return n + 1;
}

static size_t characters_within(const wchar_t *text, size_t limit)
{
    size_t n = 0;
    while (n < limit && text[n])
        n++;
    return n < limit ? n + 1 : limit;
}

/* ---------------------------------------------------------------- arrays */

static void count_copy(uintptr_t caller, const wchar_t *to, const wchar_t *from, size_t n)
{
    if (!interpose_counts(caller))
        return;
    reads(from, n);
    writes(to, n);
}

#define COPIES(name, parameters, arguments)                                                        \
    INTERPOSE(wchar_t *, name, parameters)                                                         \
    {                                                                                              \
        wchar_t *result = REAL(name) arguments;                                                    \
        count_copy(CALLER, to, from, n);                                                           \
        return result;                                                                             \
    }

COPIES(wmemcpy, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n))
COPIES(wmemmove, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n))
COPIES(wmempcpy, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n))
COPIES(__wmemcpy_chk, (wchar_t * to, const wchar_t *from, size_t n, size_t room),
       (to, from, n, room))
COPIES(__wmemmove_chk, (wchar_t * to, const wchar_t *from, size_t n, size_t room),
       (to, from, n, room))

INTERPOSE(wchar_t *, wmemset, (wchar_t * to, wchar_t character, size_t n))
{
    wchar_t *result = REAL(wmemset)(to, character, n);
    if (interpose_counts(CALLER))
        writes(to, n);
    return result;
}

INTERPOSE(wchar_t *, wmemchr, (const wchar_t *from, wchar_t character, size_t n))
{
    wchar_t *hit = REAL(wmemchr)(from, character, n);
    if (interpose_counts(CALLER))
        reads(from, hit ? (size_t)(hit - from) + 1 : n);
    return hit;
}

static size_t equal_characters(const wchar_t *a, const wchar_t *b, size_t limit)
{
    size_t n = 0;
    while (n < limit && a[n] == b[n])
        n++;
    return n < limit ? n + 1 : limit;
}

INTERPOSE(int, wmemcmp, (const wchar_t *a, const wchar_t *b, size_t n))
{
    int result = REAL(wmemcmp)(a, b, n);
    if (interpose_counts(CALLER)) {
        size_t equal = equal_characters(a, b, n);
        reads(a, equal);
        reads(b, equal);
    }
    return result;
}

/* ---------------------------------------------------------------- strings */

INTERPOSE(size_t, wcslen, (const wchar_t *text))
{
    size_t length = REAL(wcslen)(text);
    if (interpose_counts(CALLER))
        reads(text, length + 1);
    return length;
}

INTERPOSE(size_t, wcsnlen, (const wchar_t *text, size_t limit))
{
    size_t length = REAL(wcsnlen)(text, limit);
    if (interpose_counts(CALLER))
        reads(text, length < limit ? length + 1 : limit);
    return length;
}

INTERPOSE(wchar_t *, wcscpy, (wchar_t * to, const wchar_t *from))
{
    wchar_t *result = REAL(wcscpy)(to, from);
    count_copy(CALLER, to, from, characters(to));
    return result;
}

INTERPOSE(wchar_t *, wcpcpy, (wchar_t * to, const wchar_t *from))
{
    wchar_t *result = REAL(wcpcpy)(to, from);
    count_copy(CALLER, to, from, characters(to));
    return result;
}

INTERPOSE(wchar_t *, wcsncpy, (wchar_t * to, const wchar_t *from, size_t n))
{
    wchar_t *result = REAL(wcsncpy)(to, from, n);
    if (interpose_counts(CALLER)) {
        reads(from, characters_within(to, n));
        writes(to, n);
    }
    return result;
}

static void count_append(uintptr_t caller, const wchar_t *to, size_t length, const wchar_t *from,
                         size_t limit)
{
    if (!interpose_counts(caller))
        return;
    size_t added = characters(to + length);
    reads(to, length + 1);
    reads(from, interpose_smaller(added, limit));
    writes(to + length, added);
}

INTERPOSE(wchar_t *, wcscat, (wchar_t * to, const wchar_t *from))
{
    size_t length = characters(to) - 1;
    wchar_t *result = REAL(wcscat)(to, from);
    count_append(CALLER, to, length, from, SIZE_MAX);
    return result;
}

INTERPOSE(wchar_t *, wcsncat, (wchar_t * to, const wchar_t *from, size_t n))
{
    size_t length = characters(to) - 1;
    wchar_t *result = REAL(wcsncat)(to, from, n);
    count_append(CALLER, to, length, from, n);
    return result;
}

INTERPOSE(wchar_t *, wcsdup, (const wchar_t *from))
{
    wchar_t *result = REAL(wcsdup)(from);
    if (result)
        count_copy(CALLER, result, from, characters(result));
    return result;
}

static size_t common_characters(const wchar_t *a, const wchar_t *b, size_t limit)
{
    size_t n = 0;
    while (n < limit && a[n] && a[n] == b[n])
        n++;
    return n < limit ? n + 1 : limit;
}

static void count_comparison(uintptr_t caller, const wchar_t *a, const wchar_t *b, size_t limit)
{
    if (!interpose_counts(caller))
        return;
    size_t n = common_characters(a, b, limit);
    reads(a, n);
    reads(b, n);
}

INTERPOSE(int, wcscmp, (const wchar_t *a, const wchar_t *b))
{
    int result = REAL(wcscmp)(a, b);
    count_comparison(CALLER, a, b, SIZE_MAX);
    return result;
}

INTERPOSE(int, wcsncmp, (const wchar_t *a, const wchar_t *b, size_t n))
{
    int result = REAL(wcsncmp)(a, b, n);
    count_comparison(CALLER, a, b, n);
    return result;
}

INTERPOSE(wchar_t *, wcschr, (const wchar_t *text, wchar_t character))
{
    wchar_t *hit = REAL(wcschr)(text, character);
    if (interpose_counts(CALLER))
        reads(text, hit ? (size_t)(hit - text) + 1 : characters(text));
    return hit;
}

INTERPOSE(wchar_t *, wcsrchr, (const wchar_t *text, wchar_t character))
{
    wchar_t *hit = REAL(wcsrchr)(text, character);
    if (interpose_counts(CALLER))
        reads(text, characters(text));
    return hit;
}

INTERPOSE(wchar_t *, wcsstr, (const wchar_t *text, const wchar_t *part))
{
    wchar_t *hit = REAL(wcsstr)(text, part);
    if (interpose_counts(CALLER)) {
        size_t n = characters(part);
        reads(part, n);
        reads(text, hit ? (size_t)(hit - text) + n - 1 : characters(text));
    }
    return hit;
}

/* ---------------------------------------------------------------- conversions */

/* `result` is the number of characters or bytes without the terminating null; the null is stored in
 * `to` if it fits. */
INTERPOSE(size_t, mbstowcs, (wchar_t * to, const char *from, size_t room))
{
    size_t result = REAL(mbstowcs)(to, from, room);
    if (to && result != (size_t)-1 && interpose_counts(CALLER)) {
        if (result < room)
            interpose_reads(from, interpose_string_bytes(from));
        writes(to, interpose_smaller(result + 1, room));
    }
    return result;
}

INTERPOSE(size_t, wcstombs, (char *to, const wchar_t *from, size_t room))
{
    size_t result = REAL(wcstombs)(to, from, room);
    if (to && result != (size_t)-1 && interpose_counts(CALLER)) {
        if (result < room)
            reads(from, characters(from));
        interpose_writes(to, interpose_smaller(result + 1, room));
    }
    return result;
}

INTERPOSE(size_t, mbrtowc, (wchar_t * to, const char *from, size_t n, mbstate_t *state))
{
    size_t result = REAL(mbrtowc)(to, from, n, state);
    if (from && result <= n && interpose_counts(CALLER)) {
        interpose_reads(from, result ? result : 1);
        if (to)
            writes(to, 1);
    }
    return result;
}
