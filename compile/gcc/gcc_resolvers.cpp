/* A plugin for gcc: removes hooks from resolvers of indirect functions (IFUNC, target_clones).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The dynamic linker calls a resolver while it relocates the object. During relocation,
 * thread-local variables have no values, and the runtime's functions may not be reachable:
 *
 *     static void *choose(void) { return has_avx() ? fast : slow; }     no hooks, nor has has_avx
 *     int sum(int *) __attribute__((ifunc("choose")));
 *
 * Resolvers are not measured, and neither are routines of the same source that resolvers call
 * directly. For target_clones, gcc itself generates the resolver, so no attribute can exclude the
 * resolver from instrumentation. Therefore the plugin removes hooks after the passes that generate
 * hooks.
 *
 * The plugin is built for one release of gcc, and aprof-cc adds the plugin to commands of this
 * release. compile/ir/resolvers.c does the same for clang.
 */
#include <gcc-plugin.h>

#include <plugin-version.h>

#include <context.h>
#include <tree-pass.h>
#include <tree.h>
#include <stringpool.h>
#include <attribs.h>
#include <cgraph.h>
#include <gimple.h>
#include <gimple-iterator.h>
#include <ssa.h>
#include <tree-ssa.h>

#include <cstring>

int plugin_is_GPL_compatible;

namespace
{

/* Declarations of resolvers and of the routines that resolvers call. */
hash_set<tree> *resolving;

void add(cgraph_node *node)
{
    if (!node || resolving->add(node->decl))
        return;
    for (cgraph_edge *edge = node->callees; edge; edge = edge->next_callee)
        add(edge->callee->ultimate_alias_target());
}

/* The passes that generate hooks. Hooks of -finstrument-functions exist before these passes. */
const char *const makers[] = {"tsan", "tsan0", "sancov", "sancov_O0"};

/* Called before gcc frees function bodies and call edges one by one. */
void find_resolving(void *, void *)
{
    cgraph_node *node;
    resolving = new hash_set<tree>;
    FOR_EACH_FUNCTION(node)
    if (node->alias && lookup_attribute("ifunc", DECL_ATTRIBUTES(node->decl)))
        add(node->ultimate_alias_target());
}

bool is_hook(gimple *statement)
{
    tree callee = is_gimple_call(statement) ? gimple_call_fndecl(statement) : NULL_TREE;
    if (!callee || gimple_call_lhs(statement))
        return false;
    const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(callee));
    return (std::strncmp(name, "__tsan_", 7) == 0 &&
            std::strncmp(name, "__tsan_atomic", 13) != 0) ||
           std::strncmp(name, "__sanitizer_cov_", 16) == 0 ||
           std::strncmp(name, "__cyg_profile_func_", 19) == 0;
}

struct hooks_pass : gimple_opt_pass {
    explicit hooks_pass(const pass_data &data) : gimple_opt_pass(data, g)
    {
    }
    bool gate(function *routine) final
    {
        return resolving && resolving->contains(routine->decl);
    }
    unsigned execute(function *routine) final
    {
        basic_block block;
        FOR_EACH_BB_FN(block, routine)
        for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at);) {
            gimple *statement = gsi_stmt(at);
            if (!is_hook(statement)) {
                gsi_next(&at);
                continue;
            }
            unlink_stmt_vdef(statement);
            gsi_remove(&at, true);
            release_defs(statement);
        }
        return 0;
    }
};

const pass_data removes = {
    GIMPLE_PASS, "aprof_resolvers", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

} // namespace

int plugin_init(plugin_name_args *plugin, plugin_gcc_version *version)
{
    if (!plugin_default_version_check(version, &gcc_version))
        return 0;
    register_callback(plugin->base_name, PLUGIN_ALL_IPA_PASSES_END, find_resolving, NULL);
    for (const char *maker : makers) {
        register_pass_info info = {new hooks_pass(removes), maker, 1, PASS_POS_INSERT_AFTER};
        register_callback(plugin->base_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
    }
    return 0;
}
