/* Parses the command line of a compiler, for programs that wrap compilers.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/base/compiler_words.h"

#include "lib/base/message.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---------------------------------------------------------------- Response files */

static bool read_word(FILE *from, struct arena *strings, char **word)
{
    VECTOR(char) text = {0};
    int c = getc(from), quote = 0;
    while (c != EOF && isspace(c))
        c = getc(from);
    bool found = c != EOF;
    for (; c != EOF && (quote || !isspace(c)); c = getc(from)) {
        if (c == '\\' && (c = getc(from)) != EOF)
            vector_push(&text, (char)c);
        else if (quote ? c == quote : c == '"' || c == '\'')
            quote = quote ? 0 : c;
        else
            vector_push(&text, (char)c);
    }
    *word = arena_copy(strings, text.count ? text.at : "", text.count);
    vector_free(&text);
    return found;
}

/* Replaces `@file` by the words in that file. */
void compiler_add_expanded(struct compiler_words *list, struct arena *strings, char *argument)
{
    FILE *from = *argument == '@' ? fopen(argument + 1, "r") : NULL;
    if (!from) {
        vector_push(list, argument);
        return;
    }
    char *word;
    while (read_word(from, strings, &word))
        compiler_add_expanded(list, strings, word);
    fclose(from);
}

/* ---------------------------------------------------------------- Requested output */

static const char *const with_value[] = {
    "-o",       "-x",       "-I",        "-L",          "-l",
    "-D",       "-U",       "-T",        "-u",          "-z",
    "-e",       "-include", "-isystem",  "-iquote",     "-idirafter",
    "-imacros", "-iprefix", "-isysroot", "-MF",         "-MT",
    "-MQ",      "-Xlinker", "-Xclang",   "-Xassembler", "-Xpreprocessor",
    "-J",       "-arch",    "-target",   "-mllvm",      "-rpath",
    "-soname",  "--param",  NULL,
};

bool compiler_is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

bool compiler_starts_with(const char *word, const char *beginning)
{
    return strncmp(word, beginning, strlen(beginning)) == 0;
}

bool compiler_begins_any(const struct compiler_words *list, const char *const *beginnings)
{
    for (size_t i = 1; i < list->count; i++)
        for (const char *const *beginning = beginnings; *beginning; beginning++)
            if (compiler_starts_with(list->at[i], *beginning))
                return true;
    return false;
}

bool compiler_has_fortran(const struct compiler_words *list)
{
    static const char *const endings[] = {".f",   ".for", ".ftn", ".f90", ".f95",
                                          ".f03", ".f08", ".F",   ".F90", NULL};
    for (size_t i = 1; i < list->count; i++) {
        const char *dot = strrchr(list->at[i], '.');
        if (dot && compiler_is_one_of(dot, endings))
            return true;
    }
    return false;
}

bool compiler_takes_value(const char *word)
{
    return compiler_is_one_of(word, with_value);
}

static const char *const not_linking[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", NULL};
static const char *const no_code[] = {"-E", "-M", "-MM", "-fsyntax-only", NULL};
static const char *const not_a_program[] = {"-shared", "-r", "-Wl,-r", "--shared", NULL};
static const char *const only_lines[] = {
    "-g0", "-g1", "-ggdb0", "-ggdb1", "-gmlt", "-gline-tables-only", "-gline-directives-only",
    NULL};

struct compiler_job compiler_understand(const struct compiler_words *list)
{
    struct compiler_job job = {.links = true, .output = "a.out"};
    for (size_t i = 1; i < list->count; i++) {
        const char *word = list->at[i];
        job.links &= !compiler_is_one_of(word, not_linking);
        job.makes_no_code |= compiler_is_one_of(word, no_code);
        job.is_no_program |= compiler_is_one_of(word, not_a_program);
        job.is_static |= strcmp(word, "-static") == 0 || strcmp(word, "-static-pie") == 0;
        if (compiler_starts_with(word, "-g") && !compiler_starts_with(word, "-gcc")) {
            job.chooses_debug = true;
            job.describes_variables = !compiler_is_one_of(word, only_lines);
        }
        if (strcmp(word, "-o") == 0 && i + 1 < list->count)
            job.output = list->at[i + 1];
        else if (compiler_starts_with(word, "-o") && word[2])
            job.output = word + 2;
        if (compiler_takes_value(word))
            i++;
        else
            job.has_input |= *word != '-' || strcmp(word, "-") == 0;
    }
    job.links &= job.has_input;
    return job;
}

/* ---------------------------------------------------------------- Running it */

int compiler_run(char **argv)
{
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[0], argv);
        message_error("%s: %s", argv[0], strerror(errno));
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        message_error("%s: %s", argv[0], strerror(errno));
        return STATUS_FAILED;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
