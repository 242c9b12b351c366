/* Calling context trees in memory: the content of a file, or the sum of several files.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables correspond to the records of the file (aprof-contexts-file(5)); the profile owns all
 * memory. A tree's contexts are contiguous, and their ids count from 0 in each tree. Context 0 of
 * each tree is the root, which has no routine. Invariant: a parent's id is below the ids of its
 * children. Loops in ascending order of ids visit parents first, and loops in descending order
 * visit children first, without recursion.
 */
#ifndef LIB_CONTEXTS_CONTEXTS_PROFILE_H
#define LIB_CONTEXTS_CONTEXTS_PROFILE_H

#include "lib/report/report.h"

#define CONTEXTS_NONE UINT32_MAX /* the id of a parent, routine or call site that does not exist */

/* A pruned file has an option that consists of this text and the value of phi. */
#define CONTEXTS_PRUNED "pruned="

#define CONTEXTS_MERGED 0 /* the thread number of a tree that is the sum of several threads */

struct context_object {
    const char *path;     /* "" for code without a file */
    const char *build_id; /* hexadecimal, "" when unknown */
};

/* A call site, which is an address within the call instruction. */
struct context_site {
    uint64_t offset; /* link-time address in the object */
    uint32_t object;
    uint32_t line;    /* 0: unknown */
    const char *file; /* "" when unknown */
};

struct context {
    uint64_t count; /* estimated weight: calls or nanoseconds */
    uint64_t error; /* upper bound of the error of `count` */
    uint32_t parent, routine, site;
    /* whether the context has a count; other contexts only connect the tree, and their counts are
     * undefined */
    bool monitored;
};

typedef VECTOR(struct context) context_list;

struct contexts_tree {
    uint32_t thread;
    uint64_t total; /* total weight, including contexts that were not kept: N in section 3.1 of the
                     * paper */
    uint64_t calls;
    uint64_t deepest;
    size_t first, count; /* range of the tree's contexts */
};

struct context_profile {
    char *path; /* path of the file, for error messages */
    struct arena strings;
    RECORD_CALL_HEAD(RECORD_HEAD_MEMBERS) /* texts of the header, as in the file */
    VECTOR(struct context_object) objects;
    VECTOR(struct report_routine) routines;
    VECTOR(struct context_site) sites;
    VECTOR(struct contexts_tree) trees;
    context_list contexts;
};

void contexts_free(struct context_profile *profile); /* makes the profile empty */

/* Gives every routine its readable name. */
void contexts_name_routines(struct context_profile *profile);

/* Returns a copy of the text, which lives as long as the profile. */
const char *contexts_keep(struct context_profile *profile, const char *text);

static inline bool contexts_is_hot_tree(const struct context_profile *profile)
{
    return profile->technique[0] == 'h';
}

/* The name of a context's routine: "main", or "(all)" for the root. */
const char *contexts_routine_name(const struct context_profile *profile, uint32_t routine);

/* The name of the program that was profiled, without its folder. */
const char *contexts_program(const struct context_profile *profile);

/* Hot contexts (section 3.1 of the paper) ------------------------------------------------------ */

enum { CONTEXT_KEPT = 1, CONTEXT_HOT = 2 };

/* The least count of a hot context, floor(phi * N) and at least 1. In a sum of hot trees, a count
 * may be too low by epsilon * N if the context was not hot in every tree. Therefore the threshold
 * of a sum is lower by epsilon * N, so that no hot context is missed. */
uint64_t contexts_threshold(const struct context_profile *profile, const struct contexts_tree *tree,
                            double phi);

/* Marks monitored contexts with at least the count `least` as hot and kept, and their ancestors and
 * the root as kept. The kept contexts are the HCCT. `marks` has one byte per context. Returns the
 * number of hot contexts. */
size_t contexts_mark_hot(const struct context *contexts, size_t count, uint64_t threshold,
                         unsigned char *marks);

/* Marks the ancestors of marked contexts as kept. */
void contexts_keep_ancestors(const struct context *contexts, size_t count, unsigned char *marks);

/* Removes all contexts that are not kept, and renumbers the kept contexts; `marks` has one byte per
 * context. */
void contexts_remove_unkept(struct context_profile *profile, const unsigned char *marks);

/* Shapes --------------------------------------------------------------------------------------- */

/* Returns the count of a context; 0 if the context is not monitored. */
static inline uint64_t context_count(const struct context *context)
{
    return context->monitored ? context->count : 0;
}

/* Returns, for each context, the sum of its count and the counts of all contexts below it. The
 * caller frees the sums. */
uint64_t *contexts_sum_subtrees(const struct context *contexts, size_t count);

/* Returns the depth of each context; the root has depth 0. The caller frees the list. */
uint32_t *contexts_depths(const struct context *contexts, size_t count);

/* The children of all contexts. The children of context c are ids[first[c]] to ids[first[c + 1] -
 * 1]. */
struct context_children {
    uint32_t *first, *ids;
};

typedef int context_order(const void *a, const void *b, void *user); /* compares two ids */

/* `order` sorts the children of one parent; if it is NULL, children are in the order of their
 * ids. */
struct context_children contexts_children(const struct context *contexts, size_t count,
                                          context_order *order, void *user);
void contexts_children_free(struct context_children *children);

/* Lists all ids so that parents precede their children, and the ids of each subtree are contiguous.
 * The caller frees the list. */
uint32_t *contexts_preorder(const struct context_children *children, size_t count);

/* Trees that grow ------------------------------------------------------------------------------ */

/* A tree with a hash table of (parent, routine, site), so that any child is found in constant
 * time. */
struct context_builder {
    context_list contexts;
    uint32_t *slots; /* hash table of ids + 1 */
    size_t slot_count;
};

/* starts a tree that has only a root */
void context_builder_start(struct context_builder *builder);

/* Returns a child of a context; creates the child if it does not exist. */
uint32_t context_builder_child(struct context_builder *builder, uint32_t parent, uint32_t routine,
                               uint32_t site);

/* Frees the table; the caller owns the contexts. */
context_list context_builder_finish(struct context_builder *builder);

#endif
