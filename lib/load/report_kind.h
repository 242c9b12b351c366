/* The kinds of reports, told by what files say of themselves, never by their names.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_LOAD_REPORT_KIND_H
#define LIB_LOAD_REPORT_KIND_H

enum report_kind { REPORT_POINTS, REPORT_CONTEXTS, REPORT_EVENTS, REPORT_PATHS, REPORT_KINDS };

struct report_kind_words {
    const char *name;  /* in help texts: "contexts" */
    const char *magic; /* the tag of the first line */
    const char *holds; /* what such a file has: "calling contexts" */
    const char *verb;  /* the sub-command that has more for it; NULL: all have */
};

extern const struct report_kind_words report_kinds[REPORT_KINDS];

/* The kind of a file, compressed or not, of standard input ("-"), or of a folder: that of its first
 * file, or paths when it is a plan's folder. What cannot be read twice (a FIFO) or is nothing of
 * ours counts as points, whose reader will say what is wrong. Standard input can be read afterwards
 * as if nobody had looked. */
enum report_kind report_kind_of(const char *path);

#endif
