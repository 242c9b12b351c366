/* `aprof test`: runs tests or benchmarks, and verifies the growth of each test case.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     aprof test --bounds=bounds.txt -- ./tests --gtest_filter='Sort*'
 *
 * The program runs under `aprof run`, or directly if it has a compiled-in profiler. Test cases are
 * the program's regions (report_regions.h), which listeners such as aprof/gtest.h open. Reports of
 * different programs, such as tests that a script starts, are verified one by one.
 */
#include "tools/child.h"
#include "tools/command.h"
#include "tools/gate_formats.h"
#include "ground/compiled_mark.h"
#include "lib/base/json.h"
#include "lib/base/output.h"
#include "lib/base/short_name.h"
#include "lib/base/source.h"
#include "lib/base/table.h"
#include "lib/growth/summary.h"
#include "lib/load/report_set.h"
#include "lib/report/report_merge.h"
#include "lib/report/report_reader.h"
#include "lib/report/report_regions.h"
#include "lib/report/report_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A failure of the program is reported in addition to the measurements. */
enum { STATUS_KEPT = 0, STATUS_BROKEN = 1, STATUS_TROUBLE = 2, STATUS_TESTS_FAILED = 3 };

/* Exit statuses of `aprof run` itself. */
enum { RUN_REPORT_LOST = 125, RUN_NOT_FOUND = 127 };

enum format { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_JUNIT, FORMAT_JSON };
static const char *const format_names[] = {"text", "markdown", "junit", "json", NULL};

struct settings {
    struct gate_options gate;
    const char *run, *keep, *output;
    int format;
};

/* The sum of the reports of one program, with its bounds. */
struct program {
    char *name;
    struct report_merge merge;
    struct gate gate;
};

/* A line of the table: a test case, or a routine with a bound. */
struct row {
    char *name;
    const struct program *program;
    struct summary summary;             /* zeroes if the report lacks the routine */
    const struct gate_finding *finding; /* finding of the bound; NULL: no bound */
    char *declared;                     /* where the program declares the bound; NULL: nowhere */
};

struct test {
    const struct settings *settings;
    const string_list *command;
    char *folder; /* folder of the reports */
    int status;   /* status of the program, as from waitpid() */
    VECTOR(struct program) programs;
    VECTOR(struct row) rows;
    size_t cases, levels[GATE_FAILED + 1];
};

/* Running -------------------------------------------------------------------------------------- */

static bool has_profiler(const char *path)
{
    static const char mark[] = COMPILED_MARK;
    struct stat file;
    bool found = false;
    int fd = strchr(path, '/') ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    if (fstat(fd, &file) == 0 && file.st_size > 0) {
        size_t bytes = (size_t)file.st_size;
        void *all = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        found = all != MAP_FAILED && memmem(all, bytes, mark, sizeof mark);
        if (all != MAP_FAILED)
            munmap(all, bytes);
    }
    close(fd);
    return found;
}

static void add_words(string_list *argv, char *words)
{
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        vector_push(argv, word);
}

static void configure_profiler(const char *name)
{
    const char *old = getenv("APROF");
    char *options = memory_format("%s%sout=%s", old ? old : "", old ? " " : "", name);
    setenv("APROF", options, 1);
    free(options);
}

/* Whether the program's output must be redirected: on standard output, it would mix with the
 * document that `aprof test` writes. */
static bool moves_output(const struct settings *s)
{
    return s->format != FORMAT_TEXT && (!s->output || strcmp(s->output, "-") == 0);
}

