/* Patterns of names, as options and files of bounds have them.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef GROUND_PATTERN_H
#define GROUND_PATTERN_H

#include "ground/basics.h"

/* Does the pattern match the whole text? `*` stands for any bytes or none, `?` for any byte, and a
 * backslash makes the byte after it an ordinary one. Takes at most as many steps as the product of
 * the two lengths, however many `*` there are. */
bool pattern_matches(const char *pattern, const char *text);

#endif
