/* Writes files of records; see line_writer.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/line_writer.h"

#include <inttypes.h>
#include <string.h>

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME  UINT64_C(0x100000001b3)

struct line_writer line_writer_start(FILE *to)
{
    return (struct line_writer){.to = to, .hash = FNV_OFFSET};
}

static void line_put_bytes(struct line_writer *w, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        w->hash = (w->hash ^ (unsigned char)bytes[i]) * FNV_PRIME;
        w->lines += bytes[i] == '\n';
    }
    fwrite(bytes, 1, count, w->to);
}

void line_put_word(struct line_writer *w, const char *word)
{
    line_put_bytes(w, word, strlen(word));
}

void line_put_field(struct line_writer *w, const char *text)
{
    line_put_word(w, "\t");
    if (!*text || strcmp(text, "-") == 0) {
        line_put_word(w, *text ? "\\x2d" : "-");
        return;
    }
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        char escape[8];
        if (c == '\\' || c == '\t' || c == '\n')
            snprintf(escape, sizeof escape, "\\%c", c == '\\' ? '\\' : c == '\t' ? 't' : 'n');
        else if (c < 0x20 || c == 0x7f)
            snprintf(escape, sizeof escape, "\\x%02x", c);
        else
            snprintf(escape, sizeof escape, "%c", c);
        line_put_word(w, escape);
    }
}

void line_put_number(struct line_writer *w, u128 number)
{
    char digits[WIDE_DIGITS];
    line_put_word(w, "\t");
    line_put_word(w, u128_format(number, digits));
}

void line_put_line(struct line_writer *w, const char *tag, const char *text)
{
    line_put_word(w, tag);
    line_put_field(w, text);
    line_put_word(w, "\n");
}

void line_put_list(struct line_writer *w, const char *tag, const string_list *words)
{
    line_put_word(w, tag);
    for (size_t i = 0; i < words->count; i++)
        line_put_field(w, words->at[i]);
    line_put_word(w, "\n");
}

void line_put_hex(struct line_writer *w, uint64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "\t0x%" PRIx64, number);
    line_put_word(w, digits);
}

void line_writer_finish(struct line_writer *w)
{
    fprintf(w->to, "complete\t%" PRIu64 "\t%016" PRIx64 "\n", w->lines, w->hash);
}
