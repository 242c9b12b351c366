/* Fuzzes the readers of path profiles: any bytes end in a profile or in a message.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One input has the lines of four files, one after the other: graphs, a plan, the counts of a copy,
 * a path profile. A line `=` ends each file except the last. The harness adds the first lines, the
 * plan's identity and valid last lines. If the input has no lines of a plan, the harness makes a
 * plan. The length of the graphs then determines the policy and the number of copies.
 */
#include "paths/path_profile.h"
#include "paths/record.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PARTS = 4, IDS_TRIED = 64, MOST_SLOTS = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s: %s\n", __FILE__, #condition);                                     \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* ---------------------------------------------------------------- files in memory */

struct memory_file {
    int number;
    char path[64];
};

static struct memory_file file_new(void)
{
    struct memory_file file = {.number = memfd_create("paths", 0)};
    CHECK(file.number >= 0);
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.number);
    return file;
}

static void file_put(const struct memory_file *file, const char *bytes, size_t count)
{
    CHECK(write(file->number, bytes, count) == (ssize_t)count);
}

/* Makes a file: the head, the lines of the input, and the lines that mark the file as complete. */
static struct memory_file file_of(const char *head, const char *lines, size_t count)
{
    struct memory_file file = file_new();
    uint64_t hash = UINT64_C(0xcbf29ce484222325), n_lines = 0;
    size_t bytes = strlen(head) + count;
    char *all = memory_resize(NULL, bytes + 80, 1);
    memcpy(all, head, strlen(head));
    if (count)
        memcpy(all + strlen(head), lines, count);
    if (all[bytes - 1] != '\n')
        all[bytes++] = '\n';
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ (uint8_t)all[i]) * UINT64_C(0x100000001b3);
        n_lines += all[i] == '\n';
    }
    bytes +=
        (size_t)snprintf(all + bytes, 80, "complete\t%" PRIu64 "\t%016" PRIx64 "\n", n_lines, hash);
    file_put(&file, all, bytes);
    free(all);
    return file;
}

/* ---------------------------------------------------------------- what was read */

/* Ids give paths, and these paths give the ids. */
static void check_numbering(const struct numbering *numbering, const struct dag *dag, bool is_whole)
{
    uint64_t paths = dag->suffixes[dag->entry];
    uint32_t *edges = memory_get_zeroed(dag->vertex_count, sizeof *edges);
    for (uint64_t i = 0; i < IDS_TRIED; i++) {
        uint64_t id = i % 2 ? i : paths - i;
        uint32_t length = numbering_decode(numbering, dag, id, edges);
        CHECK(length <= dag->vertex_count);
        for (uint32_t e = 0; e < length; e++)
            CHECK(edges[e] < dag->edges.count &&
                  dag->edges.at[edges[e]].from ==
                      (e ? dag->edges.at[edges[e - 1]].to : dag->entry));
        CHECK(!length || dag->edges.at[edges[length - 1]].to == dag->exit);
        CHECK(!length || numbering_id(numbering, edges, length) == id);
        CHECK(!is_whole || (length > 0) == (id < paths));
    }
    free(edges);
}

static void check_plan(const struct plan *plan, bool was_made)
{
    for (size_t p = 0; p < plan->distribution.procedures; p++) {
        const struct subject *subject = &plan->subjects[p];
        struct numbering ball_larus;
        if (subject->skipped)
            continue;
        numbering_ball_larus(&ball_larus, &subject->dag);
        check_numbering(&ball_larus, &subject->dag, true);
        numbering_free(&ball_larus);
        for (uint32_t c = 0; was_made && c < plan->distribution.copies; c++)
            if (plan_part(plan, c, p)->used)
                check_numbering(&plan_part(plan, c, p)->numbering, &subject->dag, false);
    }
}

/* A file in a folder in which writers can create a second file. */
static char folder[] = "/tmp/aprof-fuzz.XXXXXX", written_path[sizeof folder + 8];

static void folder_remove(void)
{
    unlink(written_path);
    rmdir(folder);
}

static char *written(const struct path_profile *profile, const struct plan *plan, size_t *count)
{
    struct failure why;
    if (!written_path[0]) {
        CHECK(mkdtemp(folder) && atexit(folder_remove) == 0);
        snprintf(written_path, sizeof written_path, "%s/written", folder);
    }
    CHECK(path_profile_write(profile, plan, written_path, &why));
    FILE *file = fopen(written_path, "r");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    *count = (size_t)ftell(file);
    rewind(file);
    char *bytes = memory_resize(NULL, *count + 1, 1);
    CHECK(fread(bytes, 1, *count, file) == *count);
    fclose(file);
    return bytes;
}

