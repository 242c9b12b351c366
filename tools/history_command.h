/* Parts of `aprof history` that its source files share.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_HISTORY_COMMAND_H
#define TOOLS_HISTORY_COMMAND_H

#include "tools/command.h"

#include <stdint.h>
#include <stdio.h>

#define HISTORY_DATABASE "aprof.history"
/* Routines below this percentage of a run's cost get no growth, and are not shown. */
#define HISTORY_SHARE     0.1
#define HISTORY_THRESHOLD 5 /* in percent */

/* A change as text: "+12.0%", "new", or "-"; the caller frees the text. */
char *history_change_words(uint64_t before, uint64_t after);
/* The date "2026-11-27" of seconds since 1970; the caller frees the text. */
char *history_date_words(int64_t moment);

/* Writes the main page of a history, but no pages of commits. The page shows the workload of the
 * run that was added last. */
bool history_html_write(const char *database, FILE *to, struct failure *why);

extern const struct command history_html_step;

#endif
