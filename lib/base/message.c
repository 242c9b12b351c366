/* Prints messages for users; see message.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/base/message.h"
#include "lib/base/control.h"

#include <stdarg.h>
#include <stdio.h>

bool failure_set(struct failure *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->text, sizeof why->text, format, args);
    va_end(args);
    return false;
}

static void print_line(const char *text)
{
    fputs("aprof: ", stderr);
    control_write(text, '?', stderr);
    putc('\n', stderr);
}

void message_error(const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_line(text);
}

int message_failure(const struct failure *why)
{
    print_line(why->text);
    return STATUS_FAILED;
}
