/* Parts of formats that `aprof gate` and `aprof test` share: causes, and JUnit.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_GATE_FORMATS_H
#define TOOLS_GATE_FORMATS_H

#include "lib/compare/gate.h"

#include <stdio.h>

/* Writes a line below the table; in Markdown, the line is an item of a list. */
void gate_write_line(const char *line, bool markdown, FILE *to);

/* Writes the known causes of a finding, and the line of code. */
void gate_write_details(const struct gate_finding *finding, bool markdown, FILE *to);

/* junit_open() writes the beginning of a document with one test suite, and junit_close() writes the
 * end of the document. */
void junit_open(const char *suite, size_t tests, size_t failures, size_t skipped, FILE *to);
void junit_close(FILE *to);

/* Writes a finding as a test case, which has passed or failed; a note is written as a skipped test
 * case. If `finding` is NULL, the test case is written as passed. */
void junit_write_case(const char *class, const char *name, const struct gate_finding *finding,
                      FILE *to);

#endif
