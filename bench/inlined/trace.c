/* Makes a report about calls of inlined functions from a trace and debug data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     valgrind --tool=lackey --trace-mem=yes --log-fd=9 ./app 9>&1 >/dev/null |
 *         trace RULE ./app | seal >report
 *
 * `app` is linked statically and at a fixed address. Calls, returns and jumps define the
 * activations of routines in the debug data. An activation contains pseudo-activations of the
 * functions that are inlined at the executed code. RULE defines the begin of a pseudo-activation:
 *
 *     range    whenever execution enters one of the function's ranges from outside of all of them
 *     entry    the same, but only at the function's entry address in the debug data; execution that
 *              returns at any other address continues the latest pseudo-activation
 *
 * The program prints the inlined functions, and the number of their inlined calls, on standard
 * error.
 *
 * Input sizes are rms (paper 003, Figure 11), of 4-byte cells; cost is instructions. In a build
 * without inlined code, both rules give the results of `aprof run --metrics=rms --cost=instr`. The
 * exception is code without debug data, which belongs to its caller. Return addresses are not
 * input.
 */
#include "ground/basics.h"
#include "lib/base/memory.h"
#include "lib/base/vector.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE     (-1)
#define DEPTH_MAX   64
#define PAGES_LOG2  16
#define CELLS_LOG2  10 /* of a page */
#define SIZES_FIRST 16

/* Code ----------------------------------------------------------------------------------------- */

/* A routine, or a place where a function is inlined. */
struct code_site {
    int around;  /* site around the inlined function; NOWHERE: the site is a routine */
    int routine; /* number of its name */
    uint64_t entry;
};

struct size_point {
    uint64_t input, calls, cost, least, most, self;
    unsigned __int128 squares;
};

struct traced_routine {
    const char *name;
    uint64_t address, calls, total, self, pending;
    uint64_t inlined; /* of the calls */
    VECTOR(struct size_point) points;
};

static VECTOR(struct code_site) sites;
static VECTOR(struct traced_routine) routines;
static int *site_at; /* by address - low */
static uint64_t low, high;
static const unsigned char *text; /* the code, by address - low */

static int routine_named(const char *name, uint64_t address)
{
    for (size_t i = 0; i < routines.count; i++)
        if (strcmp(routines.at[i].name, name) == 0)
            return (int)i;
    struct traced_routine made = {.name = memory_copy_string(name), .address = address};
    vector_push(&routines, made);
    return (int)routines.count - 1;
}

static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *symbol =
        dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    return symbol ? symbol : dwarf_diename(die);
}

/* The site of a routine or inlined function with code; `around` if the function has no code. */
static int site_add(Dwarf_Die *die, int around)
{
    Dwarf_Addr base, start, end, entry;
    const char *name = name_of(die);
    int number = (int)sites.count;
    if (!name ||
        (dwarf_entrypc(die, &entry) != 0 && dwarf_ranges(die, 0, &base, &entry, &end) <= 0))
        return around;
    struct code_site made = {around, routine_named(name, entry), entry};
    vector_push(&sites, made);
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;)
        for (uint64_t address = start; address < end; address++)
            if (address - low < high - low)
                site_at[address - low] = number;
    return number;
}

static void walk(Dwarf_Die *die, int around)
{
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child), inside = around;
        if (tag == DW_TAG_subprogram)
            inside = site_add(&child, NOWHERE);
        else if (tag == DW_TAG_inlined_subroutine)
            inside = site_add(&child, around);
        walk(&child, inside);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* The executable segment of the program. */
static void text_find(Elf *elf)
{
    size_t n = 0;
    elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
            !(segment.p_flags & PF_X))
            continue;
        low = segment.p_vaddr;
        high = low + segment.p_filesz;
        text = (const unsigned char *)elf_rawfile(elf, NULL) + segment.p_offset;
    }
}

static void code_read(const char *path)
{
    static char *no_path;
    static const Dwfl_Callbacks callbacks = {.find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = &no_path};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    Dwfl_Module *module = dwfl_report_elf(dwfl, path, path, -1, 0, false);
    GElf_Addr bias;
    Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
    if (!elf) {
        fprintf(stderr, "trace: %s: cannot be read\n", path);
        exit(1);
    }
    text_find(elf);
    site_at = memory_resize(NULL, high - low, sizeof *site_at);
    for (uint64_t i = 0; i < high - low; i++)
        site_at[i] = NOWHERE;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &bias));)
        walk(unit, NOWHERE);
}

