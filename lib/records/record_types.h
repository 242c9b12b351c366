/* Records of the schema, ground/record_schema.h, in memory: their types, and their sums.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_RECORDS_RECORD_TYPES_H
#define LIB_RECORDS_RECORD_TYPES_H

#include "ground/record_schema.h"

#define RECORD_TYPE_wide u128

#undef RECORD_TYPE_digits
#define RECORD_TYPE_digits const char *

#undef RECORD_PUT_wide
#define RECORD_PUT_wide(w, number) record_put_wide(w, wide_of(number))
#undef RECORD_PUT_digits
#define RECORD_PUT_digits record_put_text

/* Adds the second record to the first: RECORD_ADD(RECORD_EDGE, to, from). */
#define RECORD_SUM_number u64_add
#define RECORD_SUM_extra  u64_add
#define RECORD_SUM_wide   u128_add
#define RECORD_ADD_key(kind, member)
#define RECORD_ADD_no(kind, member)
#define RECORD_ADD_sum(kind, member) to_->member = RECORD_SUM_##kind(to_->member, from_->member);
#define RECORD_ADD_least(kind, member)                                                             \
    to_->member = from_->member < to_->member ? from_->member : to_->member;
#define RECORD_ADD_most(kind, member)                                                              \
    to_->member = from_->member > to_->member ? from_->member : to_->member;
#define RECORD_ADD_FIELD(kind, member, name, of, sum) RECORD_ADD_##sum(kind, member)

#define RECORD_ADD(FIELDS, to, from)                                                               \
    do {                                                                                           \
        __typeof__(*(to)) *const to_ = (to);                                                       \
        const __typeof__(*(from)) *const from_ = (from);                                           \
        FIELDS(RECORD_ADD_FIELD)                                                                   \
    } while (0)

#endif
