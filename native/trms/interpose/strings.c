/* Interposes str* and similar functions; their reads and writes are recorded for the caller.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A string is read up to the byte that determines the result: its end, the byte searched for, or
 * the first difference. The number `bytes` of a string includes its zero byte.
 */
#include "native/trms/interpose/interpose.h"

/* Returns the distance between two pointers into one string. */
static size_t distance(const char *from, const char *to)
{
    return (size_t)(to - from);
}

/* Like interpose_string_bytes, but reads at most `limit` bytes. */
static size_t bytes_within(const char *text, size_t limit)
{
    size_t n = 0;
    while (n < limit && text[n])
        n++;
    return n < limit ? n + 1 : limit;
}

static void read_string(const char *text)
{
    interpose_reads(text, interpose_string_bytes(text));
}

/* ---------------------------------------------------------------- lengths */

INTERPOSE(size_t, strlen, (const char *text))
{
    size_t length = REAL(strlen)(text);
    if (interpose_counts(CALLER))
        interpose_reads(text, length + 1);
    return length;
}

INTERPOSE(size_t, strnlen, (const char *text, size_t limit))
{
    size_t length = REAL(strnlen)(text, limit);
    if (interpose_counts(CALLER))
        interpose_reads(text, length < limit ? length + 1 : limit);
    return length;
}

/* ---------------------------------------------------------------- copies */

static void count_copy(uintptr_t caller, const char *to, const char *from)
{
    if (!interpose_counts(caller))
        return;
    size_t bytes = interpose_string_bytes(to); /* `from` may overlap the written part */
    interpose_reads(from, bytes);
    interpose_writes(to, bytes);
}

#define COPIES(name, parameters, arguments)                                                        \
    INTERPOSE(char *, name, parameters)                                                            \
    {                                                                                              \
        char *result = REAL(name) arguments;                                                       \
        count_copy(CALLER, to, from);                                                              \
        return result;                                                                             \
    }

COPIES(strcpy, (char *to, const char *from), (to, from))
COPIES(stpcpy, (char *to, const char *from), (to, from))
COPIES(__stpcpy, (char *to, const char *from), (to, from))
COPIES(__strcpy_chk, (char *to, const char *from, size_t room), (to, from, room))
COPIES(__stpcpy_chk, (char *to, const char *from, size_t room), (to, from, room))

/* Counts a copy of a string; the rest of the `bytes` bytes is filled with zeros. */
static void count_padded_copy(uintptr_t caller, const char *to, const char *from, size_t bytes)
{
    if (!interpose_counts(caller))
        return;
    interpose_reads(from, bytes_within(to, bytes));
    interpose_writes(to, bytes);
}

#define PADDED_COPIES(name, parameters, arguments)                                                 \
    INTERPOSE(char *, name, parameters)                                                            \
    {                                                                                              \
        char *result = REAL(name) arguments;                                                       \
        count_padded_copy(CALLER, to, from, bytes);                                                \
        return result;                                                                             \
    }

PADDED_COPIES(strncpy, (char *to, const char *from, size_t bytes), (to, from, bytes))
PADDED_COPIES(stpncpy, (char *to, const char *from, size_t bytes), (to, from, bytes))
PADDED_COPIES(__strncpy_chk, (char *to, const char *from, size_t bytes, size_t room),
              (to, from, bytes, room))
PADDED_COPIES(__stpncpy_chk, (char *to, const char *from, size_t bytes, size_t room),
              (to, from, bytes, room))

/* Counts the accesses of an append: `to` is read to its end, and `from`, which may lack a zero
 * byte, is copied there. `length` is the previous length of `to`. */
static void count_append(uintptr_t caller, const char *to, size_t length, const char *from,
                         size_t limit)
{
    if (!interpose_counts(caller))
        return;
    size_t bytes = interpose_string_bytes(to + length);
    interpose_reads(to, length + 1);
    interpose_reads(from, interpose_smaller(bytes, limit));
    interpose_writes(to + length, bytes);
}

