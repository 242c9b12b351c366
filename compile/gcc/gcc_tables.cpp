/* A plugin for gcc: adds hooks to reads of constant tables.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gcc's ThreadSanitizer generates no hooks for reads of constant data, because constant data have
 * no races. However, cells that a routine reads in a constant table are input of the routine:
 *
 *     static const int table[400];       sum(400) has an input of 400 cells, not of 0
 *
 * Therefore the plugin clears the constant flag of tables while the sanitizer's pass processes a
 * routine. The flag is set before and after this pass, so the optimiser still knows the values, and
 * tables still lie in read-only sections.
 *
 * The plugin is built for one release of gcc, and aprof-cc adds the plugin to commands of this
 * release. Reads of string literals in an expression ("abc"[i]) have no hooks.
 */
#include <gcc-plugin.h>

#include <plugin-version.h>

#include <context.h>
#include <tree-pass.h>
#include <tree.h>
#include <gimple.h>
#include <gimple-iterator.h>

int plugin_is_GPL_compatible;

namespace
{

/* Constant tables of the routine that the sanitizer's pass is processing. */
auto_vec<tree> tables;

tree uncover_table(tree *at, int *subtrees, void *)
{
    if (TYPE_P(*at))
        *subtrees = 0;
    if (VAR_P(*at) && is_global_var(*at) && TREE_READONLY(*at)) {
        TREE_READONLY(*at) = 0;
        tables.safe_push(*at);
    }
    return NULL_TREE;
}

unsigned uncover_tables(function *routine)
{
    basic_block block;
    FOR_EACH_BB_FN(block, routine)
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
        gimple *statement = gsi_stmt(at);
        for (unsigned i = 0; i < gimple_num_ops(statement); i++)
            walk_tree(gimple_op_ptr(statement, i), uncover_table, NULL, NULL);
    }
    return 0;
}

unsigned cover_tables(function *)
{
    while (!tables.is_empty())
        TREE_READONLY(tables.pop()) = 1;
    return 0;
}

struct tables_pass : gimple_opt_pass {
    unsigned (*work)(function *);

    tables_pass(const pass_data &data, unsigned (*work)(function *))
        : gimple_opt_pass(data, g), work(work)
    {
    }
    bool gate(function *) final
    {
        return true;
    }
    unsigned execute(function *routine) final
    {
        return work(routine);
    }
};

const pass_data uncovers = {
    GIMPLE_PASS, "aprof_uncover_tables", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};
const pass_data covers = {GIMPLE_PASS, "aprof_cover_tables", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

void put(const char *plugin, opt_pass *pass, const char *beside, pass_positioning_ops where)
{
    register_pass_info info = {pass, beside, 1, where};
    register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

} // namespace

/* Rejects other builds of the same release, whose data structures may differ: missing hooks are
 * better than wrong code. */
int plugin_init(plugin_name_args *plugin, plugin_gcc_version *version)
{
    if (!plugin_default_version_check(version, &gcc_version))
        return 0;
    for (const char *sanitizer : {"tsan", "tsan0"}) { /* "tsan0": without optimisation */
        put(plugin->base_name, new tables_pass(uncovers, uncover_tables), sanitizer,
            PASS_POS_INSERT_BEFORE);
        put(plugin->base_name, new tables_pass(covers, cover_tables), sanitizer,
            PASS_POS_INSERT_AFTER);
    }
    return 0;
}
