/* Code lenses, inlay hints and hovers of the language server; see lsp.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/lsp.h"
#include "tools/history_command.h"
#include "lib/base/control.h"
#include "lib/base/short_name.h"
#include "lib/base/table.h"
#include "lib/compare/history.h"
#include "lib/growth/summary.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define STALE           "stale: the source has changed"
#define SHARE_LEAST     .05 /* percent; lines with a smaller share of the cost have no hint */
#define NEIGHBOURS      5   /* maximum number of callers, and of callees, in a hover */
#define SPARKLINE_WIDTH 24

/* A document, a report, and the report's lines in the document. */
struct view {
    struct lsp_server *server;
    struct lsp_document *document;
    const struct report *report;
    struct lsp_changes changes;
    bool *files; /* for each file of the report, whether it is the file of the document */
};

static struct view view_open(struct lsp_server *server, struct lsp_document *document)
{
    struct view v = {.server = server, .document = document, .report = &server->report.report};
    v.changes = lsp_document_compare(server, document);
    v.files = memory_get_zeroed(v.report->code.files.count + 1, sizeof *v.files);
    for (size_t i = 0; i < v.report->code.files.count; i++)
        v.files[i] = lsp_is_file(server, document, v.report->code.files.at[i]);
    return v;
}

static void view_close(struct view *v)
{
    free(v->files);
    lsp_changes_free(&v->changes);
}

/* The line of the document for a line of the report; lines of the report are counted from 1. */
static bool find_line(const struct view *v, uint32_t of_report, uint32_t *line, bool *is_stale)
{
    bool is_changed;
    *line = of_report - 1;
    if (of_report == 0 || !lsp_changes_forward(&v->changes, line, &is_changed))
        return false;
    *is_stale = is_changed || v->document->is_stale;
    return true;
}

static char *safe_copy(const char *name)
{
    char *copy = memory_copy_string(name);
    control_replace(copy, '?');
    return copy;
}

lsp_json *lsp_name(const char *name)
{
    char *copy = safe_copy(name);
    lsp_json *text = json_object_new_string(copy);
    free(copy);
    return text;
}

static lsp_json *position(uint32_t line, uint32_t column)
{
    lsp_json *p = json_object_new_object();
    json_object_object_add(p, "line", json_object_new_int64(line));
    json_object_object_add(p, "character", json_object_new_int64(column));
    return p;
}

lsp_json *lsp_range(uint32_t line, uint32_t begin, uint32_t end)
{
    lsp_json *range = json_object_new_object();
    json_object_object_add(range, "start", position(line, begin));
    json_object_object_add(range, "end", position(line, end));
    return range;
}

static double share(const struct view *v, uint64_t cost)
{
    return summary_percent(cost, v->report->totals.cost);
}

static const char *calls_word(uint64_t calls)
{
    return calls == 1 ? "call" : "calls";
}

/* Code lenses ---------------------------------------------------------------------------------- */

/* The text of a code lens: "n log n, 34.2% self, 12100 calls". */
static char *lens_words(const struct view *v, size_t profile, bool is_stale)
{
    const struct report_profile *p = &v->report->profiles.at[profile];
    return memory_format("%s, %.1f%% self, %" PRIu64 " %s%s",
                         lsp_growth(&v->server->report, profile), share(v, p->cost_self), p->calls,
                         calls_word(p->calls), is_stale ? " (" STALE ")" : "");
}

static bool is_in_document(const struct view *v, const struct report_routine *routine)
{
    return lsp_is_file(v->server, v->document, routine->file);
}

lsp_json *lsp_code_lenses(struct lsp_server *server, struct lsp_document *document)
{
    struct view v = view_open(server, document);
    lsp_json *lenses = json_object_new_array();
    for (size_t i = 0; i < v.report->profiles.count; i++) {
        const struct report_routine *routine =
            &v.report->routines.at[v.report->profiles.at[i].routine];
        uint32_t line;
        bool is_stale;
        if (!is_in_document(&v, routine) || !find_line(&v, routine->line, &line, &is_stale))
            continue;
        char *words = lens_words(&v, i, is_stale);
        lsp_json *lens = json_object_new_object();
        lsp_json *command = json_object_new_object();
        json_object_object_add(command, "title", lsp_name(words));
        json_object_object_add(command, "command", json_object_new_string(""));
        json_object_object_add(lens, "range",
                               lsp_range(line, 0, lsp_text_columns(&document->text, line)));
        json_object_object_add(lens, "command", command);
        json_object_array_add(lenses, lens);
        free(words);
    }
    view_close(&v);
    return lenses;
}

