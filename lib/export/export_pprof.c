/* Writes pprof's format: the cost of each line, with the stacks that lead to the line's routine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A file is one message of protocol buffers (profile.proto of google/pprof), perhaps compressed
 * with gzip. A message is a sequence of fields. Each field has a tag (field number and wire type)
 * and a value. The value of a field is a varint (7 bits per byte, lowest bits first), or a length
 * followed by that number of bytes.
 *
 *     08 96 01          field 1, varint (1 << 3 | 0): 150
 *     12 03 61 62 63    field 2, bytes  (2 << 3 | 2): "abc"
 *
 * The stacks come from report_stacks.h. Lines have exact costs; if the report has no contexts,
 * callers have approximate costs. If a routine calls another routine from several lines, the most
 * expensive call represents all these calls.
 */
#include "aprof-config.h"

#include "lib/export/export.h"
#include "lib/report/report_code.h"
#include "lib/report/report_stacks.h"

#include <string.h>

#ifdef HAVE_LIBZ
#include <zlib.h>
#endif

#define STACK_MAX 256

enum { KIND_VARINT = 0, KIND_BYTES = 2 };

/* Bytes ---------------------------------------------------------------------------------------- */

struct message {
    VECTOR(unsigned char) bytes;
};

static void put_varint(struct message *m, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        vector_push(&m->bytes, (unsigned char)(number | 0x80));
    vector_push(&m->bytes, (unsigned char)number);
}

static void put_number(struct message *m, unsigned field, uint64_t number)
{
    put_varint(m, field << 3 | KIND_VARINT);
    put_varint(m, number);
}

static void put_bytes(struct message *m, unsigned field, const void *bytes, size_t count)
{
    put_varint(m, field << 3 | KIND_BYTES);
    put_varint(m, count);
    vector_reserve(&m->bytes, m->bytes.count + count);
    if (count)
        memcpy(m->bytes.at + m->bytes.count, bytes, count);
    m->bytes.count += count;
}

/* Appends a message to another message as a field, and empties the appended message. */
static void put_message(struct message *m, unsigned field, struct message *part)
{
    put_bytes(m, field, part->bytes.at, part->bytes.count);
    part->bytes.count = 0;
}

/* The profile ---------------------------------------------------------------------------------- */

enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5 };
enum { PROFILE_STRING = 6, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12 };
enum { TYPE_KIND = 1, TYPE_UNIT = 2, SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYMBOL, FUNCTION_FILE, FUNCTION_START };

/* The used locations are numbered from 1 on, in this order: lines, edges, routines. Functions are
 * also numbered from 1 on: the inlined functions follow the routines. */
struct pprof {
    const struct report *report;
    const struct export_job *job;
    struct report_stacks stacks;
    /* index of the location whose cost is being distributed among stacks */
    size_t leaf;
    struct message profile, part, inner; /* part and inner are message parts under construction */
    uint64_t strings;
    bool *is_used; /* whether each location is used */
    /* for each inlined function, the file of its first code location; REPORT_NONE: not known yet */
    uint32_t *inlined_file;
};

static size_t location_of_edge(const struct pprof *p, size_t edge)
{
    return 1 + p->report->code.lines.count + edge;
}

static size_t location_of_routine(const struct pprof *p, uint32_t routine)
{
    return location_of_edge(p, p->report->code.edges.count) + routine;
}

static uint64_t function_of_inlined(const struct pprof *p, uint32_t inlined)
{
    return 1 + p->report->routines.count + inlined;
}

/* The number of a text in the string table. A new text is added to the table. */
static uint64_t put_text(struct pprof *p, const char *text)
{
    put_bytes(&p->profile, PROFILE_STRING, text, strlen(text));
    return p->strings++;
}

static void put_type(struct pprof *p, unsigned field, uint64_t kind, uint64_t unit)
{
    put_number(&p->part, TYPE_KIND, kind);
    put_number(&p->part, TYPE_UNIT, unit);
    put_message(&p->profile, field, &p->part);
}

/* Samples -------------------------------------------------------------------------------------- */

/* The most expensive edge between two routines; SIZE_MAX: no edge exists. Edges are sorted by
 * caller. */
