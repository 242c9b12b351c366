/* Which routine of one report is which of another.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Routines are the same when object file, symbol and source file have the same names; addresses
 * change with every build. Without a symbol, the offset in the object tells them apart.
 *
 * Compilers copy routines and split them, otherwise in every build: `find` of one build may be
 * `find.constprop.0` or `find.part.0` of another. A routine whose name the other report lacks is
 * the same as one of which they have made it, or that they have made of it, if that is left over too.
 *
 * At last, one that is left over in either report, under a name that no other one left over has there, is the
 * same though its file has another name: it was moved, or one build does not know files.
 *
 *     base   app  find  table.c        new   app  find  lookup.c      the same
 *            app  grow  table.c              app  grow  list.c        not: which of the two?
 *                                            app  grow  heap.c
 */
#ifndef LIB_REPORT_PAIRING_H
#define LIB_REPORT_PAIRING_H

#include "lib/report/report.h"

/* A profile and what it is recognised by. */
struct pairing_entry {
    const struct report *report;
    const struct report_profile *profile;
    const struct report_routine *routine;
    const char *object; /* the name that stands for its object's */
};

/* Below 0, 0, above 0. */
int pairing_compare(const struct pairing_entry *a, const struct pairing_entry *b);

/* One entry per profile, in this order; the caller frees them. */
struct pairing_entry *pairing_sort(const struct report *report);

/* What is the same in two reports; NULL: the other report lacks it. */
struct pairing {
    const struct pairing_entry *base, *new;
};
typedef VECTOR(struct pairing) pairing_list;

/* Every entry of both, which are sorted, stands in one pairing. */
void pairing_make(const struct pairing_entry *base, size_t base_count,
                  const struct pairing_entry *new, size_t new_count, pairing_list *list);

#endif
