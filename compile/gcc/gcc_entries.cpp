/* A plugin for gcc: what says where routines' patchable entries lie goes when its routine goes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Before release 13, gcc puts the addresses of all entries of a file into one section, which the linker takes for a
 * part of the file's first routine. If that is the second copy of an inline function or a template, all of them
 * are dropped with it, and calls are lost; if only others are such copies, the linker refuses.
 *
 * So each address gets a section of its own routine. Built for one release of gcc, for which aprof-cc adds it to
 * the command.
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
