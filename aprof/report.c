/* The report's writer: header, objects, routines, profiles with points, proof of completeness.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The order is that of the program, not of the run: objects by path, routines by object and offset,
 * points by input size. Two runs that did the same give the same bytes below the header.
 */
#include "report.h"
#include "state.h"
#include "host.h"

#define BUFFER_BYTES 8192
#define FNV_BASIS    0xcbf29ce484222325u
#define FNV_PRIME    0x100000001b3u

struct writer {
    const struct report_sink *sink;
    uint64_t checksum; /* FNV-1a, 64 bits, of all bytes so far */
    uint64_t lines;
    size_t n;
    char buffer[BUFFER_BYTES];
};

/* A routine that has something to report. */
struct entry {
    struct routine *routine;
    struct routine_info info;
    uint32_t object; /* number in the report */
};

struct report {
    struct writer writer;
    struct engine *engine;
    const struct report_info *info;
    struct entry *entries;
    uint32_t n_entries;
    uint32_t *number_of; /* by routine id: number in the report + 1 */
    uint32_t n_ids;
    uint32_t thread;
};

/* ---------------------------------------------------------------- bytes */

static void flush(struct writer *w)
{
    w->sink->write(w->sink->context, w->buffer, w->n);
    w->n = 0;
}

static void put_byte(struct writer *w, char byte)
{
    w->checksum = (w->checksum ^ (uint8_t)byte) * FNV_PRIME;
    w->lines += byte == '\n';
    w->buffer[w->n++] = byte;
    if (w->n == BUFFER_BYTES)
        flush(w);
}

static void put_raw(struct writer *w, const char *text)
{
    while (*text)
        put_byte(w, *text++);
}

static void put_escaped(struct writer *w, uint8_t byte)
{
    static const char hex[] = "0123456789abcdef";
    put_byte(w, '\\');
    if (byte == '\\' || byte == '\t' || byte == '\n') {
        put_byte(w, byte == '\\' ? '\\' : byte == '\t' ? 't' : 'n');
        return;
    }
    put_byte(w, 'x');
    put_byte(w, hex[byte >> 4]);
    put_byte(w, hex[byte & 15]);
}

/* One field, after the TAB that parts it from the one before. NULL and "" are written as "-". */
static void put_text(struct writer *w, const char *text)
{
    put_byte(w, '\t');
    if (!text || !*text) {
        put_byte(w, '-');
        return;
    }
    if (text[0] == '-' && !text[1]) {
        put_escaped(w, '-');
        return;
    }
    for (; *text; text++) {
        uint8_t byte = (uint8_t)*text;
        if (byte < 0x20 || byte == 0x7f || byte == '\\')
            put_escaped(w, byte);
        else
            put_byte(w, *text);
    }
}

static void put_u128(struct writer *w, struct u128 number)
{
    char digits[40];
    int n = 0;
    uint32_t limb[4] = {(uint32_t)number.low, (uint32_t)(number.low >> 32), (uint32_t)number.high,
                        (uint32_t)(number.high >> 32)};
    do {
        uint64_t rest = 0;
        for (int i = 3; i >= 0; i--) {
            rest = rest << 32 | limb[i];
            limb[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        digits[n++] = (char)('0' + rest);
    } while (limb[0] | limb[1] | limb[2] | limb[3]);
    put_byte(w, '\t');
    while (n)
        put_byte(w, digits[--n]);
}

static void put_number(struct writer *w, uint64_t number)
{
    char digits[20];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    put_byte(w, '\t');
    while (n)
        put_byte(w, digits[--n]);
}

static void put_hex(struct writer *w, uint64_t number, int digits)
{
    for (int i = digits - 1; i >= 0; i--)
        put_byte(w, "0123456789abcdef"[number >> 4 * i & 15]);
}

static void put_address(struct writer *w, uint64_t address)
{
    int digits = 1;
    while (digits < 16 && address >> 4 * digits)
        digits++;
    put_raw(w, "\t0x");
    put_hex(w, address, digits);
}

static void end_line(struct writer *w)
{
    put_byte(w, '\n');
}

static void put_line(struct writer *w, const char *tag, const char *text)
{
    put_raw(w, tag);
    put_text(w, text);
    end_line(w);
}

static void put_list(struct writer *w, const char *tag, const char *const *words)
{
    put_raw(w, tag);
    for (; *words; words++)
        put_text(w, *words);
    end_line(w);
}

/* ---------------------------------------------------------------- order */

static int compare_text(const char *a, const char *b)
{
    if (!a || !b)
        return !!a - !!b;
    while (*a && *a == *b)
        a++, b++;
    return (int)(uint8_t)*a - (int)(uint8_t)*b;
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = compare_text(a->info.object, b->info.object);
    if (order)
        return order;
    if (a->info.offset != b->info.offset)
        return a->info.offset < b->info.offset ? -1 : 1;
    return compare_text(a->info.name, b->info.name);
}

static int compare_points(const void *left, const void *right)
{
    const struct point *a = *(struct point *const *)left, *b = *(struct point *const *)right;
    return a->input < b->input ? -1 : a->input > b->input;
}

/* Bottom-up merge sort of n elements; `spare` has room for as many. Returns the one that is sorted.
 */
static char *sort(char *elements, char *spare, size_t n, size_t size,
                  int (*compare)(const void *, const void *))
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * width) {
            size_t middle = begin + width < n ? begin + width : n;
            size_t end = begin + 2 * width < n ? begin + 2 * width : n;
            size_t a = begin, b = middle;
            for (size_t at = begin; at < end; at++) {
                bool left = b == end ||
                            (a < middle && compare(elements + a * size, elements + b * size) <= 0);
                memcpy(spare + at * size, elements + (left ? a++ : b++) * size, size);
            }
        }
        char *swap = elements;
        elements = spare;
        spare = swap;
    }
    return elements;
}

