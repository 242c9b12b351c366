/* Text tables: columns are as wide as their contents, and numbers are right-aligned.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In TSV and CSV, the first line has the columns' stable keys. Cells are separated by TABs in TSV,
 * and by commas in CSV.
 */
#ifndef LIB_BASE_TABLE_H
#define LIB_BASE_TABLE_H

#include "ground/wide.h"
#include "lib/base/vector.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json;

/* The formats in which `aprof report` writes each kind of report. */
enum table_format { TABLE_TEXT, TABLE_TSV, TABLE_CSV, TABLE_JSON, TABLE_FORMATS };
#define TABLE_FORMAT_NAMES "text", "tsv", "csv", "json"
extern const char *const table_format_names[];

struct table_column {
    const char *key;   /* heading for scripts */
    const char *title; /* heading for people */
    bool left;         /* whether the cells are text, and therefore left-aligned; numbers are
                        * right-aligned */
};

struct table {
    const struct table_column *columns;
    size_t column_count;
    VECTOR(char *) cells;        /* all cells, row after row, owned by the table */
    struct table_column *fitted; /* the columns that table_fit() kept, owned; NULL: all columns */
    /* The style of a cell on terminals that support styles: "31" is red, "2" dim; NULL: plain. */
    const char *(*style)(const struct table_column *column, const char *cell);
};

void table_add(struct table *table, char *cell); /* takes ownership of the string */
void table_add_number(struct table *table, uint64_t number);
void table_add_text(struct table *table, const char *text);
void table_add_percent(struct table *table, double part, double whole, int decimals);
void table_write_text(const struct table *table, FILE *to, bool styled);
void table_write_separated(const struct table *table, enum table_format format, FILE *to);
void table_write_markdown(const struct table *table, FILE *to);

/* Writes the table as a JSON array of objects, one per row; the columns' keys are the keys of the
 * objects. */
void table_write_json(const struct table *table, const char *key, struct json *json);
void table_write_json_cell(const struct table_column *column, const char *cell, struct json *json);

void table_free(struct table *table);

/* Escapes the text so that Markdown shows it unchanged. */
void table_write_markdown_text(const char *text, FILE *to);

/* Writes text with '?' for control characters, which could disturb a terminal or break a row. */
void table_write_safe(const char *text, FILE *to);

/* Writes a cell of TSV or CSV; the separator precedes each cell except the first of a line. */
void table_write_cell(const char *text, bool first, enum table_format format, FILE *to);

/* Writes a line: the tag, and the words with a blank before each. */
void table_write_words(const char *tag, const string_list *words, FILE *to);

/* The digits of a number; the caller frees them. */
char *table_wide_text(u128 number);

/* The percentage "12.34" for a part of a whole, which may be 0; the caller frees the text. */
char *table_percent(double part, double whole, int decimals);

/* The number of columns that a text takes; continuation bytes of UTF-8 take none. */
size_t table_text_width(const char *text);

/* Writes words in lines of at most `width` columns (0: one line). All lines except the first begin
 * with `indent`. */
void table_write_wrapped(const char *words, const char *indent, size_t width, FILE *to);

/* Wraps each line of a text as table_write_wrapped() does. */
void table_write_lines(const char *text, const char *indent, size_t width, FILE *to);

/* Omits columns so that a line fits `width` (0: unlimited). Columns of rank 0 are never omitted;
 * the others are shown if they fit, in the order of their ranks. A rank is at most the number of
 * columns. Names in the column `elastic` are shortened, to no fewer than `least` characters. */
void table_fit(struct table *table, const unsigned *rank, size_t elastic, size_t least,
               size_t width);

/* Returns the maximum line width, as specified by an option. If the option is
 * TABLE_WIDTH_NOT_GIVEN, returns the width of the stream's terminal; 0 means unlimited. */
#define TABLE_WIDTH_NOT_GIVEN ((unsigned long)-1)
size_t table_width(unsigned long wanted, FILE *to);

/* Whether escape sequences may be written to the stream: the stream is a terminal, and NO_COLOR is
 * not set. */
bool table_may_style(FILE *to);

#endif
