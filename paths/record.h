/* Text files of records: fields separated by TABs, a version in the first line, a checksum last.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Graphs, plans, runs and profiles are files of records. Path records have the same escapes and the
 * same last line as the profiler's own reports (aprof-out(5)), so one set of functions reads and
 * writes both. Files of path records are small: a whole file is checked and kept before its first
 * record is processed.
 *
 * Path records are not rows of ground/record_schema.h, for three reasons. Each kind of path record
 * has one writer and one reader. Files of path records can only be read in the newest version of
 * their format, and the records of several files are never added up. The limits of most fields
 * depend on another file, such as the number of edges in the graph of a procedure.
 */
#ifndef PATHS_RECORD_H
#define PATHS_RECORD_H

#include "ground/record_writer.h"
#include "lib/base/memory.h"
#include "lib/base/message.h"
#include "lib/base/vector.h"

#include <stdint.h>
#include <stdio.h>

/* ---------------------------------------------------------------- Writing */

/* A file that is being made in memory. `records.checksum` is the file's identity. */
struct record_output {
    struct record_writer records;
    FILE *stream;
    char *text;
    size_t text_bytes;
};

/* Starts a file with the first line `KIND<TAB>VERSION`. */
void record_output_start(struct record_output *out, const char *kind, unsigned version);

/* Adds a record. The format has one letter for each field: s for a string, u for uint64_t, i for
 * int64_t. */
void record_output_put(struct record_output *out, const char *tag, const char *format, ...);

/* Adds a record of texts; the list ends with NULL. */
void record_output_words(struct record_output *out, const char *tag, char *const *words);

/* Adds the closing line, and writes the file. The file is written completely or, after an error,
 * not at all. The function always frees all memory of `out`. */
bool record_output_finish(struct record_output *out, const char *path, struct failure *why);

/* Discards the file. */
void record_output_discard(struct record_output *out);

/* ---------------------------------------------------------------- Reading */

/* The fields of the current record; the first is its tag. */
struct record_fields {
    const char *const *at;
    size_t count;
};

struct record_file {
    const char *path;
    struct arena strings;
    string_list texts;   /* texts of all records */
    VECTOR(size_t) ends; /* end of each record's texts in `texts` */
    size_t line;         /* line of the current record in the file */
    /* checksum of all lines except the closing line; it is the file's identity */
    uint64_t checksum;
    struct record_fields fields;
};

/* Reads the whole file. Checks the kind and the version of the file, and that no byte is missing or
 * changed. */
bool record_open(struct record_file *file, const char *path, const char *kind, unsigned version,
                 struct failure *why);

/* Advances to the next record; returns false after the last record. */
bool record_next(struct record_file *file);

/* Returns whether the current record has the tag `tag` and exactly `count` fields (at least `count`
 * fields if `more`). */
bool record_is(const struct record_file *file, const char *tag, size_t count, bool more);

/* Reads the n-th field after the tag as a number. Returns false if the field is not a number or
 * exceeds `most`. */
bool record_number(const struct record_file *file, size_t n, uint64_t most, uint64_t *number);

/* Sets the message "PATH:N: what" and returns false. */
bool record_fail(const struct record_file *file, const char *what, struct failure *why);

void record_close(struct record_file *file);

#endif
