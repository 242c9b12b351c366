/* The `aprof` command: dispatches to the sub-command that its first arguments name.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof-config.h"

#include "tools/model.h"
#include "lib/base/demangle.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VERB(name) &command_##name,
static const struct command *const verbs[] = {
#include "tools/verbs.inc"
    NULL,
};

/* `aprof` itself, as a command with sub-commands. */
static const struct command root = {.name = "", .steps = verbs};

static const struct command *find_step(const struct command *command, const char *name)
{
    for (const struct command *const *step = command->steps; step && *step; step++) {
        if (strcmp((*step)->name, name) == 0)
            return *step;
    }
    return NULL;
}

/* The command that the first words of argv name: "contexts report" for `aprof contexts report
 * FILE`. */
struct call {
    const struct command *command;
    char *name;  /* full name of the command, for messages; "" for `aprof` itself */
    char **argv; /* last word of the command, and its arguments; for `aprof` itself, argv[0] */
};

static struct call call_find(char **argv)
{
    struct call call = {&root, memory_copy_string(""), argv};
    while (call.argv[1]) {
        const struct command *step = find_step(call.command, call.argv[1]);
        if (!step)
            break;
        char *name = memory_format("%s%s%s", call.name, *call.name ? " " : "", step->name);
        free(call.name);
        call = (struct call){step, name, call.argv + 1};
    }
    return call;
}

/* Help ----------------------------------------------------------------------------------------- */

static void print_steps(const struct command *command)
{
    for (const struct command *const *step = command->steps; *step; step++)
        printf("  %-12s%s\n", (*step)->name, (*step)->summary);
}

static void print_overview(void)
{
    puts("aprof measures how the cost of each routine grows with the size of its input.\n\n"
         "usage: aprof COMMAND [options] [arguments]\n");
    print_steps(&root);
    puts("  help        explains a command: aprof help COMMAND\n"
         "\nTo begin: aprof run -- ./app arguments...  then: aprof report aprof.out.PID\n"
         "Faster, for programs that you can recompile: compile with aprof-cc; see "
         "aprof-cc(1).");
}

static int unknown_command(const struct call *call)
{
    const char *blank = *call->name ? " " : "", *colon = *call->name ? ": " : "";
    if (call->argv[1])
        message_error("%s%s%s: unknown command; see 'aprof help%s%s'", call->name, colon,
                      call->argv[1], blank, call->name);
    else
        message_error("%s%sno command; see 'aprof help%s%s'", call->name, colon, blank, call->name);
    return STATUS_USAGE;
}

static void print_help(const struct call *call)
{
    options_print_command(call->command, call->name);
    if (!call->command->steps)
        return;
    putchar('\n');
    print_steps(call->command);
    printf("\n'aprof %s STEP --help' explains a step; see also aprof-%s(1).\n", call->name,
           call->name);
}

static bool is_help(const char *word)
{
    return word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0);
}

static int help(char **argv)
{
    struct call call = call_find(argv);
    int status = STATUS_OK;
    if (call.argv[1] && !is_help(call.argv[1]))
        status = unknown_command(&call);
    else if (call.command == &root)
        print_overview();
    else
        print_help(&call);
    free(call.name);
    return status;
}

static bool is_same(const struct option_entry *a, const struct option_entry *b)
{
    return strcmp(a->name, b->name) == 0;
}

/* Whether a row of the same option between `first` and `row` already lists this choice. */
static bool has_choice(const struct option_entry *first, const struct option_entry *row,
                       const char *choice)
{
    for (; first < row; first++) {
        for (size_t i = 0; is_same(first, row) && options_choice(first, i); i++) {
            if (strcmp(options_choice(first, i), choice) == 0)
                return true;
        }
    }
    return false;
}

static void list_choices(const struct command *command, const struct option_entry *first)
{
    const char *blank = "";
    for (const struct option_entry *row = first; row->name; row++) {
        if (!is_same(first, row) || !options_applies(command, row))
            continue;
        for (size_t i = 0; options_choice(row, i); i++) {
            if (has_choice(first, row, options_choice(row, i)))
                continue;
            printf("%s%s", blank, options_choice(row, i));
            blank = " ";
        }
    }
    putchar('\n');
}

static bool is_listed(const struct command *command, const struct option_entry *row)
{
    for (const struct option_entry *o = command->options; o < row; o++) {
        if (is_same(o, row) && options_applies(command, o))
            return true;
    }
    return false;
}

/* Prints lines for shell completion, such as "report<TAB>--sort=<TAB>growth total ...". Each line
 * has a command, an option, and all values that the option has for any kind of report. */
static void list_commands(const struct command *command, const char *name)
{
    for (const struct command *const *step = command->steps; step && *step; step++) {
        char *longer = memory_format("%s%s%s", name, *name ? " " : "", (*step)->name);
        printf("%s\t%s\t\n", name, (*step)->name);
        list_commands(*step, longer);
        free(longer);
    }
    for (const struct option_entry *o = command->options; o && o->name; o++) {
        if (!options_applies(command, o) || is_listed(command, o))
            continue;
        printf("%s\t--%s%s\t", name, o->name, o->value ? "=" : "");
        list_choices(command, o);
    }
}

/* Prints the names of the report's routines, for shell completion. C++ functions are printed
 * without their parameters, and templates without their return type. */