/* Memory --------------------------------------------------------------------------------------- */

struct shadow_page {
    uint64_t number;
    struct shadow_page *next;
    uint32_t time[1 << CELLS_LOG2]; /* time of the latest access; 0: never accessed */
};
static struct shadow_page *pages[1 << PAGES_LOG2];

static uint32_t *time_of(uint64_t cell)
{
    uint64_t number = cell >> CELLS_LOG2;
    struct shadow_page **at = &pages[number % (1 << PAGES_LOG2)];
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    if (!*at) {
        *at = memory_get_zeroed(1, sizeof **at);
        (*at)->number = number;
    }
    return &(*at)->time[cell % (1 << CELLS_LOG2)];
}

/* Activations ---------------------------------------------------------------------------------- */

struct traced_activation {
    int site;
    bool entered; /* at its entry */
    uint32_t start;
    int64_t rms, rms_kept; /* cost since the activation last continued, and before */
    uint64_t cost_before, cost_kept, callees;
};

struct traced_frame {
    uint64_t back;                          /* return address */
    size_t base;                            /* its first activation */
    VECTOR(struct traced_activation) apart; /* pseudo-activations that may continue */
};

static VECTOR(struct traced_activation) stack;
static VECTOR(struct traced_frame) frames;
static bool by_entry;
static uint32_t now = 1;
static uint64_t cost, activations, reads;

static struct size_point *point_of(struct traced_routine *routine, uint64_t input)
{
    for (size_t i = 0; i < routine->points.count; i++)
        if (routine->points.at[i].input == input)
            return &routine->points.at[i];
    struct size_point made = {.input = input, .least = UINT64_MAX};
    vector_push(&routine->points, made);
    return &routine->points.at[routine->points.count - 1];
}

static void record(const struct traced_activation *a)
{
    struct traced_routine *routine = &routines.at[sites.at[a->site].routine];
    struct size_point *point = point_of(routine, (uint64_t)(a->rms_kept > 0 ? a->rms_kept : 0));
    uint64_t whole = a->cost_kept, self = whole - a->callees;
    point->calls++;
    point->cost += whole;
    point->squares += (unsigned __int128)whole * whole;
    point->self += self;
    point->least = whole < point->least ? whole : point->least;
    point->most = whole > point->most ? whole : point->most;
    routine->calls++;
    routine->self += self;
    routine->inlined += sites.at[a->site].around != NOWHERE;
    routine->total += routine->pending ? 0 : whole;
    activations++;
}

static void begin(int site, bool entered)
{
    struct traced_activation a = {
        .site = site, .entered = entered, .start = ++now, .cost_before = cost};
    vector_push(&stack, a);
    routines.at[sites.at[site].routine].pending++;
}

/* Ends and removes the top activation. Its counts since it last continued are also added to its
 * caller. */
static struct traced_activation leave(void)
{
    struct traced_activation a = stack.at[--stack.count];
    uint64_t spent = cost - a.cost_before;
    routines.at[sites.at[a.site].routine].pending--;
    if (stack.count) {
        stack.at[stack.count - 1].rms += a.rms;
        stack.at[stack.count - 1].callees += spent;
    }
    a.rms_kept += a.rms;
    a.cost_kept += spent;
    a.rms = 0;
    return a;
}

static bool is_within(int site, int outer)
{
    while (site != NOWHERE && site != outer)
        site = sites.at[site].around;
    return site != NOWHERE;
}

/* Ends the suspended pseudo-activations of a site, or of functions inlined in the site. */
static void apart_end(struct traced_frame *frame, int site)
{
    size_t kept = 0;
    for (size_t i = 0; i < frame->apart.count; i++) {
        if (is_within(frame->apart.at[i].site, site))
            record(&frame->apart.at[i]);
        else
            frame->apart.at[kept++] = frame->apart.at[i];
    }
    frame->apart.count = kept;
}

