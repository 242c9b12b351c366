/* Fuzz harness of perf maps and jitdumps: any bytes, in any parts, become entries or are ignored.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The first byte of an input sets the length of the parts; the rest is the map and the dump. The
 * parts must give the same code at every address as the whole text does. The levels must keep their
 * invariant: codes are sorted and disjoint. Each name must be parsed into parts of itself.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aprof/jit_dump.h"
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

static void dump_read(struct jit_dump *dump, const uint8_t *data, size_t size, size_t step)
{
    size_t read = 0, skip;
    for (size_t end = 0; end < size;) {
        end = end + step < size ? end + step : size;
        for (; read < end; read += skip) {
            size_t n = end - read < JIT_DUMP_RECORD_MAX ? end - read : JIT_DUMP_RECORD_MAX;
            if (!(skip = jit_dump_add(dump, data + read, n)))
                break;
        }
    }
}

/* The same bytes as a jitdump, as a whole and in a file that grows. */
static void check_dump(const uint8_t *data, size_t size, size_t step)
{
    struct jit_dump whole = {0}, parts = {0};
    dump_read(&whole, data, size, size);
    dump_read(&parts, data, size, step);
    require(whole.is_invalid == parts.is_invalid);
    for (unsigned k = 0; k < PERF_MAP_LEVELS_MAX; k++)
        for (uint32_t i = 0; i < whole.lines.levels[k].n; i++) {
            uint32_t one, other;
            uintptr_t at = whole.lines.levels[k].codes[i].start;
            const char *file = jit_dump_line(&whole, at, &one);
            require(file && one && strcmp(file, jit_dump_line(&parts, at, &other)) == 0 &&
                    one == other);
        }
    jit_dump_free(&whole);
    jit_dump_free(&parts);
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
    check_dump(data + 1, size - 1, 1 + data[0]);
    require(host_test_report_live() == 0);
    return 0;
}
