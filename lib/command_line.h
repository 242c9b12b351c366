/* Command-line options of the sub-commands: one table gives the parser and the help text.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `--name=value` and `--name value` mean the same; options and operands may come in any order, and
 * `--` ends the options. A table ends with an entry without a name. Whatever prints a message here
 * prints all that needs to be said.
 */
#ifndef LIB_COMMAND_LINE_H
#define LIB_COMMAND_LINE_H

#include "lib/vector.h"

#include <stdbool.h>

struct option_entry {
    int key;           /* what the command calls it, above 0 */
    char letter;       /* of the short form, 0 for none */
    const char *name;  /* of the long form, without the dashes */
    const char *value; /* what the help text calls the value; NULL: takes none */
    const char *help;
};

struct options {
    const struct option_entry *table;
    const char *command; /* for messages: "report" */
    char **at;           /* the next argument, in an array that ends with NULL */
    const char *value;   /* of the option that is being taken */
    string_list operands;
};

/* Takes one option, by its key and options->value; false after a message. */
typedef bool option_taker(void *settings, int key, const struct options *options);

/* Gives every option in argv to `take` and collects the operands, which the caller frees in any
 * case; argv[0] is the command's name. False after a message. */
bool options_parse(struct options *options, const struct option_entry *table, char **argv,
                   option_taker *take, void *settings);

/* "aprof report: unknown option --bogus" and where to find help; returns STATUS_USAGE. */
int options_usage_error(const struct options *options, const char *what, const char *subject);

/* A whole number up to `most`; prints the message itself. */
bool options_number(const struct options *options, const char *name, unsigned long most,
                    unsigned long *number);

/* The same for a number that may have a fraction and is not negative. */
bool options_real(const struct options *options, const char *name, double *number);

/* The index of the value in a list that ends with NULL; -1 after a message. */
int options_choice(const struct options *options, const char *name, const char *const *choices);

/* The table as help text on standard output. */
void options_print_help(const struct option_entry *table);

#endif
