/* Reads the fields of records, in order; see record_fields.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/records/record_fields.h"

#include <string.h>

bool record_get_number(struct record_reader *r, size_t *at, const char *name, uint64_t *value)
{
    return field_number(r, (*at)++, name, value);
}

bool record_get_extra(struct record_reader *r, size_t *at, const char *name, uint64_t *value)
{
    *value = 0;
    return *at >= r->fields.count || record_get_number(r, at, name, value);
}

bool record_get_wide(struct record_reader *r, size_t *at, const char *name, u128 *value)
{
    return field_wide(r, (*at)++, name, value);
}

bool record_get_hex(struct record_reader *r, size_t *at, const char *name, uint64_t *value)
{
    return field_hex(r, (*at)++, name, value);
}

bool record_get_text(struct record_reader *r, size_t *at, const char *name, const char **value)
{
    return field_string(r, (*at)++, name, value);
}

bool record_get_digits(struct record_reader *r, size_t *at, const char *name, const char **value)
{
    return field_string(r, (*at)++, name, value) &&
           (strspn(*value, "0123456789abcdef") == strlen(*value) ||
            field_bad(r, name, "not a hexadecimal number"));
}

/* Reads all remaining fields of the record. */
bool record_get_words(struct record_reader *r, size_t *at, const char *name, string_list *words)
{
    while (*at < r->fields.count) {
        const char *text;
        if (!record_get_text(r, at, name, &text))
            return false;
        vector_push(words, text);
    }
    return true;
}

bool record_get_index(struct record_reader *r, size_t *at, const char *name, size_t limit,
                      uint32_t *value)
{
    return field_index(r, (*at)++, name, limit, value);
}

bool record_get_optional(struct record_reader *r, size_t *at, const char *name, size_t limit,
                         uint32_t *value)
{
    *value = RECORD_NONE;
    if (!field_is(&r->fields.at[*at], "-"))
        return record_get_index(r, at, name, limit, value);
    ++*at;
    return true;
}