static bool run_program(struct test *t, struct failure *why)
{
    const struct settings *s = t->settings;
    char *name = memory_format("%s/aprof.out.%%p", t->folder);
    char *options = memory_copy_string(s->run ? s->run : "");
    string_list argv = {0};
    if (has_profiler(t->command->at[0])) {
        configure_profiler(name);
    } else {
        vector_push(&argv, child_own_path());
        vector_push(&argv, "run");
        vector_push(&argv, "-q");
        vector_push(&argv, "-o");
        vector_push(&argv, name);
        add_words(&argv, options);
        vector_push(&argv, "--");
    }
    for (size_t i = 0; i < t->command->count; i++)
        vector_push(&argv, t->command->at[i]);
    vector_push(&argv, NULL);
    /* google/benchmark repeats each benchmark until this time is over; counted costs need no
     * repetition */
    setenv("BENCHMARK_MIN_TIME", "0", 0);
    setenv("LD_BIND_NOW", "1", 0); /* symbols are resolved at the start, not during the first test
                                    * case */
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (moves_output(s))
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    /* On a terminal, no progress line is shown, because the output of the tests already shows the
     * progress. */
    struct progress progress = progress_start("the tests are running", 0);
    bool good =
        child_run(argv.at, &actions, isatty(STDOUT_FILENO) ? NULL : &progress, &t->status, why);
    progress_end(&progress);
    posix_spawn_file_actions_destroy(&actions);
    vector_free(&argv);
    free(options);
    free(name);
    if (good && WIFEXITED(t->status) && WEXITSTATUS(t->status) >= RUN_REPORT_LOST &&
        WEXITSTATUS(t->status) <= RUN_NOT_FOUND)
        return failure_set(why,
                           "%s: exit status %d: the program did not run, or its report is lost",
                           t->command->at[0], WEXITSTATUS(t->status));
    return good;
}

/* Reading -------------------------------------------------------------------------------------- */

static struct program *program_of(struct test *t, const struct report *report)
{
    const char *name = report_program(report);
    for (size_t i = 0; i < t->programs.count; i++) {
        if (strcmp(t->programs.at[i].name, name) == 0)
            return &t->programs.at[i];
    }
    vector_push(&t->programs, ((struct program){.name = memory_copy_string(name)}));
    return &t->programs.at[t->programs.count - 1];
}

static bool read_reports(struct test *t, struct failure *why)
{
    string_list folders = {0};
    path_list paths = {0};
    vector_push(&folders, t->folder);
    bool good = report_set_expand(&folders, &paths, why) ||
                failure_set(why, "%s: no report was written", t->command->at[0]);
    for (size_t i = 0; good && i < paths.count; i++) {
        struct report report;
        good = report_read_file(&report, paths.at[i], why) &&
               report_merge_add(&program_of(t, &report)->merge, &report, why);
    }
    report_set_free(&paths);
    vector_free(&folders);
    return good;
}

/* Adds the bounds that the program has declared. */
static bool add_declared(struct bounds *bounds, const struct report *r, struct failure *why)
{
    for (uint32_t i = 0; i < r->routines.count; i++) {
        const char *line = report_region_bound(r, i);
        if (line && !bounds_add(bounds, line))
            return failure_set(why, "APROF_EXPECT_GROWTH: %s: expected a routine and a bound",
                               line);
    }
    return true;
}

static bool keep_report(const struct program *p, const struct report *report, const char *folder,
                        struct failure *why)
{
    struct output output;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return failure_set(why, "%s: %s", folder, strerror(errno));
    char *path = memory_format("%s/%s.aprof", folder, p->name);
    bool good = output_open(&output, path, why);
    if (good) {
        report_write(report, output.stream);
        good = output_close(&output, why);
    }
    free(path);
    return good;
}

static bool verify(struct program *p, const struct settings *s, struct failure *why)
{
    struct report report;
    if (!report_merge_finish(&p->merge, &report, why))
        return false;
    report_merge_threads(&report);
    report_join_sizes(&report);
    bool good = (!s->keep || keep_report(p, &report, s->keep, why)) &&
                (!s->gate.bounds || bounds_read(&p->gate.bounds, s->gate.bounds, why)) &&
                add_declared(&p->gate.bounds, &report, why) &&
                gate_verify(&p->gate, &report, &s->gate, why);
    report_free(&report);
    return good;
}

