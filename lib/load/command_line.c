/* Command-line options; see command_line.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/load/command_line.h"
#include "lib/base/message.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS_MAX 48
#define HELP_COLUMN 28 /* column of help texts in which explanations begin */
#define HELP_WIDTH  80
#define REAL_MOST   1000000000
/* getopt_long() returns this number for the first long option; the numbers of letters are
 * smaller. */
#define LONG_KEYS        256
#define HELP_LETTER      'h'
#define PROBLEM_OF_VALUE ':'
#define PROBLEM          '?'

int options_usage_error(const struct options *options, const char *what, const char *subject)
{
    message_error("%s: %s%s%s; see 'aprof help %s'", options->name, what, subject ? " " : "",
                  subject ? subject : "", options->name);
    return STATUS_USAGE;
}

static bool usage_bad(const struct options *options, const char *what, const char *subject)
{
    options_usage_error(options, what, subject);
    return false;
}

/* Values --------------------------------------------------------------------------------------- */

const char *options_choice(const struct option_entry *entry, size_t index)
{
    const char *at = (const char *)entry->choices + index * entry->choice_bytes;
    return entry->choices ? *(const char *const *)at : NULL;
}

/* A list as text: "a, b, c", or "a, b or c". The caller frees the text. */
static char *choices_text(const struct option_entry *entry, const char *last_comma)
{
    char *text = memory_copy_string(options_choice(entry, 0));
    for (size_t i = 1; options_choice(entry, i); i++) {
        const char *comma = options_choice(entry, i + 1) ? ", " : last_comma;
        char *longer = memory_format("%s%s%s", text, comma, options_choice(entry, i));
        free(text);
        text = longer;
    }
    return text;
}

static bool take_choice(const struct options *options, const struct option_entry *entry, int *index)
{
    for (*index = 0; options_choice(entry, (size_t)*index); ++*index) {
        if (strcmp(options_choice(entry, (size_t)*index), options->value) == 0)
            return true;
    }
    char *known = choices_text(entry, ", ");
    char *what = memory_format("--%s must be one of %s, not", entry->name, known);
    usage_bad(options, what, options->value);
    free(what);
    free(known);
    return false;
}

static bool take_number(const struct options *options, const struct option_entry *entry,
                        unsigned long *number)
{
    unsigned long most = entry->most ? entry->most : UINT32_MAX;
    char *end = NULL;
    errno = 0;
    if (options->value[0] >= '0' && options->value[0] <= '9')
        *number = strtoul(options->value, &end, 10);
    if (end && !*end && errno == 0 && *number <= most)
        return true;
    char *what = memory_format("--%s must be a whole number up to %lu, not", entry->name, most);
    usage_bad(options, what, options->value);
    free(what);
    return false;
}

bool options_real(const struct options *options, const char *name, unsigned long most,
                  double *number)
{
    char *end = NULL;
    if (options->value[0] >= '0' && options->value[0] <= '9')
        *number = strtod(options->value, &end);
    if (end && !*end && *number <= (double)(most ? most : REAL_MOST))
        return true;
    char *what =
        memory_format("--%s must be %s, not", name, most == 1 ? "a share from 0 to 1" : "a number");
    usage_bad(options, what, options->value);
    free(what);
    return false;
}

static bool take_value(const struct options *options, const struct option_entry *entry,
                       void *settings)
{
    void *member = (char *)settings + entry->member;
    int index;
    switch (entry->kind) {
    case OPTION_FLAG:
        *(bool *)member = true;
        return true;
    case OPTION_TEXT:
        *(const char **)member = options->value;
        return !entry->choices || take_choice(options, entry, &index);
    case OPTION_NUMBER:
        return take_number(options, entry, member);
    case OPTION_REAL:
        return options_real(options, entry->name, entry->most, member);
    case OPTION_CHOICE:
        return take_choice(options, entry, member);
    case OPTION_TAKEN:
        return entry->take(options, entry->name, member);
    }
    return false;
}

/* Parsing -------------------------------------------------------------------------------------- */

/* The table of options as getopt_long() needs it. */
struct getopt_tables {
    char letters[2 + 2 * OPTIONS_MAX + 2];
    struct option names[OPTIONS_MAX + 2];
    const struct option_entry *entries;
    size_t count;
};

