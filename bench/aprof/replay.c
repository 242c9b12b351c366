/* Runs only the engine of the Valgrind tool, on a recorded stream.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: replay [-e] [-l] RECORDING      -e: no call edges, -l: no lines
 *
 * Prints the processor time of the engine in milliseconds, the words of the stream, the sums of the
 * measurements, and a checksum of the report. So a change of the engine can be measured without the
 * cost of the program, of Valgrind and of translation. The number of the engine's instructions does
 * not depend on the load of the machine:
 *
 *     APROF_CONSUME=record=/tmp/sort valgrind --tool=aprof_measured --concurrent=no sort ...
 *     valgrind --tool=callgrind --toggle-collect=engine_consume bench/aprof/replay /tmp/sort
 *
 * Exit status: 0; 1 if the recording cannot be read; 2 usage.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "aprof/engine.h"
#include "bench/aprof/recording.h"
#include "ground/host.h"

struct recording {
    aprof_word *words;
    size_t n_words;
    struct copy *copies; /* open addressing by address */
    size_t n_copies, room;
};

/* Maps an address in the recording to an address in this process. */
struct copy {
    aprof_word address;
    void *here;
};

static void fatal(const char *what)
{
    fprintf(stderr, "replay: %s\n", what);
    exit(1);
}

/* ---------------------------------------------------------------- the engine's host */

void *host_alloc(const char *site, size_t bytes)
{
    (void)site;
    void *made = calloc(1, bytes);
    if (!made)
        fatal("out of memory");
    return made;
}

void host_free(void *block)
{
    free(block);
}

void *host_map(const char *site, size_t bytes)
{
    (void)site;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        fatal("out of address space");
    return pages;
}

void host_unmap(void *pages, size_t bytes)
{
    munmap(pages, bytes);
}

void host_panic(const char *what, const char *file, int line)
{
    fprintf(stderr, "replay: %s:%d: %s\n", file, line, what);
    abort();
}

/* --------------------------------------------------------------- recorded to present addresses */

static struct copy *copy_slot(const struct recording *r, aprof_word address)
{
    size_t slot = (size_t)(address * 0x9e3779b97f4a7c15u >> 20) & (r->room - 1);
    while (r->copies[slot].address && r->copies[slot].address != address)
        slot = (slot + 1) & (r->room - 1);
    return &r->copies[slot];
}

static void copies_grow(struct recording *r)
{
    struct copy *old = r->copies;
    size_t n = r->room;
    r->room = n ? 2 * n : 1 << 16;
    r->copies = calloc(r->room, sizeof(*r->copies));
    if (!r->copies)
        fatal("out of memory");
    for (size_t i = 0; i < n; i++)
        if (old[i].address)
            *copy_slot(r, old[i].address) = old[i];
    free(old);
}

static void copy_make(struct recording *r, const aprof_word *section, size_t words)
{
    if (2 * r->n_copies >= r->room)
        copies_grow(r);
    struct copy *copy = copy_slot(r, section[0]);
    r->n_copies += !copy->address;
    copy->address = section[0];
    copy->here = calloc(words, sizeof(aprof_word));
    if (!copy->here)
        fatal("out of memory");
    memcpy(copy->here, section + 1, (words - 1) * sizeof(aprof_word));
}

static void *copy_of(const struct recording *r, aprof_word address)
{
    return copy_slot(r, address)->here;
}

/* Accesses are classified as in the current engine, even if the recording engine classified them
 * differently. */
static void shapes_make(struct block *block)
{
    for (unsigned i = 0; i < block->n_accesses; i++) {
        struct access *access = &block->access[i];
        access->shape = access_shape(access->kind, access->guarded, access->size_bytes);
    }
    block_close(block);
}

static void event_make(struct recording *r, const aprof_word *section, size_t words)
{
    copy_make(r, section, words);
    struct event_desc *event = copy_of(r, section[0]);
    if (event->kind == EVENT_BLOCK) {
        struct block *block = (struct block *)event;
        block->routine = copy_of(r, (aprof_word)block->routine);
        shapes_make(block);
    }
}

/* A block that was never executed may be freed, too. */
static void portion_translate(const struct recording *r, aprof_word *from, aprof_word *to)
{
    static struct block never;
    while (from < to) {
        const struct event_desc *event = copy_of(r, *from);
        if (!event)
            fatal("a record without a descriptor");
        *from = (aprof_word)event;
        if (event->kind == EVENT_BLOCK_GONE) {
            struct block *gone = copy_of(r, from[1]);
            from[1] = (aprof_word)(gone ? gone : &never);
        }
        from += 1 + event->words;
    }
}

