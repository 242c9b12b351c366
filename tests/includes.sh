#!/bin/sh
# Tests that include paths start at the root, and follow the rules of docs/architecture.md.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The table in docs/architecture.md lists the modules, from the lowest, and the modules whose files each may
# include. This test reads the table, then every C, C++ and assembler file below the modules' folders:
#
#     aprof/trms.c:20: #include "tools/command.h": `aprof/` engine may include `ground/`, ...
#
# A file belongs to the module with the longest folder that it lies in; files that engine_sources of
# aprof/local.mk names are the engine's. Includes in <> are system headers, which the test ignores.
set -eu

source=$(cd "${srcdir:-.}" && pwd)
cd "$source"

# Each module has a local.mk; other folders are remnants of builds and tests.
files=$(find ./*/local.mk | sed 's|^\./||; s|/local\.mk$||' | while read -r module; do
    find "$module" -name '*.[chsS]' -o -name '*.cpp' | sed -E '\:/npm/|\.d/|page_template\.c$:d'
done)

# shellcheck disable=SC2086
awk '
    function fail(text) { print text; failures++ }

    # "`a/`, `b/` engine" -> list[1] = "a/", list[2] = "b/ engine"
    function names_of(cell, list,    n, i) {
        gsub(/`/, "", cell)
        gsub(/^ +| +$/, "", cell)
        n = split(cell, list, / *, */)
        return n
    }

    function module_of(file,    folder) {
        if (file in engine)
            return "aprof/ engine"
        for (folder = file; sub(/[^\/]*\/?$/, "", folder) && folder != "";) {
            if (folder == "aprof/")
                return "aprof/ front end"
            if (folder in place)
                return folder
        }
        return ""
    }

    function glob_fits(file, glob) {
        gsub(/\./, "\\.", glob)
        gsub(/\*/, ".*", glob)
        return file ~ "^" glob "$"
    }

    function may_include(module, file, target,    i) {
        if (module == target || may[module, 1] == "every module")
            return 1
        for (i = 1; i <= count[module]; i++)
            if (target == "" ? glob_fits(file, may[module, i]) : may[module, i] == target)
                return 1
        return 0
    }

    function list_of(module,    i, text) {
        for (i = 1; i <= count[module]; i++)
            text = text (i > 1 ? ", " : "") may[module, i]
        return text == "" ? "nothing" : text
    }

    FNR == 1 { module = module_of(FILENAME) }

    FILENAME == "docs/architecture.md" {
        if (/^\| module \|/)
            inside = 1
        else if (inside && /^\| `/) {
            split($0, cells, / *\| */)
            names_of(cells[2], name)
            place[name[1]] = ++modules
            where[name[1]] = FNR
            n = names_of(cells[4], list)
            count[name[1]] = n
            for (i = 1; i <= n; i++) {
                may[name[1], i] = list[i]
                if (list[i] ~ /\// && !(list[i] in place))
                    fail(FILENAME ":" FNR ": " name[1] " includes " list[i] ", which is not above it")
            }
        } else if (inside && !/^\|/)
            inside = 0
        next
    }

    FILENAME == "aprof/local.mk" {
        if (/^engine_sources *=/)
            listing = 1
        if (listing)
            for (i = 1; i <= NF; i++)
                if ($i ~ /^aprof\//)
                    engine[$i] = 1
        if (!/\\$/)
            listing = 0
        next
    }

    FNR == 1 {
        seen++
        if (module == "")
            fail(FILENAME ":1: no module of docs/architecture.md")
    }

    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, part, "\"")
        target = module_of(part[2])
        at = FILENAME ":" FNR ": #include \"" part[2] "\": "
        if (may_include(module, part[2], target))
            next
        if (target == "")
            fail(at "not written from the root")
        else
            fail(at module " may include " list_of(module))
    }

    END {
        if (modules < 2 || seen < 2) {
            print "docs/architecture.md: no table of modules, or no sources"
            exit 1
        }
        exit failures > 0
    }
' docs/architecture.md aprof/local.mk $files