/* Rows ----------------------------------------------------------------------------------------- */

/* The place where the program declares the bound, such as "tests.cc:30"; NULL if the bound comes
 * from the file of bounds. The caller frees it. */
static char *declared_at(const struct report *r, const struct bound *bound)
{
    for (uint32_t i = 0; i < r->routines.count; i++) {
        const struct report_routine *routine = &r->routines.at[i];
        const char *line = report_region_bound(r, i);
        if (line && *routine->file && bounds_is_line(bound, line))
            return memory_format("%s:%" PRIu32, short_path(routine->file), routine->line);
    }
    return NULL;
}

static void add_row(struct test *t, const struct program *p, const char *name,
                    const struct report_profile *profile, const struct gate_finding *finding)
{
    const struct comparison *c = &p->gate.comparison;
    struct row row = {
        .name = short_name(name, SHORT_NAME_SENTENCE), .program = p, .finding = finding};
    if (profile) {
        row.summary = summary_of(&c->new, profile, c->metric);
        summary_add_growth(&c->new, c->metric, &row.summary);
    }
    if (finding) {
        row.declared = declared_at(&c->new, finding->bound);
        t->levels[finding->level]++;
    }
    vector_push(&t->rows, row);
}

/* Whether the pattern of a bound, which matches no routine of one program, matches a routine of
 * another program; this is sufficient. */
static bool matches_elsewhere(const struct test *t, const struct gate_finding *missing)
{
    for (size_t i = 0; i < t->programs.count; i++) {
        const struct gate *g = &t->programs.at[i].gate;
        for (size_t k = 0; k < g->findings.count; k++) {
            const struct gate_finding *f = &g->findings.at[k];
            if (f->rule == GATE_BOUND && strcmp(f->bound->pattern, missing->bound->pattern) == 0)
                return true;
        }
    }
    return false;
}

static bool has_row(const struct test *t, const struct gate_finding *missing)
{
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct gate_finding *f = t->rows.at[i].finding;
        if (f && f->rule == GATE_NO_ROUTINE &&
            strcmp(f->bound->pattern, missing->bound->pattern) == 0)
            return true;
    }
    return false;
}

static void add_missing(struct test *t, const struct program *p, const struct gate_finding *f)
{
    if (!matches_elsewhere(t, f) && !has_row(t, f))
        add_row(t, p, f->subject, NULL, f);
}

/* Adds a row for each bound of a routine, or one row without a bound if the routine is a test
 * case. */
static void add_routine(struct test *t, const struct program *p,
                        const struct report_profile *profile)
{
    const struct report *r = &p->gate.comparison.new;
    bool is_case = report_is_region(r, profile->routine), bound = false;
    for (size_t i = 0; i < p->gate.findings.count; i++) {
        const struct gate_finding *f = &p->gate.findings.at[i];
        if (f->rule != GATE_BOUND || f->routine != profile->routine)
            continue;
        add_row(t, p, f->subject, profile, f);
        bound = true;
    }
    if (is_case && !bound)
        add_row(t, p, r->routines.at[profile->routine].name, profile, NULL);
    t->cases += is_case;
}

static int by_verdict(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    bool left_failed = left->finding && left->finding->level == GATE_FAILED;
    bool right_failed = right->finding && right->finding->level == GATE_FAILED;
    if (left_failed != right_failed)
        return left_failed ? -1 : 1;
    return strcmp(left->name, right->name);
}

static void make_rows(struct test *t)
{
    for (size_t i = 0; i < t->programs.count; i++) {
        const struct program *p = &t->programs.at[i];
        for (size_t k = 0; k < p->gate.comparison.new.profiles.count; k++)
            add_routine(t, p, &p->gate.comparison.new.profiles.at[k]);
        for (size_t k = 0; k < p->gate.findings.count; k++) {
            if (p->gate.findings.at[k].rule == GATE_NO_ROUTINE)
                add_missing(t, p, &p->gate.findings.at[k]);
        }
    }
    if (t->rows.count)
        qsort(t->rows.at, t->rows.count, sizeof *t->rows.at, by_verdict);
}

