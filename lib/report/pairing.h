/* Pairs the routines of two reports.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two routines are equal if object file, symbol and source file have equal names; addresses change
 * with every build. Routines without a symbol are identified by their offset in the object.
 *
 * Compilers copy and split routines differently in every build: `find` of one build may be
 * `find.constprop.0` or `find.part.0` of another. So a routine without a partner is paired with its
 * copy or its original, provided that this copy or original has no partner yet.
 *
 * Finally, two routines without partners are paired if their name is unique in their object. The
 * files of the two routines may differ, for example because the routine was moved or one build has
 * no file names.
 *
 *     base   app  find  table.c        new   app  find  lookup.c      the same
 *            app  grow  table.c              app  grow  list.c        not paired: two candidates
 *                                            app  grow  heap.c
 */
#ifndef LIB_REPORT_PAIRING_H
#define LIB_REPORT_PAIRING_H

#include "lib/report/report.h"

/* A profile and its identifying names. */
struct pairing_entry {
    const struct report *report;
    const struct report_profile *profile;
    const struct report_routine *routine;
    const char *object; /* name that identifies the routine's object */
};

/* Compares two entries; returns a number below 0, 0 or a number above 0. */
int pairing_compare(const struct pairing_entry *a, const struct pairing_entry *b);

/* Makes one entry for each profile, in the order of pairing_compare. The caller frees the
 * entries. */
struct pairing_entry *pairing_sort(const struct report *report);

/* A routine in two reports; a member is NULL if its report lacks the routine. */
struct pairing {
    const struct pairing_entry *base, *new;
};
typedef VECTOR(struct pairing) pairing_list;

/* Pairs two sorted lists. Each entry of the lists is in exactly one pairing. */
void pairing_make(const struct pairing_entry *base, size_t base_count,
                  const struct pairing_entry *new, size_t new_count, pairing_list *list);

#endif
