#!/bin/sh
# All C sources have the layout that .clang-format describes.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
source=$(cd "${srcdir:-.}" && pwd)
# Releases differ in details of the layout; this is the one that the sources are formatted with.
command -v clang-format >/dev/null || { echo 'skipped: clang-format is not installed'; exit 77; }
case $(clang-format --version) in
*'version 14.'*) ;;
*) echo 'skipped: clang-format is not release 14'; exit 77 ;;
esac
cd "$source"
find analyses aprof bench cab compile contexts ground lib native paths points tests tools web -name '*.[ch]' ! -name page_template.c -exec clang-format --dry-run -Werror {} +
