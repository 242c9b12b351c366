/* Interposes qsort and lsearch: the library moves elements, and the program compares them.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The comparison function is instrumented code of the program. The library may pass copies of
 * elements, in memory that the program does not otherwise use. Copies of elements count as written
 * by the library. bsearch and lfind themselves access no element.
 */
#define _GNU_SOURCE
#include "native/trms/interpose/interpose.h"

#include <search.h>
#include <stdlib.h>

/* The arguments of a call of qsort or qsort_r. */
struct sort {
    const char *base;
    size_t bytes, size;
    __compar_d_fn_t compare;
    __compar_fn_t compare_plainly; /* comparison function of qsort, which has no argument */
    void *argument;
};

static void was_copied(const struct sort *sort, const void *element)
{
    if ((uintptr_t)element - (uintptr_t)sort->base >= sort->bytes)
        interpose_writes(element, sort->size);
}

static int compare(const void *a, const void *b, void *context)
{
    const struct sort *sort = context;
    was_copied(sort, a);
    was_copied(sort, b);
    int order =
        sort->compare_plainly ? sort->compare_plainly(a, b) : sort->compare(a, b, sort->argument);
    /* The call of the program's comparison must not become a tail call. If the comparison returned
     * directly to the library, the runtime would regard the library as its caller, that is,
     * uninstrumented code that may have synchronised (trms_exec_context_entering). */
    __asm__("" : "+r"(order));
    return order;
}

/* All elements count as read before the comparisons, and as written when they are in their final
 * places. */
#define SORTS(name, parameters, arguments, ...)                                                    \
    INTERPOSE(void, name, parameters)                                                              \
    {                                                                                              \
        struct sort sort = {base, n * size, size, __VA_ARGS__};                                    \
        if (n < 2 || !interpose_counts(CALLER)) {                                                  \
            REAL(name) arguments;                                                                  \
            return;                                                                                \
        }                                                                                          \
        interpose_reads(base, sort.bytes);                                                         \
        interpose_real_qsort_r()(base, n, size, compare, &sort);                                   \
        interpose_writes(base, sort.bytes);                                                        \
    }

typedef void (*qsort_r_function)(void *, size_t, size_t, __compar_d_fn_t, void *);

static qsort_r_function interpose_real_qsort_r(void);

SORTS(qsort, (void *base, size_t n, size_t size, __compar_fn_t compares), (base, n, size, compares),
      NULL, compares, NULL)
SORTS(qsort_r, (void *base, size_t n, size_t size, __compar_d_fn_t compares, void *argument),
      (base, n, size, compares, argument), compares, NULL, argument)

static qsort_r_function interpose_real_qsort_r(void)
{
    return REAL(qsort_r);
}

/* lsearch appends an element that is not found. */
INTERPOSE(void *, lsearch,
          (const void *key, void *base, size_t *n, size_t size, __compar_fn_t compares))
{
    size_t before = *n;
    char *found = REAL(lsearch)(key, base, n, size, compares);
    if (interpose_counts(CALLER)) {
        interpose_reads(n, sizeof *n);
        if (*n > before) {
            interpose_reads(key, size);
            interpose_writes(found, size);
            interpose_writes(n, sizeof *n);
        }
    }
    return found;
}
