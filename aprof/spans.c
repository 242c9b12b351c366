/* Spans of code; see spans.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof/jit_code.h"
#include "aprof/spans.h"
#include "aprof/engine.h"
#include "aprof/options.h"
#include "aprof/sources.h"

struct span {
    VgHashNode hash; /* the key consists of object and offset */
    const struct code_object *object;
    Addr offset;  /* link-time address of the span's first instruction, or of its routine */
    Addr address; /* address of the span at the latest translation */
    UInt number;
    /* number of instructions; 0 if the span is code without a file, or all code of a routine */
    UShort n_instructions;
    struct source_place whole;   /* source position of the whole span */
    Bool has_lines;              /* whether at least the routine has a source position */
    Bool is_resolved;            /* `places` are known */
    Bool has_site;               /* whether the last of `places` was looked up */
    struct source_place *places; /* source positions, one for each instruction */
    UChar lengths[];             /* number of bytes of each instruction */
};

static VgHashTable *spans;
static XArray *by_number; /* array of struct span *; [SPAN_NONE] is NULL */

static void tables_init(void)
{
    void *none = NULL;

    if (spans)
        return;
    spans = VG_(HT_construct)("aprof.spans");
    by_number = VG_(newXA)(VG_(malloc), "aprof.spans", VG_(free), sizeof(void *));
    VG_(addToXA)(by_number, &none);
}

/*------------------------------------------------------------*/
/*--- Making                                               ---*/
/*------------------------------------------------------------*/

static Word span_compare(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return x->object != y->object || x->offset != y->offset ||
           x->n_instructions != y->n_instructions || x->whole.file != y->whole.file ||
           x->whole.line != y->whole.line ||
           VG_(memcmp)(x->lengths, y->lengths, x->n_instructions) != 0;
}

static SizeT span_bytes(UInt n_instructions)
{
    return sizeof(struct span) + n_instructions;
}

/* Returns the number of the span that equals `key`; if there is none, adds a copy of `key`. */
static UInt span_get(struct span *key)
{
    struct span *found;

    tables_init();
    key->hash.key = key->offset ^ (UWord)key->object->number << 20;
    found = VG_(HT_gen_lookup)(spans, key, span_compare);
    if (found == NULL) {
        found = VG_(malloc)("aprof.spans.span", span_bytes(key->n_instructions));
        VG_(memcpy)(found, key, span_bytes(key->n_instructions));
        found->number = VG_(sizeXA)(by_number);
        VG_(HT_add_node)(spans, found);
        VG_(addToXA)(by_number, &found);
    }
    found->address = key->address;
    return found->number;
}

/* Appends to `lengths` the length of each instruction that begins in a segment. If no instruction
 * begins in the segment, appends a length of 1 for the instruction that the segment continues. */
static void lengths_add(struct span *span, const struct superblock *sb, Int segment)
{
    Bool is_last = segment == sb->n_segments - 1;
    Int end = is_last ? sb->in->stmts_used : sb->segments[segment + 1].first_statement;

    for (Int i = sb->segments[segment].first_statement; i < end; i++) {
        if (sb->in->stmts[i]->tag == Ist_IMark)
            span->lengths[span->n_instructions++] = sb->in->stmts[i]->Ist.IMark.len;
    }
    if (span->n_instructions == 0)
        span->lengths[span->n_instructions++] = 1;
}

UInt spans_of_segment(const struct superblock *sb, Int segment, const struct code_place *place)
{
    const struct named_routine *named = symbols_get(place->routine->id);
    Addr start = sb->segments[segment].start;
    const HChar *file;
    struct span *key;
    UInt line;

    if (!clo_edges && !clo_lines)
        return SPAN_NONE;
    /* memory that is valid until the translation is made */
    key = LibVEX_Alloc(span_bytes(sb->n_instructions + 1));
    VG_(memset)(key, 0, sizeof *key);
    key->object = named->object;
    key->offset = named->offset;
    key->has_lines = named->file != NULL;
    key->whole = (struct source_place){CODE_UNKNOWN, CODE_UNKNOWN, 0};
    if (named->object->path && place->is_mapped) {
        key->address = start;
        key->offset = key->address - place->bias;
        lengths_add(key, sb, segment);
    } else if (!place->is_mapped && (file = jit_code_line(start, &line))) {
        key->whole = sources_place_of(file, line);
    } else if (named->line) {
        key->whole = sources_place_of(named->file, named->line);
    }
    return span_get(key);
}

