/* Runs a child process, often `aprof run`, and waits for its end; makes temporary folders.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_CHILD_H
#define TOOLS_CHILD_H

#include "lib/base/message.h"
#include "lib/base/progress.h"

#include <spawn.h>

/* The path of the running `aprof`. */
const char *child_own_path(void);

/* Runs argv[0] with the given file actions (NULL: none); argv[0] is an absolute path, or a name to
 * be found in PATH. `status` is the status from waitpid(). An interrupt from the terminal ends only
 * the program, so that the command can still use the measurements. Shows the progress unless it is
 * NULL. Returns false if the program did not start. */
bool child_run(const char *const *argv, const posix_spawn_file_actions_t *actions,
               struct progress *progress, int *status, struct failure *why);

/* The status as text: "exit status 3", or "ended by signal 6"; the caller frees the text. */
char *child_status_words(int status);

/* Makes a folder NAME-XXXXXX in TMPDIR or /tmp; returns NULL after a failure. child_folder_remove()
 * removes the folder with its contents, and frees the path. */
char *child_folder_make(const char *name, struct failure *why);
void child_folder_remove(char *folder);

#endif
