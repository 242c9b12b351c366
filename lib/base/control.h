/* Keeps exports and messages free of bytes that break lines or disturb terminals.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of executables may contain these bytes: "a\nb 900" would become a separate record in a
 * folded stack.
 */
#ifndef LIB_BASE_CONTROL_H
#define LIB_BASE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

static inline bool is_control(char byte)
{
    return (unsigned char)byte < 0x20 || byte == 0x7f;
}

/* Returns the number of bytes of the text's first character; sets `*passes` to whether the
 * character may be written. Rejects control characters (also above 0x7f), characters that break
 * lines or reverse the direction of writing, and bytes that are not UTF-8. */
size_t control_character(const char *text, bool *passes);

/* Writes the text's first character, or `instead` if the character may not be written. Advances
 * `text` to the next character. */
void control_put(const char **text, char instead, FILE *to);
/* Writes a whole text, with `instead` for each character that could break lines or disturb
 * terminals. */
void control_write(const char *text, char instead, FILE *to);
/* Overwrites, with `instead`, each character that could break lines or disturb terminals. */
void control_replace(char *text, char instead);

#endif
