/* The `aprof` command: hands over to the sub-command that its first argument names.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof-config.h"

#include "tools/command.h"

#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {
    &command_run,   &command_report,   &command_plot,   &command_diff,
    &command_check, &command_merge,    &command_export, &command_html,
    &command_paths, &command_contexts, &command_events,
};
#define COMMANDS (sizeof commands / sizeof *commands)

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

static void print_overview(void)
{
    puts("aprof measures how the cost of each routine grows with the size of its input.\n\n"
         "usage: aprof COMMAND [options] [arguments]\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-10s%s\n", commands[i]->name, commands[i]->summary);
    puts("  help      explains a command: aprof help COMMAND\n"
         "\nTo begin: aprof run -- ./app arguments...  then: aprof report aprof.out.PID");
}

static void print_command_help(const struct command *command)
{
    printf("usage: aprof %s %s\n\n%s\n", command->name, command->usage, command->details);
    if (command->options->name) {
        puts("");
        options_print_help(command->options);
    }
}

static int unknown_command(const char *name)
{
    message_error("%s: unknown command; see 'aprof help'", name);
    return STATUS_USAGE;
}

static int help(char **argv)
{
    if (!argv[0] || !argv[1]) {
        print_overview();
        return STATUS_OK;
    }
    const struct command *command = find_command(argv[1]);
    if (!command)
        return unknown_command(argv[1]);
    print_command_help(command);
    return STATUS_OK;
}

static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (status == STATUS_OK)
        message_error("(standard output): cannot write");
    return status == STATUS_OK ? STATUS_FAILED : status;
}

static bool is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_overview();
        return STATUS_USAGE;
    }
    if (is_help(argv[1]))
        return finish(help(argv + 1));
    if (strcmp(argv[1], "--version") == 0) {
        puts(PACKAGE_STRING);
        return finish(STATUS_OK);
    }
    const struct command *command = find_command(argv[1]);
    if (!command)
        return unknown_command(argv[1]);
    if (argc == 3 && is_help(argv[2]) && argv[2][0] == '-') {
        print_command_help(command);
        return finish(STATUS_OK);
    }
    return finish(command->run(argv + 1));
}
