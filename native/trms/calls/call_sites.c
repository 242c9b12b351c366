/* Finds the source positions of call sites; see call_sites.h.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An instrumented routine may be called by uninstrumented code, such as the C library's qsort,
 * which another instrumented routine has called. The report then names this instrumented routine as
 * the caller, but none of its source lines contains the call. Compilers move rarely executed code
 * of a routine elsewhere, under another name: `find.cold` belongs to `find`.
 */
#include "native/trms/calls/call_sites.h"

#include "ground/host.h"
#include "native/trms/calls/edges.h"
#include "native/trms/report/routines.h"

/* call sites by number; an additional last element is the unknown site */
static struct trms_code *sites;

static bool is_part_of(const char *name, const char *whole)
{
    size_t n = __builtin_strlen(whole);
    return __builtin_strncmp(name, whole, n) == 0 && name[n] == '.';
}

static bool is_in(const struct trms_code *site, const struct trms_code *caller)
{
    if (!site->module || site->module != caller->module)
        return false;
    if (!site->name || !caller->name)
        return !site->name && !caller->name;
    return site->offset == caller->offset || is_part_of(site->name, caller->name);
}

void trms_call_sites_resolve(void)
{
    struct trms_edges *edges = trms_world.edges;
    uint32_t n = edges ? edges->sites.n : 0;
    struct trms_code **list = host_alloc("aprof.trms.sorted", (n + 1) * sizeof(*list));
    sites = host_alloc("aprof.trms.call_sites", (n + 1) * sizeof(*sites));
    for (uint32_t i = 0; i < n; i++) {
        sites[i].pc = edges->sites.address[i] - 1; /* address of a byte in the call instruction */
        list[i] = &sites[i];
    }
    trms_symbols_resolve(list, n);
    host_free(list);
    for (uint32_t i = EDGE_NONE + 1; edges && i < edges->table.n_edges; i++) {
        struct call_edge *edge = &edges->table.edges[i];
        if (!is_in(&sites[edge->site], &trms_routines_get(edge->caller->id)->code))
            edge->site = n;
    }
}

static struct source_place site_of(uint32_t number)
{
    const struct trms_code *site = &sites[number];
    struct source_place place = {CODE_UNKNOWN, CODE_UNKNOWN, 0};
    uint64_t address = site->module ? native_module_offset(site->module, site->pc) : 0;
    if (address >> 32 == 0)
        place.line = (uint32_t)address;
    return place;
}

const struct source_map trms_call_sites_map = {.site = site_of};
