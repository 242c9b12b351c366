/* aprof-pathcc, aprof-pathc++: clang as a drop-in compiler that keeps the program's bitcode.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     CC=aprof-pathcc CXX=aprof-pathc++ ./configure && make
 *
 * Sources become bitcode with line numbers (-flto). When an executable PROG is linked, lld merges
 * all bitcode without optimising it again, and two files stay beside PROG:
 *
 *     PROG.aprof.bc      the whole program
 *     PROG.aprof.link    how to link it again, once it is instrumented: one argument a line
 *
 * What is no bitcode (assembly, libraries) is linked as always, and not profiled. So are shared
 * libraries that are made with this compiler.
 */
#include "lib/memory.h"
#include "lib/message.h"
#include "lib/vector.h"
#include "../paths/link_record.h"

#include <ar.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef VECTOR(char *) arguments;

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

/* `@file` stands for the words in it. */
static void add_expanded(arguments *list, struct arena *strings, char *argument)
{
    FILE *from = *argument == '@' ? fopen(argument + 1, "r") : NULL;
    if (!from) {
        vector_push(list, argument);
        return;
    }
    char *word;
    while (read_word(from, strings, &word))
        add_expanded(list, strings, word);
    fclose(from);
}

/* ---------------------------------------------------------------- What is asked for */

static const char *const with_value[] = {
    "-o",       "-x",       "-I",        "-L",          "-l",
    "-D",       "-U",       "-T",        "-u",          "-z",
    "-e",       "-include", "-isystem",  "-iquote",     "-idirafter",
    "-imacros", "-iprefix", "-isysroot", "-MF",         "-MT",
    "-MQ",      "-Xlinker", "-Xclang",   "-Xassembler", "-Xpreprocessor",
    "-arch",    "-target",  "-mllvm",    "-rpath",      "-soname",
    "--param",  NULL,
};

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

static bool starts_with(const char *word, const char *beginning)
{
    return strncmp(word, beginning, strlen(beginning)) == 0;
}

struct job {
    bool links, shared, has_input, chooses_debug, is_static;
    bool leaves_bitcode_alone; /* -E, -fsyntax-only: -flto would mean nothing */
    const char *output;
};