static size_t highest_edge(const struct report *r, uint32_t caller, uint32_t callee)
{
    const struct report_edge *edges = r->code.edges.at;
    size_t low = 0, high = r->code.edges.count, best = SIZE_MAX;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edges[middle].caller < caller ||
            (edges[middle].caller == caller && edges[middle].callee < callee))
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < r->code.edges.count && edges[low].caller == caller && edges[low].callee == callee;
         low++) {
        if (best == SIZE_MAX || edges[low].cost > edges[best].cost)
            best = low;
    }
    return best;
}

static void add_location(struct pprof *p, size_t location)
{
    p->is_used[location] = true;
    put_varint(&p->inner, location);
}

static void put_sample(void *context, const struct report_frame *frame, uint64_t cost)
{
    struct pprof *p = context;
    const struct report_frame *caller = report_stacks_caller(&p->stacks, frame);
    add_location(p, p->leaf);
    for (unsigned i = 0; caller && i < STACK_MAX; i++) {
        size_t edge = highest_edge(p->report, caller->routine, frame->routine);
        add_location(p, edge == SIZE_MAX ? location_of_routine(p, caller->routine)
                                         : location_of_edge(p, edge));
        frame = caller;
        caller = report_stacks_caller(&p->stacks, frame);
    }
    put_message(&p->part, SAMPLE_LOCATIONS, &p->inner);
    put_varint(&p->inner, cost);
    put_message(&p->part, SAMPLE_VALUES, &p->inner);
    put_message(&p->profile, PROFILE_SAMPLE, &p->part);
}

static void put_costs(struct pprof *p, const struct report_profile *profile, size_t leaf,
                      uint64_t cost)
{
    p->leaf = leaf;
    report_stacks_spread(&p->stacks, profile, cost, put_sample, p);
}

static void put_samples(struct pprof *p)
{
    const struct report *r = p->report;
    size_t line = 0;
    for (size_t i = 0; i < r->profiles.count; i++) {
        const struct report_profile *profile = &r->profiles.at[i];
        uint64_t left = profile->cost_self;
        if (!export_wanted(p->job, profile))
            continue;
        while (line < r->code.lines.count && r->code.lines.at[line].routine < profile->routine)
            line++;
        for (; line < r->code.lines.count && r->code.lines.at[line].routine == profile->routine;
             line++) {
            uint64_t cost = r->code.lines.at[line].cost;
            /* If a report covers only a part of a run, the lines of a routine may cost more than
             * the routine itself. */
            cost = cost < left ? cost : left;
            put_costs(p, profile, 1 + line, cost);
            left -= cost;
        }
        put_costs(p, profile, location_of_routine(p, profile->routine), left);
    }
}

/* Locations and functions ---------------------------------------------------------------------- */

static void put_line(struct pprof *p, uint64_t function, uint32_t line)
{
    put_number(&p->inner, LINE_FUNCTION, function);
    put_number(&p->inner, LINE_NUMBER, line);
    put_message(&p->part, LOCATION_LINE, &p->inner);
}

/* Writes the functions of a location, the innermost inlined function first and the routine last. */
static void put_location(struct pprof *p, size_t id, uint32_t routine, struct report_place place)
{
    if (!p->is_used[id])
        return;
    put_number(&p->part, LOCATION_ID, id);
    while (place.inlined != REPORT_NONE) {
        uint32_t inlined = place.inlined;
        put_line(p, function_of_inlined(p, inlined), place_line(&place));
        if (p->inlined_file[inlined] == REPORT_NONE)
            p->inlined_file[inlined] = place.file;
        place = p->report->code.inlined.at[inlined].call;
    }
    put_line(p, 1 + routine, place_line(&place));
    put_message(&p->profile, PROFILE_LOCATION, &p->part);
}

static void put_locations(struct pprof *p)
{
    const struct report *r = p->report;
    for (size_t i = 0; i < r->code.lines.count; i++)
        put_location(p, 1 + i, r->code.lines.at[i].routine, r->code.lines.at[i].place);
    for (size_t i = 0; i < r->code.edges.count; i++)
        put_location(p, location_of_edge(p, i), r->code.edges.at[i].caller,
                     r->code.edges.at[i].place);
    for (uint32_t i = 0; i < r->routines.count; i++) {
        struct report_place place = {REPORT_NONE, REPORT_NONE, r->routines.at[i].line};
        put_location(p, location_of_routine(p, i), i, place);
    }
}