#define APPENDS(name, parameters, arguments, limit)                                                \
    INTERPOSE(char *, name, parameters)                                                            \
    {                                                                                              \
        size_t length = interpose_string_bytes(to) - 1;                                            \
        char *result = REAL(name) arguments;                                                       \
        count_append(CALLER, to, length, from, limit);                                             \
        return result;                                                                             \
    }

APPENDS(strcat, (char *to, const char *from), (to, from), SIZE_MAX)
APPENDS(__strcat_chk, (char *to, const char *from, size_t room), (to, from, room), SIZE_MAX)
APPENDS(strncat, (char *to, const char *from, size_t bytes), (to, from, bytes), bytes)
APPENDS(__strncat_chk, (char *to, const char *from, size_t bytes, size_t room),
        (to, from, bytes, room), bytes)

#define DUPLICATES(name, parameters, arguments, limit)                                             \
    INTERPOSE(char *, name, parameters)                                                            \
    {                                                                                              \
        char *result = REAL(name) arguments;                                                       \
        if (result && interpose_counts(CALLER)) {                                                  \
            size_t bytes = interpose_string_bytes(result);                                         \
            interpose_reads(from, interpose_smaller(bytes, limit));                                \
            interpose_writes(result, bytes);                                                       \
        }                                                                                          \
        return result;                                                                             \
    }

DUPLICATES(strdup, (const char *from), (from), SIZE_MAX)
DUPLICATES(__strdup, (const char *from), (from), SIZE_MAX)
DUPLICATES(strndup, (const char *from, size_t bytes), (from, bytes), bytes)
DUPLICATES(__strndup, (const char *from, size_t bytes), (from, bytes), bytes)

/* ---------------------------------------------------------------- comparisons */

/* Converts a byte to lower case like functions that ignore case, in the locale "C" and in locales
 * with the same rules. */
