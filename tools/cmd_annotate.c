/* `aprof annotate`: source files with the cost of each line, and the calls from each line.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/common_options.h"
#include "tools/report_load.h"
#include "lib/report/code_view.h"
#include "lib/base/output.h"
#include "lib/report/report_code.h"
#include "lib/load/report_set.h"
#include "lib/report/select.h"
#include "lib/base/short_name.h"
#include "lib/base/source.h"
#include "lib/growth/summary.h"
#include "lib/base/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CALLEE_BYTES 80 /* maximum bytes of a callee's name */

struct settings {
    unsigned long top, context;
    const char *source_path, *output;
    bool mine;
};

/* NOTE_SELF includes inlined library code; NOTE_INLINED shows the part of the self cost that is
 * inlined library code. */
enum note_kind { NOTE_SELF, NOTE_INLINED, NOTE_CALL };

/* A note about a line: its self cost, its inlined library code, or a call from this line. */
struct note {
    uint32_t file, line;
    enum note_kind kind;
    const char *name; /* name of the called or inlined function; NULL: the line itself */
    uint64_t calls, cost;
};

/* The code that the operand selects. */
enum choice { CHOICE_ALL, CHOICE_ROUTINES, CHOICE_FILES, CHOICE_INLINED };

struct annotated_file {
    uint32_t file;
    /* self cost of all lines of the file; if the costs of lines are unknown, self cost of its
     * routines */
    uint64_t cost;
    size_t first, count; /* the file's notes are this range of all notes */
};

struct annotation {
    const struct settings *settings;
    struct report report;
    enum choice choice;
    const char *name;
    routine_list routines; /* selected routines */
    VECTOR(struct note) notes;
    VECTOR(struct annotated_file) files; /* sorted by cost, the most expensive first */
    FILE *to;
};

/* Choosing ------------------------------------------------------------------------------------- */

/* Whether the path ends with `end`, and `end` begins at the beginning of a component. */
static bool is_path_end(const char *path, const char *end)
{
    size_t bytes = strlen(path), end_bytes = strlen(end);
    if (bytes < end_bytes || strcmp(path + bytes - end_bytes, end) != 0)
        return false;
    return bytes == end_bytes || path[bytes - end_bytes - 1] == '/';
}

static bool has_file(const struct annotation *a)
{
    for (size_t i = 0; i < a->report.code.files.count; i++) {
        if (is_path_end(a->report.code.files.at[i], a->name))
            return true;
    }
    return false;
}

static bool has_inlined(const struct annotation *a)
{
    code_inlined_list list = {0};
    code_inlined_named(&a->report, a->name, &list);
    bool found = list.count > 0;
    vector_free(&list);
    return found;
}

/* Selects the file, routine or inlined function that has the given name. */
static bool choose(struct annotation *a, struct failure *why)
{
    if (!a->name)
        return true;
    a->choice = CHOICE_FILES;
    if (has_file(a))
        return true;
    a->choice = CHOICE_ROUTINES;
    if (select_routines(&a->report, a->name, &a->routines, why))
        return true;
    a->choice = CHOICE_INLINED;
    return a->routines.count == 0 && has_inlined(a);
}

static bool is_chosen_routine(const struct annotation *a, uint32_t routine)
{
    for (size_t i = 0; i < a->routines.count; i++) {
        if (a->routines.at[i] == routine)
            return true;
    }
    return false;
}

/* Without an operand, system code is omitted. */
static bool is_wanted(const struct annotation *a, uint32_t routine,
                      const struct report_place *place)
{
    if (place->file == REPORT_NONE)
        return false;
    if ((a->choice == CHOICE_ALL || a->settings->mine) &&
        select_is_foreign(&a->report, a->report.routines.at[routine].object))
        return false;
    if (a->choice == CHOICE_ROUTINES)
        return is_chosen_routine(a, routine);
    if (a->choice == CHOICE_FILES)
        return is_path_end(a->report.code.files.at[place->file], a->name);
    return a->choice == CHOICE_ALL || code_is_inside(&a->report, place, a->name);
}

/* Notes ---------------------------------------------------------------------------------------- */

