/* Types for records of the schema (ground/record_schema.h) in memory.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_RECORDS_RECORD_TYPES_H
#define LIB_RECORDS_RECORD_TYPES_H

#include "ground/record_schema.h"
#include "lib/records/record_stream.h"

#define RECORD_TYPE_wide u128

#undef RECORD_TYPE_digits
#define RECORD_TYPE_digits const char *

#undef RECORD_TYPE_words
#define RECORD_TYPE_words string_list

#undef RECORD_PUT_words
#define RECORD_PUT_words(w, words) record_put_strings(w, &(words))

#undef RECORD_PUT_wide
#define RECORD_PUT_wide(w, number) record_put_wide(w, wide_of(number))
#undef RECORD_PUT_digits
#define RECORD_PUT_digits record_put_text

#define RECORD_SUM_wide u128_add

#endif
