/* The interface between verbs and kinds of reports: points, contexts, events and paths.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `aprof report FILE` reads the kind from the file, parses the options that apply to this kind, and
 * calls the kind's functions. In `aprof contexts report FILE`, the command line names the kind, and
 * the same function is called. A kind is a file tools/kind_NAME.c with its `model_NAME`, and one
 * word in the list of tools/local.mk.
 */
#ifndef TOOLS_MODEL_H
#define TOOLS_MODEL_H

#include "tools/diff_command.h"
#include "tools/export_command.h"
#include "tools/report_view.h"
#include "lib/base/output.h"
#include "lib/compare/gate.h"
#include "lib/contexts/contexts_flame.h"
#include "lib/load/report_set.h"

/* The verbs for which the interface has functions. Each struct command names the verb of its
 * command. */
enum verb {
    VERB_OF_POINTS = 1, /* commands that exist only for reports of points */
    VERB_REPORT,
    VERB_MERGE,
    VERB_DIFF,
    VERB_FLAMEGRAPH,
    VERB_EXPORT,
    VERB_GATE,
    VERBS
};

/* A function or command that a kind lacks is a NULL pointer. */
struct report_model {
    enum report_kind kind;
    size_t report_bytes; /* size of a report in memory */

    /* Reads a file or a folder. After a failure, there is nothing to free. */
    bool (*read)(void *report, const char *path, const struct common_options *, struct failure *);
    void (*free)(void *report);

    /* merge: adds files to a report, which is zeroed at first, and writes the report to a file. */
    bool (*add)(void *sum, const path_list *, const struct common_options *, struct failure *);
    void (*write)(const void *sum, FILE *to);

    /* report: writes the requested rows, with the texts before and after the rows. */
    bool (*rows)(void *report, const struct report_settings *, FILE *to, struct failure *);

    /* diff: compares two reports; returns DIFF_WITHIN, DIFF_BEYOND or DIFF_FAILED. */
    int (*compare)(const struct diff_settings *, const char *base, const char *now, FILE *to,
                   struct failure *);

    /* gate: adds a finding for each count that rose by more than the threshold. Reports of points
     * have their own rules. */
    bool (*gate)(struct gate *, const struct diff_settings *, const char *base, const char *now,
                 struct failure *);

    /* flamegraph: adds the frames of all stacks. If the base is not NULL, the report is compared
     * with the base. */
    void (*frames)(void *report, void *base, struct contexts_flame *, FILE *to);

    /* export: writes the files in one of the kind's formats. */
    bool (*export)(const struct export_settings *, const string_list *paths, struct output *,
                   struct failure *);
    int export_format; /* index of the default format */

    /* The kind's own command for each verb. */
    const struct command *commands[VERBS];
};

#define KIND(name) extern const struct report_model model_##name;
#include "tools/kinds.inc"
#undef KIND

/* NULL: this build of aprof does not have the kind. */
const struct report_model *model_of_kind(enum report_kind kind);

/* The model of the kind, if a command reads only one kind. */
const struct report_model *model_of(const struct command *command);

/* An empty report of the kind; model_free() frees it. */
void *model_new(const struct report_model *model);
void model_free(const struct report_model *model, void *report);

/* Reads a new report from a file; returns NULL after a failure. */
void *model_read(const struct report_model *model, const char *path,
                 const struct common_options *settings, struct failure *why);

/* Completes the output after success, and discards it after a failure. */
bool model_close(struct output *output, bool good, struct failure *why);

/* The verbs, which run the command for the kind of the report. */
int report_run(const struct command *command, char **argv);
int merge_run(const struct command *command, char **argv);
int diff_run(const struct command *command, char **argv);
int flamegraph_run(const struct command *command, char **argv);
int export_run(const struct command *command, char **argv);

/* `aprof gate` for kinds with the function `gate` in their model. */
extern const struct command gate_contexts, gate_events;

/* Option tables of `merge` and `flamegraph`; the functions of the kinds do not use the settings of
 * these commands. */
extern const struct option_entry merge_options[], flamegraph_options[];

/* Functions of the model of points. The file of each command, such as cmd_report.c, defines the
 * functions for this command. */
bool points_rows(void *report, const struct report_settings *settings, FILE *to,
                 struct failure *why);
int points_compare(const struct diff_settings *settings, const char *base, const char *now,
                   FILE *to, struct failure *why);
bool points_export(const struct export_settings *settings, const string_list *paths,
                   struct output *output, struct failure *why);

#endif
