/* clang as a drop-in compiler that keeps the program's bitcode; see path_driver.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sources become bitcode with line numbers (-flto). When an executable PROG is linked, lld merges
 * all bitcode without optimising it again, and two files are written next to PROG:
 *
 *     PROG.aprof.bc      the whole program
 *     PROG.aprof.link    the command to link the instrumented program: one argument in each line
 *
 * Objects that are not bitcode (assembly, libraries), and shared libraries, even if they are made
 * with this compiler, are linked as usual and not profiled.
 */
#include "compile/driver/path_driver.h"
#include "compile/driver/compiler.h"
#include "compile/driver/profilers.h"
#include "lib/base/compiler_words.h"
#include "lib/base/memory.h"
#include "lib/base/message.h"
#include "lib/base/vector.h"
#include "paths/link_record.h"

#include <ar.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- Running clang */

static void add_all(struct compiler_words *list, const char *const *words)
{
    for (; *words; words++)
        vector_push(list, (char *)*words);
}

/* The words of the user's command come after the driver's options and override them. */
static struct compiler_words make_command(const struct compiler_words *given,
                                          const struct compiler_job *job, const char *compiler)
{
    static const char *const code[] = {"-flto=full", "-Xclang", "-disable-O0-optnone", NULL};
    static const char *const link[] = {"-fuse-ld=lld", "-Wno-unused-command-line-argument",
                                       "-Wl,--lto-O0", "-Wl,--build-id=sha1", NULL};
    struct compiler_words command = {0};
    vector_push(&command, (char *)compiler);
    if (job->has_input && !job->makes_no_code)
        add_all(&command, code);
    if (job->has_input && !job->chooses_debug)
        vector_push(&command, "-gline-tables-only");
    if (job->links)
        add_all(&command, link);
    if (job->links && !job->is_no_program)
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

/* Returns whether all code in this archive is bitcode. An archive of bitcode is omitted from the
 * recorded link command, because lld has merged the needed parts of the archive into the program's
 * bitcode. */
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

/* Returns whether the file is bitcode, or a source that became bitcode. */
static bool is_absorbed(const char *path)
{
    static const char *const sources[] = {".c", ".i",  ".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++",
                                          ".C", ".ii", ".m",  ".mm", ".ll",  ".bc",  NULL};
    const char *dot = strrchr(path, '.');
    if (dot && compiler_is_one_of(dot, sources))
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

/* Records the link command without the merged files and the output. */
static bool write_record(const struct compiler_words *given, const struct compiler_job *job,
                         const char *compiler, struct failure *why)
{
    struct compiler_words kept = {0};
    for (size_t i = 1; i < given->count; i++) {
        char *word = given->at[i];
        bool takes_value = compiler_takes_value(word) && i + 1 < given->count;
        bool dropped = compiler_starts_with(word, "-o") || strcmp(word, "-x") == 0 ||
                       (*word != '-' && is_absorbed(word));
        if (!dropped)
            vector_push(&kept, word);
        if (takes_value && !dropped)
            vector_push(&kept, given->at[i + 1]);
        i += takes_value;
    }
    vector_push(&kept, NULL);
    bool fine = link_record_write(job->output, compiler, job->is_static, kept.at, why);
    vector_free(&kept);
    return fine;
}

/* lld saves the merged module after each stage; only the module before code generation is kept. */
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
        unlink(kept); /* may be the merged bitcode of an earlier link */
    free(merged);
    free(kept);
    return there;
}

static int leave_record(const struct compiler_words *given, const struct compiler_job *job,
                        const char *compiler)
{
    struct failure why;
    if (!keep_bitcode(job->output)) {
        link_record_remove(job->output); /* no part of this program is bitcode */
        return STATUS_OK;
    }
    return write_record(given, job, compiler, &why) ? STATUS_OK : message_failure(&why);
}

int path_driver_run(const struct compiler_words *given, bool is_cxx)
{
    const char *compiler = is_cxx ? APROF_CLANG "++" : APROF_CLANG;
    if (!*APROF_CLANG) {
        message_error("aprof-cc: %s: %s", PATHS_PROFILE, COMPILER_WITHOUT_LLVM);
        return STATUS_USAGE;
    }
    struct compiler_job job = compiler_understand(given);
    struct compiler_words command = make_command(given, &job, compiler);
    vector_push(&command, NULL);
    int status = compiler_run(command.at);
    if (status == STATUS_OK && job.links && !job.is_no_program)
        status = leave_record(given, &job, compiler);
    vector_free(&command);
    return status;
}
