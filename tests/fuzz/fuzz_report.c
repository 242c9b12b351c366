/* Fuzzes the report reader; see fuzz_lines.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/fuzz/fuzz_lines.h"

#include "lib/report/report_reader.h"
#include "lib/report/report_writer.h"
#include "lib/growth/summary.h"

/* Checks properties that every user of a report relies on. */
static void check_report(struct report *report)
{
    struct failure why;
    summary_list lines = {0};
    enum report_metric metric;
    CHECK(report_choose_metric(report, NULL, &metric, &why));
    report_merge_threads(report);
    summary_make(report, metric, &lines);
    CHECK(lines.count == report->profiles.count);
    for (size_t i = 0; i < report->profiles.count; i++) {
        const struct report_profile *profile = &report->profiles.at[i];
        CHECK(profile->routine < report->routines.count && profile->thread == 0);
        CHECK(report->routines.at[profile->routine].object < report->objects.count);
        summary_add_growth(report, metric, &lines.at[i]);
        for (size_t p = 1; p < profile->count[metric]; p++) {
            const struct report_point *points = profile_points(report, profile, metric);
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

/* A written report must be readable, and writing it again must give equal bytes. */
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
