/* Prints an event stream, one line per record.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     block r3 entry cost 1/0/0 start 0x400040 W8@7efffff8 R4@10000000 -> call
 */
#include "tests/property/stream_dump.h"

static const char *const event_names[EVENT_KINDS] = {
    [EVENT_BLOCK] = "block",
    [EVENT_THREAD_START] = "thread-start",
    [EVENT_THREAD_END] = "thread-end",
    [EVENT_THREAD_SWITCH] = "thread-switch",
    [EVENT_SIGNAL_ENTER] = "signal-enter",
    [EVENT_SIGNAL_LEAVE] = "signal-leave",
    [EVENT_KERNEL_READ] = "kernel-read",
    [EVENT_KERNEL_WRITE] = "kernel-write",
    [EVENT_MAP_FILE] = "map-file",
    [EVENT_FORGET] = "forget",
    [EVENT_MOVE] = "move",
    [EVENT_COLLECT_ON] = "collect-on",
    [EVENT_COLLECT_OFF] = "collect-off",
    [EVENT_COLLECT_TOGGLE] = "collect-toggle",
    [EVENT_ZERO] = "zero",
    [EVENT_FORKED] = "forked",
    [EVENT_REGION_BEGIN] = "region-begin",
    [EVENT_REGION_END] = "region-end",
    [EVENT_SCRIPT_BEGIN] = "script-begin",
    [EVENT_SCRIPT_END] = "script-end",
    [EVENT_PAUSE] = "pause",
    [EVENT_RESUME] = "resume",
    [EVENT_BLOCK_GONE] = "block-gone",
    [EVENT_STACK_MOVED] = "stack-moved",
    [EVENT_STACK_FREED] = "stack-freed",
};

static void dump_end(FILE *out, const struct block *block, const aprof_word *payload)
{
    static const char *const ends[] = {"jump", "fall", "call", "return", "indirect", "linked-call"};
    fprintf(out, " -> %s", ends[block->end]);
    if (block->end == BLOCK_FALL)
        fprintf(out, " next %#lx repeat %#lx", (unsigned long)block->next,
                (unsigned long)block->repeat);
    for (unsigned i = block->n_accesses; i < block->event.words; i++)
        fprintf(out, " %#lx", (unsigned long)payload[i]);
}

static void dump_block(FILE *out, const struct block *block, const aprof_word *payload)
{
    fprintf(out, " r%u%s%s%s cost %u/%u/%u start %#lx", block->routine->id,
            block->flags & BLOCK_ENTRY ? " entry" : "",
            block->flags & BLOCK_UNNAMED ? " unnamed" : "",
            block->flags & BLOCK_RESOLVER ? " resolver" : "", block->cost, block->cost_continued,
            block->cost_repeated, (unsigned long)block->start);
    for (unsigned i = 0; i < block->n_accesses; i++)
        fprintf(out, " %c%u%s@%lx", "RWM"[block->access[i].kind], block -> access[i].size_bytes,
                block->access[i].guarded ? "?" : "", (unsigned long)payload[i]);
    dump_end(out, block, payload);
}

void stream_dump(FILE *out, const aprof_word *from, const aprof_word *to)
{
    while (from < to) {
        const struct event_desc *event = (const struct event_desc *)*from;
        fprintf(out, "%s", event_names[event->kind]);
        if (event->kind == EVENT_BLOCK)
            dump_block(out, (const struct block *)event, from + 1);
        for (unsigned i = 0; event->kind != EVENT_BLOCK && i < event->words; i++)
            fprintf(out, " %#lx", (unsigned long)from[1 + i]);
        fprintf(out, "\n");
        from += 1 + event->words;
    }
}