/* A written profile must be readable, and writing it again must give equal bytes. */
static void check_profile(const struct path_profile *profile, const struct plan *plan)
{
    struct path_profile again;
    struct failure why;
    size_t count, count_again;
    char *bytes = written(profile, plan, &count);
    CHECK(path_profile_read(&again, plan, written_path, &why));
    char *bytes_again = written(&again, plan, &count_again);
    CHECK(count == count_again && memcmp(bytes, bytes_again, count) == 0);
    path_profile_free(&again);
    free(bytes);
    free(bytes_again);
}

/* ---------------------------------------------------------------- one input */

struct part_of_input {
    const char *at;
    size_t count;
};

static void split(struct part_of_input *parts, const char *bytes, size_t count)
{
    for (unsigned i = 0; i < PARTS; i++) {
        size_t length = 0;
        while (length < count && !(i + 1 < PARTS && (length == 0 || bytes[length - 1] == '\n') &&
                                   count - length > 1 && memcmp(bytes + length, "=\n", 2) == 0))
            length++;
        parts[i] = (struct part_of_input){bytes, length};
        length += length < count ? 2 : 0;
        bytes += length;
        count -= length;
    }
}

static bool make_plan(struct plan *plan, const struct memory_file *graphs, size_t choice)
{
    struct failure why;
    *plan = (struct plan){.program = "program",
                          .build_id = "00",
                          .path_limit = choice % 5 ? DAG_DEFAULT_LIMIT : 8,
                          .policy = (enum policy)(choice % POLICY_HITS)};
    bool is_sliced = choice % 7 == 0;
    uint32_t copies = plan->policy == POLICY_SBL ? 1 : 1 + (uint32_t)(choice / POLICY_COUNT % 4);
    if (!graph_program_read(&plan->graphs, graphs->path, &why))
        return false;
    plan->flags = is_sliced && plan->policy == POLICY_SBL ? COUNTERS_SLICED
                  : copies > 1                            ? COUNTERS_PARTIAL
                                                          : 0;
    plan->interval = plan->flags & COUNTERS_SLICED ? 3 : 0;
    plan_make(plan, NULL, copies);
    plan_identify(plan);
    return true;
}

/* Every copy of the plan has the same counts: these rows, and a number in each of its slots. */
static void merge(const struct plan *plan, const struct part_of_input *rows)
{
    uint32_t copies = plan->distribution.copies;
    struct path_counts *counts = memory_get_zeroed(copies, sizeof *counts);
    struct path_profile profile;
    for (uint32_t c = 0; c < copies; c++) {
        counts[c] = (struct path_counts){.slot_count = plan->slots[c],
                                         .slots = memory_get_zeroed(plan->slots[c] + 1, 8),
                                         .processes = 1};
        for (uint64_t i = 0; i < plan->slots[c] && i < rows->count; i++)
            counts[c].slots[i] = (uint8_t)rows->at[i];
        for (size_t i = 0; i + 3 <= rows->count; i += 3) {
            const uint8_t *row = (const uint8_t *)rows->at + i;
            struct counters_entry entry = {row[0], row[1], row[2]};
            vector_push(&counts[c].entries, entry);
        }
    }
    path_profile_merge(&profile, plan, counts);
    check_profile(&profile, plan);
    path_profile_free(&profile);
    for (uint32_t c = 0; c < copies; c++)
        counts_free(&counts[c]);
    free(counts);
}

static void read_profile(const struct plan *plan, const struct part_of_input *lines)
{
    struct path_profile profile = {0};
    struct failure why = {{0}};
    char head[80];
    snprintf(head, sizeof head, "aprof-path-profile\t2\nplan\t%016" PRIx64 "\n", plan->id);
    struct memory_file file = file_of(head, lines->at, lines->count);
    if (path_profile_read(&profile, plan, file.path, &why))
        check_profile(&profile, plan);
    else
        CHECK(why.text[0]);
    path_profile_free(&profile);
    close(file.number);
}

static void use_plan(const struct plan *plan, bool was_made, const struct part_of_input *parts)
{
    uint64_t most = 0;
    for (uint32_t c = 0; c < plan->distribution.copies; c++)
        most = plan->slots[c] > most ? plan->slots[c] : most;
    check_plan(plan, was_made);
    if (most <= MOST_SLOTS && plan->distribution.copies <= 16)
        merge(plan, &parts[2]);
    read_profile(plan, &parts[3]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct part_of_input parts[PARTS];
    struct plan plan = {0};
    struct failure why = {{0}};
    split(parts, (const char *)bytes, count);
    struct memory_file graphs =
        file_of("aprof-graphs\t1\nmodule\tm\n", parts[0].at, parts[0].count);
    if (parts[1].count == 0) {
        if (make_plan(&plan, &graphs, parts[0].count))
            use_plan(&plan, true, parts);
    } else {
        struct memory_file file = file_of("aprof-paths-plan\t2\n", parts[1].at, parts[1].count);
        if (plan_read(&plan, file.path, graphs.path, &why))
            use_plan(&plan, false, parts);
        else
            CHECK(why.text[0]);
        close(file.number);
    }
    plan_free(&plan);
    close(graphs.number);
    return 0;
}
