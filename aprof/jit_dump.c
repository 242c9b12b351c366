/* Source lines of code that a program generates at run time; see jit_dump.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "aprof/jit_dump.h"
#include "ground/host.h"

#define MAGIC        0x4a695444u
#define HEADER_BYTES 40
#define RECORD_BYTES 16
#define RECORD_LOAD  0
#define RECORD_LINES 2
#define LOAD_BYTES   (RECORD_BYTES + 40) /* bytes before the name in a record with id 0 */
#define LINE_BYTES   16                  /* bytes before the file's name in a line */
#define SAME_FILE    "\xff"              /* instead of a name: same file as in the previous line */

static uint32_t get_32(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t get_64(const unsigned char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void line_end(struct jit_dump *dump, uintptr_t end)
{
    dump->last.end = end;
    if (dump->last.entry && dump->last.start < end)
        perf_map_put(&dump->lines, &dump->last);
    dump->last.entry = 0;
}

/* A line in a record with id 2. */
struct line {
    uintptr_t address;
    uint32_t line;
    const char *file;
    size_t n_file;
};

/* Parses the line at `*at` and advances `*at` to the next line. Returns false if the record ends
 * before the line does. */
static bool line_parse(const unsigned char **at, const unsigned char *end, struct line *line)
{
    const unsigned char *file = *at + LINE_BYTES;
    if (end - *at <= LINE_BYTES)
        return false;
    line->address = (uintptr_t)get_64(*at);
    line->line = get_32(*at + 8);
    line->file = (const char *)file;
    while (file < end && *file)
        file++;
    line->n_file = (size_t)((const char *)file - line->file);
    *at = file + 1;
    return file < end;
}

/* Returns whether the record has `count` lines with ascending addresses. After the lines, only
 * padding to a whole word may follow. */
static bool lines_are_valid(const unsigned char *at, const unsigned char *end, uint64_t count)
{
    struct line line;
    for (uintptr_t previous = 0; count; count--, previous = line.address)
        if (!line_parse(&at, end, &line) || line.address < previous || (int32_t)line.line < 0)
            return false;
    return (size_t)(end - at) < sizeof(uint64_t);
}

static bool same_text(const char *a, size_t n, const char *b, size_t n_b)
{
    size_t i = 0;
    while (i < n && i < n_b && a[i] == b[i])
        i++;
    return i == n && i == n_b;
}

static void lines_add(struct jit_dump *dump, const unsigned char *at, const unsigned char *end)
{
    const char *file = NULL;
    size_t n_file = 0;
    uint64_t count;
    struct line line;
    dump->last.entry = 0;
    if (end - at < RECORD_BYTES)
        return;
    count = get_64(at + 8);
    at += RECORD_BYTES;
    if (!lines_are_valid(at, end, count))
        return;
    for (; count && line_parse(&at, end, &line); count--) {
        line_end(dump, line.address);
        if (line.n_file != 1 || line.file[0] != SAME_FILE[0]) {
            if (!file || !same_text(file, n_file, line.file, line.n_file))
                file = perf_map_keep(&dump->lines, line.file, line.file + line.n_file);
            n_file = line.n_file;
        }
        if (file && n_file)
            dump->last = (struct perf_code){line.address, 0, line.line, file};
    }
}

/* Reads a record of `n` bytes. */
static void record_add(struct jit_dump *dump, const unsigned char *at, size_t n)
{
    switch (get_32(at)) {
    case RECORD_LINES:
        lines_add(dump, at + RECORD_BYTES, at + n);
        break;
    case RECORD_LOAD:
        if (n >= LOAD_BYTES)
            line_end(dump,
                     (uintptr_t)(get_64(at + RECORD_BYTES + 16) + get_64(at + RECORD_BYTES + 24)));
        dump->last.entry = 0;
        break;
    default:
        break;
    }
}

static size_t header_add(struct jit_dump *dump, const unsigned char *bytes, size_t n)
{
    if (n < HEADER_BYTES)
        return 0;
    dump->is_open = true;
    dump->is_invalid = get_32(bytes) != MAGIC || get_32(bytes + 8) < HEADER_BYTES;
    return get_32(bytes + 8);
}

size_t jit_dump_add(struct jit_dump *dump, const unsigned char *bytes, size_t n)
{
    size_t at = 0;
    if (!dump->is_open)
        at = header_add(dump, bytes, n);
    if (dump->is_invalid)
        return n;
    while (dump->is_open && at <= n && n - at >= RECORD_BYTES) {
        size_t size = get_32(bytes + at + 4);
        if (size < RECORD_BYTES) {
            dump->is_invalid = true;
            return n;
        }
        if (size > JIT_DUMP_RECORD_MAX)
            dump->last.entry = 0;
        else if (size > n - at)
            break;
        else
            record_add(dump, bytes + at, size);
        at += size;
    }
    return at;
}

const char *jit_dump_line(const struct jit_dump *dump, uintptr_t address, uint32_t *line)
{
    const struct perf_code *found = perf_map_find(&dump->lines, address);
    *line = found ? (uint32_t)found->entry : 0;
    return found ? found->name : NULL;
}

void jit_dump_free(struct jit_dump *dump)
{
    perf_map_free(&dump->lines);
    *dump = (struct jit_dump){0};
}