/* Inlay hints ---------------------------------------------------------------------------------- */

/* The costs of a line of the document. */
struct line_costs {
    uint64_t self, calls;
    bool is_stale;
};

static void add_line(const struct view *v, struct line_costs *costs, uint32_t file,
                     uint32_t of_report, uint64_t self, uint64_t calls)
{
    uint32_t line;
    bool is_stale;
    if (file == REPORT_NONE || !v->files[file] || !find_line(v, of_report, &line, &is_stale))
        return;
    costs[line].self = u64_add(costs[line].self, self);
    costs[line].calls = u64_add(costs[line].calls, calls);
    costs[line].is_stale |= is_stale;
}

/* The self cost of each line, and the cost of the calls from each line, as in `aprof annotate`. */
static struct line_costs *gather(const struct view *v)
{
    const code_lines *lines = &v->server->report.lines;
    const struct report_code *code = &v->report->code;
    struct line_costs *costs = memory_get_zeroed(v->changes.new_lines + 1, sizeof *costs);
    for (size_t i = 0; i < lines->count; i++)
        add_line(v, costs, lines->at[i].file, lines->at[i].line, lines->at[i].cost, 0);
    for (size_t i = 0; i < code->edges.count; i++) {
        const struct report_edge *edge = &code->edges.at[i];
        uint32_t call = code_user_call(v->report, &edge->place);
        const struct report_place *at =
            call == REPORT_NONE ? &edge->place : &code->inlined.at[call].call;
        add_line(v, costs, at->file, at->line, 0, edge->cost);
    }
    return costs;
}

/* The text of a hint: "12.3%, calls 45.0%"; NULL if the shares are too small. */
static char *hint_words(const struct view *v, const struct line_costs *costs)
{
    const char *stale = costs->is_stale ? " (stale)" : "";
    double self = share(v, costs->self), calls = share(v, costs->calls);
    if (self >= SHARE_LEAST && calls >= SHARE_LEAST)
        return memory_format("%.1f%%, calls %.1f%%%s", self, calls, stale);
    if (self >= SHARE_LEAST)
        return memory_format("%.1f%%%s", self, stale);
    return calls >= SHARE_LEAST ? memory_format("calls %.1f%%%s", calls, stale) : NULL;
}

static lsp_json *hint(const struct view *v, uint32_t line, const char *words,
                      const struct line_costs *costs)
{
    lsp_json *made = json_object_new_object();
    char *tip = memory_format("%" PRIu64 " %s in this line, %" PRIu64
                              " in the calls from this line, of %" PRIu64 "%s",
                              costs->self, report_cost_words(v->report), costs->calls,
                              v->report->totals.cost, costs->is_stale ? "; " STALE : "");
    json_object_object_add(made, "position",
                           position(line, lsp_text_columns(&v->document->text, line)));
    json_object_object_add(made, "label", json_object_new_string(words));
    json_object_object_add(made, "tooltip", json_object_new_string(tip));
    json_object_object_add(made, "paddingLeft", json_object_new_boolean(true));
    free(tip);
    return made;
}

lsp_json *lsp_inlay_hints(struct lsp_server *server, struct lsp_document *document, uint32_t first,
                          uint32_t last)
{
    struct view v = view_open(server, document);
    lsp_json *hints = json_object_new_array();
    struct line_costs *costs = gather(&v);
    for (uint32_t line = first; line <= last && line < v.changes.new_lines; line++) {
        char *words = hint_words(&v, &costs[line]);
        if (words)
            json_object_array_add(hints, hint(&v, line, words, &costs[line]));
        free(words);
    }
    free(costs);
    view_close(&v);
    return hints;
}

/* Hover: the routine at a position ------------------------------------------------------------- */

static bool is_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '$' || (byte & 0x80);
}

/* The identifier at a position; "" if no identifier is at this position. */
static char *word_at(const struct lsp_text *text, struct lsp_position at)
{
    size_t begin = lsp_text_offset(text, at), end = begin;
    while (begin > 0 && is_word(text->bytes.at[begin - 1]))
        begin--;
    while (end < text->bytes.count && is_word(text->bytes.at[end]))
        end++;
    return memory_format("%.*s", (int)(end - begin), text->bytes.at + begin);
}

/* Whether a code location of the report is on this line of the document. The location of inlined
 * library code counts as the line of user code that calls the library. */
