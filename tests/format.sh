#!/bin/sh
# Tests that all sources begin with a description and a licence, and that C sources have the layout of .clang-format.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The first line of a file describes the file, after `#!` if it is a program; the second line names the
# licence. clang-format does not change comments, so this test measures lines: no line has more than
# ColumnLimit columns.
set -eu
source=$(cd "${srcdir:-.}" && pwd)
cd "$source"
modules='analyses aprof bench cab compile contexts ground lib native paths points scripts tests tools web'
status=0

# shellcheck disable=SC2086
files=$(find $modules -type f \( -name '*.[chsS]' -o -name '*.cpp' -o -name '*.sh' -o -name '*.mk' -o -name '*.awk' \
    -o -name '*.js' -o -name '*.mjs' -o -name '*.css' -o -name '*.gp' \) ! -path '*/npm/*' ! -path 'tests/*/work/*' ! -path '*.d/*' \
    ! -path 'bench/evaluate/results/*' ! -name page_template.c)
# shellcheck disable=SC2086
awk '
    FNR == 1 { at = /^#!/ ? 2 : 1 }
    FNR == at + 1 && !/SPDX-License-Identifier: / { print FILENAME ":" FNR ": not the licence"; bad = 1 }
    { lines[FILENAME]++ }
    END {
        for (file in lines)
            files++
        if (files < 300) { print "only " files " sources found"; bad = 1 }
        exit bad
    }' $files || status=1

limit=$(sed -n 's/^ColumnLimit: //p' .clang-format)
# shellcheck disable=SC2086
find $modules -name '*.[ch]' ! -name page_template.c -exec awk -v limit="$limit" '
    length($0) > limit { print FILENAME ":" FNR ": more than " limit " columns"; bad = 1 }
    END { exit bad }' {} + || status=1
[ $status = 0 ] || { echo 'scripts/format.sh wraps comments'; exit 1; }

# Releases of clang-format differ in details of the layout; release 14 formats the sources.
command -v clang-format >/dev/null || { echo 'skipped: clang-format is not installed'; exit 77; }
case $(clang-format --version) in
*'version 14.'*) ;;
*) echo 'skipped: clang-format is not release 14'; exit 77 ;;
esac
# shellcheck disable=SC2086
find $modules -name '*.[ch]' ! -name page_template.c -exec clang-format --dry-run -Werror {} +
