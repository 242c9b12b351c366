/* The position of one stack of calls in a tree of contexts: functions off the hot path.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "contexts/context_cursor.h"
#include "ground/pages.h"

static void reserve_frames(struct context_cursor *cursor, size_t n)
{
    cursor->frames = pages_grow("aprof.contexts.frames", cursor->frames, &cursor->capacity, n,
                                sizeof(*cursor->frames));
}

/* Makes space for a call that is deeper than any previous call. */
APROF_NOINLINE void context_cursor_deepen(struct context_cursor *cursor)
{
    reserve_frames(cursor, ++cursor->deepest + 1);
}

void context_cursor_start(struct context_cursor *cursor, struct context_tree *tree)
{
    *cursor = (struct context_cursor){.tree = tree, .node = tree->root};
    reserve_frames(cursor, 1);
    cursor->frames[0] = (struct context_frame){tree->root, ~(uintptr_t)0};
}

void context_cursor_end(struct context_cursor *cursor)
{
    context_cursor_cut_back(cursor, 0);
    pages_free(cursor->frames, cursor->capacity, sizeof(*cursor->frames));
    cursor->frames = NULL;
}

void context_cursor_cut_back(struct context_cursor *cursor, size_t depth)
{
    if (cursor->depth <= depth)
        return;
    if (cursor->tree->hot) {
        while (cursor->depth > depth)
            context_cursor_leave(cursor);
        return;
    }
    cursor->depth = depth;
    cursor->node = cursor->frames[depth].node;
}

/* Compares the cursor's frames with the calls of `path`, from the outermost on; returns how many
 * are equal before the first difference. */
static size_t common_frames(const struct context_cursor *cursor, const struct context_call *path,
                            size_t length)
{
    size_t same = 0;
    uintptr_t site_mask = cursor->tree->site_mask;
    while (same < length && same < cursor->depth) {
        const struct context_node *node = cursor->frames[same + 1].node;
        if (node->routine != path[same].routine || node->site != (path[same].site & site_mask))
            break;
        cursor->frames[same + 1].mark = path[same].mark;
        same++;
    }
    return same;
}

void context_cursor_move(struct context_cursor *cursor, const struct context_call *path,
                         size_t length)
{
    uint64_t calls = cursor->calls;
    size_t same = common_frames(cursor, path, length);
    context_cursor_cut_back(cursor, same);
    for (; same < length; same++)
        context_cursor_enter(cursor, path[same].routine, path[same].site, path[same].mark);
    cursor->calls = calls;
}
