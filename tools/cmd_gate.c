/* `aprof gate`: compares with a base and verifies bounds, in formats for CI.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/model.h"
#include "tools/gate_formats.h"
#include "lib/compare/gate.h"
#include "lib/base/json.h"
#include "lib/base/output.h"
#include "lib/base/source.h"
#include "lib/base/table.h"

#include <inttypes.h>

enum { STATUS_OPEN = 0, STATUS_SHUT = 1, STATUS_TROUBLE = 2 };

enum format { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_JUNIT, FORMAT_SARIF, FORMAT_JSON };
static const char *const format_names[] = {"text", "markdown", "junit", "sarif", "json", NULL};

struct settings {
    struct gate_options gate;
    const char *output;
    int format;
};

static const char *const level_words[] = {"passed", "note", "FAILED"};

/* Text and Markdown ---------------------------------------------------------------------------- */

static const struct table_column columns[] = {
    {"level", "", true}, {"routine", "what", true}, {"finding", "finding", true}};

static const char *level_style(const struct table_column *column, const char *cell)
{
    return column == columns && *cell == 'F' ? "31" : NULL;
}

static void write_details(const struct gate *g, bool markdown, FILE *to)
{
    bool first = true;
    for (size_t i = 0; i < g->findings.count; i++) {
        const struct gate_finding *f = &g->findings.at[i];
        fputs(first && f->details.count ? "\n" : "", to);
        first = first && f->details.count == 0;
        gate_write_details(f, markdown, to);
    }
}

static void write_table(const struct gate *g, bool markdown, FILE *to)
{
    struct table table = {
        .columns = columns, .column_count = sizeof columns / sizeof *columns, .style = level_style};
    for (int level = GATE_FAILED; level >= GATE_NOTE; level--) {
        for (size_t i = 0; i < g->findings.count; i++) {
            const struct gate_finding *f = &g->findings.at[i];
            if ((int)f->level != level)
                continue;
            table_add_text(&table, level_words[level]);
            table_add_text(&table, f->subject);
            table_add_text(&table, f->message);
        }
    }
    fprintf(to, markdown ? "### aprof gate: %s\n\n" : "gate: %s\n",
            g->levels[GATE_FAILED] ? "failed" : "passed");
    fprintf(to, "%zu failed, %zu passed, %zu noted\n", g->levels[GATE_FAILED],
            g->levels[GATE_PASSED], g->levels[GATE_NOTE]);
    if (table.cells.count > 0) {
        putc('\n', to);
        if (markdown)
            table_write_markdown(&table, to);
        else
            table_write_text(&table, to, table_may_style(to));
    }
    table_free(&table);
    write_details(g, markdown, to);
}

/* JUnit ---------------------------------------------------------------------------------------- */

static void write_junit(const struct gate *g, FILE *to)
{
    junit_open("aprof gate", g->findings.count, g->levels[GATE_FAILED], g->levels[GATE_NOTE], to);
    for (size_t i = 0; i < g->findings.count; i++) {
        const struct gate_finding *f = &g->findings.at[i];
        char *class = memory_format("aprof.%s", gate_rules[f->rule].name);
        junit_write_case(class, f->subject, f, to);
        free(class);
    }
    junit_close(to);
}

/* SARIF 2.1.0 ---------------------------------------------------------------------------------- */

static void write_message(struct json *json, const char *key, const char *text)
{
    json_open_compact(json, key, '{');
    json_text(json, "text", text);
    json_close(json);
}

/* Some services reject findings without a file. So the report's name is written as the file of a
 * finding whose source file is unknown. */
static void write_location(struct json *json, const struct gate_finding *f, const char *report)
{
    json_open(json, "locations", '[');
    json_open(json, NULL, '{');
    json_open(json, "physicalLocation", '{');
    json_open_compact(json, "artifactLocation", '{');
    json_text(json, "uri", *f->file ? f->file : source_relative(report));
    json_close(json);
    if (*f->file && f->line) {
        json_open_compact(json, "region", '{');
        json_number(json, "startLine", f->line);
        if (f->text)
            write_message(json, "snippet", f->text);
        json_close(json);
    }
    json_close(json);
    json_open(json, "logicalLocations", '[');
    json_open_compact(json, NULL, '{');
    json_text(json, "fullyQualifiedName", f->subject);
    json_text(json, "kind", "function");
    json_close(json);
    json_close(json);
    json_close(json);
    json_close(json);
}

