/* Runs a fuzz harness without a fuzzer: on files, or on the corpus and random bytes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     replay_NAME FILE...    each file, whole and cut off at each of its first bytes
 *     replay_NAME            tests/fuzz/corpus/NAME/ in $srcdir, and a hundred random inputs
 *     replay_NAME -change N FILE...    N times one of the files, damaged in up to four places
 *
 * A harness ends the program when it finds a fault.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_BYTES = 1 << 20, CUT_BYTES = 4096, RANDOM_INPUTS = 100, RANDOM_BYTES = 8000 };

#include "tests/property/rng.h"
#include "tests/setting.h"

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

/* Inputs are truncated anywhere near the start, where the heads of all formats are. */
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

/* ---------------------------------------------------------------- damage */

/* Numbers that often cause errors in parsers and sums. */
static size_t number_change(struct rng *rng, size_t count)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "4294967295",
                                          "4294967296",
                                          "9223372036854775807",
                                          "18446744073709551615",
                                          "340282366920938463463374607431768211455",
                                          "1000000000"};
    const char *number = numbers[rng_below(rng, sizeof(numbers) / sizeof(*numbers))];
    size_t at = rng_below(rng, (uint32_t)count), end, length = strlen(number);
    while (at < count && (buffer[at] < '0' || buffer[at] > '9'))
        at++;
    for (end = at; end < count && buffer[end] >= '0' && buffer[end] <= '9';)
        end++;
    if (at == count || count - (end - at) + length > sizeof buffer)
        return count;
    memmove(buffer + at + length, buffer + end, count - end);
    memcpy(buffer + at, number, length);
    return count - (end - at) + length;
}

static size_t line_begin(size_t at)
{
    while (at > 0 && buffer[at - 1] != '\n')
        at--;
    return at;
}

/* Removes or duplicates a line. */
static size_t line_change(struct rng *rng, size_t count, bool twice)
{
    size_t from = line_begin(rng_below(rng, (uint32_t)count)), to = from;
    while (to < count && buffer[to++] != '\n')
        continue;
    if (twice && count + to - from > sizeof buffer)
        return count;
    memmove(buffer + (twice ? to + to - from : from), buffer + to, count - to);
    if (twice)
        memcpy(buffer + to, buffer + from, to - from);
    return twice ? count + to - from : count - (to - from);
}

static size_t damage(struct rng *rng, size_t count)
{
    size_t at = rng_below(rng, (uint32_t)count);
    switch (rng_below(rng, 6)) {
    case 0:
        buffer[at] ^= (uint8_t)(1 << rng_below(rng, 8));
        return count;
    case 1:
        buffer[at] = (uint8_t)rng_next(rng);
        return count;
    case 2:
        return at;
    case 3:
    case 4:
        return line_change(rng, count, rng_once_in(rng, 2));
    default:
        return number_change(rng, count);
    }
}

static int changed_run(uint64_t times, char **files, unsigned n_files)
{
    struct rng rng = {setting("APROF_SEED", 1)};
    for (uint64_t i = 0; i < times; i++) {
        FILE *file = fopen(files[rng_below(&rng, n_files)], "rb");
        if (!file)
            return 1;
        size_t count = fread(buffer, 1, sizeof buffer / 2, file);
        fclose(file);
        for (unsigned places = 1 + rng_below(&rng, 4); places > 0 && count > 0; places--)
            count = damage(&rng, count);
        LLVMFuzzerTestOneInput(buffer, count);
    }
    printf("%llu damaged inputs\n", (unsigned long long)times);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return run_kept(argv[0]);
    if (argc > 3 && strcmp(argv[1], "-change") == 0)
        return changed_run(strtoull(argv[2], NULL, 0), argv + 3, (unsigned)argc - 3);
    for (int i = 1; i < argc; i++)
        file_run_cut(argv[i]);
    return 0;
}
