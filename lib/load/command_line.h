/* The command line of the sub-commands: one table gives the parser, the help text and completion.
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
 * A member's type determines the value of its option: bool none, const char * a text, unsigned long
 * a whole number, double a number, int or an enum one of the choices. The syntax follows
 * getopt_long(3): `--name=value`, `--name value`, unambiguous abbreviations, several letters in one
 * word, options and operands in any order, `--` before operands; and `--help`. Functions that print
 * a message print the complete message.
 */
#ifndef LIB_LOAD_COMMAND_LINE_H
#define LIB_LOAD_COMMAND_LINE_H

#include "lib/load/report_kind.h"
#include "lib/base/vector.h"

#include <stdbool.h>
#include <stddef.h>

struct options;

/* Processes options->value, for an option whose member has another type; false after a message. */
typedef bool option_taker(const struct options *options, const char *name, void *member);

enum option_kind {
    OPTION_FLAG = 1,
    OPTION_TEXT,
    OPTION_NUMBER,
    OPTION_REAL,
    OPTION_CHOICE,
    OPTION_TAKEN, /* processed by a function of the command */
};

struct option_entry {
    char letter;       /* of the short form, 0 for none */
    const char *name;  /* of the long form, without the dashes; a table ends with NULL */
    const char *value; /* name of the value in the help text; NULL: the option has none */
    const char *help;  /* a * in it is replaced by the choices */
    enum option_kind kind;
    size_t member;       /* offset of the value in the settings */
    const void *choices; /* set by OPTION_CHOICES; also possible with OPTION_TEXT */
    size_t choice_bytes;
    unsigned long most; /* maximum of a number; 0: UINT32_MAX, or 1e9 if it may have a fraction */
    option_taker *take;
    unsigned kinds; /* of reports that the option applies to, by OPTION_FOR(); 0: all */
};

/* Invariant: rows of one name have the same letter, and either all rows have a value or none has. A
 * letter has one name. Therefore the operands can be found before the kind of report is known. */
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

/* An array of names, or of structs that begin with one; it ends with NULL. */
#define OPTION_CHOICES(list) .choices = (list), .choice_bytes = sizeof *(list)

/* A sub-command of `aprof`, or one of a sub-command. */
struct command {
    const char *name;
    const char *summary;                /* one line for `aprof help` */
    const char *usage;                  /* the words after `aprof NAME` */
    const char *details;                /* a paragraph for `aprof help NAME` */
    const struct option_entry *options; /* NULL: none */
    /* kinds of reports that it reads, by OPTION_FOR(); rows for other kinds do not apply. 0: all
     * rows apply */
    unsigned kinds;
    size_t operands_least, operands_most;
    const char *operands;               /* "one report": the required operands */
    const struct command *const *steps; /* its own sub-commands, up to NULL, instead of run() */
    /* argv[0] is its name; returns the exit status. */
    int (*run)(const struct command *command, char **argv);
    int verb; /* not 0: the command reads the kind of the report from the file; kinds other than
               * points are handled by their own command */
    /* An error in the combination of settings; NULL: none. */
    const char *(*wrong)(const void *settings);
};

#define OPERANDS_ANY ((size_t)-1)

struct options {
    const struct command *command;
    const char *name;     /* of the command, for messages: "contexts report" */
    const char *value;    /* of the option that is being processed */
    int status;           /* the exit status if parsing returns false */
    string_list operands; /* in argv, with NULL after the last; not to be freed */
};

/* Checks the names of all options and finds the operands, without processing values, for commands
 * that need the operands first. argv[0] is the command's name. Moves options before operands, so
 * that options_parse() later finds equal operands in this argv. Returns false like
 * options_parse(). */
bool options_scan(struct options *options, const struct command *command, char **argv);

/* Stores all options of argv in the settings, and finds the operands; argv[0] is the command's
 * name. False if the command must end with options->status. */
bool options_parse(struct options *options, const struct command *command, char **argv,
                   void *settings);

/* "aprof report: unknown option --bogus" and a hint at the help; returns STATUS_USAGE. */
int options_usage_error(const struct options *options, const char *what, const char *subject);

/* A number up to `most` that is not negative and may have a fraction; prints the message itself. */
bool options_real(const struct options *options, const char *name, unsigned long most,
                  double *number);

/* Whether a row of the command's table applies to the kinds of reports that the command reads. If
 * the command reads the kind from the file, all rows apply. */
bool options_applies(const struct command *command, const struct option_entry *entry);

/* The choice at `index`; NULL after the last. */
const char *options_choice(const struct option_entry *entry, size_t index);

/* Prints the purpose of a command, and its options; `name` is the full name. */
void options_print_command(const struct command *command, const char *name);

#endif
