/* The text of a document in an editor; see lsp_text.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/lsp_text.h"

#include <string.h>

/* Lines ---------------------------------------------------------------------------------------- */

/* A line ends with "\n", "\r\n" or "\r". */
static void find_lines(struct lsp_text *text)
{
    const char *at = text->bytes.at;
    size_t count = text->bytes.count;
    text->lines.count = 0;
    vector_push(&text->lines, 0);
    for (size_t i = 0; i < count; i++) {
        if (at[i] == '\n' || (at[i] == '\r' && (i + 1 == count || at[i + 1] != '\n')))
            vector_push(&text->lines, i + 1);
    }
}

void lsp_text_set(struct lsp_text *text, const char *bytes, size_t count)
{
    vector_reserve(&text->bytes, count + 1);
    if (count)
        memcpy(text->bytes.at, bytes, count);
    text->bytes.count = count;
    find_lines(text);
}

void lsp_text_free(struct lsp_text *text)
{
    vector_free(&text->bytes);
    vector_free(&text->lines);
}

static size_t end_of_line(const struct lsp_text *text, uint32_t line)
{
    size_t begin = text->lines.at[line];
    size_t end = line + 1 < text->lines.count ? text->lines.at[line + 1] : text->bytes.count;
    if (end > begin && text->bytes.at[end - 1] == '\n')
        end--;
    if (end > begin && text->bytes.at[end - 1] == '\r')
        end--;
    return end;
}

/* Positions ------------------------------------------------------------------------------------ */

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

static uint32_t units(char first)
{
    return (unsigned char)first >= 0xF0 ? 2 : 1;
}

size_t lsp_text_offset(const struct lsp_text *text, struct lsp_position position)
{
    if (position.line >= text->lines.count)
        return text->bytes.count;
    size_t at = text->lines.at[position.line], end = end_of_line(text, position.line);
    uint32_t left = position.column;
    while (at < end && left >= units(text->bytes.at[at])) {
        left -= units(text->bytes.at[at++]);
        while (at < end && is_continuation(text->bytes.at[at]))
            at++;
    }
    return at;
}

uint32_t lsp_text_columns(const struct lsp_text *text, uint32_t line)
{
    uint32_t columns = 0;
    if (line >= text->lines.count)
        return 0;
    for (size_t i = text->lines.at[line], end = end_of_line(text, line); i < end; i++)
        columns += is_continuation(text->bytes.at[i]) ? 0 : units(text->bytes.at[i]);
    return columns;
}

void lsp_text_replace(struct lsp_text *text, struct lsp_position from, struct lsp_position to,
                      const char *bytes, size_t count)
{
    size_t begin = lsp_text_offset(text, from), end = lsp_text_offset(text, to);
    if (end < begin)
        end = begin;
    size_t after = text->bytes.count - end;
    vector_reserve(&text->bytes, begin + count + after + 1);
    memmove(text->bytes.at + begin + count, text->bytes.at + end, after);
    if (count)
        memcpy(text->bytes.at + begin, bytes, count);
    text->bytes.count = begin + count + after;
    find_lines(text);
}

/* Changes -------------------------------------------------------------------------------------- */

static bool same_line(const struct lsp_text *a, uint32_t a_line, const struct lsp_text *b,
                      uint32_t b_line)
{
    size_t a_begin = a->lines.at[a_line], b_begin = b->lines.at[b_line];
    size_t bytes = end_of_line(a, a_line) - a_begin;
    return bytes == end_of_line(b, b_line) - b_begin &&
           (bytes == 0 || memcmp(a->bytes.at + a_begin, b->bytes.at + b_begin, bytes) == 0);
}

struct lsp_changes lsp_text_compare(const struct lsp_text *old, const struct lsp_text *new)
{
    struct lsp_changes c = {.old_lines = (uint32_t)old->lines.count,
                            .new_lines = (uint32_t) new->lines.count};
    uint32_t least = c.old_lines < c.new_lines ? c.old_lines : c.new_lines;
    while (c.prefix < least && same_line(old, c.prefix, new, c.prefix))
        c.prefix++;
    while (c.suffix < least - c.prefix &&
           same_line(old, c.old_lines - 1 - c.suffix, new, c.new_lines - 1 - c.suffix))
        c.suffix++;
    return c;
}

/* Maps a line of a text with `from` lines to a text with `to` lines. */
static bool map_line(const struct lsp_changes *c, uint32_t from, uint32_t to, uint32_t *line,
                     bool *is_changed)
{
    *is_changed = false;
    if (*line < c->prefix)
        return true;
    if (*line >= from)
        return false;
    if (*line >= from - c->suffix) {
        *line = to - (from - *line);
        return true;
    }
    *is_changed = true;
    return *line < to - c->suffix;
}

bool lsp_changes_forward(const struct lsp_changes *c, uint32_t *line, bool *is_changed)
{
    return map_line(c, c->old_lines, c->new_lines, line, is_changed);
}

bool lsp_changes_back(const struct lsp_changes *c, uint32_t *line, bool *is_changed)
{
    return map_line(c, c->new_lines, c->old_lines, line, is_changed);
}
