/* Fuzz harness of perf maps: any bytes, in any parts, become entries or are ignored.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The first byte of an input sets the length of the parts, the rest is the map. The parts must give
 * the same code at every address as the whole text does. The levels must keep their invariant:
 * codes are sorted and disjoint. Each name must be parsed into parts of itself.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aprof/perf_map.h"
#include "tests/host_test.h"

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_part(struct perf_text part, const char *name)
{
    require(part.n == 0 || (part.at >= name && part.at + part.n <= name + strlen(name)));
}

static void check_name(const char *name)
{
    struct perf_function function = perf_function_of(name);
    require(strlen(name) < PERF_MAP_LINE_MAX);
    for (const char *at = name; *at; at++)
        require((unsigned char)*at >= ' ');
    if (!function.place.n) /* else "(anonymous)" */
        check_part(function.name, name);
    check_part(function.place, name);
    check_part(function.file, name);
}

static void check_same(const struct perf_map *a, const struct perf_map *b, uintptr_t address)
{
    const struct perf_code *one = perf_map_find(a, address), *other = perf_map_find(b, address);
    require(!one == !other);
    require(!one || (one->start <= address && address < one->end && one->entry == other->entry &&
                     strcmp(one->name, other->name) == 0));
}

static void check_levels(const struct perf_map *map, const struct perf_map *other)
{
    for (unsigned k = 0; k < PERF_MAP_LEVELS_MAX; k++) {
        uintptr_t covered = 0;
        for (uint32_t i = 0; i < map->levels[k].n; i++) {
            const struct perf_code *code = &map->levels[k].codes[i];
            require(covered <= code->start && code->start < code->end &&
                    code->entry <= code->start);
            covered = code->end;
            check_name(code->name);
            check_same(map, other, code->start);
            check_same(map, other, code->start - 1);
            check_same(map, other, code->end - 1);
            check_same(map, other, code->end);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct perf_map whole = {0}, parts = {0};
    if (!size)
        return 0;
    size_t length = 1 + data[0], left = size - 1;
    const char *text = (const char *)data + 1;
    perf_map_add(&whole, text, left);
    for (size_t n; left; text += n, left -= n) {
        n = length < left ? length : left;
        perf_map_add(&parts, text, n);
    }
    require(whole.n_names == parts.n_names);
    check_levels(&whole, &parts);
    check_levels(&parts, &whole);
    perf_map_free(&whole);
    perf_map_free(&parts);
    require(host_test_report_live() == 0);
    return 0;
}
