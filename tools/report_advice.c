/* Writes advice: the limits of a report, and how to overcome each of them; see report_view.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each cause that hides a considerable part of the cost gets one sentence. The shares are of self
 * cost, so no cost is counted twice.
 */
#include "tools/report_view.h"
#include "ground/record_schema.h"
#include "lib/report/code_view.h"
#include "lib/report/select.h"
#include "lib/base/short_name.h"
#include "lib/symbols/contexts_symbols.h"

#include <fnmatch.h>
#include <string.h>

/* Advice on input sizes is given if routines with too few sizes have more than this share of the
 * displayed cost. */
#define FEW_MIN .20
/* If more than this share of the displayed cost does not depend on the input sizes of routines, the
 * report advises to use `aprof scale`. */
#define APART_MIN   .30
#define UNNAMED_MIN .20 /* advice on code without names: minimum share of this code in all cost */
/* Advice on code without file and line: minimum share of this code in the cost outside system code.
 */
#define LINELESS_MIN .50
/* advice on code of no object file: minimum share of this code in all cost */
#define FILELESS_MIN .10
/* advice on start-up: minimum share of loading and starting in all cost */
#define STARTUP_MIN   .50
#define INLINED_LINES 3 /* number of routines examined for inlined functions */

/* Programs that run scripts or start other programs. The reports of the started programs may be
 * more interesting. */
enum kind { SHELL, INTERPRETER, STARTER, KINDS };

static const char *const programs[KINDS][20] = {
    [SHELL] = {"sh", "dash", "bash", "zsh", "ksh", "mksh", "fish", "busybox"},
    [INTERPRETER] = {"python[0-9]*", "perl", "perl5*", "ruby*", "lua", "lua5*", "luajit*", "node",
                     "nodejs", "java", "php*", "guile*", "tclsh*", "gawk", "mawk", "ocamlrun"},
    [STARTER] = {"env", "timeout", "nice", "nohup", "setsid", "time", "sudo", "xargs", "make",
                 "ninja", "ccache", "mpirun", "mpiexec", "orterun", "srun", "parallel"},
};

static const char *const kind_words[KINDS] = {
    [SHELL] =
        "%s is a shell: programs that its script starts have separate reports, if `aprof run` "
        "(or --trace-children=yes) profiles them.",
    [INTERPRETER] =
        "%s is an interpreter: these are routines of the interpreter and of libraries, not "
        "the functions of the script; docs/languages.md says how to measure functions "
        "of scripts.",
    [STARTER] = "%s only starts other programs: those programs have separate reports, if "
                "`aprof run` (or --trace-children=yes) profiles them.",
};

static bool is_of_kind(const char *name, enum kind kind)
{
    for (size_t i = 0; programs[kind][i]; i++) {
        if (fnmatch(programs[kind][i], name, 0) == 0)
            return true;
    }
    return false;
}

/* Whether the program is busybox, but runs as another program than a shell, for example as `busybox
 * sort`. */
static bool is_other_applet(const struct report *r, const char *name)
{
    if (strcmp(name, "busybox") != 0)
        return false;
    bool named = strcmp(report_program(r), name) == 0;
    const char *applet = !named ? report_program(r) : r->command.count > 1 ? r->command.at[1] : "";
    return strcmp(applet, "sh") != 0 && strcmp(applet, "ash") != 0;
}

/* The program is recognised by its object, because no library has the name of a shell or
 * interpreter. */
static void advise_on_program(const struct report *r, text_list *sentences)
{
    bool names_functions = false;
    for (size_t i = 0; i < r->objects.count; i++)
        names_functions |= strcmp(r->objects.at[i], JIT_OBJECT) == 0;
    for (size_t i = 0; i < r->objects.count; i++) {
        const char *name = short_path(r->objects.at[i]);
        for (int kind = 0; kind < KINDS; kind++) {
            if (is_of_kind(name, kind) && !is_other_applet(r, name) &&
                !(kind == INTERPRETER && names_functions))
                vector_push(sentences, memory_format(kind_words[kind], name));
        }
    }
}

/* Self costs by kind of missing data. */
struct missing {
    double all, startup, unnamed, fileless, own, lineless;
    uint64_t *of_object; /* cost without a name, by object */
};

static void missing_count(const struct report_view *view, struct missing *m)
{
    const struct report *r = view->report;
    for (size_t i = 0; i < r->profiles.count; i++) {
        const struct report_profile *profile = &r->profiles.at[i];
        const struct report_routine *routine = &r->routines.at[profile->routine];
        double cost = (double)profile->cost_self;
        m->all += cost;
        m->startup += select_is_startup(r, routine) ? cost : 0;
        if (!*r->objects.at[routine->object]) {
            m->fileless += cost;
        } else if (!*routine->symbol) {
            m->unnamed += cost;
            m->of_object[routine->object] += profile->cost_self;
        } else if (!select_is_foreign(r, routine->object)) {
            m->own += cost;
            m->lineless += *routine->file || r->unread_ids.at[routine->object] ? 0 : cost;
        }
    }
}

static uint32_t costliest_object(const struct report *r, const struct missing *m)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < r->objects.count; i++) {
        if (m->of_object[i] > m->of_object[most])
            most = i;
    }
    return most;
}

