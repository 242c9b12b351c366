/* The position of one stack of calls in a tree of contexts (the cursor of paper 002, section 3.3).
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *     struct context_cursor cursor;
 *     context_cursor_start(&cursor, tree);
 *     context_cursor_call(&cursor, routine, site, mark);          entered: counts 1
 *     context_cursor_leave(&cursor);                              returned
 *
 * Contexts that are weighted by time need these calls:
 *
 *     context_cursor_count(&cursor, elapsed); context_cursor_enter(&cursor, routine, site, mark);
 *     context_cursor_count(&cursor, elapsed); context_cursor_leave(&cursor);
 *
 * The cursor keeps one frame per pending call, in memory that grows, so the depth has no limit.
 * Frames are needed for folded recursion: a call moves to an ancestor's context, and only the frame
 * records the context to which the call returns. `mark` is a word that the caller can store in each
 * frame, for instance the stack pointer at entry. With stack pointers as marks,
 * context_cursor_cut_below finds the frames that a longjmp or an exception has left.
 *
 * Only context_cursor_enter (for a new node or a deeper stack) and context_cursor_move allocate
 * memory. No cursor function is atomic: a signal handler must not use a cursor while an interrupted
 * function of the cursor is unfinished.
 */
#ifndef CONTEXTS_CONTEXT_CURSOR_H
#define CONTEXTS_CONTEXT_CURSOR_H

#include "contexts/context_tree.h"

struct context_frame {
    struct context_node *node;
    uintptr_t mark;
};

struct context_cursor {
    struct context_tree *tree;
    struct context_node *node;    /* the current context; the root at depth 0 */
    struct context_frame *frames; /* [0]: the root, with mark ~0; [depth]: the current frame */
    size_t depth;
    size_t deepest; /* largest depth so far; less than `capacity` */
    size_t capacity;
    uint64_t calls; /* number of calls of context_cursor_enter */
};

/* One call of the path that context_cursor_move receives. */
struct context_call {
    uintptr_t routine;
    uintptr_t site;
    uintptr_t mark;
};

/* ---------------------------------------------------------------- hot path */

void context_cursor_deepen(struct context_cursor *cursor);

/* Moves to the context of `routine`, called at `site` from the current context. The function
 * changes no count in the tree. */
APROF_INLINE struct context_node *context_cursor_enter(struct context_cursor *cursor,
                                                       uintptr_t routine, uintptr_t site,
                                                       uintptr_t mark)
{
    struct context_node *node = context_tree_child(cursor->tree, cursor->node, routine, site);
    context_tree_pin(cursor->tree, node);
    if (UNLIKELY(cursor->depth == cursor->deepest))
        context_cursor_deepen(cursor);
    struct context_frame *frame = &cursor->frames[++cursor->depth];
    frame->node = node;
    frame->mark = mark;
    cursor->node = node;
    cursor->calls++;
    return node;
}

/* Adds `weight` to the current context; at depth 0, this is the root. */
APROF_INLINE void context_cursor_count(struct context_cursor *cursor, uint64_t weight)
{
    context_tree_count(cursor->tree, cursor->node, weight);
}

/* Enters a context and counts 1, for contexts that are weighted by calls. */
APROF_INLINE void context_cursor_call(struct context_cursor *cursor, uintptr_t routine,
                                      uintptr_t site, uintptr_t mark)
{
    context_cursor_enter(cursor, routine, site, mark);
    context_cursor_count(cursor, 1);
}

/* Returns to the caller's context. Does nothing at depth 0, where the cursor has no frame for the
 * returning routine. */
APROF_INLINE void context_cursor_leave(struct context_cursor *cursor)
{
    if (UNLIKELY(cursor->depth == 0))
        return;
    struct context_node *left = cursor->node;
    cursor->node = cursor->frames[--cursor->depth].node;
    context_tree_unpin(cursor->tree, left);
}

/* Returns the word that the caller passed as `mark` for the current frame; ~0 for the root. */
APROF_INLINE uintptr_t context_cursor_mark(const struct context_cursor *cursor)
{
    return cursor->frames[cursor->depth].mark;
}

/* Removes the youngest frames until `depth` frames remain, after a longjmp or an exception. Does
 * nothing if the cursor has fewer than `depth` frames.
 */
void context_cursor_cut_back(struct context_cursor *cursor, size_t depth);

/* Removes the youngest frame while its mark is below `mark`. If marks are stack pointers,
 * these frames ended when the stack pointer rose to `mark`. */
APROF_INLINE void context_cursor_cut_below(struct context_cursor *cursor, uintptr_t mark)
{
    while (UNLIKELY(context_cursor_mark(cursor) < mark) && cursor->depth)
        context_cursor_leave(cursor);
}

/* ---------------------------------------------------------------- life */

/* Starts at the root of `tree`, which must outlive the cursor. */
void context_cursor_start(struct context_cursor *cursor, struct context_tree *tree);

/* Removes all frames, and frees the cursor's memory. */
void context_cursor_end(struct context_cursor *cursor);

/* Replaces the pending calls by the calls of `path`, outermost first. When a burst begins, `path`
 * has the calls found on the real stack. If the outermost calls are the same as before, their
 * frames are kept, and only get new marks from `path`. The function counts nothing. */
void context_cursor_move(struct context_cursor *cursor, const struct context_call *path,
                         size_t length);

#endif
