/* Reads the files of counters of instrumented programs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths/counts.h"
#include "ground/record_schema.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A mapped file of counts. */
struct image {
    const char *path;
    const char *bytes;
    uint64_t size;
};

static bool image_open(struct image *image, const char *path, struct failure *why)
{
    struct stat status;
    /* a FIFO is opened without waiting for a writer */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &status) != 0) {
        failure_set(why, "%s: %s", path, strerror(errno));
        if (file >= 0)
            close(file);
        return false;
    }
    *image = (struct image){path, NULL, (uint64_t)status.st_size};
    if (image->size < COUNTERS_PAGE_BYTES) {
        close(file);
        return failure_set(why, "%s: too short to be a file of counters", path);
    }
    void *bytes = mmap(NULL, image->size, PROT_READ, MAP_PRIVATE, file, 0);
    int error = errno;
    close(file);
    image->bytes = bytes == MAP_FAILED ? NULL : bytes;
    return image->bytes || failure_set(why, "%s: %s", path, strerror(error));
}

static bool is_inside(const struct image *image, uint64_t at, uint64_t bytes)
{
    return at % sizeof(uint64_t) == 0 && at <= image->size && bytes <= image->size - at;
}

static bool cut_short(const struct image *image, struct failure *why)
{
    return failure_set(why, "%s: cut short or damaged", image->path);
}

static void add_table(struct path_counts *counts, const struct counters_entry *table,
                      uint64_t capacity)
{
    for (uint64_t i = 0; i < capacity; i++)
        if (table[i].procedure && table[i].count)
            vector_push(&counts->entries, table[i]);
}

static bool add_lanes(struct path_counts *counts, const struct image *image, struct failure *why)
{
    const struct counters_header *header = (const void *)image->bytes;
    uint64_t bytes = counts->slot_count * sizeof(uint64_t), lanes = 0;
    for (uint64_t at = header->first_lane; at;) {
        if (!is_inside(image, at, COUNTERS_PAGE_BYTES + bytes) ||
            ++lanes > image->size / COUNTERS_PAGE_BYTES)
            return cut_short(image, why);
        const struct counters_lane *lane = (const void *)(image->bytes + at);
        const uint64_t *slots = (const void *)(image->bytes + at + COUNTERS_PAGE_BYTES);
        for (uint64_t i = 0; i < counts->slot_count; i++)
            counts->slots[i] += slots[i];
        if (lane->capacity > image->size ||
            !is_inside(image, lane->table, lane->capacity * sizeof(struct counters_entry)))
            return cut_short(image, why);
        add_table(counts, (const void *)(image->bytes + lane->table), lane->capacity);
        at = lane->next;
    }
    return true;
}

static bool add_file(struct path_counts *counts, const char *path, uint64_t plan, uint32_t copy,
                     struct failure *why)
{
    struct image image;
    if (!image_open(&image, path, why))
        return false;
    const struct counters_header *header = (const void *)image.bytes;
    bool fine = true;
    if (memcmp(header->identity.magic, COUNTERS_MAGIC, sizeof header->identity.magic) != 0)
        fine = failure_set(why, "%s: not a file of counters", path);
    else if (header->identity.plan != plan || header->identity.copy != copy ||
             header->identity.slots != counts->slot_count)
        fine = failure_set(why, "%s: belongs to another plan; run the copies again", path);
    else
        fine = add_lanes(counts, &image, why);
    counts->threads_refused |= fine && header->state == COUNTERS_THREADS_REFUSED;
    munmap((void *)image.bytes, image.size);
    return fine;
}

static char *name_of(const char *prefix, unsigned number)
{
    return memory_format("%s.%u", prefix, number);
}

bool counts_read(struct path_counts *counts, const char *prefix, uint64_t plan, uint32_t copy,
                 uint64_t slots, struct failure *why)
{
    *counts = (struct path_counts){.slot_count = slots,
                                   .slots = memory_get_zeroed(slots + 1, sizeof(uint64_t))};
    bool fine = true;
    for (char *path = NULL; fine; free(path)) {
        path = name_of(prefix, counts->processes + 1);
        if (access(path, F_OK) != 0) {
            free(path);
            break;
        }
        fine = add_file(counts, path, plan, copy, why);
        counts->processes++;
    }
    if (fine && !counts->processes)
        fine = failure_set(why, "%s.1: the copy wrote no counts; run it again", prefix);
    if (!fine)
        counts_free(counts);
    return fine;
}

void counts_free(struct path_counts *counts)
{
    free(counts->slots);
    vector_free(&counts->entries);
    *counts = (struct path_counts){0};
}

/* ---------------------------------------------------------------- Reports of an analysis */

/* Finds all files PREFIX.*; the caller frees the list with globfree(). */
static void find_files(const char *prefix, glob_t *found)
{
    char *pattern = memory_get_zeroed(2 * strlen(prefix) + 3, 1), *to = pattern;
    for (const char *from = prefix; *from; from++) {
        if (strchr("*?[\\", *from))
            *to++ = '\\';
        *to++ = *from;
    }
    strcpy(to, ".*");
    if (glob(pattern, 0, NULL, found) != 0)
        *found = (glob_t){0};
    free(pattern);
}

static bool take_row(struct path_counts *counts, const struct record_file *file,
                     struct failure *why)
{
    struct counters_entry entry;
    if (!record_is(file, "path", 3, false))
        return true; /* these fields describe the process and its command */
    if (!record_number(file, 0, UINT32_MAX - 1, &entry.procedure) ||
        !record_number(file, 1, UINT64_MAX, &entry.value) ||
        !record_number(file, 2, UINT64_MAX, &entry.count))
        return record_fail(file, "not the count of a path", why);
    entry.procedure++;
    vector_push(&counts->entries, entry);
    return true;
}

bool counts_read_events(struct path_counts *counts, const char *prefix, uint64_t slots,
                        struct failure *why)
{
    glob_t found;
    *counts = (struct path_counts){.slot_count = slots,
                                   .slots = memory_get_zeroed(slots + 1, sizeof(uint64_t))};
    find_files(prefix, &found);
    bool fine =
        found.gl_pathc || failure_set(why, "%s.*: the copy wrote no counts; run it again", prefix);
    for (size_t i = 0; fine && i < found.gl_pathc; i++) {
        struct record_file file;
        fine = record_open(&file, found.gl_pathv[i], RECORD_EVENTS_FIRST, 1, why);
        if (!fine)
            break;
        while (fine && record_next(&file))
            fine = take_row(counts, &file, why);
        record_close(&file);
        counts->processes++;
    }
    globfree(&found);
    if (!fine)
        counts_free(counts);
    return fine;
}

void counts_remove_files(const char *prefix)
{
    glob_t found;
    find_files(prefix, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        unlink(found.gl_pathv[i]);
    globfree(&found);
}
