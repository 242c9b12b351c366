/* A plugin for gcc: puts the address of each patchable entry into a section of the entry's routine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Before release 13, gcc puts the addresses of all entries of a file into one section. The linker
 * treats this section as a part of the file's first routine. The first routine may be a duplicate
 * copy of an inline function or a template. The linker then drops this routine together with all
 * addresses of the file, and calls are lost. If only other routines are duplicate copies, the link
 * fails.
 *
 * With the plugin, the linker drops an address only together with the address's routine. The plugin
 * is built for one release of gcc, and aprof-cc adds the plugin to commands of this release.
 */
#include <gcc-plugin.h>

#include <plugin-version.h>

#include <tree.h>
#include <target.h>

#include <cstring>

int plugin_is_GPL_compatible;

namespace
{

void (*name_section)(const char *name, unsigned flags, tree owner);

void name_section_of_routine(const char *name, unsigned flags, tree owner)
{
    bool entries = std::strcmp(name, "__patchable_function_entries") == 0;
    name_section(name, flags, entries && current_function_decl ? current_function_decl : owner);
}

} // namespace

int plugin_init(plugin_name_args *, plugin_gcc_version *version)
{
    if (!plugin_default_version_check(version, &gcc_version))
        return 0;
    name_section = targetm.asm_out.named_section;
    targetm.asm_out.named_section = name_section_of_routine;
    return 0;
}
