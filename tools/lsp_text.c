/* The text of a document in an editor; see lsp_text.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/lsp_text.h"

#include <string.h>

/* Only the first lines of a change are mapped, up to this number. The limit bounds the search for
 * the beginning of the change. */
#define CHANGED_LINES_MAX 1000

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

static void join(struct lsp_changes *c, uint32_t old_line, uint32_t new_line)
{
    c->forward[old_line] = new_line;
    c->back[new_line] = old_line;
}

/* A line of one of the two texts, for sorting. */
struct sorted_line {
    const char *at;
    size_t bytes;
    uint32_t line;
    bool is_new;
};

static int by_content(const void *left, const void *right)
{
    const struct sorted_line *a = left, *b = right;
    size_t least = a->bytes < b->bytes ? a->bytes : b->bytes;
    int order = least ? memcmp(a->at, b->at, least) : 0;
    if (order == 0)
        order = a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
    return order;
}

static struct sorted_line line_of(const struct lsp_text *text, uint32_t line, bool is_new)
{
    size_t begin = text->lines.at[line];
    return (struct sorted_line){text->bytes.at + begin, end_of_line(text, line) - begin, line,
                                is_new};
}

/* Finds lines that occur exactly once in each text, between the given limits. For each old line
 * from `from` to `old_end`, returns the equal line of the new text, or LSP_NO_LINE. */
static uint32_t *find_unique(const struct lsp_text *old, uint32_t old_end,
                             const struct lsp_text *new, uint32_t new_end, uint32_t from)
{
    VECTOR(struct sorted_line) all = {0};
    uint32_t *unique = memory_get_zeroed(old_end - from + 1, sizeof *unique);
    for (uint32_t i = from; i < old_end; i++)
        vector_push(&all, line_of(old, i, false));
    for (uint32_t i = from; i < new_end; i++)
        vector_push(&all, line_of(new, i, true));
    if (all.count)
        qsort(all.at, all.count, sizeof *all.at, by_content);
    for (uint32_t i = 0; i < old_end - from; i++)
        unique[i] = LSP_NO_LINE;
    for (size_t i = 0, end; i < all.count; i = end) {
        for (end = i + 1; end < all.count && by_content(&all.at[i], &all.at[end]) == 0;)
            end++;
        if (end - i != 2 || all.at[i].is_new == all.at[i + 1].is_new)
            continue;
        const struct sorted_line *a = &all.at[i], *b = &all.at[i + 1];
        unique[(a->is_new ? b : a)->line - from] = (a->is_new ? a : b)->line;
    }
    vector_free(&all);
    return unique;
}

/* Matches the longest sequence of unique lines that have the same order in both texts. Of all such
 * sequences with length k + 1, `tail[k]` is the last line of the sequence that ends first in the
 * new text. */
static void join_unique(struct lsp_changes *c, const uint32_t *unique, uint32_t from,
                        uint32_t count)
{
    uint32_t *tail = memory_get_zeroed(count + 1, sizeof *tail);
    uint32_t *before = memory_get_zeroed(count + 1, sizeof *before), length = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = 0, high = length;
        if (unique[i] == LSP_NO_LINE)
            continue;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (unique[tail[middle]] < unique[i])
                low = middle + 1;
            else
                high = middle;
        }
        before[i] = low > 0 ? tail[low - 1] : LSP_NO_LINE;
        tail[low] = i;
        length += low == length;
    }
    for (uint32_t i = length > 0 ? tail[length - 1] : LSP_NO_LINE; i != LSP_NO_LINE; i = before[i])
        join(c, from + i, unique[i]);
    free(tail);
    free(before);
}

/* Matches equal lines of the two texts that are next to matched lines, first downwards and then
 * upwards. */
static void join_neighbours(struct lsp_changes *c, const struct lsp_text *old,
                            const struct lsp_text *new)
{
    for (uint32_t i = 0; i + 1 < c->old_lines; i++) {
        uint32_t next = c->forward[i] == LSP_NO_LINE ? LSP_NO_LINE : c->forward[i] + 1;
        if (next < c->new_lines && c->forward[i + 1] == LSP_NO_LINE &&
            c->back[next] == LSP_NO_LINE && same_line(old, i + 1, new, next))
            join(c, i + 1, next);
    }
    for (uint32_t i = c->old_lines; i-- > 1;) {
        uint32_t at = c->forward[i];
        if (at != LSP_NO_LINE && at > 0 && c->forward[i - 1] == LSP_NO_LINE &&
            c->back[at - 1] == LSP_NO_LINE && same_line(old, i - 1, new, at - 1))
            join(c, i - 1, at - 1);
    }
}

static uint32_t *no_lines(uint32_t count)
{
    uint32_t *lines = memory_get_zeroed((size_t)count + 1, sizeof *lines);
    for (uint32_t i = 0; i < count; i++)
        lines[i] = LSP_NO_LINE;
    return lines;
}

struct lsp_changes lsp_text_compare(const struct lsp_text *old, const struct lsp_text *new)
{
    struct lsp_changes c = {.old_lines = (uint32_t)old->lines.count,
                            .new_lines = (uint32_t) new->lines.count};
    uint32_t least = c.old_lines < c.new_lines ? c.old_lines : c.new_lines;
    uint32_t prefix = 0, suffix = 0;
    c.forward = no_lines(c.old_lines);
    c.back = no_lines(c.new_lines);
    for (; prefix < least && same_line(old, prefix, new, prefix); prefix++)
        join(&c, prefix, prefix);
    for (; suffix < least - prefix &&
           same_line(old, c.old_lines - 1 - suffix, new, c.new_lines - 1 - suffix);
         suffix++)
        join(&c, c.old_lines - 1 - suffix, c.new_lines - 1 - suffix);
    uint32_t old_end = c.old_lines - suffix, new_end = c.new_lines - suffix;
    uint32_t *unique = find_unique(old, old_end, new, new_end, prefix);
    join_unique(&c, unique, prefix, old_end - prefix);
    join_neighbours(&c, old, new);
    free(unique);
    return c;
}

void lsp_changes_free(struct lsp_changes *c)
{
    free(c->forward);
    free(c->back);
}

/* The other text has `to` lines, and `back` maps its lines to this text. A changed line is mapped
 * by its distance from the last matched line above. The line of the other text at this distance
 * must also be changed; otherwise, the line is not mapped. */
static bool map_line(const uint32_t *forward, uint32_t from, const uint32_t *back, uint32_t to,
                     uint32_t *line, bool *is_changed)
{
    uint32_t at = *line, distance = 0;
    *is_changed = false;
    if (at >= from)
        return false;
    for (; forward[at] == LSP_NO_LINE && at > 0 && distance < CHANGED_LINES_MAX; at--)
        distance++;
    *is_changed = forward[*line] == LSP_NO_LINE;
    bool is_first = forward[at] == LSP_NO_LINE; /* no earlier line is matched */
    if (is_first && at > 0)
        return false;
    uint32_t found = (is_first ? 0 : forward[at]) + distance;
    for (uint32_t i = is_first ? 0 : forward[at] + 1; *is_changed && i <= found; i++) {
        if (i >= to || back[i] != LSP_NO_LINE)
            return false;
    }
    *line = found;
    return true;
}

bool lsp_changes_forward(const struct lsp_changes *c, uint32_t *line, bool *is_changed)
{
    return map_line(c->forward, c->old_lines, c->back, c->new_lines, line, is_changed);
}

bool lsp_changes_back(const struct lsp_changes *c, uint32_t *line, bool *is_changed)
{
    return map_line(c->back, c->new_lines, c->forward, c->old_lines, line, is_changed);
}
