/* Characters that must not reach a terminal; see control.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/base/control.h"
#include "lib/base/json.h"

#include <string.h>

/* Terminals treat U+0080 to U+009F like ESC and a letter. */
static bool is_high_control(const unsigned char *at)
{
    return at[0] == 0xc2 && at[1] < 0xa0;
}

/* U+2028 to U+202E and U+2066 to U+2069 break lines or reverse the text that follows. */
static bool is_layout(const unsigned char *at)
{
    return at[0] == 0xe2 && ((at[1] == 0x80 && at[2] >= 0xa8 && at[2] <= 0xae) ||
                             (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
}

size_t control_character(const char *text, bool *passes)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = json_utf8_length(at);
    *passes = length && !is_control(*text) && !is_high_control(at) && !is_layout(at);
    return length ? length : 1;
}

void control_put(const char **text, char instead, FILE *to)
{
    bool passes;
    size_t length = control_character(*text, &passes);
    for (size_t i = 0; i < (passes ? length : 1); i++)
        putc(passes ? (*text)[i] : instead, to);
    *text += length;
}

void control_write(const char *text, char instead, FILE *to)
{
    while (*text)
        control_put(&text, instead, to);
}

void control_replace(char *text, char instead)
{
    char *to = text;
    while (*text) {
        bool passes;
        size_t length = control_character(text, &passes);
        if (passes)
            memmove(to, text, length);
        else
            *to = instead;
        to += passes ? length : 1;
        text += length;
    }
    *to = '\0';
}
