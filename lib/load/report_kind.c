/* The kinds of reports; see report_kind.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/load/report_kind.h"
#include "lib/base/input.h"
#include "lib/base/memory.h"
#include "lib/load/report_set.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC_BYTES  32 /* more bytes than the first line of any report has */
#define PLAN_PROFILE "aprof.paths.profile"

/* A pipe can be read only once, so its contents are copied to memory. */
static bool make_input_seekable(void)
{
    char buffer[1 << 16];
    ssize_t bytes;
    if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
        return true;
    int copy = memfd_create("aprof-input", 0);
    if (copy < 0)
        return false;
    while ((bytes = read(STDIN_FILENO, buffer, sizeof buffer)) > 0) {
        if (write(copy, buffer, (size_t)bytes) != bytes)
            break;
    }
    dup2(copy, STDIN_FILENO);
    close(copy);
    return lseek(STDIN_FILENO, 0, SEEK_SET) == 0;
}

static enum report_kind kind_of_magic(const char *tag, size_t bytes)
{
    for (int kind = 0; kind < REPORT_KINDS; kind++) {
        if (strlen(report_kinds[kind].magic) == bytes &&
            memcmp(report_kinds[kind].magic, tag, bytes) == 0)
            return (enum report_kind)kind;
    }
    return REPORT_POINTS;
}

static bool is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static enum report_kind kind_of_file(const char *path)
{
    char line[MAGIC_BYTES + 1] = "";
    struct failure why;
    struct input *input = input_open(path, &why);
    if (!input)
        return REPORT_POINTS;
    long bytes = input_read(input, line, MAGIC_BYTES, &why);
    input_close(input);
    return bytes < 0 ? REPORT_POINTS : kind_of_magic(line, strcspn(line, "\t "));
}

static const struct {
    const char *magic, *words;
} foreign[] = {
    {"PERFILE2",
     "recorded by perf, which does not measure input sizes; read it with `perf report`, "
     "or profile the program with `aprof run -- PROGRAM`"},
    {"# callgrind format",
     "recorded by callgrind, which does not measure input sizes; read it with "
     "callgrind_annotate, or profile the program with `aprof run -- PROGRAM`"},
    {"gmon", "recorded by gcc -pg, which does not measure input sizes; read it with gprof, or "
             "profile the program with `aprof run -- PROGRAM`"},
};

const char *report_kind_foreign(const char *path)
{
    char line[MAGIC_BYTES + 1] = "";
    struct failure why;
    struct input *input = is_regular(path) ? input_open(path, &why) : NULL;
    if (!input)
        return NULL;
    long bytes = input_read(input, line, MAGIC_BYTES, &why);
    input_close(input);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign && bytes > 0; i++) {
        if (strncmp(line, foreign[i].magic, strlen(foreign[i].magic)) == 0)
            return foreign[i].words;
    }
    return NULL;
}

static enum report_kind kind_of_input(void)
{
    if (!make_input_seekable())
        return REPORT_POINTS;
    off_t start = lseek(STDIN_FILENO, 0, SEEK_CUR);
    enum report_kind kind = kind_of_file("-");
    lseek(STDIN_FILENO, start, SEEK_SET);
    return kind;
}

enum report_kind report_kind_of(const char *path)
{
    path_list files = {0};
    struct failure why;
    enum report_kind kind = REPORT_POINTS;
    if (strcmp(path, "-") == 0)
        return kind_of_input();
    char *profile = memory_format("%s/" PLAN_PROFILE, path);
    if (access(profile, F_OK) == 0)
        kind = REPORT_PATHS;
    else if (report_set_expand(&(string_list){.at = &path, .count = 1}, &files, &why) &&
             is_regular(files.at[0]))
        kind = kind_of_file(files.at[0]);
    report_set_free(&files);
    free(profile);
    return kind;
}
