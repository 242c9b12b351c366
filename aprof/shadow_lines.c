/* The shadow memory of execution contexts with few accesses.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "aprof/shadow_lines.h"
#include "ground/array.h"
#include "ground/host.h"

#define PLACES (2 * LINES_MAX)

/* Returns the position of the line in the hash table, or the free position for the line. At least
 * half of the positions are free. */
static uint32_t place_of(const struct shadow_lines *lines, uint64_t number)
{
    uint32_t at = (uint32_t)((number * 0x9e3779b97f4a7c15u) >> 57);
    while (lines->places[at] && lines->lines[lines->places[at] - 1].number != number)
        at = (at + 1) % PLACES;
    return at;
}

uint32_t *shadow_lines_make(struct shadow_lines *lines, uint64_t number)
{
    uint32_t place = place_of(lines, number);
    if (LIKELY(lines->places[place]))
        return lines->lines[lines->places[place] - 1].stamps;
    if (lines->n_lines == LINES_MAX)
        return NULL;
    lines->lines = array_grow("aprof.shadow.lines", lines->lines, &lines->capacity,
                              lines->n_lines + 1, sizeof(*lines->lines));
    lines->lines[lines->n_lines].number = number;
    lines->places[place] = (uint8_t)++lines->n_lines;
    return lines->lines[lines->n_lines - 1].stamps;
}

static bool is_touched(const struct shadow_line *line, uint64_t first, uint64_t last)
{
    return line->number >= first >> LINE_CELLS_LOG2 && line->number <= last >> LINE_CELLS_LOG2;
}

void shadow_lines_clear(struct shadow_lines *lines, uint64_t first, uint64_t last)
{
    for (uint32_t i = 0; i < lines->n_lines; i++) {
        struct shadow_line *line = &lines->lines[i];
        if (!is_touched(line, first, last))
            continue;
        for (uint32_t at = 0; at < LINE_CELLS; at++) {
            uint64_t cell = (line->number << LINE_CELLS_LOG2) + at;
            if (cell >= first && cell <= last)
                line->stamps[at] = 0;
        }
    }
}

bool shadow_lines_touch(const struct shadow_lines *lines, uint64_t first, uint64_t last)
{
    for (uint32_t i = 0; i < lines->n_lines; i++)
        if (is_touched(&lines->lines[i], first, last))
            return true;
    return false;
}

void shadow_lines_release(struct shadow_lines *lines)
{
    host_free(lines->lines);
    memset(lines, 0, sizeof(*lines));
}
