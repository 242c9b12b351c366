/* Reads the reports that the command line names; see report_set.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/load/report_set.h"
#include "lib/base/short_name.h"
#include "lib/base/progress.h"
#include "lib/report/report_merge.h"
#include "lib/report/report_reader.h"
#include "lib/symbols/report_symbols.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

bool report_set_is_name(const char *path)
{
    const char *name = short_path(path);
    return fnmatch("aprof.out.*", name, 0) == 0 || fnmatch("*.aprof", name, FNM_PERIOD) == 0;
}

static int is_report_name(const struct dirent *entry)
{
    return report_set_is_name(entry->d_name);
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

char *report_set_newest(struct failure *why)
{
    struct dirent **entries;
    struct timespec latest = {0};
    char *newest = NULL;
    int count = scandir(".", &entries, is_report_name, alphasort);
    for (int i = 0; i < count; i++) {
        struct stat status;
        char *path = memory_format("./%s", entries[i]->d_name);
        free(entries[i]);
        if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
            (newest && !is_later(&status.st_mtim, &latest))) {
            free(path);
            continue;
        }
        free(newest);
        newest = path;
        latest = status.st_mtim;
    }
    if (count >= 0)
        free(entries);
    if (!newest)
        failure_set(why,
                    "no report: the current folder has no aprof.out.* or *.aprof; give a file");
    return newest;
}

static bool expand_folder(const char *folder, path_list *paths, struct failure *why)
{
    struct dirent **entries;
    size_t before = paths->count;
    int count = scandir(folder, &entries, is_shown, alphasort);
    if (count < 0)
        return failure_set(why, "%s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        char *path = memory_format("%s/%s", folder, entries[i]->d_name);
        if (is_folder(path))
            free(path);
        else
            vector_push(paths, path);
        free(entries[i]);
    }
    free(entries);
    return paths->count > before || failure_set(why, "%s: no reports in the folder", folder);
}

bool report_set_expand(const string_list *operands, path_list *paths, struct failure *why)
{
    for (size_t i = 0; i < operands->count; i++) {
        const char *path = operands->at[i];
        if (!is_folder(path))
            vector_push(paths, memory_copy_string(path));
        else if (!expand_folder(path, paths, why))
            return false;
    }
    return true;
}

/* A file that the operands name, and the device and inode numbers that identify the file. */
struct named_file {
    dev_t device;
    ino_t number;
    const char *path;
};

static int by_file(const void *a, const void *b)
{
    const struct named_file *left = a, *right = b;
    if (left->device != right->device)
        return left->device < right->device ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

const char *report_set_repeated(const path_list *paths)
{
    struct named_file *files = memory_get_zeroed(paths->count + 1, sizeof *files);
    const char *repeated = NULL;
    size_t count = 0;
    for (size_t i = 0; i < paths->count; i++) {
        struct stat status;
        if (stat(paths->at[i], &status) == 0 && S_ISREG(status.st_mode))
            files[count++] = (struct named_file){status.st_dev, status.st_ino, paths->at[i]};
    }
    qsort(files, count, sizeof *files, by_file);
    for (size_t i = 1; i < count && !repeated; i++)
        repeated = by_file(&files[i - 1], &files[i]) == 0 ? files[i].path : NULL;
    free(files);
    return repeated;
}

void report_set_free(path_list *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->at[i]);
    vector_free(paths);
}

bool report_set_sum(const path_list *paths, struct report *sum, struct failure *why)
{
    struct report_merge merge = {0};
    struct progress progress = progress_start("reports", paths->count);
    for (size_t i = 0; i < paths->count; i++) {
        struct report report;
        progress_step(&progress, i);
        if (!report_read_file(&report, paths->at[i], why) ||
            !report_merge_add(&merge, &report, why)) {
            progress_end(&progress);
            report_merge_free(&merge);
            return false;
        }
    }
    progress_end(&progress);
    bool good = report_merge_finish(&merge, sum, why);
    report_merge_free(&merge);
    return good;
}

bool report_set_read_sum(const path_list *paths, const char *name, struct report *sum,
                         struct failure *why)
{
    memset(sum, 0, sizeof *sum);
    if (!report_set_sum(paths, sum, why))
        return false;
    free(sum->path);
    sum->path = memory_copy_string(name);
    report_find_unread(sum);
    return true;
}

bool report_set_read(const char *path, struct report *report, struct failure *why)
{
    path_list paths = {0};
    memset(report, 0, sizeof *report);
    if (is_folder(path)) {
        bool good =
            expand_folder(path, &paths, why) && report_set_read_sum(&paths, path, report, why);
        report_set_free(&paths);
        return good;
    }
    if (!report_read_file(report, path, why))
        return false;
    report_find_unread(report);
    return true;
}
