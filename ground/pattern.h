/* Patterns of names, as used in options and files of bounds.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef GROUND_PATTERN_H
#define GROUND_PATTERN_H

#include "ground/basics.h"

/* Does the pattern match the whole text? `*` matches any bytes or none, `?` any byte, and a
 * backslash makes the next byte literal. Takes at most as many steps as the product of the two
 * lengths, however many `*` there are. */
bool pattern_matches(const char *pattern, const char *text);

#endif
