/* Which routine of one report is which of another.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Routines are the same when object file, symbol and source file have the same names; addresses
 * change with every build. Without a symbol, the offset in the object tells them apart.
 */
#ifndef LIB_PAIRING_H
#define LIB_PAIRING_H

#include "lib/report.h"

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

#endif