/* Text and Markdown ---------------------------------------------------------------------------- */

static const char *const level_words[] = {"passed", "unknown", "FAILED"};

static const struct table_column columns[] = {
    {"case", "test case", true},   {"growth", "growth", true}, {"cost", "per call", false},
    {"input", "max input", false}, {"bound", "bound", true},   {"verdict", "verdict", true},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static const char *verdict_style(const struct table_column *column, const char *cell)
{
    return strcmp(column->key, "verdict") == 0 && *cell == 'F' ? "31" : NULL;
}

static double cost_per_call(const struct summary *s)
{
    return s->profile->calls ? (double)s->profile->cost_total / (double)s->profile->calls : 0;
}

static void add_measured(struct table *table, const struct summary *s)
{
    table_add(table, growth_claim_or_trend_brief(&s->growth.worst_claim));
    table_add(table, memory_format("%.0f", cost_per_call(s)));
    table_add_number(table, s->input_max);
}

static void add_cells(struct table *table, const struct row *row)
{
    table_add_text(table, row->name);
    if (row->summary.profile)
        add_measured(table, &row->summary);
    for (int i = 0; !row->summary.profile && i < 3; i++)
        table_add_text(table, "");
    table_add_text(table, row->finding ? row->finding->bound->words : "");
    table_add_text(table, row->finding ? level_words[row->finding->level] : "");
}

static char *program_words(const struct test *t)
{
    char *status = child_status_words(t->status);
    char *words = memory_format("%s: %s", t->command->at[0], status);
    free(status);
    return words;
}

static bool is_failed(const struct test *t)
{
    return t->status != 0 || t->levels[GATE_FAILED] > 0;
}

/* Writes why bounds failed or are unknown, and where the cost arises. */
static void write_reasons(const struct test *t, bool markdown, FILE *to)
{
    bool first = true;
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct gate_finding *f = t->rows.at[i].finding;
        if (!f || f->level == GATE_PASSED)
            continue;
        const char *place = t->rows.at[i].declared;
        char *line = memory_format("%s: %s%s%s", t->rows.at[i].name, f->message,
                                   place ? "; declared at " : "", place ? place : "");
        fputs(first ? "\n" : "", to);
        first = false;
        gate_write_line(line, markdown, to);
        gate_write_details(f, markdown, to);
        free(line);
    }
}

static void write_table(const struct test *t, bool markdown, FILE *to)
{
    static const unsigned ranks[COLUMNS] = {0};
    struct table table = {.columns = columns, .column_count = COLUMNS, .style = verdict_style};
    for (size_t i = 0; i < t->rows.count; i++)
        add_cells(&table, &t->rows.at[i]);
    fprintf(to, markdown ? "### aprof test: %s\n\n" : "test: %s\n",
            is_failed(t) ? "failed" : "passed");
    fprintf(to, "%zu test case%s; bounds: %zu failed, %zu passed, %zu unknown\n", t->cases,
            t->cases == 1 ? "" : "s", t->levels[GATE_FAILED], t->levels[GATE_PASSED],
            t->levels[GATE_NOTE]);
    if (t->status != 0) {
        char *words = program_words(t);
        fprintf(to, "%s\n", words);
        free(words);
    }
    putc('\n', to);
    if (markdown) {
        table_write_markdown(&table, to);
    } else {
        table_fit(&table, ranks, 0, SHORT_NAME_SENTENCE, table_width(TABLE_WIDTH_NOT_GIVEN, to));
        table_write_text(&table, to, table_may_style(to));
    }
    table_free(&table);
    write_reasons(t, markdown, to);
}

/* JUnit and JSON ------------------------------------------------------------------------------- */

