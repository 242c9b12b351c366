/* A plugin for gcc: reads of constant tables have hooks, too.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gcc's ThreadSanitizer makes no hooks for what nobody can write, since there is no race to be found. But
 * what a routine reads in a table is its input:
 *
 *     static const int table[400];       sum(400) has an input of 400 cells, not of none
 *
 * So tables do not say that they are constant while that pass looks at a routine. Before and after
 * it they do: values are still known to the optimiser, and tables still go where nobody writes.
 *
 * Built for one release of gcc, for which aprof-cc adds it to the command. String literals in an expression
 * ("abc"[i]) stay without hooks.
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

/* Of the routine that is looked at. */
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

/* Another build of the same release may be laid out differently: better no tables than wrong code. */
int plugin_init(plugin_name_args *plugin, plugin_gcc_version *version)
{
    if (!plugin_default_version_check(version, &gcc_version))
        return 0;
    for (const char *sanitizer : {"tsan", "tsan0"}) { /* the latter without optimisation */
        put(plugin->base_name, new tables_pass(uncovers, uncover_tables), sanitizer,
            PASS_POS_INSERT_BEFORE);
        put(plugin->base_name, new tables_pass(covers, cover_tables), sanitizer,
            PASS_POS_INSERT_AFTER);
    }
    return 0;
}
