/* The folder of a path profiling plan: the names of its files, and the records of `run`.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/paths_command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *paths_file(const char *folder, const char *name)
{
    return memory_format("%s/aprof.paths.%s", folder, name);
}

char *paths_copy_file(const char *folder, const char *name, uint32_t copy)
{
    return memory_format("%s/aprof.paths.%s-%04" PRIu32, folder, name, copy);
}

char *paths_absolute(const char *path)
{
    return realpath(path, NULL);
}

bool paths_read_plan(struct plan *plan, const char *folder, struct failure *why)
{
    char *path = paths_file(folder, PATHS_PLAN), *graphs = paths_file(folder, PATHS_GRAPHS);
    bool fine = access(path, F_OK) == 0 ||
                failure_set(why, "%s: there is no plan; make one with 'aprof paths plan'", path);
    fine = fine && plan_read(plan, path, graphs, why);
    free(path);
    free(graphs);
    return fine;
}

/* ---------------------------------------------------------------- Records of a run */

static void put_plan(struct record_output *writer, const char *kind, const struct plan *plan)
{
    char id[17];
    snprintf(id, sizeof id, "%016" PRIx64, plan->id);
    record_output_start(writer, kind, 1);
    record_output_put(writer, "plan", "s", id);
}

/* Opens a file of the folder, and checks that the file belongs to the plan. */
static bool open_of_plan(struct record_file *file, const char *path, const char *kind,
                         const struct plan *plan, struct failure *why)
{
    if (access(path, F_OK) != 0)
        return failure_set(why, "%s: missing; run the copies with 'aprof paths run'", path);
    if (!record_open(file, path, kind, 1, why))
        return false;
    if (record_next(file) && record_is(file, "plan", 1, false) &&
        strtoull(file->fields.at[1], NULL, 16) == plan->id)
        return true;
    record_close(file);
    return failure_set(why, "%s: belongs to another plan; run the copies again", path);
}

bool paths_write_run(const char *folder, const struct plan *plan, char *const *arguments,
                     bool has_input, struct failure *why)
{
    struct record_output writer;
    put_plan(&writer, "aprof-paths-run", plan);
    record_output_put(&writer, "input", "u", (uint64_t)has_input);
    record_output_words(&writer, "arguments", arguments);
    char *path = paths_file(folder, PATHS_RUN);
    bool fine = record_output_finish(&writer, path, why);
    free(path);
    return fine;
}

bool paths_read_run(struct paths_run_record *record, const char *folder, const struct plan *plan,
                    struct failure *why)
{
    struct record_file file;
    char *path = paths_file(folder, PATHS_RUN);
    *record = (struct paths_run_record){0};
    bool fine = open_of_plan(&file, path, "aprof-paths-run", plan, why);
    free(path);
    if (!fine)
        return false;
    while (record_next(&file)) {
        if (record_is(&file, "input", 1, false))
            record->has_input = strcmp(file.fields.at[1], "0") != 0;
        for (size_t i = 1; record_is(&file, "arguments", 0, true) && i < file.fields.count; i++) {
            const char *text = file.fields.at[i];
            vector_push(&record->arguments, arena_copy(&record->strings, text, strlen(text)));
        }
    }
    record_close(&file);
    vector_push(&record->arguments, NULL);
    record->arguments.count--;
    return true;
}

void paths_free_run(struct paths_run_record *record)
{
    vector_free(&record->arguments);
    arena_free(&record->strings);
}

bool paths_write_end(const char *folder, uint32_t copy, const struct plan *plan,
                     const struct paths_end *end, struct failure *why)
{
    struct record_output writer;
    char *path = paths_copy_file(folder, "end", copy);
    put_plan(&writer, "aprof-paths-end", plan);
    record_output_put(&writer, "end", "uu", (uint64_t)end->status, end->user_microseconds);
    bool fine = record_output_finish(&writer, path, why);
    free(path);
    return fine;
}

bool paths_read_end(struct paths_end *end, const char *folder, uint32_t copy,
                    const struct plan *plan, struct failure *why)
{
    struct record_file file;
    uint64_t status;
    char *path = paths_copy_file(folder, "end", copy);
    bool fine = open_of_plan(&file, path, "aprof-paths-end", plan, why);
    if (fine) {
        fine = record_next(&file) && record_is(&file, "end", 2, false) &&
               record_number(&file, 0, INT32_MAX, &status) &&
               record_number(&file, 1, UINT64_MAX, &end->user_microseconds);
        if (!fine)
            record_fail(&file, "not the end of a copy", why);
        else
            end->status = (int)status;
        record_close(&file);
    }
    free(path);
    return fine;
}