/* Explains how to get names for a stripped object. Names come from a package of debug symbols that
 * is found by the object's build id; for the user's own program, from a build with symbols. */
static char *stripped_words(const struct report *r, uint32_t object)
{
    const char *path = r->objects.at[object];
    if (!select_is_foreign(r, object) && strncmp(path, "/usr/", 5) != 0)
        return memory_copy_string("build it with -g, and run the file that is not stripped "
                                  "(install -s and ld -s also strip)");
    char *build_id = symbols_build_id(path);
    char *words = memory_format(
        "install the package -dbgsym of the package that has %s, or install debuginfod and set "
        "DEBUGINFOD_URLS=https://debuginfod.debian.net (or your system's server) for the "
        "run%s%s",
        path, *build_id ? "; its build id is " : "", build_id);
    free(build_id);
    return words;
}

static void advise_on_names(const struct report_view *view, text_list *sentences)
{
    struct missing m = {.of_object =
                            memory_get_zeroed(view->report->objects.count + 1, sizeof(uint64_t))};
    missing_count(view, &m);
    if (m.startup > STARTUP_MIN * m.all)
        vector_push(sentences, memory_format("%.0f%% of the cost is start-up and the loading of "
                                             "libraries: run a larger input.",
                                             100 * m.startup / m.all));
    if (m.unnamed > UNNAMED_MIN * m.all) {
        uint32_t object = costliest_object(view->report, &m);
        char *words = stripped_words(view->report, object);
        vector_push(sentences,
                    memory_format("%.0f%% of the cost is in routines without names, most of it in "
                                  "%s, which was stripped: %s.",
                                  100 * m.unnamed / m.all,
                                  short_path(view->report->objects.at[object]), words));
        free(words);
    }
    if (m.own > 0 && m.lineless > LINELESS_MIN * m.own && m.lineless > UNNAMED_MIN * m.all)
        vector_push(
            sentences,
            memory_format("%.0f%% of the cost is in routines without file and line: compile "
                          "with -g (at any optimisation level), or install debug symbols "
                          "(a -dbgsym package), to see lines and inlined functions.",
                          100 * m.lineless / m.all));
    if (m.fileless > FILELESS_MIN * m.all)
        vector_push(sentences,
                    memory_format(
                        "%.0f%% of the cost is in code that belongs to no file, for example from a "
                        "JIT compiler; this code has no names.",
                        100 * m.fileless / m.all));
    free(m.of_object);
}

static void advise_on_inlining(const struct report_view *view, text_list *sentences)
{
    for (size_t i = 0; i < view->lines.count && i < INLINED_LINES; i++) {
        const struct report_line *line = &view->lines.at[i];
        char *words =
            report_line_group(line) ? NULL : report_inlined_words(view->report, line->profile);
        free(words);
        if (!words)
            continue;
        code_inlined_list list = {0};
        code_inlined_into(view->report, line->profile->routine, &list);
        char *name = short_name(list.at[0].name, SHORT_NAME_SENTENCE);
        vector_push(
            sentences,
            memory_format("%s was inlined. To measure its calls, mark it "
                          "__attribute__((noinline)) (Rust: #[inline(never)]), or compile with "
                          "-fno-inline or with `aprof-cc --aprof-inline=see`. `aprof scale` shows "
                          "how its cost grows with the run; `aprof annotate` shows its lines.",
                          name));
        free(name);
        vector_free(&list);
        return;
    }
}

/* Names the most expensive routines with too few sizes, and their numbers of sizes: "main (1),
 * parse (3)". */
static char *gain_words(const struct report_known *known)
{
    char *words = memory_copy_string("");
    for (size_t i = 0; i < known->gain_count; i++) {
        char *name = short_name(known->gains[i]->name, SHORT_NAME_SENTENCE);
        char *longer =
            memory_format("%s%s%s (%zu)", words, i ? ", " : "", name, known->gain_sizes[i]);
        free(words);
        free(name);
        words = longer;
    }
    return words;
}

static void advise_on_sizes(const struct report_known *known, text_list *sentences)
{
    char *words = gain_words(known);
    vector_push(sentences,
                memory_format(
                    "%.0f%% of the displayed cost is in routines with too few input sizes to show "
                    "growth. Runs of other sizes would add input sizes to %s: `aprof report` adds "
                    "all reports that are named.",
                    100 * known->few / known->cost, words));
    free(words);
}

void report_advice(const struct report_view *view, const struct report_known *known,
                   text_list *sentences)
{
    if (view->lines.count == 0)
        return;
    advise_on_program(view->report, sentences);
    advise_on_names(view, sentences);
    advise_on_inlining(view, sentences);
    if (known->apart > APART_MIN * known->cost)
        vector_push(
            sentences,
            memory_format("%.0f%% of the displayed cost does not depend on input size: the calls "
                          "compute, or work on data that they wrote themselves. `aprof "
                          "scale` shows from runs of several sizes how their cost grows.",
                          100 * known->apart / known->cost));
    if (known->few > FEW_MIN * known->cost)
        advise_on_sizes(known, sentences);
}