/* An earlier row with the same name as row `index`, or NULL. */
static const struct option_entry *find_earlier(const struct option_entry *entries, size_t index)
{
    const struct option_entry *entry = &entries[index], *found = NULL;
    for (size_t i = 0; i < index; i++) {
        bool same = strcmp(entries[i].name, entry->name) == 0;
        if (same && (entries[i].letter != entry->letter || !entries[i].value != !entry->value))
            abort();
        if (!same && entry->letter && entries[i].letter == entry->letter)
            abort();
        if (same)
            found = &entries[i];
    }
    return found;
}

static void make_tables(struct getopt_tables *t, const struct option_entry *entries)
{
    char *letter = t->letters;
    size_t names = 0;
    *t = (struct getopt_tables){.entries = entries};
    *letter++ = PROBLEM_OF_VALUE; /* a leading ':' makes getopt_long() distinguish a missing value
                                   * from an unknown option */
    for (; entries && entries[t->count].name; t->count++) {
        const struct option_entry *entry = &entries[t->count];
        if (t->count == OPTIONS_MAX)
            abort();
        if (find_earlier(entries, t->count))
            continue;
        t->names[names++] =
            (struct option){entry->name, entry->value ? required_argument : no_argument, NULL,
                            LONG_KEYS + (int)t->count};
        if (entry->letter)
            *letter++ = entry->letter;
        if (entry->letter && entry->value)
            *letter++ = ':';
    }
    *letter = HELP_LETTER;
    t->names[names] = (struct option){"help", no_argument, NULL, HELP_LETTER};
}

/* The first row of the option that getopt_long() has found. */
static const struct option_entry *find_entry(const struct getopt_tables *t, int key)
{
    if (key >= LONG_KEYS)
        return &t->entries[key - LONG_KEYS];
    for (size_t i = 0; i < t->count; i++) {
        if (t->entries[i].letter == key)
            return &t->entries[i];
    }
    return NULL;
}

static size_t count_arguments(char **argv)
{
    size_t count = 0;
    while (argv[count])
        count++;
    return count;
}

static int next_key(const struct getopt_tables *t, char **argv, size_t argc)
{
    return getopt_long((int)argc, argv, t->letters, t->names, NULL);
}

static void start_parsing(struct getopt_tables *t, const struct option_entry *entries)
{
    make_tables(t, entries);
    optind = 0; /* the value 0 also makes getopt_long() reset its internal state */
    opterr = 0;
}

/* The number of options with names that begin with the text. */
static size_t count_matches(const struct getopt_tables *t, const char *argument)
{
    size_t matches = 0, length = strcspn(argument + 2, "=");
    for (const struct option *name = t->names; name->name; name++)
        matches += strncmp(name->name, argument + 2, length) == 0;
    return matches;
}

static bool option_bad(const struct options *options, const struct getopt_tables *t, int key,
                       const char *argument)
{
    char letter[3] = {'-', (char)optopt, 0};
    if (key == PROBLEM_OF_VALUE)
        return usage_bad(options, "a value is missing after", argument);
    if (optopt >= LONG_KEYS || (optopt == HELP_LETTER && argument[1] == '-'))
        return usage_bad(options, "no value is allowed in", argument);
    if (optopt)
        return usage_bad(options, "unknown option", letter);
    return usage_bad(
        options, count_matches(t, argument) > 1 ? "ambiguous option" : "unknown option", argument);
}

static bool find_operands(struct options *options, char **argv, size_t argc)
{
    const struct command *command = options->command;
    options->operands.at = (const char **)(uintptr_t)(argv + optind);
    options->operands.count = argc - (size_t)optind;
    if (options->operands.count >= command->operands_least &&
        options->operands.count <= command->operands_most)
        return true;
    if (command->operands_most == 0)
        return usage_bad(options, "unexpected argument", options->operands.at[0]);
    return usage_bad(options, "expected", command->operands);
}

bool options_scan(struct options *options, const struct command *command, char **argv)
{
    struct getopt_tables tables;
    size_t argc = count_arguments(argv);
    int key;
    *options = (struct options){.command = command, .name = argv[0], .status = STATUS_USAGE};
    start_parsing(&tables, command->options);
    while ((key = next_key(&tables, argv, argc)) != -1) {
        if (key == HELP_LETTER) {
            options_print_command(command, options->name);
            options->status = STATUS_OK;
            return false;
        }
        if (key == PROBLEM || key == PROBLEM_OF_VALUE)
            return option_bad(options, &tables, key, argv[optind - 1]);
    }
    return find_operands(options, argv, argc);
}

