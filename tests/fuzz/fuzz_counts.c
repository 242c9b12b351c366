/* Fuzzes the reader of an instrumented program's counts: any bytes end in counts or in a message.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The harness reads each input twice: as the report of the analysis `paths`, and as a file of
 * counters. For the file of counters, the first byte of the input is the number of pages. Every
 * further ten bytes are a position and the 64 bits at that position. The harness adds the file's
 * head.
 */
#include "paths/counts.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/fuzz/fuzz_lines.h"

enum { MOST_PAGES = 16, ROW_BYTES = 10, PAGE_WORDS = COUNTERS_PAGE_BYTES / 8, SLOTS = 5 };

static const uint64_t plan = 7;

/* Both readers take PREFIX.NUMBER. */
static char folder[] = "/tmp/aprof-fuzz.XXXXXX", prefix[sizeof folder + 8], path[sizeof prefix + 2];

static void folder_remove(void)
{
    unlink(path);
    rmdir(folder);
}

static void put(const void *bytes, size_t count)
{
    if (!path[0]) {
        CHECK(mkdtemp(folder) && atexit(folder_remove) == 0);
        snprintf(prefix, sizeof prefix, "%s/counts", folder);
        snprintf(path, sizeof path, "%s.1", prefix);
    }
    FILE *file = fopen(path, "w");
    CHECK(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

static void check(bool fine, struct path_counts *counts, const struct failure *why)
{
    if (fine) {
        CHECK(counts->processes == 1 && counts->slot_count == SLOTS && counts->slots[SLOTS] == 0);
        for (size_t i = 0; i < counts->entries.count; i++)
            CHECK(counts->entries.at[i].procedure);
        counts_free(counts);
    } else {
        CHECK(why->text[0]);
    }
    CHECK(!counts->slots && !counts->entries.at);
}

static void read_counters(const uint8_t *bytes, size_t count)
{
    struct path_counts counts;
    struct failure why = {{0}};
    size_t pages = count ? 1 + bytes[0] % MOST_PAGES : 0;
    uint64_t *words = memory_get_zeroed(pages + 1, COUNTERS_PAGE_BYTES);
    struct counters_header head = {.identity = {COUNTERS_MAGIC, plan, 1, 1, 0, 0, SLOTS},
                                   .first_lane = COUNTERS_PAGE_BYTES};
    memcpy(words, &head, sizeof head);
    for (size_t i = 1; i + ROW_BYTES <= count; i += ROW_BYTES)
        memcpy(&words[(bytes[i] | bytes[i + 1] << 8) % (pages * PAGE_WORDS)], bytes + i + 2, 8);
    put(words, pages * COUNTERS_PAGE_BYTES);
    free(words);
    check(counts_read(&counts, prefix, plan, 1, SLOTS, &why), &counts, &why);
}

static void read_once(const uint8_t *bytes, size_t count)
{
    struct path_counts counts;
    struct failure why = {{0}};
    put(bytes, count);
    check(counts_read_events(&counts, prefix, SLOTS, &why), &counts, &why);
    read_counters(bytes, count);
}
