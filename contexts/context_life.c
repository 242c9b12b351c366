/* Creates trees of calling contexts, with the requested summary.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * context_tree.c, the pool of nodes, uses no summary. hcct.c prunes the nodes that a summary
 * evicts. Summaries call hcct.c, and hcct.c calls summaries only through struct
 * context_summary_ops. This file is the layer above context_tree.c, hcct.c and the summaries.
 */
#include "contexts/context_tree.h"
#include "ground/pages.h"

static size_t tree_bytes(void)
{
    return pages_bytes(sizeof(struct context_tree));
}

struct context_tree *context_tree_new(const struct context_tree_config *config)
{
    struct context_tree *tree = host_map("aprof.contexts.tree", tree_bytes());
    tree->config = *config;
    tree->ops = context_summaries[config->summary].ops;
    tree->hot = tree->ops != NULL;
    tree->site_mask = config->call_sites ? ~(uintptr_t)0 : 0;
    context_tree_start(tree);
    if (tree->hot)
        tree->summary = tree->ops->make(tree);
    return tree;
}

void context_tree_free(struct context_tree *tree)
{
    if (tree->hot)
        tree->ops->free(tree);
    context_tree_end(tree);
    host_unmap(tree, tree_bytes());
}