static void put_function(struct pprof *p, uint64_t id, const char *name, const char *symbol,
                         const char *file, uint32_t line)
{
    put_number(&p->part, FUNCTION_ID, id);
    put_number(&p->part, FUNCTION_NAME, put_text(p, name));
    put_number(&p->part, FUNCTION_SYMBOL, put_text(p, *symbol ? symbol : name));
    put_number(&p->part, FUNCTION_FILE, put_text(p, file));
    put_number(&p->part, FUNCTION_START, line);
    put_message(&p->profile, PROFILE_FUNCTION, &p->part);
}

static void put_functions(struct pprof *p)
{
    const struct report *r = p->report;
    for (size_t i = 0; i < r->routines.count; i++) {
        const struct report_routine *routine = &r->routines.at[i];
        put_function(p, 1 + i, routine->name, routine->symbol, routine->file, routine->line);
    }
    for (uint32_t i = 0; i < r->code.inlined.count; i++) {
        uint32_t file = p->inlined_file[i];
        const char *name = r->code.inlined.at[i].name;
        put_function(p, function_of_inlined(p, i), name, name,
                     file == REPORT_NONE ? "" : r->code.files.at[file], 0);
    }
}

/* The file ------------------------------------------------------------------------------------- */

#ifdef HAVE_LIBZ
#define GZIP_WINDOW (15 + 16) /* zlib's largest window, and the flag for gzip's header */

static void compress_bytes(struct message *m)
{
    z_stream z = {0};
    struct message packed = {0};
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return; /* If memory does not suffice, the file stays uncompressed, which the format
                 * allows. */
    size_t room = deflateBound(&z, m->bytes.count);
    vector_reserve(&packed.bytes, room);
    z.next_in = m->bytes.at;
    z.avail_in = (uInt)m->bytes.count;
    z.next_out = packed.bytes.at;
    z.avail_out = (uInt)room;
    bool good = m->bytes.count <= UINT32_MAX / 2 && deflate(&z, Z_FINISH) == Z_STREAM_END;
    packed.bytes.count = z.total_out;
    deflateEnd(&z);
    if (good) {
        vector_free(&m->bytes);
        *m = packed;
    } else {
        vector_free(&packed.bytes);
    }
}
#else
static void compress_bytes(struct message *m)
{
    (void)m;
}
#endif

static bool pprof_report(struct export_writer *w, const struct export_job *job, struct failure *why)
{
    const struct report *r = &job->report;
    struct pprof p = {.report = r, .job = job};
    if (w->reports > 0)
        return failure_set(why, "%s: pprof's format takes one report; see aprof merge", r->path);
    size_t inlined = r->code.inlined.count;
    p.is_used = memory_get_zeroed(location_of_routine(&p, (uint32_t)r->routines.count) + 1, 1);
    p.inlined_file = memory_resize(NULL, inlined + 1, sizeof *p.inlined_file);
    memset(p.inlined_file, 0xff, inlined * sizeof *p.inlined_file);
    report_stacks_make(r, &p.stacks);
    put_text(&p, "");
    uint64_t unit = put_text(&p, "count");
    bool is_time = strcmp(r->cost_unit, "time") == 0;
    uint64_t kind = put_text(&p, is_time ? "time" : report_cost_words(r));
    unit = is_time ? put_text(&p, "nanoseconds") : unit;
    put_type(&p, PROFILE_SAMPLE_TYPE, kind, unit);
    put_type(&p, PROFILE_PERIOD_TYPE, kind, unit);
    put_number(&p.profile, PROFILE_PERIOD, 1);
    put_samples(&p);
    put_locations(&p);
    put_functions(&p);
    compress_bytes(&p.profile);
    fwrite(p.profile.bytes.at, 1, p.profile.bytes.count, w->stream);
    report_stacks_free(&p.stacks);
    vector_free(&p.profile.bytes);
    vector_free(&p.part.bytes);
    vector_free(&p.inner.bytes);
    free(p.is_used);
    free(p.inlined_file);
    return true;
}

const struct export_format export_pprof = {"pprof", export_nothing, pprof_report, export_nothing,
                                           true};