static bool is_at(const struct view *v, const struct report_place *place, uint32_t line)
{
    uint32_t call = code_user_call(v->report, place);
    const struct report_place *at =
        call == REPORT_NONE ? place : &v->report->code.inlined.at[call].call;
    return at->file != REPORT_NONE && v->files[at->file] && at->line == line;
}

/* Finds the callee with the given name among the callees that are called from a line of the
 * document. */
static uint32_t find_callee(const struct view *v, uint32_t line, const char *word)
{
    const struct report_code *code = &v->report->code;
    for (size_t i = 0; i < code->edges.count; i++) {
        const struct report_edge *edge = &code->edges.at[i];
        if (is_at(v, &edge->place, line) &&
            code_same_base(v->report->routines.at[edge->callee].name, word))
            return edge->callee;
    }
    return REPORT_NONE;
}

/* The most expensive routine with this name; routines of the document take precedence. */
static uint32_t find_named(const struct view *v, const char *word)
{
    uint32_t found = REPORT_NONE;
    uint64_t highest = 0;
    bool is_here = false;
    for (size_t i = 0; i < v->report->profiles.count; i++) {
        const struct report_profile *p = &v->report->profiles.at[i];
        const struct report_routine *routine = &v->report->routines.at[p->routine];
        if (!code_same_base(routine->name, word))
            continue;
        bool here = is_in_document(v, routine);
        if (found != REPORT_NONE &&
            (here < is_here || (here == is_here && p->cost_total <= highest)))
            continue;
        found = p->routine;
        highest = p->cost_total;
        is_here = here;
    }
    return found;
}

/* The last line of the document on which the routine has a cost or a call. */
static uint32_t last_line(const struct view *v, uint32_t routine)
{
    const struct report_code *code = &v->report->code;
    uint32_t last = v->report->routines.at[routine].line;
    for (size_t i = 0; i < code->lines.count; i++) {
        const struct report_line_cost *line = &code->lines.at[i];
        if (line->routine == routine && line->place.inlined == REPORT_NONE &&
            line->place.file != REPORT_NONE && v->files[line->place.file] &&
            line->place.line > last)
            last = line->place.line;
    }
    for (size_t i = 0; i < code->edges.count; i++) {
        const struct report_edge *edge = &code->edges.at[i];
        if (edge->caller == routine && edge->place.inlined == REPORT_NONE &&
            edge->place.file != REPORT_NONE && v->files[edge->place.file] &&
            edge->place.line > last)
            last = edge->place.line;
    }
    return last;
}

/* The routine of the document that contains the line. */
static uint32_t find_around(const struct view *v, uint32_t line)
{
    uint32_t found = REPORT_NONE;
    for (size_t i = 0; i < v->report->profiles.count; i++) {
        uint32_t routine = v->report->profiles.at[i].routine;
        const struct report_routine *r = &v->report->routines.at[routine];
        if (r->line == 0 || r->line > line || !is_in_document(v, r))
            continue;
        if (found == REPORT_NONE || r->line > v->report->routines.at[found].line)
            found = routine;
    }
    return found != REPORT_NONE && line <= last_line(v, found) ? found : REPORT_NONE;
}

static uint32_t find_routine(const struct view *v, uint32_t line, const char *word)
{
    uint32_t found = *word && line ? find_callee(v, line, word) : REPORT_NONE;
    if (found == REPORT_NONE && *word)
        found = find_named(v, word);
    return found == REPORT_NONE && line ? find_around(v, line) : found;
}

static size_t profile_of(const struct report *r, uint32_t routine)
{
    size_t i = 0;
    while (i < r->profiles.count && r->profiles.at[i].routine != routine)
        i++;
    return i;
}

/* Hover: the text ------------------------------------------------------------------------------ */

/* Writes a name in such a way that it does not change the format of the text. */
static void write_name(const struct view *v, const char *name, FILE *to)
{
    char *brief = short_name(name, SHORT_NAME_SENTENCE);
    control_replace(brief, '?');
    if (v->server->has_markdown)
        table_write_markdown_text(brief, to);
    else
        fputs(brief, to);
    free(brief);
}

/* Divides the range of input sizes into equal intervals, and sets `means` to the mean cost of the
 * calls in each interval (negative: no calls). Returns the highest mean. */
