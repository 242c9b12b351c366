/* Interposes date functions of the C library; their reads and writes are recorded for the caller.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#define _GNU_SOURCE
#include "native/trms/interpose/interpose.h"

#include <time.h>

#define FILLS_DATE(name)                                                                           \
    INTERPOSE(struct tm *, name, (const time_t *from, struct tm *to))                              \
    {                                                                                              \
        struct tm *result = REAL(name)(from, to);                                                  \
        if (result && interpose_counts(CALLER)) {                                                  \
            interpose_reads(from, sizeof *from);                                                   \
            interpose_writes(to, sizeof *to);                                                      \
        }                                                                                          \
        return result;                                                                             \
    }

FILLS_DATE(gmtime_r)
FILLS_DATE(localtime_r)

/* The structure that the library returns counts as newly written at each call. */
#define GIVES_DATE(name)                                                                           \
    INTERPOSE(struct tm *, name, (const time_t *from))                                             \
    {                                                                                              \
        struct tm *result = REAL(name)(from);                                                      \
        if (result && interpose_counts(CALLER)) {                                                  \
            interpose_reads(from, sizeof *from);                                                   \
            interpose_writes(result, sizeof *result);                                              \
        }                                                                                          \
        return result;                                                                             \
    }

GIVES_DATE(gmtime)
GIVES_DATE(localtime)

/* Normalises the date in the given structure. */
#define TAKES_DATE(name)                                                                           \
    INTERPOSE(time_t, name, (struct tm * both))                                                    \
    {                                                                                              \
        time_t result = REAL(name)(both);                                                          \
        if (interpose_counts(CALLER)) {                                                            \
            interpose_reads(both, sizeof *both);                                                   \
            if (result != (time_t)-1)                                                              \
                interpose_writes(both, sizeof *both);                                              \
        }                                                                                          \
        return result;                                                                             \
    }

TAKES_DATE(mktime)
TAKES_DATE(timegm)

INTERPOSE(size_t, strftime, (char *to, size_t room, const char *format, const struct tm *from))
{
    size_t length = REAL(strftime)(to, room, format, from);
    if (interpose_counts(CALLER)) {
        interpose_reads(format, interpose_string_bytes(format));
        interpose_reads(from, sizeof *from);
        if (length)
            interpose_writes(to, length + 1);
    }
    return length;
}
