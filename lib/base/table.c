/* Text tables; see table.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/base/table.h"
#include "lib/base/control.h"
#include "lib/base/csv.h"
#include "lib/base/json.h"
#include "lib/base/short_name.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define GAP "  "

const char *const table_format_names[] = {TABLE_FORMAT_NAMES, NULL};

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
    free(table->fitted);
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

/* Fitting -------------------------------------------------------------------------------------- */

struct fitting {
    const unsigned *rank;
    size_t *widths;
    bool *kept;
    size_t count, elastic;
};

/* The width of a line in which the elastic column has at most `most` characters. */
static size_t line_width(const struct fitting *f, size_t most)
{
    size_t sum = 0, kept = 0;
    for (size_t c = 0; c < f->count; c++) {
        if (!f->kept[c])
            continue;
        sum += c == f->elastic && f->widths[c] > most ? most : f->widths[c];
        kept++;
    }
    return sum + (kept - 1) * strlen(GAP);
}

/* Keeps the columns that fit into the line, the most important first. */
static void keep_what_fits(struct fitting *f, size_t least, size_t width)
{
    for (unsigned rank = 0; rank <= f->count; rank++) {
        for (size_t c = 0; c < f->count; c++) {
            if (f->rank[c] != rank)
                continue;
            f->kept[c] = true;
            f->kept[c] = rank == 0 || line_width(f, least) <= width;
        }
    }
}

/* Removes the cells of the omitted columns. */
static void leave_out(struct table *table, const bool *is_kept)
{
    size_t columns = table->column_count, kept = 0;
    table->fitted = memory_get_zeroed(columns + 1, sizeof *table->fitted);
    for (size_t i = 0; i < table->cells.count; i++) {
        if (is_kept[i % columns])
            table->cells.at[kept++] = table->cells.at[i];
        else
            free(table->cells.at[i]);
    }
    table->cells.count = kept;
    table->column_count = 0;
    for (size_t c = 0; c < columns; c++) {
        if (is_kept[c])
            table->fitted[table->column_count++] = table->columns[c];
    }
    table->columns = table->fitted;
}

static void shorten(struct table *table, size_t column, size_t most)
{
    for (size_t i = column; i < table->cells.count; i += table->column_count) {
        char *brief = short_name(table->cells.at[i], most);
        free(table->cells.at[i]);
        table->cells.at[i] = brief;
    }
}

void table_fit(struct table *table, const unsigned *rank, size_t elastic, size_t least,
               size_t width)
{
    struct fitting f = {.rank = rank, .count = table->column_count, .elastic = elastic};
    if (!width)
        return;
    f.widths = memory_get_zeroed(f.count, sizeof *f.widths);
    f.kept = memory_get_zeroed(f.count, sizeof *f.kept);
    for (size_t c = 0; c < f.count; c++)
        f.widths[c] = column_width(table, c);
    keep_what_fits(&f, least, width);
    size_t beside = line_width(&f, 0);
    if (beside + f.widths[elastic] > width)
        shorten(table, elastic, width > beside + least ? width - beside : least);
    leave_out(table, f.kept);
    free(f.widths);
    free(f.kept);
}

/* Writing -------------------------------------------------------------------------------------- */

static void write_padding(FILE *to, size_t count)
{
    for (; count > 0; count--)
        putc(' ', to);
}

void table_write_safe(const char *text, FILE *to)
{
    control_write(text, '?', to);
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

void table_write_lines(const char *text, const char *indent, size_t width, FILE *to)
{
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        char *line = memory_format("%.*s", (int)bytes, text);
        table_write_wrapped(line, indent, width, to);
        free(line);
        text += bytes + (text[bytes] == '\n');
    }
}

size_t table_width(unsigned long wanted, FILE *to)
{
    struct winsize size;
    if (wanted != TABLE_WIDTH_NOT_GIVEN)
        return wanted;
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

void table_write_cell(const char *text, bool first, enum table_format format, FILE *to)
{
    if (!first)
        putc(format == TABLE_CSV ? ',' : '\t', to);
    if (format == TABLE_CSV)
        csv_write_text(to, text);
    else
        table_write_safe(text, to);
}

void table_write_separated(const struct table *table, enum table_format format, FILE *to)
{
    for (size_t c = 0; c < table->column_count; c++)
        table_write_cell(table->columns[c].key, c == 0, format, to);
    putc('\n', to);
    for (size_t i = 0; i < table->cells.count; i++) {
        table_write_cell(table->cells.at[i], i % table->column_count == 0, format, to);
        if ((i + 1) % table->column_count == 0)
            putc('\n', to);
    }
}

void table_write_json_cell(const struct table_column *column, const char *cell, struct json *json)
{
    if (column->left)
        json_text(json, column->key, cell);
    else
        json_number_words(json, column->key, cell);
}

void table_write_json(const struct table *table, const char *key, struct json *json)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < table->cells.count; i++) {
        size_t column = i % table->column_count;
        if (column == 0)
            json_open_compact(json, NULL, '{');
        table_write_json_cell(&table->columns[column], table->cells.at[i], json);
        if (column + 1 == table->column_count)
            json_close(json);
    }
    json_close(json);
}

void table_write_markdown_text(const char *text, FILE *to)
{
    while (*text) {
        if (strchr("|*_<`\\[]", *text))
            putc('\\', to);
        control_put(&text, '?', to);
    }
}

static void write_markdown_cell(const char *text, FILE *to)
{
    fputs("| ", to);
    table_write_markdown_text(text, to);
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
