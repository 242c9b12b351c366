/* The `aprof` command: hands over to the sub-command that its first arguments name.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof-config.h"

#include "tools/command.h"
#include "lib/report_kind.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define VERB(name) &command_##name,
static const struct command *const verbs[] = {
#include "tools/verbs.inc"
    NULL,
};

/* All of `aprof` as one more command with steps. */
static const struct command root = {.name = "", .steps = verbs};

static const struct command *find_step(const struct command *command, const char *name)
{
    for (const struct command *const *step = command->steps; step && *step; step++) {
        if (strcmp((*step)->name, name) == 0)
            return *step;
    }
    return NULL;
}

/* What argv names, as deep as it does: "contexts report" of `aprof contexts report FILE`. */
struct call {
    const struct command *command;
    char *name;  /* all its words, for messages; "" for `aprof` itself */
    char **argv; /* its last word, and its arguments; for `aprof` itself, argv[0] */
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
         "Faster, for what can be compiled again: aprof-cc in place of the compiler; see "
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
    printf("\n'aprof %s STEP --help' explains a step; aprof-%s(1) has it all.\n", call->name,
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

/* For completion: a line for each command and for each option, "report<TAB>--sort=<TAB>growth
 * total ...", with the values that the option can have. */
static void list_commands(const struct command *command, const char *name)
{
    for (const struct command *const *step = command->steps; step && *step; step++) {
        char *longer = memory_format("%s%s%s", name, *name ? " " : "", (*step)->name);
        printf("%s\t%s\t\n", name, (*step)->name);
        list_commands(*step, longer);
        free(longer);
    }
    for (const struct option_entry *o = command->options; o && o->name; o++) {
        printf("%s\t--%s%s\t", name, o->name, o->value ? "=" : "");
        for (size_t i = 0; options_choice(o, i); i++)
            printf("%s%s", i ? " " : "", options_choice(o, i));
        putchar('\n');
    }
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

static void call_rename(struct call *call, const char *family, const struct command *command)
{
    free(call->name);
    call->name = memory_format("%s %s", family, command->name);
    call->command = command;
}

/* Hands over to who does the same for the kind of report that is named. What that is depends on
 * which options take a value, and that depends on the kind: the one that fits itself is right. False
 * after a message. */
static bool call_ask_kind(struct call *call)
{
    const struct command *const *of_kind = call->command->of_kind;
    for (int kind = 0; kind < REPORT_KINDS; kind++) {
        const char *path = of_kind[kind] ? options_find_operand(of_kind[kind], call->argv) : NULL;
        if (!path || (int)report_kind_of(path) != kind)
            continue;
        if (of_kind[kind] != call->command)
            call_rename(call, report_kinds[kind].verb, of_kind[kind]);
        return true;
    }
    const char *path = options_find_operand(call->command, call->argv);
    enum report_kind kind = path ? report_kind_of(path) : REPORT_POINTS;
    if (of_kind[kind])
        return true;
    message_error("%s: %s: has %s, for which there is no %s; see 'aprof help %s'", call->name, path,
                  report_kinds[kind].holds, call->name, report_kinds[kind].verb);
    return false;
}

static int call_run(struct call *call)
{
    if (is_help(call->argv[1])) {
        print_help(call);
        return STATUS_OK;
    }
    if (!call->command->run)
        return unknown_command(call);
    if (call->command->of_kind && !call_ask_kind(call))
        return STATUS_USAGE;
    call->argv[0] = call->name;
    return call->command->run(call->argv);
}

/* A file must not become so large: then the write fails, which is told, and half a file is removed.
 * Not ignored, for a program that we start would inherit that. */
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
    struct call call = call_find(argv);
    int status = call_run(&call);
    free(call.name);
    return finish(status);
}
