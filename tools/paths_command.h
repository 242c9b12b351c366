/* Functions that the sub-commands of `aprof paths` share: file names, building copies, processes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_PATHS_COMMAND_H
#define TOOLS_PATHS_COMMAND_H

#include "tools/command.h"

#include "paths/link_record.h"
#include "paths/path_profile.h"

#include <sys/types.h>

extern const struct command paths_edges, paths_plan, paths_run, paths_merge, paths_report,
    paths_check;

/* ---------------------------------------------------------------- Files of a plan's folder */

/* The settings of sub-commands that take only the plan's folder. */
struct paths_settings {
    const char *folder;
};

#define PATHS_ENTRY_FOLDER                                                                         \
    {                                                                                              \
        'o', "output", "FOLDER", "the plan's folder [.]",                                          \
            OPTION_INTO(struct paths_settings, folder)                                             \
    }

#define PATHS_PLAN    "plan"
#define PATHS_GRAPHS  "graphs"
#define PATHS_BITCODE "bc"
#define PATHS_RUN     "run"
#define PATHS_INPUT   "input"
#define PATHS_PROFILE "profile"

/* The path FOLDER/aprof.paths.NAME. The caller frees this path, and the paths that the functions
 * below return. */
char *paths_file(const char *folder, const char *name);

/* The path FOLDER/aprof.paths.NAME-COPY. COPY is the number of the copy, counted from 1, with
 * leading zeroes so that all names have the same length. */
char *paths_copy_file(const char *folder, const char *name, uint32_t copy);

/* The path with all its links and relative parts resolved; NULL if the folder has no such file. */
char *paths_absolute(const char *path);

/* Reads the plan and the graphs of a folder. */
bool paths_read_plan(struct plan *plan, const char *folder, struct failure *why);

/* ---------------------------------------------------------------- Building */

/* An instrumented program to build: from a probes file to an executable. */
struct paths_build {
    char *probes, *executable;
    /* whether the program emits an event for each finished path, for the analyses of aprof-cc */
    bool makes_events;
};

/* Makes the files FOLDER/aprof.paths.bc and .graphs from the bitcode next to the program. */
bool paths_normalise(const char *program, const char *folder, struct failure *why);

/* Builds all executables, as many at a time as there are processors. */
bool paths_build_all(const struct link_record *link, const char *folder,
                     const struct paths_build *builds, size_t count, struct failure *why);

/* ---------------------------------------------------------------- Running */

/* The parameters of a copy's run. */
struct paths_launch {
    const char *executable;
    const char *name;       /* value of argv[0], equal for all copies */
    char *const *arguments; /* ends with NULL */
    const char *counters;   /* prefix of the files of the copy's counters */
    const char *analysis;   /* "concurrent" or "sequential" for a program that emits events, else
                           * NULL */
    const char *input;      /* file for standard input; NULL: inherited */
    const char *folder;     /* folder of the run; NULL: the current folder */
    bool quiet;             /* whether output is discarded */
    int processor;          /* -1: any */
};

/* The way in which a process ended. */
struct paths_end {
    int status; /* status as from waitpid() */
    uint64_t user_microseconds;
};

/* Starts the program without address space randomisation; returns -1 after a message. */
pid_t paths_start(const struct paths_launch *launch);
struct paths_end paths_wait(pid_t child);

/* The end of a process as static text: "exit status 3", "signal 11". */
const char *paths_end_text(int status);

/* Stores standard input in a file, unless it is a terminal or the null device. Returns false after
 * a message; *saved is true if the file was written. */
bool paths_save_input(const char *path, bool *saved);

/* What `aprof paths run` records about a run for `aprof paths merge` and `aprof paths check`. */
struct paths_run_record {
    struct arena strings;
    bool has_input;
    VECTOR(char *) arguments; /* arguments, with a final NULL that the count excludes */
};

bool paths_write_run(const char *folder, const struct plan *plan, char *const *arguments,
                     bool has_input, struct failure *why);
bool paths_read_run(struct paths_run_record *record, const char *folder, const struct plan *plan,
                    struct failure *why);
void paths_free_run(struct paths_run_record *record);

/* The record of a copy is a file of its own, which is written after the copy has ended. */
bool paths_write_end(const char *folder, uint32_t copy, const struct plan *plan,
                     const struct paths_end *end, struct failure *why);
bool paths_read_end(struct paths_end *end, const char *folder, uint32_t copy,
                    const struct plan *plan, struct failure *why);

#endif
