/* Prints an event stream, one line per record, to analyse a failed test.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_PROPERTY_STREAM_DUMP_H
#define TESTS_PROPERTY_STREAM_DUMP_H

#include <stdio.h>

#include "aprof/events.h"

void stream_dump(FILE *out, const aprof_word *from, const aprof_word *to);

#endif
