/* Text tables; see table.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/table.h"
#include "lib/control.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define GAP "  "

void table_add(struct table *table, char *cell)
{
    vector_push(&table->cells, cell);
}

void table_add_number(struct table *table, uint64_t number)
{
    table_add(table, memory_format("%" PRIu64, number));
}

char *table_wide_text(u128 number)
{
    char digits[WIDE_DIGITS];
    return memory_copy_string(u128_format(number, digits));
}

void table_add_text(struct table *table, const char *text)
{
    table_add(table, memory_copy_string(text));
}

char *table_percent(double part, double whole, int decimals)
{
    return memory_format("%.*f", decimals, whole > 0 ? 100 * part / whole : 0);
}

void table_add_percent(struct table *table, double part, double whole, int decimals)
{
    table_add(table, table_percent(part, whole, decimals));
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->cells.count; i++)
        free(table->cells.at[i]);
    vector_free(&table->cells);
}

bool table_may_style(FILE *to)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return !(no_color && *no_color) && terminal && strcmp(terminal, "dumb") != 0 &&
           isatty(fileno(to));
}

/* Columns that a text occupies: UTF-8 continuation bytes take none. */
static size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static size_t column_width(const struct table *table, size_t column)
{
    size_t widest = text_width(table->columns[column].title);
    for (size_t i = column; i < table->cells.count; i += table->column_count) {
        size_t width = text_width(table->cells.at[i]);
        if (width > widest)
            widest = width;
    }
    return widest;
}

static void write_padding(FILE *to, size_t count)
{
    for (; count > 0; count--)
        putc(' ', to);
}

void table_write_safe(const char *text, FILE *to)
{
    for (; *text; text++)
        putc(is_control(*text) ? '?' : *text, to);
}

void table_write_words(const char *tag, const string_list *words, FILE *to)
{
    fputs(tag, to);
    for (size_t i = 0; i < words->count; i++) {
        putc(' ', to);
        table_write_safe(words->at[i], to);
    }
}

static void write_cell(const struct table *table, FILE *to, size_t column, size_t width,
                       const char *text)
{
    bool last = column + 1 == table->column_count;
    size_t padding = width - text_width(text);
    if (!table->columns[column].left)
        write_padding(to, padding);
    table_write_safe(text, to);
    if (table->columns[column].left && !last)
        write_padding(to, padding);
    if (!last)
        fputs(GAP, to);
}

void table_write_text(const struct table *table, FILE *to, bool bold_heading)
{
    size_t *widths = memory_get_zeroed(table->column_count, sizeof *widths);
    for (size_t c = 0; c < table->column_count; c++)
        widths[c] = column_width(table, c);
    fputs(bold_heading ? "\033[1m" : "", to);
    for (size_t c = 0; c < table->column_count; c++)
        write_cell(table, to, c, widths[c], table->columns[c].title);
    fputs(bold_heading ? "\033[0m\n" : "\n", to);
    for (size_t i = 0; i < table->cells.count; i++) {
        size_t c = i % table->column_count;
        write_cell(table, to, c, widths[c], table->cells.at[i]);
        if (c + 1 == table->column_count)
            putc('\n', to);
    }
    free(widths);
}

void table_write_tsv(const struct table *table, FILE *to)
{
    for (size_t c = 0; c < table->column_count; c++)
        fprintf(to, "%s%c", table->columns[c].key, c + 1 == table->column_count ? '\n' : '\t');
    for (size_t i = 0; i < table->cells.count; i++) {
        table_write_safe(table->cells.at[i], to);
        putc((i + 1) % table->column_count == 0 ? '\n' : '\t', to);
    }
}

static void write_markdown_cell(const char *text, FILE *to)
{
    fputs("| ", to);
    for (; *text; text++) {
        if (strchr("|*_<`\\[]", *text))
            putc('\\', to);
        putc(is_control(*text) ? '?' : *text, to);
    }
    putc(' ', to);
}

void table_write_markdown(const struct table *table, FILE *to)
{
    for (size_t c = 0; c < table->column_count; c++)
        write_markdown_cell(table->columns[c].title, to);
    fputs("|\n", to);
    for (size_t c = 0; c < table->column_count; c++)
        fputs(table->columns[c].left ? "|---" : "|---:", to);
    fputs("|\n", to);
    for (size_t i = 0; i < table->cells.count; i++) {
        write_markdown_cell(table->cells.at[i], to);
        if ((i + 1) % table->column_count == 0)
            fputs("|\n", to);
    }
}