static const char *const not_linking[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", NULL};
static const char *const no_code[] = {"-E", "-M", "-MM", "-fsyntax-only", NULL};
static const char *const not_a_program[] = {"-shared",  "-r",        "-Wl,-r",
                                            "--shared", "-nostdlib", NULL};

static struct job understand(const arguments *list)
{
    struct job job = {.links = true, .output = "a.out"};
    for (size_t i = 1; i < list->count; i++) {
        const char *word = list->at[i];
        job.links &= !is_one_of(word, not_linking);
        job.leaves_bitcode_alone |= is_one_of(word, no_code);
        job.shared |= is_one_of(word, not_a_program);
        job.is_static |= strcmp(word, "-static") == 0 || strcmp(word, "-static-pie") == 0;
        job.chooses_debug |= starts_with(word, "-g") && !starts_with(word, "-gcc");
        if (strcmp(word, "-o") == 0 && i + 1 < list->count)
            job.output = list->at[i + 1];
        else if (starts_with(word, "-o") && word[2])
            job.output = word + 2;
        if (is_one_of(word, with_value))
            i++;
        else
            job.has_input |= *word != '-' || strcmp(word, "-") == 0;
    }
    job.links &= job.has_input;
    return job;
}

/* ---------------------------------------------------------------- Running clang */

static int run(char **argv)
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

static void add_all(arguments *list, const char *const *words)
{
    for (; *words; words++)
        vector_push(list, (char *)*words);
}

/* The user's words come behind ours and win. */
static arguments make_command(const arguments *given, const struct job *job, const char *compiler)
{
    static const char *const code[] = {"-flto=full", "-Xclang", "-disable-O0-optnone", NULL};
    static const char *const link[] = {"-fuse-ld=lld", "-Wno-unused-command-line-argument",
                                       "-Wl,--lto-O0", "-Wl,--build-id=sha1", NULL};
    arguments command = {0};
    vector_push(&command, (char *)compiler);
    if (job->has_input && !job->leaves_bitcode_alone)
        add_all(&command, code);
    if (job->has_input && !job->chooses_debug)
        vector_push(&command, "-gline-tables-only");
    if (job->links)
        add_all(&command, link);
    if (job->links && !job->shared)
        vector_push(&command, "-Wl,--save-temps");
    for (size_t i = 1; i < given->count; i++)
        vector_push(&command, given->at[i]);
    return command;
}

/* ---------------------------------------------------------------- What a link leaves */

static bool is_bitcode(FILE *file)
{
    unsigned char start[4];
    return fread(start, 1, sizeof start, file) == sizeof start &&
           (memcmp(start, "BC\xc0\xde", 4) == 0 || memcmp(start, "\xde\xc0\x17\x0b", 4) == 0);
}

/* Is all code in this archive bitcode? Such a one must go: what was needed of it is merged. */
static bool is_bitcode_archive(FILE *file)
{
    struct ar_hdr header;
    char magic[SARMAG];
    bool found = false;
    rewind(file);
    if (fread(magic, 1, SARMAG, file) != SARMAG || memcmp(magic, ARMAG, SARMAG) != 0)
        return false;
    while (fread(&header, sizeof header, 1, file) == 1) {
        char size[sizeof header.ar_size + 1] = {0};
        memcpy(size, header.ar_size, sizeof header.ar_size);
        long next = ftell(file) + (strtol(size, NULL, 10) + 1) / 2 * 2;
        bool is_index = header.ar_name[0] == '/' && !isdigit((unsigned char)header.ar_name[1]);
        if (!is_index && !is_bitcode(file))
            return false;
        found |= !is_index;
        if (fseek(file, next, SEEK_SET) != 0)
            return false;
    }
    return found;
}

/* Is this file bitcode, or a source that became bitcode? */
static bool is_absorbed(const char *path)
{
    static const char *const sources[] = {".c", ".i",  ".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++",
                                          ".C", ".ii", ".m",  ".mm", ".ll",  ".bc",  NULL};
    const char *dot = strrchr(path, '.');
    if (dot && is_one_of(dot, sources))
        return true;
    FILE *file = fopen(path, "rb");
    bool absorbed = file && (is_bitcode(file) || is_bitcode_archive(file));
    if (file)
        fclose(file);
    return absorbed;
}

static char *bitcode_of(const char *output)
{
    return memory_format("%s" LINK_BITCODE_SUFFIX, output);
}

/* The same link without what is in the bitcode, and without its own output. */
static bool write_record(const arguments *given, const struct job *job, const char *compiler,
                         struct failure *why)
{
    arguments kept = {0};
    for (size_t i = 1; i < given->count; i++) {
        char *word = given->at[i];
        bool takes_value = is_one_of(word, with_value) && i + 1 < given->count;
        bool dropped = starts_with(word, "-o") || strcmp(word, "-x") == 0 ||
                       (*word != '-' && is_absorbed(word));
        if (!dropped)
            vector_push(&kept, word);
        if (takes_value && !dropped)
            vector_push(&kept, given->at[i + 1]);
        i += takes_value;
    }
    bool fine = link_record_write(job->output, compiler, job->is_static, kept.at, kept.count, why);
    vector_free(&kept);
    return fine;
}

/* lld leaves the merged module at every stage of its work; the one before code generation stays. */
static bool keep_bitcode(const char *output)
{
    static const char *const others[] = {".0.0.preopt.bc",
                                         ".0.2.internalize.bc",
                                         ".0.5.precodegen.bc",
                                         ".resolution.txt",
                                         ".lto.o",
                                         NULL};
    for (size_t i = 0; others[i]; i++) {
        char *path = memory_format("%s%s", output, others[i]);
        unlink(path);
        free(path);
    }
    char *merged = memory_format("%s.0.4.opt.bc", output), *kept = bitcode_of(output);
    bool there = rename(merged, kept) == 0;
    if (!there)
        unlink(kept); /* of an earlier link */
    free(merged);
    free(kept);
    return there;
}

static int leave_record(const arguments *given, const struct job *job, const char *compiler)
{
    struct failure why;
    if (!keep_bitcode(job->output)) {
        link_record_remove(job->output); /* nothing of this program is bitcode */
        return STATUS_OK;
    }
    return write_record(given, job, compiler, &why) ? STATUS_OK : message_failure(&why);
}

int main(int argc, char **argv)
{
    const char *name = strrchr(argv[0], '/');
    name = name ? name + 1 : argv[0];
    const char *compiler = strstr(name, "++") ? APROF_CLANG "++" : APROF_CLANG;
    arguments given = {0};
    struct arena strings = {0};
    for (int i = 0; i < argc; i++)
        add_expanded(&given, &strings, argv[i]);
    struct job job = understand(&given);
    arguments command = make_command(&given, &job, compiler);
    vector_push(&command, NULL);
    int status = run(command.at);
    if (status == STATUS_OK && job.links && !job.shared)
        status = leave_record(&given, &job, compiler);
    vector_free(&command);
    vector_free(&given);
    arena_free(&strings);
    return status;
}
