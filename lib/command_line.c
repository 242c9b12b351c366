/* Command-line options; see command_line.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/command_line.h"
#include "lib/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 28 /* where the explanations start */

enum { OPTIONS_END = 0, OPTIONS_BAD = -1 };

int options_usage_error(const struct options *options, const char *what, const char *subject)
{
    message_error("%s: %s%s%s; see 'aprof help %s'", options->command, what, subject ? " " : "",
                  subject ? subject : "", options->command);
    return STATUS_USAGE;
}

static int options_bad(const struct options *options, const char *what, const char *subject)
{
    options_usage_error(options, what, subject);
    return OPTIONS_BAD;
}

/* The entry gets its value: the text behind '=', or the next argument. */
static int take_value(struct options *options, const struct option_entry *entry, char *given,
                      const char *argument)
{
    if (!entry->value && given)
        return options_bad(options, "no value is allowed in", argument);
    if (entry->value && !given) {
        if (!*options->at)
            return options_bad(options, "a value is missing after", argument);
        given = *options->at++;
    }
    options->value = given;
    return entry->key;
}

static int long_option(struct options *options, char *argument)
{
    const char *name = argument + 2;
    char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    for (const struct option_entry *entry = options->table; entry->name; entry++) {
        if (strlen(entry->name) == length && memcmp(entry->name, name, length) == 0)
            return take_value(options, entry, equals ? equals + 1 : NULL, argument);
    }
    return options_bad(options, "unknown option", argument);
}

static int short_option(struct options *options, char *argument)
{
    for (const struct option_entry *entry = options->table; entry->name; entry++) {
        if (!entry->letter || entry->letter != argument[1])
            continue;
        return take_value(options, entry, argument[2] ? argument + 2 : NULL, argument);
    }
    return options_bad(options, "unknown option", argument);
}

/* The key of the next option, with options->value set. */
static int next_option(struct options *options)
{
    while (*options->at) {
        char *argument = *options->at++;
        if (argument[0] != '-' || !argument[1]) {
            vector_push(&options->operands, argument);
        } else if (strcmp(argument, "--") == 0) {
            while (*options->at)
                vector_push(&options->operands, *options->at++);
        } else {
            return argument[1] == '-' ? long_option(options, argument)
                                      : short_option(options, argument);
        }
    }
    return OPTIONS_END;
}

bool options_parse(struct options *options, const struct option_entry *table, char **argv,
                   option_taker *take, void *settings)
{
    int key;
    *options = (struct options){.table = table, .command = argv[0], .at = argv + 1};
    while ((key = next_option(options)) > 0) {
        if (!take(settings, key, options))
            return false;
    }
    return key == OPTIONS_END;
}

bool options_number(const struct options *options, const char *name, unsigned long most,
                    unsigned long *number)
{
    char *end = NULL;
    errno = 0;
    if (options->value[0] >= '0' && options->value[0] <= '9')
        *number = strtoul(options->value, &end, 10);
    if (end && !*end && errno == 0 && *number <= most)
        return true;
    char *what = memory_format("%s wants a whole number up to %lu, not", name, most);
    options_usage_error(options, what, options->value);
    free(what);
    return false;
}

bool options_real(const struct options *options, const char *name, double *number)
{
    char *end = NULL;
    if (options->value[0] >= '0' && options->value[0] <= '9')
        *number = strtod(options->value, &end);
    if (end && !*end && *number < 1e9)
        return true;
    char *what = memory_format("%s wants a number, not", name);
    options_usage_error(options, what, options->value);
    free(what);
    return false;
}

int options_choice(const struct options *options, const char *name, const char *const *choices)
{
    char *known = memory_copy_string(choices[0]);
    for (int i = 0; choices[i]; i++) {
        if (strcmp(choices[i], options->value) == 0) {
            free(known);
            return i;
        }
        if (i > 0) {
            char *longer = memory_format("%s, %s", known, choices[i]);
            free(known);
            known = longer;
        }
    }
    char *what = memory_format("%s is one of %s, not", name, known);
    options_usage_error(options, what, options->value);
    free(what);
    free(known);
    return -1;
}

void options_print_help(const struct option_entry *table)
{
    for (const struct option_entry *entry = table; entry->name; entry++) {
        char shape[80];
        char letter[8] = "";
        if (entry->letter)
            snprintf(letter, sizeof letter, "-%c, ", entry->letter);
        snprintf(shape, sizeof shape, "%s--%s%s%s", letter, entry->name, entry->value ? "=" : "",
                 entry->value ? entry->value : "");
        if (strlen(shape) < HELP_COLUMN - 2)
            printf("  %-*s%s\n", HELP_COLUMN - 2, shape, entry->help);
        else
            printf("  %s\n%*s%s\n", shape, HELP_COLUMN, "", entry->help);
    }
}