static bool go_on(struct traced_frame *frame, int site)
{
    for (size_t i = 0; i < frame->apart.count; i++) {
        if (frame->apart.at[i].site != site)
            continue;
        struct traced_activation a = frame->apart.at[i];
        frame->apart.at[i] = frame->apart.at[--frame->apart.count];
        a.cost_before = cost;
        vector_push(&stack, a);
        routines.at[sites.at[site].routine].pending++;
        return true;
    }
    return false;
}

/* Ends the activations of a frame from index `from` on. */
static void end_from(struct traced_frame *frame, size_t from)
{
    while (stack.count > from) {
        struct traced_activation a = leave();
        if (by_entry && stack.count > frame->base)
            vector_push(&frame->apart, a);
        else
            record(&a);
    }
}

static void frame_end(void)
{
    struct traced_frame *frame = &frames.at[frames.count - 1];
    end_from(frame, frame->base);
    for (size_t i = 0; i < frame->apart.count; i++)
        record(&frame->apart.at[i]);
    vector_free(&frame->apart);
    frames.count--;
}

static void frame_begin(uint64_t back)
{
    struct traced_frame frame = {.back = back, .base = stack.count};
    vector_push(&frames, frame);
}

static void inlined_begin(struct traced_frame *frame, int site, uint64_t address)
{
    bool at_entry = address == sites.at[site].entry;
    if (by_entry && !at_entry && go_on(frame, site))
        return;
    apart_end(frame, site);
    begin(site, at_entry);
}

/* Records that code of `site` runs at `address` in the latest frame. */
static void arrive(int site, uint64_t address)
{
    struct traced_frame *frame = &frames.at[frames.count - 1];
    int chain[DEPTH_MAX], depth = 0;
    size_t same = 0;
    for (int at = site; at != NOWHERE && depth < DEPTH_MAX; at = sites.at[at].around)
        chain[depth++] = at;
    if (stack.count > frame->base && stack.at[frame->base].site != chain[depth - 1]) {
        uint64_t back = frame->back; /* a tail call */
        frame_end();
        frame_begin(back);
        frame = &frames.at[frames.count - 1];
    }
    if (stack.count == frame->base)
        begin(chain[depth - 1], true);
    for (same = 1; same < (size_t)depth && frame->base + same < stack.count; same++)
        if (stack.at[frame->base + same].site != chain[(size_t)depth - 1 - same])
            break;
    end_from(frame, frame->base + same);
    for (; same < (size_t)depth; same++)
        inlined_begin(frame, chain[(size_t)depth - 1 - same], address);
    struct traced_activation *top = &stack.at[stack.count - 1];
    top->entered |= address == sites.at[top->site].entry;
}

static void read_cell(uint64_t cell)
{
    uint32_t *time = time_of(cell), before = *time;
    *time = now;
    if (!stack.count || before >= stack.at[stack.count - 1].start)
        return;
    stack.at[stack.count - 1].rms++;
    reads += before == 0;
    for (size_t i = stack.count - 1; before && i-- > 0;) {
        if (stack.at[i].start <= before) {
            stack.at[i].rms--;
            return;
        }
    }
}

static void access_bytes(uint64_t address, uint64_t bytes, bool is_read)
{
    for (uint64_t cell = address / 4; cell <= (address + bytes - 1) / 4; cell++) {
        if (is_read)
            read_cell(cell);
        else
            *time_of(cell) = now;
    }
}

/* The trace ------------------------------------------------------------------------------------ */

enum kind { KIND_OTHER, KIND_CALL, KIND_RETURN };

static enum kind kind_of(uint64_t address)
{
    if (address - low >= high - low)
        return KIND_OTHER;
    const unsigned char *at = text + (address - low);
    while (*at == 0xf2 || *at == 0xf3 || *at == 0x66 || *at == 0x3e || (*at & 0xf0) == 0x40)
        at++;
    if (*at == 0xe8 || (*at == 0xff && (at[1] >> 3 & 7) == 2))
        return KIND_CALL;
    return *at == 0xc3 || *at == 0xc2 ? KIND_RETURN : KIND_OTHER;
}

