/* Parses command lines of sub-commands; one table drives parser, help text and completion.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     struct settings { unsigned long top; const char *output; bool all; int sort; };
 *     static const char *const sort_names[] = {"cost", "name", NULL};
 *     static const struct option_entry options[] = {
 *         {'n', "top", "N", "shows N lines [30]", OPTION_INTO(struct settings, top)},
 *         {0, "sort", "KEY", "* [cost]", OPTION_INTO(struct settings, sort),
 *          OPTION_CHOICES(sort_names)},
 *         {0}};
 *
 * The type of the settings' member determines what value an option has. If the member is a bool,
 * the option has no value. If the member is a const char *, the value is any text. If it is an
 * unsigned long, the value is a whole number. If it is a double, the value may have a fraction. If
 * it is an int or an enum, the value is one of the choices. The syntax follows getopt_long(3):
 * `--name=value`, `--name value`, unambiguous abbreviations, several letters in one word, options
 * and operands in any order, `--` before operands; and `--help`. If a function prints a message,
 * the message is complete, and callers print nothing else.
 */
#ifndef LIB_LOAD_COMMAND_LINE_H
#define LIB_LOAD_COMMAND_LINE_H

#include "lib/load/report_kind.h"
#include "lib/base/vector.h"

#include <stdbool.h>
#include <stddef.h>

struct options;

/* Converts options->value to the type of the member, if the parser cannot convert to this type. If
 * the value is invalid, prints a message and returns false. */
typedef bool option_taker(const struct options *options, const char *name, void *member);

enum option_kind {
    OPTION_FLAG = 1,
    OPTION_TEXT,
    OPTION_NUMBER,
    OPTION_REAL,
    OPTION_CHOICE,
    OPTION_TAKEN, /* a function of the command processes the value */
};

struct option_entry {
    char letter;       /* letter of the short form; 0: there is none */
    const char *name;  /* name of the long form, without the dashes; a table ends with NULL */
    const char *value; /* name of the value in the help text; NULL: the option has no value */
    const char *help;  /* explanation; the list of choices replaces a * in the text */
    enum option_kind kind;
    size_t member;       /* offset of the value in the settings */
    const void *choices; /* the possible values; set by OPTION_CHOICES */
    size_t choice_bytes;
    unsigned long most; /* largest valid number; 0: UINT32_MAX, or 1e9 for a double */
    option_taker *take;
    unsigned kinds; /* kinds of reports to which the option applies, by OPTION_FOR(); 0: all */
};

/* Invariant: rows with the same name have the same letter, and either all or none of them have a
 * value. Each letter belongs to one name. So the parser can find the operands before the kind of
 * report is known. */
#define OPTION_FOR(kind) (1U << (kind))

#define OPTION_INTO(type, name)                                                                    \
    .kind = _Generic(((type *)0)->name,                                                            \
             bool: OPTION_FLAG,                                                                    \
             const char *: OPTION_TEXT,                                                            \
             unsigned long: OPTION_NUMBER,                                                         \
             double: OPTION_REAL,                                                                  \
             int: OPTION_CHOICE,                                                                   \
             unsigned: OPTION_CHOICE,                                                              \
             default: OPTION_TAKEN),                                                               \
    .member = offsetof(type, name)

/* An array of names, or of structs that begin with a name; the array ends with NULL. */
#define OPTION_CHOICES(list) .choices = (list), .choice_bytes = sizeof *(list)

/* A sub-command of `aprof`, or a sub-command of another sub-command. */
struct command {
    const char *name;
    const char *summary;                /* one line for `aprof help` */
    const char *usage;                  /* the synopsis: the words after `aprof NAME` */
    const char *details;                /* a paragraph for `aprof help NAME` */
    const struct option_entry *options; /* NULL: none */
    /* kinds of reports that the command reads, by OPTION_FOR(); the command ignores rows of the
     * table for other kinds. 0: all rows of the table apply */
    unsigned kinds;
    size_t operands_least, operands_most;
    const char *operands;               /* the required operands in words, such as "one report" */
    const struct command *const *steps; /* list of the command's own sub-commands; a command with
                                         * this list has no run(); ends with NULL */
    /* argv[0] is the command's name; returns the exit status. */
    int (*run)(const struct command *command, char **argv);
    int verb; /* If `verb` is not 0, the command reads the kind of the report from the file. A kind
               * other than points has its own command for this verb. */
    /* Returns an error in the combination of settings; NULL: no error. */
    const char *(*wrong)(const void *settings);
};

#define OPERANDS_ANY ((size_t)-1)

struct options {
    const struct command *command;
    const char *name;     /* name of the command for messages: "contexts report" */
    const char *value;    /* value of the option that is being processed */
    int status;           /* exit status if parsing returns false */
    string_list operands; /* operands in argv, with NULL after the last operand; not to be freed */
};

/* Checks the names of all options and finds the operands, without processing values. Commands use
 * this function if they need the operands before the values of options. argv[0] is the command's
 * name. Moves options before operands, so that a later call of options_parse() finds the same
 * operands. Returns false in the same cases as options_parse(). */
bool options_scan(struct options *options, const struct command *command, char **argv);

/* Stores all options of argv in the settings, and finds the operands; argv[0] is the command's
 * name. Returns false if the command must end with options->status. */
bool options_parse(struct options *options, const struct command *command, char **argv,
                   void *settings);

/* Prints "aprof report: unknown option --bogus" and a hint at the help; returns STATUS_USAGE. */
int options_usage_error(const struct options *options, const char *what, const char *subject);

/* Parses a number from 0 to `most` that may have a fraction. Prints a message if the number is
 * invalid. */
bool options_real(const struct options *options, const char *name, unsigned long most,
                  double *number);

/* Whether a row of the command's table applies to the kinds of reports that the command reads. If
 * the command reads the kind of report from the file, all rows apply. */
bool options_applies(const struct command *command, const struct option_entry *entry);

/* The choice at `index`; NULL after the last choice. */
const char *options_choice(const struct option_entry *entry, size_t index);

/* Prints the purpose of a command, and its options; `name` is the full name. */
void options_print_command(const struct command *command, const char *name);

#endif
