/* Cache simulation: hits and misses of two levels of data cache.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * As in paper 001, section 5.2, the first level has 32 KiB and 4 ways, the second level 512 KiB and
 * 8 ways. Lines have 64 bytes; the least recently used line is evicted first. The second level
 * includes the first level: a line that is evicted from the second level leaves both levels. A
 * store that misses loads the line. Only misses of the first level access the second level and
 * change the order of its lines.
 *
 * Each set is an array of lines, most recently used first; line numbers are stored plus one, so
 * that 0 means no line. An access across a line border counts once for each line.
 *
 * The simulated cache belongs to the core of one thread. In both levels, a line can be evicted only
 * by lines whose numbers have the same low bits. So different threads can simulate slices of the
 * line numbers (analysis_options), and the sums are exact.
 *
 * Rows: cache LEVEL LOADS LOAD-MISSES STORES STORE-MISSES, for the levels 1 and 2.
 */
#include "ground/basics.h"
#include "analyses/analysis_report.h"

#define LINE_SHIFT 6
#define L1_WAYS    4
#define L1_SETS    (32 * 1024 / 64 / L1_WAYS)
#define L2_WAYS    8
#define L2_SETS    (512 * 1024 / 64 / L2_WAYS)

enum { LOADS, STORES, ACCESSES };

struct level_counts {
    uint64_t accesses[ACCESSES], misses[ACCESSES];
};

struct cache {
    uint64_t slice, slice_mask;
    struct level_counts levels[2];
    uint64_t l1[L1_SETS][L1_WAYS];
    uint64_t l2[L2_SETS][L2_WAYS];
};

/* ---------------------------------------------------------------- Sets */

/* Stores `line` in ways[0], and moves the ways before ways[at] back by one position, over
 * ways[at]. */
APROF_INLINE void ways_move_to_front(uint64_t *ways, unsigned at, uint64_t line)
{
    for (; at > 0; at--)
        ways[at] = ways[at - 1];
    ways[0] = line;
}

/* Accesses a line; returns true for a hit. On a miss, the line is loaded, and *victim becomes the
 * replaced line, or 0. */
APROF_INLINE bool ways_access(uint64_t *ways, unsigned n, uint64_t line, uint64_t *victim)
{
    for (unsigned at = 0; at < n; at++)
        if (ways[at] == line) {
            ways_move_to_front(ways, at, line);
            return true;
        }
    *victim = ways[n - 1];
    ways_move_to_front(ways, n - 1, line);
    return false;
}

/* Removes a line from the set, if the set contains it. The ways behind the line move up, and the
 * last way becomes free. */
static void ways_invalidate(uint64_t *ways, unsigned n, uint64_t line)
{
    for (unsigned at = 0; at < n; at++)
        if (ways[at] == line) {
            for (; at + 1 < n; at++)
                ways[at] = ways[at + 1];
            ways[n - 1] = 0;
            return;
        }
}

/* ---------------------------------------------------------------- Accesses */

APROF_NOINLINE static void line_miss(struct cache *cache, uint64_t line, unsigned kind)
{
    uint64_t victim = 0;

    cache->levels[0].misses[kind]++;
    cache->levels[1].accesses[kind]++;
    if (ways_access(cache->l2[(line - 1) % L2_SETS], L2_WAYS, line, &victim))
        return;
    cache->levels[1].misses[kind]++;
    if (victim)
        ways_invalidate(cache->l1[(victim - 1) % L1_SETS], L1_WAYS, victim);
}

APROF_INLINE void line_access(struct cache *cache, uint64_t number, unsigned kind)
{
    uint64_t victim;

    if ((number & cache->slice_mask) != cache->slice)
        return;
    cache->levels[0].accesses[kind]++;
    if (!ways_access(cache->l1[number % L1_SETS], L1_WAYS, number + 1, &victim))
        line_miss(cache, number + 1, kind);
}

static void cache_consume(void *state, const uint64_t *events, size_t count)
{
    struct cache *cache = state;

    for (size_t i = 0; i < count; i++) {
        unsigned kind = event_kind_of(events[i]) == EVENT_LOAD    ? LOADS
                        : event_kind_of(events[i]) == EVENT_STORE ? STORES
                                                                  : ACCESSES;
        if (kind == ACCESSES)
            continue;
        uint64_t address = event_address(events[i]), bytes = event_bytes(events[i]);
        uint64_t last = (address + bytes - (bytes > 0)) >> LINE_SHIFT;
        for (uint64_t line = address >> LINE_SHIFT; line <= last; line++)
            line_access(cache, line, kind);
    }
}

static void cache_init(void *state, const struct analysis_options *options)
{
    struct cache *cache = state;

    cache->slice_mask = options->slices ? options->slices - 1 : 0;
    cache->slice = options->slice;
}

/* The lines that were accessed in the gap are unknown, so the present content of the cache is kept
 * as an approximation. */
static void cache_gap(void *state)
{
    (void)state;
}

static void cache_merge(void *state, const void *other)
{
    struct cache *cache = state;
    const struct cache *from = other;

    for (unsigned level = 0; level < 2; level++)
        for (unsigned kind = 0; kind < ACCESSES; kind++) {
            cache->levels[level].accesses[kind] += from->levels[level].accesses[kind];
            cache->levels[level].misses[kind] += from->levels[level].misses[kind];
        }
}

static void cache_print(const void *state, struct analysis_report *report)
{
    const struct cache *cache = state;

    for (unsigned level = 0; level < 2; level++) {
        const struct level_counts *counts = &cache->levels[level];
        uint64_t numbers[] = {level + 1, counts->accesses[LOADS], counts->misses[LOADS],
                              counts->accesses[STORES], counts->misses[STORES]};
        analysis_report_row(report, numbers, 1, numbers + 1);
    }
}

static void cache_release(void *state)
{
    (void)state;
}

const struct analysis analysis_cache = {
    .name = "cache",
    .what = "hits and misses of a simulated data cache",
    .events = EVENT_BIT(EVENT_LOAD) | EVENT_BIT(EVENT_STORE),
    .sliced = 1,
    .state_bytes = sizeof(struct cache),
    .rows = {.tag = "cache",
             .key_least = 1,
             .key_most = 1,
             .set_from = 1,
             .count_count = 4,
             .key_names = ANALYSIS_NAMES("level"),
             .count_names = ANALYSIS_NAMES("loads", "load_misses", "stores", "store_misses")},
    .init = cache_init,
    .consume = cache_consume,
    .gap = cache_gap,
    .finish = cache_gap,
    .merge = cache_merge,
    .print = cache_print,
    .release = cache_release,
};