static void write_result(struct json *json, const struct gate_finding *f, const char *report)
{
    char *text = memory_format("%s: %s", f->subject, f->message);
    for (size_t i = 0; i < f->details.count; i++) {
        char *longer = memory_format("%s\n%s", text, f->details.at[i]);
        free(text);
        text = longer;
    }
    json_open(json, NULL, '{');
    json_text(json, "ruleId", gate_rules[f->rule].name);
    json_number(json, "ruleIndex", f->rule);
    json_text(json, "level", f->level == GATE_FAILED ? "error" : "note");
    write_message(json, "message", text);
    write_location(json, f, report);
    json_close(json);
    free(text);
}

static void write_driver(struct json *json)
{
    json_open(json, "tool", '{');
    json_open(json, "driver", '{');
    json_text(json, "name", "aprof");
    json_text(json, "version", APROF_VERSION);
    json_open(json, "rules", '[');
    for (int i = 0; i < GATE_RULES; i++) {
        json_open(json, NULL, '{');
        json_text(json, "id", gate_rules[i].name);
        write_message(json, "shortDescription", gate_rules[i].sentence);
        json_close(json);
    }
    json_close(json);
    json_close(json);
    json_close(json);
}

static void write_sarif(const struct gate *g, FILE *to)
{
    struct json json = json_start(to);
    json_open(&json, NULL, '{');
    json_text(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_text(&json, "version", "2.1.0");
    json_open(&json, "runs", '[');
    json_open(&json, NULL, '{');
    write_driver(&json);
    json_open(&json, "results", '[');
    for (size_t i = 0; i < g->findings.count; i++) {
        if (g->findings.at[i].level != GATE_PASSED)
            write_result(&json, &g->findings.at[i], g->comparison.new.path);
    }
    json_close(&json);
    json_close(&json);
    json_close(&json);
    json_close(&json);
}

/* JSON ----------------------------------------------------------------------------------------- */

static void write_json_finding(struct json *json, const struct gate_finding *f)
{
    string_list details = {0};
    for (size_t i = 0; i < f->details.count; i++)
        vector_push(&details, f->details.at[i]);
    json_open(json, NULL, '{');
    json_text(json, "rule", gate_rules[f->rule].name);
    json_text(json, "level", f->level == GATE_FAILED ? "failed" : level_words[f->level]);
    json_text(json, "subject", f->subject);
    if (*f->file)
        json_text(json, "file", f->file);
    if (*f->file && f->line)
        json_number(json, "line", f->line);
    if (f->text)
        json_text(json, "code", f->text);
    if (f->bound)
        json_text(json, "bound", f->bound->words);
    json_text(json, "message", f->message);
    json_texts(json, "details", &details);
    json_close(json);
    vector_free(&details);
}

static void write_json(const struct gate *g, FILE *to)
{
    struct json json = json_open_document(to, "aprof-gate-1");
    const struct comparison *c = &g->comparison;
    json_text(&json, "report", c->new.path);
    if (c->base.path)
        json_text(&json, "base", c->base.path);
    if (!g->is_of_counts)
        json_text(&json, "metric", metric_names[c->metric]);
    json_bool(&json, "passed", g->levels[GATE_FAILED] == 0);
    json_open(&json, "findings", '[');
    for (size_t i = 0; i < g->findings.count; i++)
        write_json_finding(&json, &g->findings.at[i]);
    json_close(&json);
    json_close(&json);
}

/* The command ---------------------------------------------------------------------------------- */

static bool write_gate(const struct gate *g, const struct settings *s, struct failure *why)
{
    struct output output;
    if (!output_open(&output, s->output, why))
        return false;
    if (s->format == FORMAT_JUNIT)
        write_junit(g, output.stream);
    else if (s->format == FORMAT_SARIF)
        write_sarif(g, output.stream);
    else if (s->format == FORMAT_JSON)
        write_json(g, output.stream);
    else
        write_table(g, s->format == FORMAT_MARKDOWN, output.stream);
    return output_close(&output, why);
}

static const struct option_entry gate_options[] = {
    {'b', "base", "REPORT", "report, or folder of reports, to compare with",
     OPTION_INTO(struct settings, gate.base)},
    {0, "bounds", "FILE", "file of bounds to verify", OPTION_INTO(struct settings, gate.bounds),
     .kinds = FOR_POINTS},
    {'t', "threshold", "PERCENT", "increase of a cost or count that makes the report worse [10]",
     OPTION_INTO(struct settings, gate.comparison.limits.threshold)},
    {0, "min-share", "PERCENT", "ignores routines or counts below this share of the total [0.1]",
     OPTION_INTO(struct settings, gate.comparison.limits.share)},
    {0, "map", "OLD=NEW,...", "compares the object OLD of the base with the object NEW",
     OPTION_INTO(struct settings, gate.comparison.map), .kinds = FOR_POINTS},
    COMMON_ENTRY_MINE(OPTION_INTO(struct settings, gate.comparison.mine), FOR_POINTS),
    {'m', "metric", "trms|rms", "measures input sizes by this metric [trms]",
     OPTION_INTO(struct settings, gate.comparison.metric_name), OPTION_CHOICES(metric_names),
     .kinds = FOR_POINTS},
    {0, "strict", NULL, "fails if a bound is unknown", OPTION_INTO(struct settings, gate.strict),
     .kinds = FOR_POINTS},
    {0, "allow-missing", NULL, "does not fail if a bound matches no routine",
     OPTION_INTO(struct settings, gate.allow_missing), .kinds = FOR_POINTS},
    {'f', "format", "FORMAT", "* [text]", OPTION_INTO(struct settings, format),
     OPTION_CHOICES(format_names)},
    {'o', "output", "FILE", "writes the output to a file", OPTION_INTO(struct settings, output)},
    {0},
};

static bool pass_counts(const struct report_model *model, struct gate *gate,
                        const struct settings *settings, const char *path, struct failure *why)
{
    struct diff_settings diff = DIFF_SETTINGS;
    diff.limits.rise_most = settings->gate.comparison.limits.threshold;
    diff.options.limits.share = settings->gate.comparison.limits.share;
    gate_start_counts(gate, settings->gate.base, path);
    return model->gate(gate, &diff, settings->gate.base, path, why);
}

static bool pass_points(struct gate *gate, const struct settings *settings, const char *path,
                        struct failure *why)
{
    struct gate_options options = settings->gate;
    options.comparison.limits.threshold /= 100;
    return gate_pass(gate, path, &options, why);
}

static int pass(const struct report_model *model, const struct settings *settings, const char *path,
                struct failure *why)
{
    struct gate gate = {0};
    bool good = (model == &model_points ? pass_points(&gate, settings, path, why)
                                        : pass_counts(model, &gate, settings, path, why)) &&
                write_gate(&gate, settings, why);
    int status = !good ? STATUS_TROUBLE : gate.levels[GATE_FAILED] ? STATUS_SHUT : STATUS_OPEN;
    if (good && gate.comparison.same_run)
        message_error("gate: %s and %s come from the same run", gate.comparison.base.path,
                      gate.comparison.new.path);
    gate_free(&gate);
    return status;
}

static int run(const struct command *command, char **argv)
{
    const struct report_model *model = model_of(command);
    struct settings settings = {.gate = {.comparison = COMPARISON_DEFAULTS}};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    if (!settings.gate.base && !settings.gate.bounds)
        return options_usage_error(&options, "expected",
                                   model == &model_points ? "--base=REPORT, --bounds=FILE, or both"
                                                          : "--base=REPORT");
    const char *path = options.operands.at[0];
    int status = pass(model, &settings, path, &why);
    if (status == STATUS_TROUBLE)
        message_failure(&why);
    return status;
}

#define GATE(of)                                                                                   \
    .name = "gate", .usage = "[options] REPORT", .options = gate_options, .kinds = of,             \
    .operands_least = 1, .operands_most = 1, .operands = "one report", .run = run

const struct command gate_contexts = {GATE(FOR_CONTEXTS)};
const struct command gate_events = {GATE(FOR_EVENTS)};

const struct command command_gate = {
    GATE(FOR_POINTS),
    .summary = "compares with a base report and verifies bounds; for CI",
    .details =
        "Compares a report with a base report, as `aprof diff` does, and verifies bounds, as\n"
        "`aprof check` does. For calling contexts and events, no count may rise by more than\n"
        "the threshold. The exit status is 0 if the gate passes, 1 if the report is worse than\n"
        "the base or a bound is broken, and 2 on errors.",
    .verb = VERB_GATE,
};