/* ---------------------------------------------------------------- header */

static const char *const resolutions[] = {"1", "2", "4", "8", "16"};

static void put_header(struct report *r)
{
    struct writer *w = &r->writer;
    const struct report_info *info = r->info;
    const struct engine *e = r->engine;
    const char *metrics[METRICS + 1] = {NULL};
    int n = 0;
    if (e->config.trms)
        metrics[n++] = "trms";
    if (e->config.rms)
        metrics[n++] = "rms";
    put_raw(w, "aprof");
    put_number(w, REPORT_VERSION);
    end_line(w);
    put_line(w, "creator", info->creator);
    put_line(w, "tool", info->tool);
    put_line(w, "arch", info->arch);
    put_list(w, "command", info->command);
    put_list(w, "process", info->process);
    put_list(w, "options", info->options);
    put_list(w, "metrics", metrics);
    put_line(w, "resolution", resolutions[e->shift]);
    put_line(w, "cost", info->cost);
    put_line(w, "threads", e->config.separate_threads ? "separate" : "merged");
    put_line(w, "end", info->end);
    put_raw(w, "totals");
    put_number(w, e->cost_total);
    put_number(w, e->activations);
    put_number(w, e->reads);
    put_number(w, e->induced_thread);
    put_number(w, e->induced_external);
    end_line(w);
}

/* ---------------------------------------------------------------- objects and routines */

static bool has_measured(const struct routine_profile *profile)
{
    return profile->calls > 0;
}

static void count_ids(void *context, struct routine_profile *profile)
{
    struct report *r = context;
    if (has_measured(profile) && profile->routine->id >= r->n_ids)
        r->n_ids = profile->routine->id + 1;
}

static void add_entry(void *context, struct routine_profile *profile)
{
    struct report *r = context;
    if (!has_measured(profile) || r->number_of[profile->routine->id])
        return;
    r->number_of[profile->routine->id] = 1;
    struct entry *entry = &r->entries[r->n_entries++];
    entry->routine = profile->routine;
    r->info->describe(profile->routine, &entry->info);
}

static void each_profile(struct report *r, void (*visit)(void *, struct routine_profile *))
{
    for (uint32_t t = 0; t < r->engine->n_gathered; t++) {
        r->thread = t;
        profile_each(&r->engine->gathered[t], visit, r);
    }
}

static void list_routines(struct report *r)
{
    each_profile(r, count_ids);
    r->number_of = host_alloc("aprof.report.numbers", (r->n_ids + 1) * sizeof(*r->number_of));
    struct entry *entries = host_alloc("aprof.report.entries", (r->n_ids + 1) * sizeof(*entries));
    struct entry *spare = host_alloc("aprof.report.entries", (r->n_ids + 1) * sizeof(*spare));
    r->entries = entries;
    each_profile(r, add_entry);
    r->entries = (struct entry *)sort((char *)entries, (char *)spare, r->n_entries,
                                      sizeof(*entries), compare_entries);
    host_free(r->entries == entries ? spare : entries);
    for (uint32_t i = 0; i < r->n_entries; i++)
        r->number_of[r->entries[i].routine->id] = i + 1;
}

