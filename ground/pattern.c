/* Matches names with patterns, which options and files of bounds contain.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * If a byte does not match, the latest `*` takes one more byte. Each earlier `*` keeps the bytes
 * that it took, because the latest `*` can take any further bytes. Therefore matching needs no
 * recursion. Example: in "*a*ab" and "aaab", the first `*` takes nothing. The second `*` first
 * takes nothing, and "ab" fails at the third byte. Then the second `*` takes one byte, and "ab"
 * matches.
 */
#include "ground/pattern.h"

/* Returns the literal byte at the start of a pattern and advances to it; returns 0 for a
 * wildcard. */
static char literal(const char **pattern)
{
    if (**pattern == '\\' && (*pattern)[1])
        ++*pattern;
    else if (**pattern == '*' || **pattern == '?')
        return 0;
    return **pattern;
}

/* Advances past the part of the pattern that matches one byte. */
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
    /* positions after the latest `*`, and after the text that it has taken */
    const char *after_star = NULL, *taken = NULL;

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
