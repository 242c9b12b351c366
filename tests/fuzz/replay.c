/* Runs a harness of fuzzing without a fuzzer: on files, or on what is kept and on random bytes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     replay_NAME FILE...    each file, whole and cut off at each of its first bytes
 *     replay_NAME            tests/fuzz/corpus/NAME/ in $srcdir, and a hundred random inputs
 *
 * A harness ends the program when it finds a fault.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_BYTES = 1 << 20, CUT_BYTES = 4096, RANDOM_INPUTS = 100, RANDOM_BYTES = 8000 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static uint8_t buffer[INPUT_BYTES];

static size_t file_run(const char *path)
{
    FILE *file = fopen(path, "rb");

    if (!file) {
        perror(path);
        exit(1);
    }
    size_t count = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    LLVMFuzzerTestOneInput(buffer, count);
    return count;
}

/* Cut off anywhere near the start, where all the formats' heads are. */
static void file_run_cut(const char *path)
{
    size_t count = file_run(path);

    for (size_t cut = 0; cut < count && cut < CUT_BYTES; cut++)
        LLVMFuzzerTestOneInput(buffer, cut);
}

static unsigned folder_run(const char *folder)
{
    DIR *entries = opendir(folder);
    unsigned n_files = 0;

    if (!entries) {
        perror(folder);
        exit(1);
    }
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char *path;
        if (entry->d_name[0] == '.')
            continue;
        if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
            abort();
        file_run(path);
        free(path);
        n_files++;
    }
    closedir(entries);
    return n_files;
}

static void random_run(unsigned seed)
{
    srand(seed);
    for (unsigned i = 0; i < RANDOM_BYTES; i++)
        buffer[i] = (uint8_t)(rand() >> 8);
    LLVMFuzzerTestOneInput(buffer, 1 + (unsigned)rand() % RANDOM_BYTES);
}

static int run_kept(const char *program)
{
    const char *source = getenv("srcdir"), *name = strstr(program, "replay_");
    char *folder;

    if (!name) {
        fprintf(stderr, "%s: is not called replay_NAME\n", program);
        return 2;
    }
    if (asprintf(&folder, "%s/tests/fuzz/corpus/%s", source ? source : ".",
                 name + strlen("replay_")) < 0)
        abort();
    unsigned kept = folder_run(folder);
    free(folder);
    for (unsigned seed = 1; seed <= RANDOM_INPUTS; seed++)
        random_run(seed);
    printf("%u kept inputs, %u random ones\n", kept, (unsigned)RANDOM_INPUTS);
    return kept == 0;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return run_kept(argv[0]);
    for (int i = 1; i < argc; i++)
        file_run_cut(argv[i]);
    return 0;
}