static void recording_translate(struct recording *r)
{
    copies_grow(r);
    for (size_t at = 0; at + 2 <= r->n_words; at += 2 + r->words[at + 1]) {
        aprof_word kind = r->words[at], words = r->words[at + 1], *section = r->words + at + 2;
        if (words > r->n_words - at - 2)
            fatal("the recording ends in the midst of a section");
        if (kind == RECORDED_WORDS)
            portion_translate(r, section, section + words);
        else if (kind == RECORDED_EVENT)
            event_make(r, section, words);
        else
            copy_make(r, section, words);
    }
}

static void recording_read(struct recording *r, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        fatal("cannot open the recording");
    r->n_words = (size_t)ftell(file) / sizeof(aprof_word);
    rewind(file);
    r->words = malloc(r->n_words * sizeof(aprof_word));
    if (!r->words || fread(r->words, sizeof(aprof_word), r->n_words, file) != r->n_words)
        fatal("cannot read the recording");
    fclose(file);
}

/* ---------------------------------------------------------------- replaying */

static double milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static size_t recording_consume(const struct recording *r, struct engine *engine)
{
    size_t words = 0;
    for (size_t at = 0; at + 2 <= r->n_words; at += 2 + r->words[at + 1]) {
        if (r->words[at] != RECORDED_WORDS)
            continue;
        engine_consume(engine, r->words + at + 2, r->words + at + 2 + r->words[at + 1]);
        words += r->words[at + 1];
    }
    return words;
}

/* A recording identifies a routine only by a number. */
static void describe(const struct routine *routine, struct routine_info *info)
{
    *info = (struct routine_info){.object = "recording", .offset = routine->id, .name = "r"};
}

static uint32_t places_of(uint32_t span, const struct source_place **places)
{
    static struct source_place place;
    place = (struct source_place){CODE_UNKNOWN, CODE_UNKNOWN, span};
    *places = &place;
    return 1;
}

static struct source_place site_of(uint32_t span)
{
    return (struct source_place){CODE_UNKNOWN, CODE_UNKNOWN, span};
}

static void checksum(void *context, const char *text, size_t bytes)
{
    *(uint64_t *)context = record_hash(*(uint64_t *)context, text, bytes);
}

static uint64_t report_checksum(struct engine *engine)
{
    static const char *const nothing[] = {NULL};
    const struct source_map code = {.places = places_of, .site = site_of};
    const struct report_info info = {.creator = "replay",
                                     .tool = "replay",
                                     .arch = "-",
                                     .command = nothing,
                                     .process = nothing,
                                     .options = nothing,
                                     .cost_unit = "bb",
                                     .end_reason = "exit",
                                     .describe = describe,
                                     .code = &code};
    struct record_writer writer;
    uint64_t sum = RECORD_HASH_START;
    record_writer_start(&writer, (struct record_sink){checksum, &sum});
    engine_report_write(engine, &info, &writer);
    record_writer_finish(&writer);
    return sum;
}

int main(int argc, char **argv)
{
    struct engine_config config = {.resolution_log2 = 2,
                                   .counter_bits = 31,
                                   .trms = true,
                                   .rms = true,
                                   .collect_at_start = true,
                                   .edges = true,
                                   .lines = true};
    struct recording recording = {0};
    int option;
    while ((option = getopt(argc, argv, "el")) != -1) {
        config.edges = config.edges && option != 'e';
        config.lines = config.lines && option != 'l';
        if (option == '?')
            optind = argc;
    }
    if (optind != argc - 1) {
        fprintf(stderr, "usage: replay [-e] [-l] RECORDING\n");
        return 2;
    }
    recording_read(&recording, argv[optind]);
    recording_translate(&recording);
    struct engine *engine = engine_new(&config);
    double before = milliseconds_now();
    size_t words = recording_consume(&recording, engine);
    double after = milliseconds_now();
    struct engine_stats stats;
    engine_get_stats(engine, &stats);
    engine_finish(engine);
    printf("%.1f ms, %zu words, cost %llu, report %016llx\n", after - before, words,
           (unsigned long long)stats.cost, (unsigned long long)report_checksum(engine));
    engine_free(engine);
    return 0;
}
