/* The bytes of a report: fields, escapes, line ends, the checksum; and the sort of its records.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For the files that make up a writer (points/points_report.c).
 */
#ifndef GROUND_RECORD_WRITER_H
#define GROUND_RECORD_WRITER_H

#include "points/profile.h"
#include "points/points_report.h"

#define REPORT_BUFFER_BYTES 8192

struct report_lines {
    const struct report_sink *sink;
    uint64_t checksum; /* FNV-1a, 64 bits, of all bytes so far */
    uint64_t lines;
    size_t n;
    char buffer[REPORT_BUFFER_BYTES];
};

void report_lines_start(struct report_lines *w, const struct report_sink *sink);

/* Text that is no field: tags. */
void report_put_byte(struct report_lines *w, char byte);
void report_put_raw(struct report_lines *w, const char *text);
void report_put_hex(struct report_lines *w, uint64_t number, int digits);

/* One field, after the TAB that parts it from the one before. */
void report_put_text(struct report_lines *w, const char *text); /* NULL and "": "-" */
void report_put_wide(struct report_lines *w, struct wide number);
void report_put_number(struct report_lines *w, uint64_t number);
void report_put_address(struct report_lines *w, uint64_t address);
void report_end_line(struct report_lines *w);

/* Whole lines; a list of words ends with NULL. */
void report_put_line(struct report_lines *w, const char *tag, const char *text);
void report_put_list(struct report_lines *w, const char *tag, const char *const *words);

/* All points of a profile that was made with `metrics`: points/points_report.c. */
void report_put_points(struct report_lines *w, const struct routine_profile *profile,
                       unsigned metrics);

/* Passes on what is buffered. */
void report_flush(struct report_lines *w);

/* Bottom-up merge sort of n elements; `spare` has room for as many. Returns the one that is sorted.
 */
char *report_sort(char *elements, char *spare, size_t n, size_t size,
                  int (*compare)(const void *, const void *));

#endif
