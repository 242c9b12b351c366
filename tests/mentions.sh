#!/bin/sh
# Tests that files that pages and comments name exist.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A mention is a path from the root with a suffix of the sources (`aprof/trms.c`), in a page also a folder
# (`tests/cab/`), or a pattern that must match a file (`native/trms/*.c`). The targets of a page's links
# (`[the ring](cab.md)`), including pictures, are mentions, too. NAME in a path matches any name.
set -eu

cd "${srcdir:-.}"
mentions=$(mktemp)
trap 'rm -f "$mentions"' EXIT

modules=$(find ./*/local.mk | sed 's|^\./||; s|/local\.mk$||')
texts=$(for module in $modules; do
    find "$module" -name '*.[chsS]' -o -name '*.cpp' -o -name '*.sh' -o -name '*.awk' -o -name '*.md' |
        sed -E '\:/npm/|\.d/|page_template\.c$:d'
done)

# shellcheck disable=SC2086
awk -v modules="$modules" '
    BEGIN {
        gsub(/\n/, "|", modules)
        source = "^(" modules ")/[A-Za-z0-9_/.*-]*\\.([chsS]|cpp|sh|awk|gp|pml|md|mjs|js|[15])$"
        folder = "^(" modules ")/[A-Za-z0-9_/*-]*/?$"
    }

    {
        page = FILENAME ~ /\.md$/
        n = split($0, word, /[^A-Za-z0-9_\/.*${}-]+/)
        for (i = 1; i <= n; i++) {
            sub(/\.$/, "", word[i])
            if (word[i] ~ /NAME/)
                continue
            if (word[i] ~ source || page && word[i] ~ folder && word[i] ~ /\/$/)
                print FILENAME ":" FNR, word[i]
        }
    }

    page {
        here = FILENAME ~ /\// ? FILENAME : "./" FILENAME
        sub(/[^\/]*$/, "", here)
        for (rest = $0; match(rest, /\]\([^):#]+[)#]/); rest = substr(rest, RSTART + RLENGTH))
            print FILENAME ":" FNR, here substr(rest, RSTART + 2, RLENGTH - 3)
    }' $texts ./*.md >"$mentions"

[ -s "$mentions" ] || { echo 'no mentions found'; exit 1; }
status=0
while read -r place name; do
    # Expands a pattern to the matching files.
    # shellcheck disable=SC2086
    set -- $name
    [ -e "$1" ] || { echo "$place: names $name, which is not there"; status=1; }
done <"$mentions"
exit $status