static void write_junit(const struct test *t, FILE *to)
{
    bool failed = t->status != 0;
    char *words = program_words(t);
    const struct gate_finding finding = {.level = GATE_FAILED, .file = "", .message = words};
    junit_open("aprof test", t->rows.count + 1, t->levels[GATE_FAILED] + failed,
               t->levels[GATE_NOTE], to);
    junit_write_case("aprof.test", t->command->at[0], failed ? &finding : NULL, to);
    for (size_t i = 0; i < t->rows.count; i++) {
        char *class = memory_format("aprof.test.%s", t->rows.at[i].program->name);
        junit_write_case(class, t->rows.at[i].name, t->rows.at[i].finding, to);
        free(class);
    }
    junit_close(to);
    free(words);
}

static void json_measured(struct json *json, const struct summary *s)
{
    char *growth = growth_claim_words(&s->growth.worst_claim);
    json_number(json, "calls", s->profile->calls);
    json_real(json, "cost_per_call", cost_per_call(s));
    json_number(json, "input_max", s->input_max);
    json_text(json, "growth", growth);
    json_bool(json, "validated", growth_is_claimed(&s->growth.worst_claim));
    json_real(json, "times_at_10n",
              s->growth.worst_claim.times > 0 ? s->growth.worst_claim.times : NAN);
    free(growth);
}

static void json_finding(struct json *json, const struct gate_finding *f)
{
    string_list causes = {0};
    for (size_t i = 0; i < f->details.count; i++)
        vector_push(&causes, f->details.at[i]);
    json_text(json, "bound", f->bound->words);
    json_text(json, "verdict", f->level == GATE_FAILED ? "failed" : level_words[f->level]);
    json_text(json, "message", f->message);
    json_texts(json, "causes", &causes);
    vector_free(&causes);
}

static void json_row(struct json *json, const struct row *row)
{
    const struct report_routine *routine =
        row->summary.profile
            ? &row->program->gate.comparison.new.routines.at[row->summary.profile->routine]
            : NULL;
    json_open(json, NULL, '{');
    json_text(json, "name", row->name);
    json_text(json, "program", row->program->name);
    if (routine && *routine->file) {
        json_text(json, "file", source_relative(routine->file));
        json_number(json, "line", routine->line);
    }
    if (routine)
        json_measured(json, &row->summary);
    if (row->finding)
        json_finding(json, row->finding);
    if (row->declared)
        json_text(json, "declared_at", row->declared);
    json_close(json);
}

static void write_json(const struct test *t, FILE *to)
{
    struct json json = json_open_document(to, "aprof-test-1");
    json_text(&json, "aprof", APROF_VERSION);
    json_texts(&json, "command", t->command);
    json_bool(&json, "passed", !is_failed(t));
    if (WIFEXITED(t->status))
        json_number(&json, "exit_status", (unsigned)WEXITSTATUS(t->status));
    else
        json_number(&json, "signal", (unsigned)WTERMSIG(t->status));
    json_open(&json, "rows", '[');
    for (size_t i = 0; i < t->rows.count; i++)
        json_row(&json, &t->rows.at[i]);
    json_close(&json);
    json_close(&json);
}

/* The command ---------------------------------------------------------------------------------- */

static bool write_test(const struct test *t, struct failure *why)
{
    struct output output;
    const struct settings *s = t->settings;
    if (!output_open(&output, s->output, why))
        return false;
    if (s->format == FORMAT_JUNIT)
        write_junit(t, output.stream);
    else if (s->format == FORMAT_JSON)
        write_json(t, output.stream);
    else
        write_table(t, s->format == FORMAT_MARKDOWN, output.stream);
    return output_close(&output, why);
}

/* Errors in the file of bounds must be reported before the tests run. */
static bool check_bounds(const struct settings *s, struct failure *why)
{
    struct bounds bounds = {0};
    bool good = !s->gate.bounds || bounds_read(&bounds, s->gate.bounds, why);
    bounds_free(&bounds);
    return good;
}