static double spark(const struct report_point *points, size_t count, double *means)
{
    double calls[SPARKLINE_WIDTH] = {0}, highest = 0;
    double first = (double)points[0].input, last = (double)points[count - 1].input;
    for (size_t i = 0; i < SPARKLINE_WIDTH; i++)
        means[i] = 0;
    for (size_t i = 0; i < count; i++) {
        double at = ((double)points[i].input - first) / (last - first) * SPARKLINE_WIDTH;
        size_t column = at < SPARKLINE_WIDTH ? (size_t)at : SPARKLINE_WIDTH - 1;
        calls[column] += (double)points[i].calls;
        means[column] += (double)points[i].cost_sum;
    }
    for (size_t i = 0; i < SPARKLINE_WIDTH; i++) {
        means[i] = calls[i] > 0 ? means[i] / calls[i] : -1;
        highest = means[i] > highest ? means[i] : highest;
    }
    return highest;
}

/* Draws the mean cost of a call by its input size. A dot represents sizes without calls. */
static void write_sparkline(const struct view *v, const struct report_profile *p, FILE *to)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum report_metric metric = v->server->report.metric;
    const struct report_point *points = profile_points(v->report, p, metric);
    size_t count = p->count[metric];
    double means[SPARKLINE_WIDTH];
    const char *quote = v->server->has_markdown ? "`" : "";
    if (count < 2)
        return;
    double highest = spark(points, count, means);
    fprintf(to, "%s", quote);
    for (size_t i = 0; i < SPARKLINE_WIDTH; i++) {
        int level = highest > 0 ? (int)(means[i] / highest * 7.999) : 0;
        fputs(means[i] < 0 ? "·" : blocks[level], to);
    }
    fprintf(to, "%s up to %.0f %s per call, for inputs from %" PRIu64 " to %" PRIu64 "\n\n", quote,
            highest, report_cost_words(v->report), points[0].input, points[count - 1].input);
}

static void write_neighbours(const struct view *v, const code_neighbours *list, uint64_t whole,
                             const char *title, FILE *to)
{
    if (list->count > 0)
        fprintf(to, "%s:\n\n", title);
    for (size_t i = 0; i < list->count && i < NEIGHBOURS; i++) {
        const struct code_neighbour *n = &list->at[i];
        fputs("- ", to);
        write_name(v, v->report->routines.at[n->routine].name, to);
        fprintf(to, ": %.1f%%, %" PRIu64 " %s\n", summary_percent(n->cost, whole), n->calls,
                calls_word(n->calls));
    }
    if (list->count > NEIGHBOURS)
        fprintf(to, "- and %zu more\n", list->count - NEIGHBOURS);
    if (list->count > 0)
        putc('\n', to);
}

/* Writes a word of a shell command, in quotes if it has special characters. */
static void write_word(const char *word, FILE *to)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%-";
    char *safe = memory_copy_string(word);
    control_replace(safe, '?');
    bool is_plain = strspn(safe, plain) == strlen(safe);
    if (!is_plain)
        putc('\'', to);
    for (const char *at = safe; *at; at++) {
        if (*at == '\'')
            fputs("'\\''", to);
        else
            putc(*at, to);
    }
    if (!is_plain)
        putc('\'', to);
    free(safe);
}

static void write_commands(const struct view *v, const char *name, FILE *to)
{
    const char *fence = v->server->has_markdown ? "```" : "";
    fprintf(to, "%s\naprof report ", fence);
    write_word(v->server->report.path, to);
    putc(' ', to);
    write_word(name, to);
    fputs("\naprof plot ", to);
    write_word(name, to);
    putc(' ', to);
    write_word(v->server->report.path, to);
    fprintf(to, "\n%s\n", fence);
}

static void write_growth(const struct view *v, const struct report_profile *p, FILE *to)
{
    struct summary s = summary_of(v->report, p, v->server->report.metric);
    summary_add_growth(v->report, v->server->report.metric, &s);
    char *average = growth_claim_reason(&s.growth.average_claim);
    char *worst = growth_claim_or_trend_brief(&s.growth.worst_claim);
    fprintf(to, "Growth: %s.\n\nWorst case: %s.\n\n", average, worst);
    free(average);
    free(worst);
}

/* Writes the latest change point of the routine, as in `aprof history show`. */
static void write_changes(const struct history_view *history, FILE *to)
{
    static const char *const words[] = {"", " in growth", " in cost", " in calls"};
    struct history_entry level = history->entries.at[0];
    const struct history_entry *last = &history->entries.at[history->entries.count - 1], *at = NULL;
    enum history_mark mark = HISTORY_SAME;
    for (size_t i = 0; i < history->entries.count; i++) {
        enum history_mark found = history_step(&level, &history->entries.at[i], HISTORY_THRESHOLD);
        at = found != HISTORY_SAME ? &history->entries.at[i] : at;
        mark = found != HISTORY_SAME ? found : mark;
    }
    char *change = history_change_words(history->entries.at[0].own, last->own);
    char *label = safe_copy(at ? history->runs.at[at->run].label : "");
    fprintf(to, "History: self cost %s over %zu commits; ", change, history->entries.count);
    if (at)
        fprintf(to, "latest change%s at %s.\n\n", words[mark], label);
    else
        fputs("no change.\n\n", to);
    free(change);
    free(label);
}