static int by_line_and_kind(const struct note *a, const struct note *b)
{
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static int by_name(const void *left, const void *right)
{
    const struct note *a = left, *b = right;
    int order = by_line_and_kind(a, b);
    return order || !a->name ? order : strcmp(a->name, b->name);
}

/* Sorts the notes of a line: first its self cost, then inlined library code, then its calls, with
 * the most expensive entries first. */
static int by_line(const void *left, const void *right)
{
    const struct note *a = left, *b = right;
    int order = by_line_and_kind(a, b);
    if (order)
        return order;
    return a->cost != b->cost ? (a->cost > b->cost ? -1 : 1) : by_name(a, b);
}

/* Adds up notes that have the same line and name, and sorts the notes. */
static void join_notes(struct annotation *a)
{
    size_t kept = 0;
    struct note *at = a->notes.at;
    if (a->notes.count == 0)
        return;
    qsort(at, a->notes.count, sizeof *at, by_name);
    for (size_t i = 0; i < a->notes.count; i++) {
        if (kept > 0 && by_name(&at[kept - 1], &at[i]) == 0) {
            at[kept - 1].calls = u64_add(at[kept - 1].calls, at[i].calls);
            at[kept - 1].cost = u64_add(at[kept - 1].cost, at[i].cost);
        } else {
            at[kept++] = at[i];
        }
    }
    a->notes.count = kept;
    qsort(at, kept, sizeof *at, by_line);
}

/* The line of user code that caused a cost of library code. If the operand names library code, the
 * cost stays in the library code. */
static uint32_t user_call_of(const struct annotation *a, const struct report_place *place)
{
    bool is_named =
        a->choice == CHOICE_INLINED || (a->choice == CHOICE_FILES && place->file != REPORT_NONE &&
                                        is_path_end(a->report.code.files.at[place->file], a->name));
    return is_named ? REPORT_NONE : code_user_call(&a->report, place);
}

static void add_note(struct annotation *a, uint32_t routine, const struct report_place *place,
                     struct note note)
{
    const struct report_inlined *inlined = a->report.code.inlined.at;
    uint32_t call = user_call_of(a, place);
    const struct report_place *at = call == REPORT_NONE ? place : &inlined[call].call;
    note.file = at->file;
    note.line = at->line;
    if (!is_wanted(a, routine, at))
        return;
    vector_push(&a->notes, note);
    if (call == REPORT_NONE || note.kind != NOTE_SELF)
        return;
    note.kind = NOTE_INLINED;
    note.name = inlined[call].name;
    vector_push(&a->notes, note);
}

static void gather(struct annotation *a)
{
    const struct report_code *code = &a->report.code;
    for (size_t i = 0; i < code->lines.count; i++) {
        const struct report_line_cost *line = &code->lines.at[i];
        add_note(a, line->routine, &line->place,
                 (struct note){.kind = NOTE_SELF, .cost = line->cost});
    }
    for (size_t i = 0; i < code->edges.count; i++) {
        const struct report_edge *edge = &code->edges.at[i];
        add_note(a, edge->caller, &edge->place,
                 (struct note){.kind = NOTE_CALL,
                               .name = a->report.routines.at[edge->callee].name,
                               .calls = edge->calls,
                               .cost = edge->cost});
    }
    join_notes(a);
}

/* Compiled-in profilers record the costs of routines and the calls from each line, not the costs of
 * lines. */
static bool has_line_costs(const struct annotation *a)
{
    return a->report.code.lines.count > 0;
}

/* The self cost of selected routines that begin in the file. */
static uint64_t cost_of_routines(const struct annotation *a, uint32_t file)
{
    const struct report *r = &a->report;
    uint64_t cost = 0;
    for (size_t i = 0; i < r->profiles.count; i++) {
        const struct report_profile *profile = &r->profiles.at[i];
        const struct report_routine *routine = &r->routines.at[profile->routine];
        struct report_place place = {REPORT_NONE, file, routine->line};
        if (strcmp(routine->file, r->code.files.at[file]) == 0 &&
            is_wanted(a, profile->routine, &place))
            cost = u64_add(cost, profile->cost_self);
    }
    return cost;
}

static int by_cost(const void *left, const void *right)
{
    const struct annotated_file *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    return a->file < b->file ? -1 : 1;
}

static void find_files(struct annotation *a)
{
    for (size_t i = 0; i < a->notes.count; i++) {
        const struct note *note = &a->notes.at[i];
        struct annotated_file made = {.file = note->file, .first = i};
        if (a->files.count == 0 || a->files.at[a->files.count - 1].file != note->file)
            vector_push(&a->files, made);
        struct annotated_file *file = &a->files.at[a->files.count - 1];
        file->count++;
        file->cost = u64_add(file->cost, note->kind == NOTE_SELF ? note->cost : 0);
    }
    for (size_t i = 0; !has_line_costs(a) && i < a->files.count; i++)
        a->files.at[i].cost = cost_of_routines(a, a->files.at[i].file);
    if (a->files.count)
        qsort(a->files.at, a->files.count, sizeof *a->files.at, by_cost);
}

/* Writing -------------------------------------------------------------------------------------- */

/* A position in a source text, which moves only forward. */
struct reading {
    const char *at; /* position in the text; NULL: no text */
    uint32_t line;  /* number of the line at `at` */
};

static bool has_line(struct reading *r, uint32_t line)
{
    while (r->at && r->line < line) {
        r->at = strchr(r->at, '\n');
        r->at += r->at != NULL;
        r->line++;
    }
    return r->at && *r->at;
}

/* Writes the line, if it exists. Control characters are replaced, because they could change the
 * terminal's state. */
static void write_source(struct reading *r, uint32_t line, FILE *to)
{
    if (!has_line(r, line))
        return;
    for (const char *c = r->at; *c && *c != '\n'; c++)
        putc(*c == '\t' ? '\t' : (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, to);
}

static void write_costs(const struct annotation *a, uint64_t cost)
{
    char *digits = table_wide_text(cost);
    fprintf(a->to, "%14s %5.1f%%", digits, summary_percent(cost, a->report.totals.cost));
    free(digits);
}

/* Writes a call from the line, or library code that is inlined in the line. */
static void write_callee(const struct annotation *a, const struct note *note)
{
    char *name = short_name(note->name, CALLEE_BYTES);
    write_costs(a, note->cost);
    if (note->kind == NOTE_INLINED)
        fputs("       = inlined: ", a->to);
    else
        fprintf(a->to, "       > %" PRIu64 " %s of ", note->calls,
                note->calls == 1 ? "call" : "calls");
    table_write_safe(name, a->to);
    putc('\n', a->to);
    free(name);
}

/* Writes a source line without cost. Returns false if the text has no line with the given
 * number. */
static bool write_plain(const struct annotation *a, struct reading *reading, uint32_t line)
{
    if (!has_line(reading, line))
        return false;
    fprintf(a->to, "%21s %5" PRIu32 "  ", "", line);
    write_source(reading, line, a->to);
    putc('\n', a->to);
    return true;
}

/* Writes the source lines between two annotated lines; lines that are far from both are omitted. If
 * `from` is 0, begins before the first line. */
static void write_between(const struct annotation *a, struct reading *reading, uint32_t from,
                          uint32_t to)
{
    uint32_t context = (uint32_t)a->settings->context, next = from + 1;
    for (uint32_t i = 0; from && i < context && next < to; i++)
        write_plain(a, reading, next++);
    if (to - next > context) {
        if (from)
            fputs("--\n", a->to);
        next = to - context;
    }
    while (next < to)
        write_plain(a, reading, next++);
}

static void write_line(const struct annotation *a, struct reading *reading, const struct note *note)
{
    if (has_line_costs(a))
        write_costs(a, note->kind == NOTE_SELF ? note->cost : 0);
    else
        fprintf(a->to, "%21s", "");
    if (note->line) {
        fprintf(a->to, " %5" PRIu32 "%s", note->line, has_line(reading, note->line) ? "  " : "");
        write_source(reading, note->line, a->to);
    } else {
        fputs("     -", a->to);
    }
    putc('\n', a->to);
}

static void write_notes(const struct annotation *a, const struct annotated_file *file,
                        const char *text)
{
    struct reading reading = {text, 1};
    const struct note *notes = &a->notes.at[file->first];
    uint32_t latest = 0;
    for (size_t i = 0; i < file->count; i++) {
        const struct note *note = &notes[i];
        if (i == 0 || note->line != notes[i - 1].line) {
            if (note->line > latest + 1)
                write_between(a, &reading, latest, note->line);
            write_line(a, &reading, note);
            latest = note->line;
        }
        if (note->kind != NOTE_SELF)
            write_callee(a, note);
    }
    for (uint32_t i = 1; latest && i <= a->settings->context; i++) {
        if (!write_plain(a, &reading, latest + i))
            break;
    }
}

static void write_file(const struct annotation *a, const struct annotated_file *file)
{
    const char *path = a->report.code.files.at[file->file];
    char *place = source_place(path, a->settings->source_path), *text = source_read(place);
    putc('\n', a->to);
    table_write_safe(path, a->to);
    if (has_line_costs(a) || a->choice != CHOICE_INLINED)
        fprintf(a->to, ": %.1f%% of the cost%s", summary_percent(file->cost, a->report.totals.cost),
                has_line_costs(a) ? "" : " (self cost of its routines)");
    putc('\n', a->to);
    if (!text)
        message_error("annotate: %s: source not found; give its folder with --source-path=FROM=TO",
                      place);
    fprintf(a->to, "%14s %6s %5s\n", "cost", "cost%", "line");
    write_notes(a, file, text);
    free(text);
    free(place);
}

static bool has_inlined_library(const struct annotation *a)
{
    bool found = false;
    for (size_t i = 0; i < a->notes.count; i++)
        found |= a->notes.at[i].kind == NOTE_INLINED;
    return found;
}

static bool write_all(struct annotation *a, struct failure *why)
{
    struct output output;
    size_t top = a->settings->top ? a->settings->top : a->files.count;
    if (a->choice != CHOICE_ALL && a->settings->top == 1)
        top = a->files.count;
    if (!output_open(&output, a->settings->output, why))
        return false;
    a->to = output.stream;
    fprintf(a->to, "Cost in %s, %" PRIu64 " in total; > marks a call from the line above.\n",
            report_cost_words(&a->report), a->report.totals.cost);
    if (has_inlined_library(a))
        fputs("= marks inlined library code; its cost is part of the cost of the line.\n", a->to);
    if (!has_line_costs(a))
        fputs("Programs compiled by aprof-cc record no self cost of lines.\n", a->to);
    for (size_t i = 0; i < top && i < a->files.count; i++)
        write_file(a, &a->files.at[i]);
    if (top < a->files.count)
        fprintf(a->to, "\n(%zu more files: --top=0 shows all)\n", a->files.count - top);
    return output_close(&output, why);
}

/* The command ---------------------------------------------------------------------------------- */

/* Whether any source position is known; compiled-in profilers record only the positions of
 * calls. */
static bool has_places(const struct report *r)
{
    return r->code.files.count > 0;
}

/* Reads a report that has costs of lines, or calls from lines. */
static bool read_lines(struct annotation *a, const char *path, struct failure *why)
{
    if (!report_load(&a->report, path, why))
        return false;
    return a->report.code.lines.count > 0 || has_places(&a->report) ||
           failure_set(why,
                       "%s: contains no costs of lines; profile with 'aprof run', without "
                       "--lines=no",
                       path);
}

/* Reads the newest report of the folder if the operand is not a report; the operand may then name
 * code in this report. */
static bool read_newest(struct annotation *a, const char *name, struct failure *why)
{
    char *newest = report_set_newest(why);
    bool good = newest && read_lines(a, newest, why);
    a->name = name;
    if (good)
        message_error("annotate: reads %s, the newest report in the current folder",
                      short_path(newest));
    free(newest);
    return good && choose(a, why);
}

static bool read_chosen(struct annotation *a, const string_list *operands, struct failure *why)
{
    struct failure unread;
    a->name = operands->count > 1 ? operands->at[1] : NULL;
    if (operands->count == 0)
        return read_newest(a, NULL, why);
    if (read_lines(a, operands->at[0], &unread))
        return choose(a, why);
    report_free(&a->report);
    if (operands->count == 1 && !report_set_is_name(operands->at[0]) &&
        read_newest(a, operands->at[0], why))
        return true;
    if (operands->count > 1 || report_set_is_name(operands->at[0]) || a->report.routines.count == 0)
        *why = unread;
    return false;
}

static bool annotate(struct annotation *a, const string_list *operands, struct failure *why)
{
    if (!read_chosen(a, operands, why))
        return false;
    gather(a);
    find_files(a);
    if (a->files.count == 0)
        return failure_set(why, "%s: no source line of %s is known%s", a->report.path,
                           a->name ? a->name : "the program",
                           report_has_unread(&a->report) ? "" : "; compile with -g");
    return write_all(a, why);
}

static const struct option_entry annotate_options[] = {
    {'n', "top", "N",
     "shows the N most expensive files; 0: all [1; all if a file or routine is given]",
     OPTION_INTO(struct settings, top)},
    {'C', "context", "N", "shows N lines before and after each line with a cost [4]",
     OPTION_INTO(struct settings, context)},
    {0, "source-path", "FROM=TO", "replaces FROM at the beginning of source paths with TO",
     OPTION_INTO(struct settings, source_path)},
    COMMON_ENTRY_MINE(OPTION_INTO(struct settings, mine), 0),
    {'o', "output", "FILE", "writes the output to a file", OPTION_INTO(struct settings, output)},
    {0},
};

static int run(const struct command *command, char **argv)
{
    struct settings settings = {.top = 1, .context = 4};
    struct annotation a = {.settings = &settings};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    bool good = annotate(&a, &options.operands, &why);
    vector_free(&a.routines);
    vector_free(&a.notes);
    vector_free(&a.files);
    report_free(&a.report);
    return good ? STATUS_OK : message_failure(&why);
}

const struct command command_annotate = {
    .name = "annotate",
    .summary = "shows source files with the cost of their lines",
    .usage = "[options] [REPORT] [FILE|ROUTINE]",
    .details =
        "Shows the source file with the highest cost, or the given file, or the code of the\n"
        "given routine, with the cost of each line and of the calls from the line. ROUTINE may\n"
        "also be a function that was inlined everywhere. If no report is given, the newest\n"
        "report in the current folder is used.",
    .options = annotate_options,
    .operands_least = 0,
    .operands_most = 2,
    .operands = "one report, and a file or a routine",
    .run = run,
};
