/* Writes the data of a page about one report: a JSON object, and the packed points of routines.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The command does all computation; the page only reads values and evaluates curves. A browser
 * would take seconds to parse several hundred thousand points. So points are stored outside the
 * JSON, and unpacked when their routine is shown. A routine's points of one metric are a block of
 * base64 with 8 numbers per point (page_data.c: pack_point). Each number is a sequence of 7-bit
 * groups, lowest first; all groups except the last have the top bit set.
 *
 * The rows of the JSON are arrays, because there are thousands of them:
 *
 *     routine  name, symbol, object (index), file, line, offset as text, 1 if it is start-up,
 *              short name ("": the same), two shorter names for narrow tables
 *     row      routine (index), thread, calls, total cost, self cost
 *     metric   input, largest input, worst cost, input by trms, thread-induced, external,
 *              cost at ten times the input, points, block, [curve...]
 *     curve    what (enum curve_kind), enum growth_verdict, sizes, least n, largest n, words,
 *              nearest class, and if there is a fit: fit, rival, criterion difference, residuals
 *              have a pattern, [exponent, low, high] or 0
 *     fit      class (index; the last is the power law), a, b, exponent, R^2, typical relative
 *              residual, formula
 *
 *     claim    words, position in a sorted list, evidence, the answer, curve: [] or class,
 *              class of the second term, a, b, c of a + b f(n) + c g(n), least and largest size
 *     context  row, words
 *
 * `block` is the position of the routine's points in the packed text.
 */
#ifndef LIB_PAGE_PAGE_DATA_H
#define LIB_PAGE_PAGE_DATA_H

#include "lib/base/json.h"
#include "lib/report/report.h"

/* The packed points of a report, as one text for each metric. */
struct page_points {
    VECTOR(char) text[METRIC_COUNT];
};

/* Writes the next element of the array of reports. `name` is the report's name in the page.
 * `findings` are the sentences at the top, and `advice` are the sentences about the limits of the
 * report. */
void page_data_write(struct json *json, const struct report *report, const char *name,
                     const string_list *findings, const string_list *advice,
                     struct page_points *points);

/* Writes the names of the growth classes and of the power law; fits refer to them by index. */
void page_data_write_classes(struct json *json);

void page_points_free(struct page_points *points);

#endif
