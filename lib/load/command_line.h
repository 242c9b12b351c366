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
 * A member's type says what its option takes: bool nothing, const char * a text, unsigned long a
 * whole number, double a number, int or an enum one of the choices. What getopt_long(3) knows is
 * known everywhere: `--name=value`, `--name value`, unambiguous beginnings of names, letters in one
 * word, options and operands in any order, `--` before what is no option; and `--help` explains.
 * Whatever prints a message here prints all that needs to be said.
 */
#ifndef LIB_LOAD_COMMAND_LINE_H
#define LIB_LOAD_COMMAND_LINE_H

#include "lib/load/report_kind.h"
#include "lib/base/vector.h"

#include <stdbool.h>
#include <stddef.h>

struct options;

/* Takes options->value, of an option whose member is of another type; false after a message. */
typedef bool option_taker(const struct options *options, const char *name, void *member);

enum option_kind {
    OPTION_FLAG = 1,
    OPTION_TEXT,
    OPTION_NUMBER,
    OPTION_REAL,
    OPTION_CHOICE,
    OPTION_TAKEN, /* by a function of the command */
};

struct option_entry {
    char letter;       /* of the short form, 0 for none */
    const char *name;  /* of the long form, without the dashes; a table ends with NULL */
    const char *value; /* what the help text calls the value; NULL: takes none */
    const char *help;  /* a * in it stands for the choices */
    enum option_kind kind;
    size_t member;       /* of the settings: where the value goes */
    const void *choices; /* what OPTION_CHOICES says; a text may have choices, too */
    size_t choice_bytes;
    unsigned long most; /* of a number; 0: UINT32_MAX, or 1e9 when it may have a fraction */
    option_taker *take;
    unsigned kinds; /* of reports that the option applies to, as OPTION_FOR(); 0: all */
};

/* Invariant: rows of one name have the same letter and all take a value or none, and a letter has
 * one name. So one scan of argv finds the operands, whatever kind of report they are. */
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
    const char *usage;                  /* what follows `aprof NAME` */
    const char *details;                /* a paragraph for `aprof help NAME` */
    const struct option_entry *options; /* NULL: none */
    unsigned kinds; /* of reports that it reads, as OPTION_FOR(): rows for others
                                           do not apply; 0: every row applies */
    size_t operands_least, operands_most;
    const char *operands;               /* "one report": what it wants */
    const struct command *const *steps; /* its own sub-commands, up to NULL, in place of run() */
    /* argv[0] is its name; returns the exit status. */
    int (*run)(const struct command *command, char **argv);
    int verb; /* not 0: reads the kind of the report from the file, and for another kind than points
                 this command of the kind does it */
    /* What is wrong with all settings together; NULL: nothing. */
    const char *(*wrong)(const void *settings);
};

#define OPERANDS_ANY ((size_t)-1)

struct options {
    const struct command *command;
    const char *name;     /* of the command, for messages: "contexts report" */
    const char *value;    /* of the option that is being taken */
    int status;           /* to end with when parsing says so */
    string_list operands; /* in argv, with NULL behind the last; not to be freed */
};

/* Checks the names of all options and finds the operands, without taking any value; for a command
 * that has to see the operands first. argv[0] is the command's name. Options move before operands,
 * so that options_parse() of the same argv finds the same. False as of options_parse(). */
bool options_scan(struct options *options, const struct command *command, char **argv);

/* Puts every option of argv into the settings, and finds the operands; argv[0] is the command's
 * name. False when there is nothing more to do: end with options->status. */
bool options_parse(struct options *options, const struct command *command, char **argv,
                   void *settings);

/* "aprof report: unknown option --bogus" and where to find help; returns STATUS_USAGE. */
int options_usage_error(const struct options *options, const char *what, const char *subject);

/* A number up to `most` that is not negative and may have a fraction; prints the message itself. */
bool options_real(const struct options *options, const char *name, unsigned long most,
                  double *number);

/* Does a row of the command's table apply to the kinds of reports that the command reads? All rows
 * do for a command that hands over by kind. */
bool options_applies(const struct command *command, const struct option_entry *entry);

/* The choice at `index`; NULL behind the last. */
const char *options_choice(const struct option_entry *entry, size_t index);

/* Text in lines of 80 characters, on standard output: the first one starts at `column`, the others
 * are indented. Line breaks in it are blanks. */
void options_print_text(const char *text, size_t column, size_t indent);

/* What a command is for, and its options; the name has all its words. */
void options_print_command(const struct command *command, const char *name);

#endif