static int list_routines(const char *path)
{
    struct failure why;
    struct report report;
    char *newest = path ? NULL : report_set_newest(&why);
    if ((!path && !newest) || !report_set_read(path ? path : newest, &report, &why)) {
        free(newest);
        return STATUS_FAILED;
    }
    for (size_t i = 0; i < report.routines.count; i++) {
        char *name = demangle_short(report.routines.at[i].symbol);
        table_write_safe(*name ? name : report.routines.at[i].name, stdout);
        putchar('\n');
        free(name);
    }
    report_free(&report);
    free(newest);
    return STATUS_OK;
}

/* Running -------------------------------------------------------------------------------------- */

static int finish(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (status == STATUS_OK)
        message_error("(standard output): cannot write%s%s", errno ? ": " : "",
                      errno ? strerror(errno) : "");
    return status == STATUS_OK ? STATUS_FAILED : status;
}

/* The first operand that is a file, a folder or standard input. Other operands are routines, or
 * files that do not exist. */
static const char *find_file(const string_list *operands)
{
    for (size_t i = 0; i < operands->count; i++) {
        if (strcmp(operands->at[i], "-") == 0 || access(operands->at[i], F_OK) == 0)
            return operands->at[i];
    }
    return NULL;
}

/* Whether all files have the kind of the first file; prints a message if a file has another kind. A
 * file that is not a report is accepted, because the reader prints a better message. */
static bool check_kinds(const struct call *call, const string_list *operands, const char *first,
                        enum report_kind kind)
{
    for (size_t i = 0; first && i < operands->count; i++) {
        const char *path = operands->at[i];
        enum report_kind other =
            path == first || strcmp(path, "-") == 0 ? kind : report_kind_of(path);
        if (other == kind || access(path, F_OK) != 0)
            continue;
        bool is_first = other == REPORT_POINTS;
        message_error("%s: %s: contains %s, but %s does not; give reports of the same kind",
                      call->name, is_first ? first : path,
                      report_kinds[is_first ? kind : other].holds, is_first ? path : first);
        return false;
    }
    return true;
}

/* Prints the verbs that apply to the kind of report. */
static void refuse_kind(const struct call *call, const char *path, const struct report_model *model)
{
    char *others = memory_copy_string("");
    for (const struct command *const *verb = verbs; *verb; verb++) {
        if (!(*verb)->verb || !model->commands[(*verb)->verb])
            continue;
        char *longer = memory_format("%s%s%s", others, *others ? ", " : "", (*verb)->name);
        free(others);
        others = longer;
    }
    message_error("%s: %s: contains %s, which '%s' does not support; use one of: %s", call->name,
                  path, report_kinds[model->kind].holds, call->name, others);
    free(others);
}

/* Reads the kind of report from the file, and runs the command for this kind. For reports of
 * points, this is the command that was called. All kinds share one table of options, so the
 * operands can be found before the kind is known. */
static int call_by_kind(const struct call *call)
{
    struct options options;
    if (!options_scan(&options, call->command, call->argv))
        return options.status;
    const char *path = find_file(&options.operands);
    const char *foreign = path ? report_kind_foreign(path) : NULL;
    if (foreign) {
        message_error("%s: %s: %s", call->name, path, foreign);
        return STATUS_USAGE;
    }
    enum report_kind kind = path ? report_kind_of(path) : REPORT_POINTS;
    if (!check_kinds(call, &options.operands, path, kind))
        return STATUS_USAGE;
    const struct report_model *model = model_of_kind(kind);
    const struct command *command = kind == REPORT_POINTS ? call->command
                                    : model               ? model->commands[call->command->verb]
                                                          : NULL;
    if (command)
        return command->run(command, call->argv);
    if (model)
        refuse_kind(call, path, model);
    else
        message_error("%s: %s: contains %s, which this aprof does not support; configure "
                      "aprof without --disable-papers",
                      call->name, path, report_kinds[kind].holds);
    return STATUS_USAGE;
}

static int call_run(struct call *call)
{
    if (is_help(call->argv[1])) {
        print_help(call);
        return STATUS_OK;
    }
    if (!call->command->run)
        return unknown_command(call);
    call->argv[0] = call->name;
    return call->command->verb ? call_by_kind(call) : call->command->run(call->command, call->argv);
}

/* If a file exceeds the limit of file sizes, the write fails with a message, and the partial file
 * is removed. The signal is caught rather than ignored, because programs that aprof starts would
 * inherit an ignored signal. */
static void on_size_limit(int signal)
{
    (void)signal;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, on_size_limit);
    if (argc < 2) {
        print_overview();
        return STATUS_USAGE;
    }
    if (is_help(argv[1]) || strcmp(argv[1], "help") == 0)
        return finish(help(argv + 1));
    if (strcmp(argv[1], "--version") == 0) {
        puts(PACKAGE_STRING);
        return finish(STATUS_OK);
    }
    if (strcmp(argv[1], "--list-commands") == 0) {
        list_commands(&root, "");
        return finish(STATUS_OK);
    }
    if (strcmp(argv[1], "--list-routines") == 0)
        return finish(list_routines(argv[2]));
    struct call call = call_find(argv);
    int status = call_run(&call);
    free(call.name);
    return finish(status);
}