static void returned(uint64_t address)
{
    size_t at = frames.count;
    while (at > 1 && frames.at[at - 1].back != address)
        at--;
    while (at > 1 && frames.count >= at)
        frame_end();
}

static enum kind before; /* kind of the latest instruction; its accesses are being read */

static void instruction(uint64_t address, uint64_t bytes)
{
    static uint64_t next;
    int site = address - low < high - low ? site_at[address - low] : NOWHERE;
    if (before == KIND_CALL)
        frame_begin(next);
    else if (before == KIND_RETURN)
        returned(address);
    if (site != NOWHERE)
        arrive(site, address);
    cost++;
    before = kind_of(address);
    next = address + bytes;
}

static void trace_read(FILE *from)
{
    char line[256];
    frame_begin(0);
    while (fgets(line, sizeof line, from)) {
        char *end;
        uint64_t address = strtoull(line + 3, &end, 16);
        uint64_t bytes = *end == ',' ? strtoull(end + 1, NULL, 10) : 0;
        if (bytes == 0 || line[2] != ' ')
            continue;
        if (line[0] == 'I')
            instruction(address, bytes);
        if ((line[1] == 'L' || line[1] == 'M') && before != KIND_RETURN)
            access_bytes(address, bytes, true);
        if (line[1] == 'S' || line[1] == 'M')
            access_bytes(address, bytes, false);
    }
    while (frames.count)
        frame_end();
}

/* The report ----------------------------------------------------------------------------------- */

static int by_input(const void *a, const void *b)
{
    const struct size_point *left = a, *right = b;
    return left->input < right->input ? -1 : left->input > right->input;
}

static int by_address(const void *a, const void *b)
{
    const struct traced_routine *left = a, *right = b;
    return left->address < right->address ? -1 : left->address > right->address;
}

static void put_wide(unsigned __int128 number)
{
    char digits[48], *at = digits + sizeof digits - 1;
    *at = 0;
    do
        *--at = (char)('0' + (int)(number % 10));
    while (number /= 10);
    fputs(at, stdout);
}

static void put_points(struct traced_routine *r)
{
    qsort(r->points.at, r->points.count, sizeof *r->points.at, by_input);
    for (size_t i = 0; i < r->points.count; i++) {
        const struct size_point *p = &r->points.at[i];
        printf("rms\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", p->input,
               p->calls, p->cost, p->least, p->most);
        put_wide(p->squares);
        printf("\t%" PRIu64 "\t0\t0\n", p->self);
    }
}

static void report_write(const char *path)
{
    unsigned number = 0;
    qsort(routines.at, routines.count, sizeof *routines.at, by_address);
    printf("aprof\t1\ncreator\ttrace\ntool\tlackey\narch\tamd64\ncommand\t%s\nprocess\t1\n"
           "options\t-\nmetrics\trms\nresolution\t4\ncost\tinstr\nthreads\tmerged\nend\texit\n"
           "totals\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t0\t0\nobject\t0\t%s\n",
           path, cost, activations, reads, path);
    for (size_t i = 0; i < routines.count; i++) {
        struct traced_routine *r = &routines.at[i];
        if (r->calls)
            printf("routine\t%u\t0\t0x%" PRIx64 "\t0\t%s\t-\t0\n", number++, r->address, r->name);
    }
    number = 0;
    for (size_t i = 0; i < routines.count; i++) {
        struct traced_routine *r = &routines.at[i];
        if (!r->calls)
            continue;
        printf("profile\t%u\t0\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", number++, r->calls,
               r->total, r->self);
        put_points(r);
    }
}

int main(int argc, char **argv)
{
    by_entry = argc > 1 && strcmp(argv[1], "entry") == 0;
    if (argc != 3 || (!by_entry && strcmp(argv[1], "range") != 0)) {
        fprintf(stderr, "usage: trace range|entry PROGRAM <TRACE\n");
        return 2;
    }
    code_read(argv[2]);
    trace_read(stdin);
    report_write(argv[2]);
    for (size_t i = 0; i < routines.count; i++)
        if (routines.at[i].inlined)
            fprintf(stderr, "%s\t%" PRIu64 "\n", routines.at[i].name, routines.at[i].inlined);
    return 0;
}
