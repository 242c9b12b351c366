/* Bytes that break lines or disturb terminals: no export and no message passes them on.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whoever named an executable chose them: "a\nb 900" would be a record of its own in a folded stack.
 */
#ifndef LIB_CONTROL_H
#define LIB_CONTROL_H

#include <stdbool.h>

static inline bool is_control(char byte)
{
    return (unsigned char)byte < 0x20 || byte == 0x7f;
}

#endif
