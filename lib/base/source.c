/* Source files; see source.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/base/source.h"
#include "lib/base/vector.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *source_place(const char *path, const char *moved)
{
    const char *middle = moved ? strchr(moved, '=') : NULL;
    size_t from = middle ? (size_t)(middle - moved) : 0;
    if (!middle || strncmp(path, moved, from) != 0)
        return memory_copy_string(path);
    return memory_format("%s%s", middle + 1, path + from);
}

/* A file above this size, such as a core dump that a report names, is not a source file. */
#define LARGEST_SOURCE ((size_t)256 << 20)

static bool is_file(FILE *file)
{
    struct stat status;
    return fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
}

char *source_read(const char *place)
{
    VECTOR(char) text = {0};
    int descriptor = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    if (!file)
        return NULL;
    bool good = is_file(file);
    for (int c; good && (c = getc(file)) != EOF; good = text.count <= LARGEST_SOURCE) {
        if (c != 0)
            vector_push(&text, (char)c);
    }
    good = good && !ferror(file);
    fclose(file);
    vector_push(&text, '\0');
    if (!good)
        vector_free(&text);
    return text.at;
}

const char *source_relative(const char *path)
{
    char *here = getcwd(NULL, 0);
    size_t bytes = here ? strlen(here) : 0;
    bool is_below = bytes > 1 && strncmp(path, here, bytes) == 0 && path[bytes] == '/';
    free(here);
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    return is_below ? path + bytes + 1 : path;
}

char *source_line(const char *text, unsigned long line)
{
    while (text && --line > 0) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    if (!text)
        return NULL;
    text += strspn(text, " \t");
    size_t bytes = strcspn(text, "\r\n");
    while (bytes > 0 && (text[bytes - 1] == ' ' || text[bytes - 1] == '\t'))
        bytes--;
    return bytes > 0 ? memory_format("%.*s", (int)bytes, text) : NULL;
}