/* Writes nothing if there is no database, or if the database lacks the routine. */
static void write_history(const struct view *v, const char *name, FILE *to)
{
    struct history_view view = {0};
    struct failure why;
    struct lsp_version version = lsp_version_of(v->server->options->database);
    struct history *history =
        version.number ? history_open(v->server->options->database, false, &why) : NULL;
    if (!history)
        return;
    if (history_read(history, NULL, name, &view, &why) && view.entries.count > 1)
        write_changes(&view, to);
    history_view_free(&view);
    history_close(history);
}

static void write_routine(const struct view *v, uint32_t routine, bool is_stale, FILE *to)
{
    size_t profile = profile_of(v->report, routine);
    const char *strong = v->server->has_markdown ? "**" : "";
    const struct report_profile *p = &v->report->profiles.at[profile];
    code_neighbours callers = {0}, callees = {0};
    if (profile == v->report->profiles.count)
        return;
    code_callers(v->report, routine, &callers);
    code_callees(v->report, routine, &callees);
    fputs(strong, to);
    write_name(v, v->report->routines.at[routine].name, to);
    fprintf(to, "%s\n\n%s, %.1f%% self, %.1f%% total, %" PRIu64 " %s%s\n\n", strong,
            lsp_growth(&v->server->report, profile), share(v, p->cost_self),
            share(v, p->cost_total), p->calls, calls_word(p->calls),
            is_stale ? " (" STALE ")" : "");
    write_growth(v, p, to);
    write_sparkline(v, p, to);
    write_history(v, v->report->routines.at[routine].name, to);
    write_neighbours(v, &callers, p->cost_total, "Called by", to);
    write_neighbours(v, &callees, p->cost_total, "Calls", to);
    write_commands(v, v->report->routines.at[routine].name, to);
    vector_free(&callers);
    vector_free(&callees);
}

/* Writes the code locations and the cost of a function that has no routine of its own, because it
 * was inlined. Returns false if the report has no such function. */
static bool write_inlined(const struct view *v, const char *word, FILE *to)
{
    code_inlined_list list = {0};
    code_inlined_named(v->report, word, &list);
    bool found = list.count > 0;
    if (found)
        fprintf(to, "%s has no calls of its own; it is inlined into:\n\n", word);
    for (size_t i = 0; i < list.count && i < NEIGHBOURS; i++) {
        fputs("- ", to);
        write_name(v, v->report->routines.at[list.at[i].routine].name, to);
        fprintf(to, ": %.1f%% of the cost\n", share(v, list.at[i].cost));
    }
    vector_free(&list);
    return found;
}

static bool write_hover(const struct view *v, struct lsp_position at, FILE *to)
{
    uint32_t line = at.line;
    bool is_changed = false;
    bool is_known = lsp_changes_back(&v->changes, &line, &is_changed);
    uint32_t of_report = is_known && !is_changed ? line + 1 : 0;
    char *word = word_at(&v->document->text, at);
    uint32_t routine = find_routine(v, of_report, word);
    bool is_named =
        routine != REPORT_NONE && code_same_base(v->report->routines.at[routine].name, word);
    bool found = !is_named && *word && write_inlined(v, word, to);
    if (!found && routine != REPORT_NONE) {
        write_routine(v, routine, is_changed || v->document->is_stale, to);
        found = true;
    }
    free(word);
    return found;
}

lsp_json *lsp_hover(struct lsp_server *server, struct lsp_document *document,
                    struct lsp_position at)
{
    struct view v = view_open(server, document);
    lsp_json *hover = NULL;
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    bool found = to && write_hover(&v, at, to);
    if (to && fclose(to) == 0 && found) {
        lsp_json *contents = json_object_new_object();
        json_object_object_add(
            contents, "kind",
            json_object_new_string(server->has_markdown ? "markdown" : "plaintext"));
        json_object_object_add(contents, "value", json_object_new_string(text));
        hover = json_object_new_object();
        json_object_object_add(hover, "contents", contents);
    }
    free(text);
    view_close(&v);
    return hover;
}