static void put_objects(struct report *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_entries; i++) {
        struct entry *entry = &r->entries[i];
        if (i == 0 || compare_text(entry->info.object, entry[-1].info.object)) {
            put_raw(&r->writer, "object");
            put_number(&r->writer, n++);
            put_text(&r->writer, entry->info.object);
            end_line(&r->writer);
        }
        entry->object = n - 1;
    }
}

static void put_routines(struct report *r)
{
    struct writer *w = &r->writer;
    for (uint32_t i = 0; i < r->n_entries; i++) {
        const struct entry *entry = &r->entries[i];
        put_raw(w, "routine");
        put_number(w, i);
        put_number(w, entry->object);
        put_address(w, entry->info.offset);
        put_number(w, entry->info.size);
        put_text(w, entry->info.name);
        put_text(w, entry->info.file);
        put_number(w, entry->info.line);
        end_line(w);
    }
}

/* ---------------------------------------------------------------- points */

static void put_point(struct writer *w, const char *metric, const struct point *point)
{
    put_raw(w, metric);
    put_number(w, point->input);
    put_number(w, point->calls);
    put_u128(w, point->cost_sum);
    put_number(w, point->cost_min);
    put_number(w, point->cost_max);
    put_u128(w, point->cost_squares);
    put_number(w, point->self_sum);
    put_number(w, point->induced_thread);
    put_number(w, point->induced_external);
    end_line(w);
}

static void put_points(struct writer *w, const char *metric, const struct point_table *table)
{
    size_t bytes = (table->n_points + 1) * sizeof(struct point *);
    struct point **points = host_alloc("aprof.report.points", bytes);
    struct point **spare = host_alloc("aprof.report.points", bytes);
    for (uint32_t i = 0; i < table->n_points; i++)
        points[i] = &table->points[i];
    struct point **sorted = (struct point **)sort((char *)points, (char *)spare, table->n_points,
                                                  sizeof(struct point *), compare_points);
    for (uint32_t i = 0; i < table->n_points; i++)
        put_point(w, metric, sorted[i]);
    host_free(points);
    host_free(spare);
}

static void put_profile(struct report *r, const struct routine_profile *profile, uint32_t number)
{
    struct writer *w = &r->writer;
    unsigned metrics = r->engine->metrics;
    put_raw(w, "profile");
    put_number(w, number);
    put_number(w, r->thread);
    put_number(w, profile->calls);
    put_number(w, profile->cost_total);
    put_number(w, profile->cost_self);
    end_line(w);
    if (metrics & 1u << METRIC_TRMS)
        put_points(w, "trms", profile_table(profile, METRIC_TRMS, metrics));
    if (metrics & 1u << METRIC_RMS)
        put_points(w, "rms", profile_table(profile, METRIC_RMS, metrics));
}

static struct routine_profile *find_profile(const struct profile *profile, uint32_t id)
{
    uint32_t block = id / PROFILE_BLOCK;
    if (block >= profile->n_blocks || !profile->blocks[block])
        return NULL;
    return profile->blocks[block][id % PROFILE_BLOCK];
}

static void put_profiles(struct report *r)
{
    for (uint32_t t = 0; t < r->engine->n_gathered; t++) {
        r->thread = t;
        for (uint32_t i = 0; i < r->n_entries; i++) {
            struct routine_profile *profile =
                find_profile(&r->engine->gathered[t], r->entries[i].routine->id);
            if (profile && has_measured(profile))
                put_profile(r, profile, i);
        }
    }
}

/* ---------------------------------------------------------------- entry point */

static void put_proof(struct writer *w)
{
    uint64_t lines = w->lines, checksum = w->checksum;
    put_raw(w, "complete");
    put_number(w, lines);
    put_byte(w, '\t');
    put_hex(w, checksum, 16);
    end_line(w);
    flush(w);
}

void report_write(struct engine *engine, const struct report_info *info,
                  const struct report_sink *sink)
{
    struct report *r = host_alloc("aprof.report", sizeof(*r));
    r->writer.sink = sink;
    r->writer.checksum = FNV_BASIS;
    r->engine = engine;
    r->info = info;
    list_routines(r);
    put_header(r);
    put_objects(r);
    put_routines(r);
    put_profiles(r);
    put_proof(&r->writer);
    host_free(r->entries);
    host_free(r->number_of);
    host_free(r);
}
