/* Matches names with patterns, which options and files of bounds contain.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef GROUND_PATTERN_H
#define GROUND_PATTERN_H

#include "ground/basics.h"

/* Returns whether the pattern matches the whole text. `*` matches any number of bytes, `?` matches
 * any byte, and a backslash makes the next byte literal. The number of steps is at most the product
 * of the two lengths, however many `*` the pattern has. */
bool pattern_matches(const char *pattern, const char *text);

#endif
