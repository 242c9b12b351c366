/* The kinds of reports, which are recognised by the contents of files, not by file names.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_LOAD_REPORT_KIND_H
#define LIB_LOAD_REPORT_KIND_H

enum report_kind { REPORT_POINTS, REPORT_CONTEXTS, REPORT_EVENTS, REPORT_PATHS, REPORT_KINDS };

struct report_kind_words {
    const char *name;  /* name of the kind in help texts: "contexts" */
    const char *magic; /* the tag of the first line */
    const char *holds; /* how messages describe a file of this kind: "calling contexts" */
    const char *verb;  /* sub-command with more functions for this kind; NULL: there is none */
};

extern const struct report_kind_words report_kinds[REPORT_KINDS];

/* The kind of a file (compressed or not), of standard input ("-"), or of a folder. The kind of a
 * folder with a plan is REPORT_PATHS; the kind of any other folder is the kind of its first file.
 * Input that cannot be read twice (a FIFO), or that is not a report, counts as a report of points.
 * The reader of points then reports the error. After the call, standard input can still be read
 * from its beginning. */
enum report_kind report_kind_of(const char *path);

/* A message about a file of another profiler: its format, and what to do; NULL for all other
 * files. */
const char *report_kind_foreign(const char *path);

#endif
