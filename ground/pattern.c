/* Patterns of names, as used in options and files of bounds.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * If a byte does not match, the latest `*` takes one more byte. Earlier `*` keep the bytes that
 * they took: the latest `*` can take any further bytes, too. Therefore matching needs no recursion.
 * Example: in "*a*ab" and "aaab" the first `*` takes nothing. The second `*` takes nothing, "ab"
 * fails at the third byte, the second `*` takes one byte, and "ab" matches.
 */
#include "ground/pattern.h"

/* The literal byte at the start of a pattern, or 0 if it starts with a wildcard. Advances to it. */
static char literal(const char **pattern)
{
    if (**pattern == '\\' && (*pattern)[1])
        ++*pattern;
    else if (**pattern == '*' || **pattern == '?')
        return 0;
    return **pattern;
}

/* Advances past the part of the pattern that matches one byte of the text. */
static bool step(const char **pattern, char byte)
{
    const char *at = *pattern;

    if (*at != '?' && literal(&at) != byte)
        return false;
    *pattern = at + 1;
    return true;
}

bool pattern_matches(const char *pattern, const char *text)
{
    const char *after_star = NULL, *taken = NULL; /* the latest `*` takes the text up to `taken` */

    while (*text) {
        if (*pattern == '*') {
            after_star = ++pattern;
            taken = text;
        } else if (step(&pattern, *text)) {
            text++;
        } else if (after_star) {
            pattern = after_star;
            text = ++taken;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}
