/* Writes results to standard output or a file; see output.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/base/output.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Devices and pipes are written directly; a file that does not exist becomes a regular file. */
static bool is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

static void output_forget(struct output *output)
{
    free(output->partial);
    output->partial = NULL;
    output->stream = NULL;
}

bool output_open(struct output *output, const char *path, struct failure *why)
{
    bool standard = !path || strcmp(path, "-") == 0;
    *output = (struct output){.stream = stdout};
    if (standard)
        return true;
    output->path = path;
    if (is_regular(path))
        output->partial = memory_format("%s.partial-%ld", path, (long)getpid());
    output->stream = fopen(output->partial ? output->partial : path, "w");
    if (output->stream)
        return true;
    failure_set(why, "%s: cannot write: %s", path, strerror(errno));
    output_forget(output);
    return false;
}

void output_discard(struct output *output)
{
    if (output->path)
        fclose(output->stream);
    if (output->partial)
        unlink(output->partial);
    output_forget(output);
}

bool output_close(struct output *output, struct failure *why)
{
    const char *name = output->path ? output->path : "(standard output)";
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    if (good && output->partial)
        good = rename(output->partial, output->path) == 0;
    if (!good) {
        failure_set(why, "%s: cannot write: %s", name, strerror(errno));
        output_discard(output);
        return false;
    }
    if (output->path)
        fclose(output->stream);
    output_forget(output);
    return true;
}