static bool measure(struct test *t, struct failure *why)
{
    bool good = run_program(t, why) && read_reports(t, why);
    for (size_t i = 0; good && i < t->programs.count; i++)
        good = verify(&t->programs.at[i], t->settings, why);
    if (!good)
        return false;
    make_rows(t);
    return t->rows.count > 0 ||
           failure_set(why,
                       "%s: no test case and no bound; link a listener, open regions, or declare "
                       "bounds: see aprof-test(1)",
                       t->command->at[0]);
}

/* Reports the failure. Reports that the program has already written are kept. */
static void fail_test(const struct failure *why, const char *folder)
{
    if (folder && rmdir(folder) != 0)
        message_error("%s; the reports are in %s", why->text, folder);
    else
        message_failure(why);
}

static void test_free(struct test *t)
{
    for (size_t i = 0; i < t->rows.count; i++) {
        free(t->rows.at[i].declared);
        free(t->rows.at[i].name);
    }
    vector_free(&t->rows);
    for (size_t i = 0; i < t->programs.count; i++) {
        free(t->programs.at[i].name);
        report_merge_free(&t->programs.at[i].merge);
        gate_free(&t->programs.at[i].gate);
    }
    vector_free(&t->programs);
}

static int test_status(const struct test *t)
{
    if (t->status != 0)
        return STATUS_TESTS_FAILED;
    return t->levels[GATE_FAILED] ? STATUS_BROKEN : STATUS_KEPT;
}

static const struct option_entry test_options[] = {
    {'b', "bounds", "FILE", "file of bounds to verify", OPTION_INTO(struct settings, gate.bounds)},
    {'m', "metric", "trms|rms", "measures input sizes by this metric [trms]",
     OPTION_INTO(struct settings, gate.comparison.metric_name), OPTION_CHOICES(metric_names)},
    {0, "strict", NULL, "fails if a bound is unknown", OPTION_INTO(struct settings, gate.strict)},
    {0, "allow-missing", NULL, "does not fail if a bound matches no routine",
     OPTION_INTO(struct settings, gate.allow_missing)},
    {'r', "run", "OPTIONS", "options for `aprof run`, separated by blanks",
     OPTION_INTO(struct settings, run)},
    {'k', "keep", "FOLDER", "keeps the reports, one per program, in this folder",
     OPTION_INTO(struct settings, keep)},
    {'f', "format", "FORMAT", "* [text]", OPTION_INTO(struct settings, format),
     OPTION_CHOICES(format_names)},
    {'o', "output", "FILE", "writes the output to a file", OPTION_INTO(struct settings, output)},
    {0},
};

static int run(const struct command *command, char **argv)
{
    struct settings settings = {.gate = {.comparison = COMPARISON_DEFAULTS}};
    struct options options;
    struct test test = {.settings = &settings, .command = &options.operands};
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    bool good = check_bounds(&settings, &why) &&
                (test.folder = child_folder_make("aprof-test", &why)) && measure(&test, &why) &&
                write_test(&test, &why);
    if (good) {
        child_folder_remove(test.folder);
    } else {
        fail_test(&why, test.folder);
        free(test.folder);
    }
    int status = good ? test_status(&test) : STATUS_TROUBLE;
    test_free(&test);
    return status;
}

const struct command command_test = {
    .name = "test",
    .summary = "runs tests or benchmarks and verifies growth; for CI",
    .usage = "[options] -- PROGRAM [arguments]",
    .details =
        "Runs a program of tests or benchmarks as `aprof run` does, and prints a table with\n"
        "the growth, the cost per call and the bound of each test case. Listeners for\n"
        "GoogleTest, Catch2, doctest and google/benchmark report the test cases. Bounds are\n"
        "declared in a file, as for `aprof check`, or by APROF_EXPECT_GROWTH in the tests. The\n"
        "exit status is 0 if no bound is broken, 1 if a bound is broken, 2 on errors, and 3 if\n"
        "the program itself fails.",
    .options = test_options,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "a program",
    .run = run,
};
