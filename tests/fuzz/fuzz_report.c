/* Fuzzes the report reader: any bytes must end in a report or in a message.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Built with -fsanitize=fuzzer this is a libFuzzer harness; otherwise (FUZZ_REPLAY) its main()
 * replays the files that it is given. Random changes hardly ever hit the checksum, so every input
 * is read twice: as it is, and with the right last line put behind it, which lets all record
 * parsers see it.
 */
#include "report_reader.h"
#include "report_writer.h"
#include "summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "fuzz_report: %s\n", #condition);                                      \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* What every user of a report relies on. */
static void check_report(struct report *report)
{
    struct failure why;
    summary_list lines = {0};
    enum metric metric;
    CHECK(report_choose_metric(report, NULL, &metric, &why));
    report_merge_threads(report);
    summary_make(report, metric, &lines);
    CHECK(lines.count == report->profiles.count);
    for (size_t i = 0; i < report->profiles.count; i++) {
        const struct profile *profile = &report->profiles.at[i];
        CHECK(profile->routine < report->routines.count && profile->thread == 0);
        CHECK(report->routines.at[profile->routine].object < report->objects.count);
        for (size_t p = 1; p < profile->count[metric]; p++) {
            const struct point *points = profile_points(report, profile, metric);
            CHECK(points[p - 1].input < points[p].input);
        }
    }
    vector_free(&lines);
}

static char *written(const struct report *report, size_t *count)
{
    char *bytes = NULL;
    FILE *memory = open_memstream(&bytes, count);
    report_write(report, memory);
    fclose(memory);
    return bytes;
}

/* What is written must be read again, and then be written the same. */
static void check_round_trip(const struct report *report)
{
    struct report again;
    struct failure why;
    size_t count, count_again;
    char *bytes = written(report, &count);
    CHECK(report_read_memory(&again, bytes, count, "again", &why));
    char *bytes_again = written(&again, &count_again);
    CHECK(count == count_again && memcmp(bytes, bytes_again, count) == 0);
    report_free(&again);
    free(bytes);
    free(bytes_again);
}

static void read_once(const uint8_t *bytes, size_t count)
{
    struct report report;
    struct failure why = {{0}};
    if (report_read_memory(&report, bytes, count, "fuzz", &why)) {
        check_round_trip(&report);
        check_report(&report);
    } else {
        CHECK(why.text[0]);
    }
    report_free(&report);
}

/* The bytes, made whole: a newline if the last line has none, and the last record. */
static void read_sealed(const uint8_t *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325), lines = 0;
    char *sealed = memory_resize(NULL, count + 80, 1);
    if (count)
        memcpy(sealed, bytes, count);
    if (count && bytes[count - 1] != '\n')
        sealed[count++] = '\n';
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ (uint8_t)sealed[i]) * UINT64_C(0x100000001b3);
        lines += sealed[i] == '\n';
    }
    int tail = snprintf(sealed + count, 80, "complete\t%" PRIu64 "\t%016" PRIx64 "\n", lines, hash);
    read_once((const uint8_t *)sealed, count + (size_t)tail);
    free(sealed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    read_once(bytes, count);
    read_sealed(bytes, count);
    return 0;
}

#ifdef FUZZ_REPLAY
static int replay(const char *path)
{
    VECTOR(uint8_t) bytes = {0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    for (int byte = getc(file); byte != EOF; byte = getc(file))
        vector_push(&bytes, (uint8_t)byte);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes.at, bytes.count);
    /* cut off anywhere near the start, where all the formats' heads are */
    for (size_t cut = 0; cut < bytes.count && cut < 4096; cut++)
        LLVMFuzzerTestOneInput(bytes.at, cut);
    vector_free(&bytes);
    return 0;
}

int main(int argc, char **argv)
{
    int status = 0;
    for (int i = 1; i < argc; i++)
        status |= replay(argv[i]);
    return status;
}
#endif