static unsigned char folded(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static size_t common_bytes(const char *a, const char *b, size_t limit)
{
    size_t n = 0;
    while (n < limit && a[n] && a[n] == b[n])
        n++;
    return n < limit ? n + 1 : limit;
}

static size_t common_folded_bytes(const char *a, const char *b, size_t limit)
{
    size_t n = 0;
    while (n < limit && a[n] && folded(a[n]) == folded(b[n]))
        n++;
    return n < limit ? n + 1 : limit;
}

#define COMPARES(name, parameters, arguments, common, limit)                                       \
    INTERPOSE(int, name, parameters)                                                               \
    {                                                                                              \
        int result = REAL(name) arguments;                                                         \
        if (interpose_counts(CALLER)) {                                                            \
            size_t bytes = common(a, b, limit);                                                    \
            interpose_reads(a, bytes);                                                             \
            interpose_reads(b, bytes);                                                             \
        }                                                                                          \
        return result;                                                                             \
    }

COMPARES(strcmp, (const char *a, const char *b), (a, b), common_bytes, SIZE_MAX)
COMPARES(strncmp, (const char *a, const char *b, size_t bytes_most), (a, b, bytes_most),
         common_bytes, bytes_most)
COMPARES(strcasecmp, (const char *a, const char *b), (a, b), common_folded_bytes, SIZE_MAX)
COMPARES(strncasecmp, (const char *a, const char *b, size_t bytes_most), (a, b, bytes_most),
         common_folded_bytes, bytes_most)
COMPARES(strverscmp, (const char *a, const char *b), (a, b), common_bytes, SIZE_MAX)

INTERPOSE(int, strcoll, (const char *a, const char *b))
{
    int result = REAL(strcoll)(a, b);
    if (interpose_counts(CALLER)) {
        read_string(a);
        read_string(b);
    }
    return result;
}

INTERPOSE(size_t, strxfrm, (char *to, const char *from, size_t room))
{
    size_t length = REAL(strxfrm)(to, from, room);
    if (interpose_counts(CALLER)) {
        read_string(from);
        if (length < room)
            interpose_writes(to, length + 1);
    }
    return length;
}

/* ---------------------------------------------------------------- searches */

/* Counts a search. `end` is the last byte that was read; NULL means the string's end. */
static void count_search(uintptr_t caller, const char *text, const char *end)
{
    if (interpose_counts(caller))
        interpose_reads(text, end ? distance(text, end) + 1 : interpose_string_bytes(text));
}

INTERPOSE(char *, strchr, (const char *text, int byte))
{
    char *hit = REAL(strchr)(text, byte);
    count_search(CALLER, text, hit);
    return hit;
}

INTERPOSE(char *, index, (const char *text, int byte))
{
    char *hit = REAL(index)(text, byte);
    count_search(CALLER, text, hit);
    return hit;
}

INTERPOSE(char *, strchrnul, (const char *text, int byte))
{
    char *hit = REAL(strchrnul)(text, byte);
    count_search(CALLER, text, hit);
    return hit;
}

INTERPOSE(char *, strrchr, (const char *text, int byte))
{
    count_search(CALLER, text, NULL);
    return REAL(strrchr)(text, byte);
}

INTERPOSE(char *, rindex, (const char *text, int byte))
{
    count_search(CALLER, text, NULL);
    return REAL(rindex)(text, byte);
}

/* Counts a search for a substring. If the substring was not found, the whole string was read. */
static void count_part(uintptr_t caller, const char *text, const char *part, const char *hit)
{
    size_t part_bytes = interpose_string_bytes(part);
    if (!interpose_counts(caller))
        return;
    interpose_reads(part, part_bytes);
    if (hit)
        interpose_reads(text, distance(text, hit) + part_bytes - 1);
    else
        read_string(text);
}

INTERPOSE(char *, strstr, (const char *text, const char *part))
{
    char *hit = REAL(strstr)(text, part);
    count_part(CALLER, text, part, hit);
    return hit;
}

INTERPOSE(char *, strcasestr, (const char *text, const char *part))
{
    char *hit = REAL(strcasestr)(text, part);
    count_part(CALLER, text, part, hit);
    return hit;
}

/* ---------------------------------------------------------------- sets of bytes */

INTERPOSE(size_t, strspn, (const char *text, const char *set))
{
    size_t length = REAL(strspn)(text, set);
    count_search(CALLER, text, text + length);
    count_search(CALLER, set, NULL);
    return length;
}

INTERPOSE(size_t, strcspn, (const char *text, const char *set))
{
    size_t length = REAL(strcspn)(text, set);
    count_search(CALLER, text, text + length);
    count_search(CALLER, set, NULL);
    return length;
}

INTERPOSE(char *, strpbrk, (const char *text, const char *set))
{
    char *hit = REAL(strpbrk)(text, set);
    count_search(CALLER, text, hit);
    count_search(CALLER, set, NULL);
    return hit;
}

/* Counts the bytes from `from` to the end of the word at `word`. The word's end is now a zero byte;
 * if the string ended at this byte, the byte was already zero before the call. */
static void count_word(uintptr_t caller, const char *from, const char *word, const char *set,
                       const char *next)
{
    if (!interpose_counts(caller))
        return;
    read_string(set);
    if (!from)
        return;
    const char *end = (word ? word : from) + interpose_string_bytes(word ? word : from) - 1;
    interpose_reads(from, distance(from, end) + 1);
    if (word && next > end)
        interpose_writes(end, 1);
}

INTERPOSE(char *, strtok_r, (char *text, const char *set, char **next))
{
    const char *from = text ? text : *next;
    char *word = REAL(strtok_r)(text, set, next);
    count_word(CALLER, from, word, set, *next);
    if (interpose_counts(CALLER)) {
        if (!text)
            interpose_reads(next, sizeof *next);
        interpose_writes(next, sizeof *next);
    }
    return word;
}

/* The position that strtok saves in the library is not accessible, so the wrapper keeps its own
 * position. */
INTERPOSE(char *, strtok, (char *text, const char *set))
{
    static char *next;
    const char *from = text ? text : next;
    char *word = REAL(strtok_r)(text, set, &next);
    count_word(CALLER, from, word, set, next);
    return word;
}

INTERPOSE(char *, strsep, (char **place, const char *set))
{
    char *word = REAL(strsep)(place, set);
    if (interpose_counts(CALLER)) {
        interpose_reads(place, sizeof *place);
        if (word)
            interpose_writes(place, sizeof *place);
    }
    if (word)
        count_word(CALLER, word, word, set, *place);
    return word;
}

/* ---------------------------------------------------------------- numbers */

/* Counts the read of a number and of the next byte, which ends the number. `end` is NULL if the
 * function has rejected its argument `base`. */
static void count_number(uintptr_t caller, const char *text, char *end, char **place)
{
    if (end && interpose_counts(caller)) {
        interpose_reads(text, distance(text, end) + 1);
        if (place)
            interpose_writes(place, sizeof *place);
    }
    if (end && place)
        *place = end;
}

#define NUMBER(type, name, parameters, arguments)                                                  \
    INTERPOSE(type, name, parameters)                                                              \
    {                                                                                              \
        char *end = NULL;                                                                          \
        type number = REAL(name) arguments;                                                        \
        count_number(CALLER, text, end, place);                                                    \
        return number;                                                                             \
    }
#define INTEGER(type, name)                                                                        \
    NUMBER(type, name, (const char *text, char **place, int base), (text, &end, base))
#define REAL_NUMBER(type, name) NUMBER(type, name, (const char *text, char **place), (text, &end))

INTEGER(long, strtol)
INTEGER(unsigned long, strtoul)
INTEGER(long long, strtoll)
INTEGER(unsigned long long, strtoull)
INTEGER(intmax_t, strtoimax)
INTEGER(uintmax_t, strtoumax)
#if __GLIBC_PREREQ(2, 38)
INTEGER(long, __isoc23_strtol)
INTEGER(unsigned long, __isoc23_strtoul)
INTEGER(long long, __isoc23_strtoll)
INTEGER(unsigned long long, __isoc23_strtoull)
INTEGER(intmax_t, __isoc23_strtoimax)
INTEGER(uintmax_t, __isoc23_strtoumax)
#endif
REAL_NUMBER(double, strtod)
REAL_NUMBER(float, strtof)
REAL_NUMBER(long double, strtold)

INTERPOSE(int, atoi, (const char *text))
{
    char *end = NULL;
    long number = REAL(strtol)(text, &end, 10);
    count_number(CALLER, text, end, NULL);
    return (int)number;
}

INTERPOSE(long, atol, (const char *text))
{
    char *end = NULL;
    long number = REAL(strtol)(text, &end, 10);
    count_number(CALLER, text, end, NULL);
    return number;
}

INTERPOSE(long long, atoll, (const char *text))
{
    char *end = NULL;
    long long number = REAL(strtoll)(text, &end, 10);
    count_number(CALLER, text, end, NULL);
    return number;
}

INTERPOSE(double, atof, (const char *text))
{
    char *end = NULL;
    double number = REAL(strtod)(text, &end);
    count_number(CALLER, text, end, NULL);
    return number;
}

/* ---------------------------------------------------------------- for the runtime itself */

NATIVE_HIDDEN size_t interpose_plain_strlen(const char *text);
NATIVE_HIDDEN int interpose_plain_strcmp(const char *a, const char *b);

size_t interpose_plain_strlen(const char *text)
{
    return REAL(strlen)(text);
}

int interpose_plain_strcmp(const char *a, const char *b)
{
    return REAL(strcmp)(a, b);
}