/* Kinds ---------------------------------------------------------------------------------------- */

static bool applies(unsigned kinds, const struct option_entry *entry)
{
    return !kinds || !entry->kinds || (kinds & entry->kinds);
}

bool options_applies(const struct command *command, const struct option_entry *entry)
{
    return command->verb || applies(command->kinds, entry);
}

/* The description of files of the first kind in `kinds`. */
static const char *kind_words(unsigned kinds)
{
    int kind = 0;
    while (!(kinds & OPTION_FOR(kind)))
        kind++;
    return report_kinds[kind].holds;
}

/* Stores the option's value. If the option has several rows, uses the row for the command's kind of
 * report. */
static bool take_option(struct options *options, const struct option_entry *first, void *settings)
{
    for (const struct option_entry *entry = first; entry->name; entry++) {
        if (strcmp(entry->name, first->name) == 0 && applies(options->command->kinds, entry))
            return take_value(options, entry, settings);
    }
    char *what = memory_format("--%s does not apply to", first->name);
    usage_bad(options, what, kind_words(options->command->kinds));
    free(what);
    return false;
}

bool options_parse(struct options *options, const struct command *command, char **argv,
                   void *settings)
{
    struct getopt_tables tables;
    size_t argc = count_arguments(argv);
    int key;
    if (!options_scan(options, command, argv))
        return false;
    start_parsing(&tables, command->options);
    while ((key = next_key(&tables, argv, argc)) != -1) {
        options->value = optarg;
        if (!take_option(options, find_entry(&tables, key), settings))
            return false;
    }
    const char *wrong = command->wrong ? command->wrong(settings) : NULL;
    return !wrong || usage_bad(options, wrong, NULL);
}

/* Help ----------------------------------------------------------------------------------------- */

static void print_text(const char *text, size_t column, size_t indent)
{
    size_t start = column;
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (column > start && column + 1 + length > HELP_WIDTH) {
            printf("\n%*s", (int)indent, "");
            start = column = indent;
        } else if (column > start) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)length, text);
        column += length;
        text += length + strspn(text + length, " \n");
    }
    putchar('\n');
}

/* The kinds of reports to which an option applies, as text: " (contexts, events)"; "" for all. The
 * caller frees the text. */
static char *kinds_text(unsigned kinds)
{
    char *text = memory_copy_string("");
    for (int kind = 0; kind < REPORT_KINDS; kind++) {
        if (!(kinds & OPTION_FOR(kind)))
            continue;
        char *longer = memory_format("%s%s%s", text, *text ? ", " : " (", report_kinds[kind].name);
        free(text);
        text = longer;
    }
    char *whole = memory_format("%s%s", text, *text ? ")" : "");
    free(text);
    return whole;
}

static void print_explanation(const struct command *command, const struct option_entry *entry)
{
    const char *star = entry->choices ? strchr(entry->help, '*') : NULL;
    char *kinds = kinds_text(command->verb ? entry->kinds : 0);
    char *choices = star ? choices_text(entry, " or ") : memory_copy_string("");
    int before = star ? (int)(star - entry->help) : 0;
    char *text = memory_format("%.*s%s%s%s", before, entry->help, choices,
                               star ? star + 1 : entry->help, kinds);
    print_text(text, HELP_COLUMN, HELP_COLUMN);
    free(text);
    free(choices);
    free(kinds);
}

static void print_options(const struct command *command)
{
    for (const struct option_entry *entry = command->options; entry && entry->name; entry++) {
        if (!options_applies(command, entry))
            continue;
        char shape[80];
        char letter[8] = "";
        if (entry->letter)
            snprintf(letter, sizeof letter, "-%c, ", entry->letter);
        snprintf(shape, sizeof shape, "%s--%s%s%s", letter, entry->name, entry->value ? "=" : "",
                 entry->value ? entry->value : "");
        printf("  %-*s", HELP_COLUMN - 2, shape);
        if (strlen(shape) >= HELP_COLUMN - 2)
            printf("\n%*s", HELP_COLUMN, "");
        print_explanation(command, entry);
    }
}

void options_print_command(const struct command *command, const char *name)
{
    static const char head[] = "usage: aprof ";
    char *usage = memory_format("%s %s", name, command->usage);
    fputs(head, stdout);
    print_text(usage, strlen(head), strlen(head));
    putchar('\n');
    print_text(command->details, 0, 0);
    if (command->options)
        putchar('\n');
    print_options(command);
    free(usage);
}
