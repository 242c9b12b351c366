/* `aprof scale`: what several runs of different sizes say of a run ten times as large.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     aprof scale --sizes=1000,2000,4000 small.aprof middle.aprof large.aprof
 *     aprof scale --run './app {}' 1000 2000 4000
 */
#include "tools/command.h"
#include "lib/json.h"
#include "lib/output.h"
#include "lib/progress.h"
#include "lib/report_sample.h"
#include "lib/report_set.h"
#include "lib/gnuplot.h"
#include "lib/scale.h"
#include "lib/scale_plot.h"
#include "lib/short_name.h"
#include "lib/table.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* As a gate: 0 nothing rises too far, 1 something does, 2 trouble. */
enum { STATUS_KEPT = 0, STATUS_EXCEEDED = 1, STATUS_TROUBLE = 2 };

#define TOP_DEFAULT 20
#define RUNS_MOST   64

#define LEGEND_WIDTH 80

/* Below this share, now and at ten times the size, nothing is said to rise. */
#define SHARE_TOLD 1.0

enum format { FORMAT_TEXT, FORMAT_TSV, FORMAT_JSON };
static const char *const format_names[] = {"text", "tsv", "json", NULL};

#define TOP_NOT_GIVEN ((unsigned long)-1)
#define NOT_GIVEN     (-1.0)

struct settings {
    const char *sizes, *run, *keep, *metric_name, *output, *plot;
    double max_share, max_growth;
    unsigned long top, width;
    int format;
};

struct prophecy {
    const struct settings *settings;
    const string_list *operands;
    struct report *reports;
    size_t count; /* of the reports that were read */
    enum report_metric metric;
    struct scale scale;
};

/* Profiling ------------------------------------------------------------------------------------- */

/* The text with `operand` for each `mark`; the caller frees it. */
static char *fill_in(const char *command, const char *mark, const char *operand)
{
    char *text = memory_copy_string("");
    for (const char *at = command, *hole; *at; at = *hole ? hole + strlen(mark) : hole) {
        hole = strstr(at, mark);
        hole = hole ? hole : at + strlen(at);
        char *longer = memory_format("%s%.*s%s", text, (int)(hole - at), at, *hole ? operand : "");
        free(text);
        text = longer;
    }
    return text;
}

static const char *own_path(void)
{
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    return length > 0 ? path : "aprof";
}

/* The shell reads the command, and then turns into the run: what is profiled is the program alone.
 * What it prints is not what was asked for here. */
