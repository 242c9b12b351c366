/* Patterns of names, as used in options and files of bounds.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef GROUND_PATTERN_H
#define GROUND_PATTERN_H

#include "ground/basics.h"

/* Whether the pattern matches the whole text. `*` matches any number of bytes, `?` any byte, and a
 * backslash makes the next byte literal. The number of steps is at most the product of the two
 * lengths, whatever the number of `*`. */
bool pattern_matches(const char *pattern, const char *text);

#endif
