/* The text of a document in an editor: lines, UTF-16 positions, and changed lines.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A client counts lines from 0, and the columns of a line in UTF-16 code units. The text is UTF-8,
 * in which a character of four bytes has two code units.
 */
#ifndef TOOLS_LSP_TEXT_H
#define TOOLS_LSP_TEXT_H

#include "lib/base/vector.h"

#include <stdbool.h>
#include <stdint.h>

/* A zeroed text has no lines. */
struct lsp_text {
    VECTOR(char) bytes;
    VECTOR(size_t) lines; /* offset of each line */
};

struct lsp_position {
    uint32_t line, column;
};

void lsp_text_set(struct lsp_text *text, const char *bytes, size_t count);
void lsp_text_free(struct lsp_text *text);

/* Replaces the text from one position to another. Positions after the end become the end. */
void lsp_text_replace(struct lsp_text *text, struct lsp_position from, struct lsp_position to,
                      const char *bytes, size_t count);

/* The offset of a position. A position inside a character becomes the character's beginning. */
size_t lsp_text_offset(const struct lsp_text *text, struct lsp_position position);

/* The number of columns of a line, without its end; 0 if there is no such line. */
uint32_t lsp_text_columns(const struct lsp_text *text, uint32_t line);

/* The corresponding lines of two texts. Equal lines at the beginning and at the end correspond.
 * Between these, lines that occur once in each text correspond if their order is the same. Equal
 * lines next to corresponding lines correspond, too (patience diff). All other lines are
 * changed. */
struct lsp_changes {
    uint32_t old_lines, new_lines;
    uint32_t *forward, *back; /* the corresponding line; LSP_NO_LINE: changed */
};

#define LSP_NO_LINE UINT32_MAX

struct lsp_changes lsp_text_compare(const struct lsp_text *old, const struct lsp_text *new);
void lsp_changes_free(struct lsp_changes *changes);

/* The line of the new text that corresponds to a line of the old text. The n-th line of a changed
 * part corresponds to the n-th line of this part in the new text. Returns false if there is no such
 * line. */
bool lsp_changes_forward(const struct lsp_changes *changes, uint32_t *line, bool *is_changed);

/* The line of the old text that corresponds to a line of the new text. */
bool lsp_changes_back(const struct lsp_changes *changes, uint32_t *line, bool *is_changed);

#endif