static bool profile(const char *command, const char *report, struct failure *why)
{
    extern char **environ;
    pid_t child;
    int status;
    char *script = memory_format("exec \"$0\" run -q --aprof-out-file=\"$1\" -- %s", command);
    char *name = fill_in(report, "%", "%%"); /* for the tool, which expands %p */
    const char *argv[] = {"sh", "-c", script, own_path(), name, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    int error =
        posix_spawn(&child, "/bin/sh", &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(script);
    free(name);
    if (error)
        return failure_set(why, "/bin/sh: %s", strerror(error));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        message_error("scale: %s: ended with status %d", command, WEXITSTATUS(status));
    return access(report, R_OK) == 0 || failure_set(why, "%s: no report was written", command);
}

static bool profile_and_read(struct prophecy *c, const char *folder, const char *operand,
                             struct failure *why)
{
    const struct settings *s = c->settings;
    char *command = fill_in(s->run, "{}", operand);
    char *path = memory_format("%s/run-%zu.aprof", folder, c->count + 1);
    unlink(path);
    bool good = profile(command, path, why) && report_set_read(path, &c->reports[c->count], why);
    c->count += good;
    if (!s->keep)
        unlink(path);
    free(path);
    free(command);
    return good;
}

static bool profile_all(struct prophecy *c, struct failure *why)
{
    char temporary[] = "/tmp/aprof-scale-XXXXXX";
    const char *folder = c->settings->keep;
    bool good = true;
    if (folder && mkdir(folder, 0777) != 0 && errno != EEXIST)
        return failure_set(why, "%s: %s", folder, strerror(errno));
    if (!folder && !(folder = mkdtemp(temporary)))
        return failure_set(why, "%s: %s", temporary, strerror(errno));
    struct progress progress = progress_start("runs", c->operands->count);
    for (size_t i = 0; good && i < c->operands->count; i++) {
        progress_step(&progress, i);
        good = profile_and_read(c, folder, c->operands->at[i], why);
    }
    progress_end(&progress);
    if (!c->settings->keep)
        rmdir(folder);
    return good;
}

/* Reading --------------------------------------------------------------------------------------- */

static bool read_all(struct prophecy *c, struct failure *why)
{
    for (size_t i = 0; i < c->operands->count; i++) {
        if (!report_set_read(c->operands->at[i], &c->reports[c->count++], why))
            return false;
    }
    return true;
}

/* The number that `text` begins with, behind it a comma or the end. */
static bool take_number(const char **text, double *number)
{
    char *end;
    *number = strtod(*text, &end);
    bool good = end > *text && (*end == ',' || !*end) && isfinite(*number) && *number > 0;
    *text = *end ? end + 1 : end;
    return good;
}

/* From --sizes, as many as there are runs. */
static bool take_given(const struct prophecy *c, double *sizes, struct failure *why)
{
    const char *text = c->settings->sizes;
    for (size_t i = 0; i < c->operands->count; i++) {
        if (!take_number(&text, &sizes[i]))
            return failure_set(why, "--sizes: wants %zu numbers above 0, one per run",
                               c->operands->count);
    }
    return !*text || failure_set(why, "--sizes: more numbers than there are runs");
}

static bool number_size(const char *operand, double *size)
{
    return take_number(&operand, size) && !*operand;
}

static bool file_size(const char *operand, double *size)
{
    struct stat file;
    if (stat(operand, &file) != 0 || !S_ISREG(file.st_mode))
        return false;
    *size = (double)file.st_size;
    return file.st_size > 0;
}

/* Of all operands of --run, or false. */
static bool take_operands(const struct prophecy *c, bool (*take)(const char *, double *),
                          double *sizes)
{
    for (size_t i = 0; i < c->operands->count; i++) {
        if (!take(c->operands->at[i], &sizes[i]))
            return false;
    }
    return true;
}

/* What the sizes are; NULL: the reports have to tell. */
static const char *find_sizes(const struct prophecy *c, double *sizes)
{
    const struct settings *s = c->settings;
    if (s->sizes || (s->run && take_operands(c, number_size, sizes)))
        return "the given sizes";
    return s->run && take_operands(c, file_size, sizes) ? "the files' sizes, in bytes" : NULL;
}

static bool compatible(const struct report *a, const struct report *b, struct failure *why)
{
    if (!report_is_whole(a, why) || !report_is_whole(b, why))
        return false;
    if (strcmp(report_program(a), report_program(b)) != 0)
        return failure_set(why, "%s and %s are of other programs: %s, %s", a->path, b->path,
                           report_program(a), report_program(b));
    if (a->resolution_bytes != b->resolution_bytes)
        return failure_set(why, "%s and %s have other resolutions", a->path, b->path);
    return strcmp(a->cost_unit, b->cost_unit) == 0 ||
           failure_set(why, "%s and %s have other units of cost", a->path, b->path);
}

static bool make_scale(struct prophecy *c, struct failure *why)
{
    const struct settings *s = c->settings;
    size_t count = c->operands->count;
    const struct report *reports[RUNS_MOST];
    double sizes[RUNS_MOST];
    const char *axis = find_sizes(c, sizes);
    if ((s->sizes && !take_given(c, sizes, why)) ||
        !(s->run ? profile_all(c, why) : read_all(c, why)))
        return false;
    for (size_t i = 0; i < count; i++) {
        reports[i] = &c->reports[i];
        if (!compatible(&c->reports[0], &c->reports[i], why) ||
            !report_choose_metric(&c->reports[i], s->metric_name, &c->metric, why))
            return false;
        report_merge_threads(&c->reports[i]);
    }
    bool good = scale_make(&c->scale, reports, axis ? sizes : NULL, count, c->metric, why);
    if (axis)
        c->scale.axis = axis;
    return good;
}

/* Cells ----------------------------------------------------------------------------------------- */

static const struct table_column text_columns[] = {
    {"own_share", "own%", false},
    {"share_at_10x", "at 10x%", false},
    {"range", "between", true},
    {"growth", "own cost", true},
    {"calls_growth", "calls", true},
    {"input_growth", "mean input", true},
    {"why", "why", true},
    {"routine", "routine", true},
};

/* What is left out first where a line is short. */
static const unsigned text_ranks[] = {0, 0, 3, 1, 4, 5, 2, 0};
#define ROUTINE_COLUMN (sizeof text_ranks / sizeof *text_ranks - 1)
#define ROUTINE_LEAST  24

/* Those that sentences name; the table has the others. */
#define RISERS_TOLD     5
#define OUTGROWING_TOLD 3

/* Ten times the size costs more than by this growth: the whole, and a routine. */
#define WHOLE_OUTGROWS    12.6
#define EXPONENT_OUTGROWS 1.1

static const struct table_column tsv_columns[] = {
    {"routine", "", true},
    {"object", "", true},
    {"file", "", true},
    {"own_share", "", false},
    {"share_at_10x", "", false},
    {"share_at_10x_low", "", false},
    {"share_at_10x_high", "", false},
    {"growth", "", true},
    {"why", "", true},
    {"rises", "", true},
    {"own_cost", "", false},
    {"own_cost_at_10x", "", false},
    {"own_cost_at_10x_low", "", false},
    {"own_cost_at_10x_high", "", false},
    {"calls_growth", "", true},
    {"input_growth", "", true},
    {"checked_error", "", false},
};

static char *exponent_cell(double exponent)
{
    return fabs(exponent) < 0.005 ? memory_copy_string("1") : memory_format("n^%.2f", exponent);
}

static void add_text_row(struct table *t, const struct scale_routine *r)
{
    table_add(t, memory_format("%.1f", r->share));
    table_add(t, memory_format("%.1f", r->share_later));
    table_add(t, memory_format("%.1f..%.1f", r->share_low, r->share_high));
    table_add(t, scale_growth_words(r));
    table_add(t, exponent_cell(r->calls_exponent));
    table_add(t, exponent_cell(r->input_exponent));
    char *why = scale_reason_words(r);
    table_add(t, memory_format("%s%s", r->rises ? "rises: " : "", why));
    table_add(t, memory_copy_string(r->routine->name));
    free(why);
}

static void add_tsv_row(struct table *t, const struct prophecy *c, const struct scale_routine *r)
{
    const struct scale_outlook *o = &r->outlook;
    table_add(t, memory_copy_string(r->routine->name));
    table_add(t, memory_copy_string(r->report->objects.at[r->routine->object]));
    table_add(t, memory_copy_string(r->routine->file));
    table_add(t, memory_format("%.4f", r->share));
    table_add(t, memory_format("%.4f", r->share_later));
    table_add(t, memory_format("%.4f", r->share_low));
    table_add(t, memory_format("%.4f", r->share_high));
    table_add(t, scale_growth_words(r));
    table_add(t, scale_reason_words(r));
    table_add(t, memory_copy_string(r->rises ? "yes" : "no"));
    table_add(t, memory_format("%.0f", r->cost[c->scale.runs - 1]));
    table_add(t, memory_format("%.0f", o->later));
    table_add(t, memory_format("%.0f", o->low));
    table_add(t, memory_format("%.0f", o->high));
    table_add(t, exponent_cell(r->calls_exponent));
    table_add(t, exponent_cell(r->input_exponent));
    table_add(t, isfinite(o->error) ? memory_format("%.4f", o->error) : memory_copy_string(""));
}

/* Formats --------------------------------------------------------------------------------------- */

static size_t lines_shown(const struct prophecy *c)
{
    const struct settings *s = c->settings;
    size_t lines = c->scale.list.count;
    unsigned long top = s->top;
    if (top == TOP_NOT_GIVEN)
        top = s->format == FORMAT_TEXT ? TOP_DEFAULT : 0;
    return top && lines > top ? top : lines;
}

/* Appends to a text, which it frees. */
static char *and_then(char *text, char *more)
{
    char *both = memory_format("%s%s", text, more);
    free(text);
    free(more);
    return both;
}

/* What outgrows the size may keep its share, if all that matters does. */
static void write_whole(const struct scale *s, size_t width, FILE *to)
{
    double times = s->total[s->runs - 1] > 0 ? s->total_later / s->total[s->runs - 1] : 0;
    char *text =
        memory_format("The whole costs some %.3g times as much at ten times the size", times);
    size_t told = 0;
    for (size_t i = 0; times > WHOLE_OUTGROWS && i < s->list.count && told < OUTGROWING_TOLD; i++) {
        const struct scale_routine *r = &s->list.at[i];
        if (r->outlook.exponent <= EXPONENT_OUTGROWS || r->share_later < SCALE_RISE_POINTS)
            continue;
        char *growth = scale_growth_words(r);
        text = and_then(text, memory_format("%s%s (%s)", told++ ? ", " : ", for these outgrow it: ",
                                            r->routine->name, growth));
        free(growth);
    }
    text = and_then(text, memory_copy_string("."));
    table_write_wrapped(text, "", width, to);
    free(text);
}

/* The sentence worth reading: who will lead, and who rises. */
static void write_sentences(const struct scale *s, size_t width, FILE *to)
{
    char *text = memory_copy_string("");
    size_t rise = 0;
    for (size_t i = 0; i < s->list.count; i++) {
        const struct scale_routine *r = &s->list.at[i];
        if (!r->rises || ++rise > RISERS_TOLD)
            continue;
        char *why = scale_reason_words(r);
        text = and_then(text, memory_format("%s%s, from %.1f%% of the cost to some %.0f%% (%s)",
                                            *text ? "; " : "Rises: ", r->routine->name, r->share,
                                            r->share_later, why));
        free(why);
    }
    if (rise > RISERS_TOLD)
        text = and_then(text, memory_format("; and %zu more", rise - RISERS_TOLD));
    text = *text ? and_then(text, memory_copy_string("."))
                 : and_then(text, memory_copy_string("No routine's share rises much: what costs "
                                                     "now will cost then."));
    table_write_wrapped(text, "", width, to);
    free(text);
    write_whole(s, width, to);
}

static void write_text(const struct prophecy *c, FILE *to)
{
    const struct scale *s = &c->scale;
    struct table table = {.columns = text_columns,
                          .column_count = sizeof text_columns / sizeof *text_columns};
    size_t lines = lines_shown(c), width = table_width(c->settings->width, to);
    fputs("sizes:  ", to);
    for (size_t i = 0; i < s->runs; i++)
        fprintf(to, " %g", s->size[i]);
    fprintf(to, " (%s); foretold: %g\n", s->axis, s->size[s->runs - 1] * SCALE_TIMES);
    if (s->runs < SCALE_RUNS)
        fputs("Two runs cannot check what they foretell, and at most n^2 is believed: "
              "three are better.\n",
              to);
    write_sentences(s, width, to);
    fprintf(to, "\n%zu of %zu routines, by their own cost at ten times the size:\n", lines,
            s->list.count);
    for (size_t i = 0; i < lines; i++)
        add_text_row(&table, &s->list.at[i]);
    table_fit(&table, text_ranks, ROUTINE_COLUMN, ROUTINE_LEAST, width);
    table_write_text(&table, to, table_may_style(to));
    if (lines < s->list.count)
        fprintf(to, "(%zu more: --top=0 shows all)\n", s->list.count - lines);
    putc('\n', to);
    table_write_wrapped(
        "own%: share of all own cost in the largest run; at 10x%, between: the same "
        "foretold, nine in ten lie within. own cost, calls, mean input: how they "
        "grow with the size of the run.",
        "", width ? width : LEGEND_WIDTH, to);
    table_free(&table);
}

static void write_tsv(const struct prophecy *c, FILE *to)
{
    struct table table = {.columns = tsv_columns,
                          .column_count = sizeof tsv_columns / sizeof *tsv_columns};
    for (size_t i = 0; i < lines_shown(c); i++)
        add_tsv_row(&table, c, &c->scale.list.at[i]);
    table_write_tsv(&table, to);
    table_free(&table);
}

static void json_reals(struct json *json, const char *key, const double *numbers, size_t count)
{
    json_open_compact(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_real(json, NULL, numbers[i]);
    json_close(json);
}

static void json_routine(struct json *json, const struct scale *s, const struct scale_routine *r)
{
    char *growth = scale_growth_words(r), *why = scale_reason_words(r);
    json_open(json, NULL, '{');
    json_text(json, "routine", r->routine->name);
    json_text(json, "object", r->report->objects.at[r->routine->object]);
    json_text(json, "file", r->routine->file);
    json_real(json, "own_share", r->share);
    json_real(json, "share_at_10x", r->share_later);
    json_real(json, "share_at_10x_low", r->share_low);
    json_real(json, "share_at_10x_high", r->share_high);
    json_text(json, "growth", growth);
    json_text(json, "why", why);
    json_bool(json, "rises", r->rises);
    json_reals(json, "own_cost", r->cost, s->runs);
    json_reals(json, "calls", r->calls, s->runs);
    json_reals(json, "mean_input", r->input, s->runs);
    json_real(json, "own_cost_at_10x", r->outlook.later);
    json_real(json, "own_cost_at_10x_low", r->outlook.low);
    json_real(json, "own_cost_at_10x_high", r->outlook.high);
    json_real(json, "checked_error", r->outlook.error);
    json_close(json);
    free(growth);
    free(why);
}

static void write_json(const struct prophecy *c, FILE *to)
{
    struct json json = json_start(to);
    json_open(&json, NULL, '{');
    json_text(&json, "axis", c->scale.axis);
    json_reals(&json, "sizes", c->scale.size, c->scale.runs);
    json_reals(&json, "own_cost", c->scale.total, c->scale.runs);
    json_real(&json, "own_cost_at_10x", c->scale.total_later);
    json_open(&json, "routines", '[');
    for (size_t i = 0; i < lines_shown(c); i++)
        json_routine(&json, &c->scale, &c->scale.list.at[i]);
    json_close(&json);
    json_close(&json);
}

static bool write_scale(const struct prophecy *c, struct failure *why)
{
    static void (*const write[])(const struct prophecy *, FILE *) = {
        [FORMAT_TEXT] = write_text, [FORMAT_TSV] = write_tsv, [FORMAT_JSON] = write_json};
    struct output output;
    if (!output_open(&output, c->settings->output, why))
        return false;
    write[c->settings->format](c, output.stream);
    return output_close(&output, why);
}

static bool draw_scale(const struct prophecy *c, struct failure *why)
{
    const char *program = short_path(c->reports[0].command.at[0]);
    return !c->settings->plot || scale_plot_draw(&c->scale, program, c->settings->plot, why);
}

/* The gate -------------------------------------------------------------------------------------- */

static bool exceeds(const struct settings *s, const struct scale_routine *r)
{
    bool counts = fmax(r->share, r->share_later) >= SHARE_TOLD;
    return (s->max_share >= 0 && r->rises && r->share_later > s->max_share) ||
           (s->max_growth >= 0 && counts &&
            (r->outlook.begun || r->outlook.exponent > s->max_growth));
}

static bool tell_exceeding(const struct prophecy *c)
{
    bool any = false;
    for (size_t i = 0; i < c->scale.list.count; i++) {
        const struct scale_routine *r = &c->scale.list.at[i];
        if (!exceeds(c->settings, r))
            continue;
        char *growth = scale_growth_words(r);
        message_error("scale: %s: rises from %.1f%% to %.1f%% of the cost, own cost %s",
                      r->routine->name, r->share, r->share_later, growth);
        free(growth);
        any = true;
    }
    return any;
}

/* The command ----------------------------------------------------------------------------------- */

static const struct option_entry scale_options[] = {
    {'s', "sizes", "N,N,...", "how large the runs are, in any unit",
     OPTION_INTO(struct settings, sizes)},
    {'r', "run", "COMMAND", "profiles COMMAND once per operand, which replaces {}",
     OPTION_INTO(struct settings, run)},
    {'k', "keep", "FOLDER", "keeps the reports of --run in this folder",
     OPTION_INTO(struct settings, keep)},
    {'x', "max", "PERCENT", "ends with 1 if a routine rises above this share",
     OPTION_INTO(struct settings, max_share)},
    {'g', "max-growth", "K", "ends with 1 if a routine that counts grows faster than n^K",
     OPTION_INTO(struct settings, max_growth)},
    {'n', "top", "N", "shows the first N routines, 0 shows all [20; tsv and json all]",
     OPTION_INTO(struct settings, top)},
    {'m', "metric", "trms|rms", "measures input sizes by this metric [trms]",
     OPTION_INTO(struct settings, metric_name), OPTION_CHOICES(metric_names)},
    {'f', "format", "FORMAT", "* [text]", OPTION_INTO(struct settings, format),
     OPTION_CHOICES(format_names)},
    {'o', "output", "FILE", "writes to a file", OPTION_INTO(struct settings, output)},
    {'w', "width", "N", "fits lines into N columns, 0: as long as they are [the terminal's]",
     OPTION_INTO(struct settings, width)},
    {'p', "plot", "FILE", "draws the shares, too: FILE.svg, .png or .pdf, or - for the terminal",
     OPTION_INTO(struct settings, plot)},
    {0},
};

static int run(char **argv)
{
    struct settings settings = {.top = TOP_NOT_GIVEN,
                                .width = TABLE_WIDTH_NOT_GIVEN,
                                .max_share = NOT_GIVEN,
                                .max_growth = NOT_GIVEN};
    struct options options;
    struct prophecy c = {.settings = &settings, .operands = &options.operands};
    struct failure why;
    if (!options_parse(&options, &command_scale, argv, &settings))
        return options.status;
    if (settings.plot && !gnuplot_is_picture(settings.plot))
        return options_usage_error(&options, "the picture's name ends in .svg, .png or .pdf, not",
                                   settings.plot);
    c.reports = memory_get_zeroed(options.operands.count, sizeof *c.reports);
    bool good = make_scale(&c, &why) && write_scale(&c, &why) && draw_scale(&c, &why);
    int status = !good ? STATUS_TROUBLE : tell_exceeding(&c) ? STATUS_EXCEEDED : STATUS_KEPT;
    if (!good)
        message_failure(&why);
    scale_free(&c.scale);
    for (size_t i = 0; i < c.count; i++)
        report_free(&c.reports[i]);
    free(c.reports);
    return status;
}

const struct command command_scale = {
    .name = "scale",
    .summary = "tells from several runs what a larger one costs",
    .usage = "[options] RUN RUN [RUN...]",
    .details =
        "From two runs of different sizes, better three, tells what each routine's own code costs\n"
        "at ten times the largest, whose share rises, and why: more calls, larger inputs or "
        "dearer\n"
        "calls. Sizes are given, or carried by the reports, or the external input of the runs.",
    .options = scale_options,
    .operands_least = 2,
    .operands_most = RUNS_MOST,
    .operands = "two runs or more, better three",
    .run = run,
};
