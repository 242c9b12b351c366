/* Represents phi and epsilon without floating point, as billionths.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef CONTEXTS_FRACTION_H
#define CONTEXTS_FRACTION_H

#include "ground/basics.h"

#define FRACTION_ONE 1000000000u

/* Parses text such as "0.0001", "1e-4", "2.5E-05" or "1": above 0, at most 1, exact in billionths.
 * If the `length` characters of `text` have another form, returns false and does not change
 * *fraction. */
bool fraction_parse(const char *text, size_t length, uint32_t *fraction);

/* Writes the shortest decimal text, as C's %g does ("0.0001", "2e-05"), and a final 0 byte into
 * `text`. Returns the length of the text. */
#define FRACTION_CHARACTERS 24
size_t fraction_format(uint32_t fraction, char text[FRACTION_CHARACTERS]);

/* Returns floor(fraction * total), exactly. */
uint64_t fraction_of(uint32_t fraction, uint64_t total);

#endif
