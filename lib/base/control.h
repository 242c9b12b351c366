/* Bytes that break lines or disturb terminals: no export and no message passes them on.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of executables may contain them: "a\nb 900" would become a separate record in a folded stack.
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

/* The bytes of the character that the text begins with, and whether it may be passed on. Not those of
 * control, also above 0x7f, what breaks lines or turns round the direction of writing, and a byte that
 * is no UTF-8. */
size_t control_character(const char *text, bool *passes);

/* Writes that character, or `instead`, and goes on to the next; or all of a text; or puts it there. */
void control_put(const char **text, char instead, FILE *to);
void control_write(const char *text, char instead, FILE *to);
void control_replace(char *text, char instead);

#endif
