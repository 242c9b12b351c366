#!/bin/sh
# Makes page_template.c: the bundled page, or an empty page without node or a network.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: template.sh SOURCES WORK_FOLDER NODE NPM
#
# The packages that package-lock.json names go to WORK_FOLDER/npm, by npm if NPM is not "no";
# page_template.c goes to WORK_FOLDER. Without the page, the rest of aprof is built, and `aprof html`
# reports an error. To try again, remove page_template.c.
set -eu

sources=$1
work=$2
node=$3
npm=$4
output=$work/page_template.c

without_page()
{
    echo "aprof: web: $1: 'aprof html' is built without its page" >&2
    cat >"$output" <<'END'
/* Made by template.sh: there is no page. */
#include "lib/base/page_template.h"

const char page_template[] = "";
const size_t page_template_bytes = 0;
const char history_template[] = "";
const char serve_template[] = "";
END
    exit 0
}

[ "$node" != no ] || without_page "not wanted, or node is missing"
mkdir -p "$work/npm"
for file in package.json package-lock.json .npmrc; do
    rm -f "$work/npm/$file"
    cp "$sources/$file" "$work/npm/$file"
done
if [ "$npm" != no ]; then
    (cd "$work/npm" && "$npm" ci --omit=dev) >"$work/npm.log" 2>&1
else
    "$node" "$sources/packages.mjs" "$sources/package-lock.json" "$work/npm" >"$work/npm.log" 2>&1
fi || without_page "cannot get the packages (see $work/npm.log)"
"$node" "$sources/bundle.mjs" "$sources" "$work/npm/node_modules" "$output.partial" ||
    without_page "bundling failed"
mv "$output.partial" "$output"
