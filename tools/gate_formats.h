/* Parts of formats that `aprof gate` and `aprof test` share: causes, and JUnit.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_GATE_FORMATS_H
#define TOOLS_GATE_FORMATS_H

#include "lib/compare/gate.h"

#include <stdio.h>

/* A line below the table; in Markdown an item of a list. */
void gate_write_line(const char *line, bool markdown, FILE *to);

/* The known causes of a finding, and the line of code. */
void gate_write_details(const struct gate_finding *finding, bool markdown, FILE *to);

/* The beginning and end of a document with one suite. */
void junit_open(const char *suite, size_t tests, size_t failures, size_t skipped, FILE *to);
void junit_close(FILE *to);

/* A test case: a finding that passed, failed, or is a note, which counts as skipped. NULL: the test
 * case passed. */
void junit_write_case(const char *class, const char *name, const struct gate_finding *finding,
                      FILE *to);

#endif
