/* Fuzzes command lines: any words must be accepted, or explained or rejected by one message.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The input's words, each ended by a NUL, are parsed with a table that has options of every kind.
 */
#include "lib/load/command_line.h"
#include "lib/base/memory.h"
#include "lib/base/message.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            dprintf(2, "%s: %s\n", __FILE__, #condition);                                          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct settings {
    bool all, alternate;
    unsigned long top, most;
    double share, factor;
    const char *output, *shape;
    int sort;
    struct {
        unsigned taken;
    } list;
};

static const char *const sort_names[] = {"cost", "name", "calls", NULL};
static const char *const shapes[] = {"tree", "flat", NULL};

static bool take_list(const struct options *options, const char *name, void *member)
{
    unsigned *taken = member;
    if (!*options->value) {
        options_usage_error(options, "must be a word:", name);
        return false;
    }
    (*taken)++;
    return true;
}

static const struct option_entry entries[] = {
    {'a', "all", NULL, "shows all", OPTION_INTO(struct settings, all)},
    {0, "alternate", NULL, "another beginning of the same letters",
     OPTION_INTO(struct settings, alternate)},
    {'n', "top", "N", "shows N lines [30]", OPTION_INTO(struct settings, top)},
    {0, "most", "N", "a number that is small", OPTION_INTO(struct settings, most), .most = 7},
    {0, "share", "X", "a share", OPTION_INTO(struct settings, share), .most = 1},
    {0, "factor", "X", "a number", OPTION_INTO(struct settings, factor)},
    {'o', "output", "FILE", "writes there", OPTION_INTO(struct settings, output)},
    {0, "shape", "SHAPE", "* [tree]", OPTION_INTO(struct settings, shape), OPTION_CHOICES(shapes)},
    {0, "sort", "KEY", "* [cost]", OPTION_INTO(struct settings, sort), OPTION_CHOICES(sort_names)},
    {0, "list", "WORD", "may come often", OPTION_INTO(struct settings, list), .take = take_list},
    {0, "kind", NULL, "of one kind", OPTION_INTO(struct settings, all),
     .kinds = OPTION_FOR(REPORT_POINTS)},
    {0, "kind", NULL, "of another", OPTION_INTO(struct settings, alternate),
     .kinds = OPTION_FOR(REPORT_CONTEXTS)},
    {0}};

static int run(const struct command *command, char **argv)
{
    return command && argv[0] == NULL;
}

static const struct command commands[] = {
    {.name = "any",
     .summary = "",
     .usage = "",
     .details = "Takes anything.",
     .options = entries,
     .operands_most = OPERANDS_ANY,
     .operands = "anything",
     .run = run},
    {.name = "two",
     .summary = "",
     .usage = "A B",
     .details = "Takes two.",
     .options = entries,
     .operands_least = 2,
     .operands_most = 2,
     .operands = "two words",
     .run = run},
    {.name = "other",
     .summary = "",
     .usage = "",
     .details = "Reads a kind of report to which some options do not apply.",
     .options = entries,
     .kinds = OPTION_FOR(REPORT_EVENTS),
     .operands_most = OPERANDS_ANY,
     .operands = "anything",
     .run = run},
    {.name = "none", .summary = "", .usage = "", .details = "Takes none.", .run = run},
};

static void check_settings(const struct settings *settings)
{
    CHECK(settings->top <= UINT32_MAX && settings->most <= 7);
    CHECK(settings->share >= 0 && settings->share <= 1);
    CHECK(settings->factor >= 0 && settings->factor <= 1e9);
    CHECK(settings->sort >= 0 && settings->sort < 3);
    CHECK(!settings->shape || strcmp(settings->shape, "tree") == 0 ||
          strcmp(settings->shape, "flat") == 0);
}

/* The text that was printed during parsing. */
static struct printed {
    char *at;
    size_t count;
} explained, messages;

static void check_messages(size_t expected)
{
    size_t lines = 0;
    fflush(stderr);
    for (size_t i = 0; i < messages.count; i++)
        lines += messages.at[i] == '\n';
    CHECK(lines == expected && (!lines || messages.at[messages.count - 1] == '\n'));
}

/* Every word that is not an option is an operand, and no word is lost. */
static void check_operands(const struct options *options, char **words, size_t n_words)
{
    CHECK(options->operands.count <= n_words);
    CHECK(options->operands.at[options->operands.count] == NULL);
    CHECK(options->operands.count >= options->command->operands_least &&
          options->operands.count <= options->command->operands_most);
    for (size_t i = 0; i < options->operands.count; i++) {
        size_t at = 0;
        while (at < n_words && words[at] != options->operands.at[i])
            at++;
        CHECK(at < n_words);
    }
}

static void check_refusal(const struct options *options)
{
    CHECK(options->status == STATUS_OK || options->status == STATUS_USAGE);
    check_messages(options->status == STATUS_USAGE);
}

static void parse(const struct command *command, char **words, size_t n_words)
{
    char *argv[WORDS_MAX + 2] = {(char *)(uintptr_t)command->name};
    struct settings settings = {0};
    struct options options, scanned;
    memcpy(argv + 1, words, n_words * sizeof *words);
    if (!options_scan(&scanned, command, argv)) {
        check_refusal(&scanned);
        return;
    }
    check_messages(0);
    check_operands(&scanned, words, n_words);
    if (!options_parse(&options, command, argv, &settings)) {
        check_refusal(&options);
        return;
    }
    check_messages(0);
    CHECK(options.operands.count == scanned.operands.count &&
          options.operands.at == scanned.operands.at);
    check_operands(&options, words, n_words);
    if (command->options)
        check_settings(&settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    FILE *const streams[] = {stdout, stderr};
    char *words[WORDS_MAX], *text = memory_get_zeroed(count + 1, 1);
    size_t n_words = 0;
    if (count)
        memcpy(text, bytes, count);
    for (size_t at = 0; at < count && n_words < WORDS_MAX; at += strlen(text + at) + 1)
        words[n_words++] = text + at;
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
        stdout = open_memstream(&explained.at, &explained.count);
        stderr = open_memstream(&messages.at, &messages.count);
        parse(&commands[i], words, n_words);
        fclose(stdout);
        fclose(stderr);
        stdout = streams[0];
        stderr = streams[1];
        free(explained.at);
        free(messages.at);
    }
    free(text);
    return 0;
}