/*------------------------------------------------------------*/
/*--- Places                                               ---*/
/*------------------------------------------------------------*/

/* If an instruction has no known source line, its position is its address in the object. */
static struct source_place place_find(const struct span *span, Addr address)
{
    struct source_place place = {CODE_UNKNOWN, CODE_UNKNOWN, 0};
    Addr offset = span->offset + (address - span->address);

    if (span->has_lines)
        place = sources_place(address);
    if (place.file == CODE_UNKNOWN && offset <= CODE_UNKNOWN)
        place.line = offset;
    return place;
}

/* Finds the source positions of a span. A basic block is counted at its first instruction. The
 * source positions of other instructions are needed only if instructions are counted. */
static void span_resolve(struct span *span)
{
    Bool is_whole = clo_cost_instructions && clo_lines;
    Addr address = span->address;
    UInt n = span->n_instructions ? span->n_instructions : 1;

    if (span->is_resolved)
        return;
    span->is_resolved = True;
    span->has_site = is_whole || n == 1;
    span->places = VG_(malloc)("aprof.spans.places", n * sizeof *span->places);
    span->places[0] = span->whole;
    for (UInt i = 0; i < span->n_instructions && (i == 0 || is_whole); i++) {
        span->places[i] = place_find(span, address);
        address += span->lengths[i];
    }
}

/* Finds the source position of the last instruction, which is needed only if the span has made a
 * call. */
static void span_resolve_site(struct span *span)
{
    Addr address = span->address;

    span_resolve(span);
    if (span->has_site)
        return;
    span->has_site = True;
    for (UInt i = 0; i < span->n_instructions - 1u; i++)
        address += span->lengths[i];
    span->places[span->n_instructions - 1] = place_find(span, address);
}

static Bool holds_code(Addr start, SizeT bytes)
{
    for (const DebugInfo *di = VG_(next_DebugInfo)(NULL); di; di = VG_(next_DebugInfo)(di)) {
        Addr text = VG_(DebugInfo_get_text_avma)(di);

        if (text < start + bytes && start < text + VG_(DebugInfo_get_text_size)(di))
            return True;
    }
    return False;
}

/* This function is called for each unmapping; it visits all spans only in the rare case that code
 * is unmapped. */
void spans_unload(Addr start, SizeT bytes)
{
    if (spans == NULL || !holds_code(start, bytes))
        return;
    for (Word i = SPAN_NONE + 1; i < VG_(sizeXA)(by_number); i++) {
        struct span *span = *(struct span **)VG_(indexXA)(by_number, i);

        if (span->address - start < bytes)
            span_resolve_site(span);
    }
}

static struct span *span_at(UInt number)
{
    struct span *span = *(struct span **)VG_(indexXA)(by_number, number);

    if (span)
        span_resolve(span);
    return span;
}

static const struct source_place nowhere = {CODE_UNKNOWN, CODE_UNKNOWN, 0};

/* A basic block is counted at its first instruction. */
static uint32_t places_of(uint32_t number, const struct source_place **places)
{
    const struct span *span = span_at(number);

    *places = span ? span->places : &nowhere;
    return span && clo_cost_instructions && span->n_instructions ? span->n_instructions : 1;
}

static void site_resolve(uint32_t number)
{
    struct span *span = span_at(number);

    if (span)
        span_resolve_site(span);
}

/* Returns the source position of the span's call, which spans_map has found. */
static struct source_place site_of(uint32_t number)
{
    const struct span *span = span_at(number);

    if (span == NULL)
        return nowhere;
    return span->places[span->n_instructions ? span->n_instructions - 1 : 0];
}

const struct source_map *spans_map(const struct engine *engine)
{
    static struct source_map map;

    tables_init();
    for (Word i = SPAN_NONE; i < VG_(sizeXA)(by_number); i++)
        span_at(i);
    engine_each_site(engine, site_resolve);
    sources_list(&map);
    map.places = places_of;
    map.site = site_of;
    return &map;
}
