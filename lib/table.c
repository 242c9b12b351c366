/* Text tables; see table.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/table.h"
#include "lib/control.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
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

size_t table_text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static size_t column_width(const struct table *table, size_t column)
{
    size_t widest = table_text_width(table->columns[column].title);
    for (size_t i = column; i < table->cells.count; i += table->column_count) {
        size_t width = table_text_width(table->cells.at[i]);
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

void table_write_wrapped(const char *words, const char *indent, size_t width, FILE *to)
{
    size_t column = 0;
    while (*words) {
        size_t blanks = strspn(words, " "), bytes = strcspn(words + blanks, " ");
        char *word = memory_format("%.*s", (int)bytes, words + blanks);
        size_t wide = table_text_width(word);
        if (width && column > 0 && column + blanks + wide > width) {
            fprintf(to, "\n%s", indent);
            column = strlen(indent);
        } else {
            write_padding(to, blanks);
            column += blanks;
        }
        table_write_safe(word, to);
        column += wide;
        words += blanks + bytes;
        free(word);
    }
    putc('\n', to);
}

size_t table_terminal_width(FILE *to)
{
    struct winsize size;
    if (!isatty(fileno(to)) || ioctl(fileno(to), TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

void table_write_words(const char *tag, const string_list *words, FILE *to)
{
    fputs(tag, to);
    for (size_t i = 0; i < words->count; i++) {
        putc(' ', to);
        table_write_safe(words->at[i], to);
    }
}

static void write_styled(const char *text, const char *style, FILE *to)
{
    if (style)
        fprintf(to, "\033[%sm", style);
    table_write_safe(text, to);
    fputs(style ? "\033[0m" : "", to);
}

static void write_cell(const struct table *table, FILE *to, size_t column, size_t width,
                       const char *text, const char *style)
{
    bool last = column + 1 == table->column_count;
    size_t padding = width - table_text_width(text);
    if (!table->columns[column].left)
        write_padding(to, padding);
    write_styled(text, style, to);
    if (table->columns[column].left && !last)
        write_padding(to, padding);
    if (!last)
        fputs(GAP, to);
}

static const char *cell_style(const struct table *table, size_t column, const char *cell)
{
    return table->style && *cell ? table->style(&table->columns[column], cell) : NULL;
}

void table_write_text(const struct table *table, FILE *to, bool styled)
{
    size_t *widths = memory_get_zeroed(table->column_count, sizeof *widths);
    for (size_t c = 0; c < table->column_count; c++)
        widths[c] = column_width(table, c);
    fputs(styled ? "\033[1m" : "", to);
    for (size_t c = 0; c < table->column_count; c++)
        write_cell(table, to, c, widths[c], table->columns[c].title, NULL);
    fputs(styled ? "\033[0m\n" : "\n", to);
    for (size_t i = 0; i < table->cells.count; i++) {
        size_t c = i % table->column_count;
        const char *cell = table->cells.at[i];
        write_cell(table, to, c, widths[c], cell, styled ? cell_style(table, c, cell) : NULL);
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
