#!/bin/sh
# Tests that every page of the manual is two clicks from the README, and that every heading in a link exists.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

cd "${srcdir:-.}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
wrong()
{
    echo "$*"
    status=1
}

# links_of PAGE: prints the targets of its links, from the root; code is omitted.
links_of()
{
    awk '/^```/ { code = !code } !code && !/^    / {
            for (rest = $0; match(rest, /\]\([^) ]+\)/); rest = substr(rest, RSTART + RLENGTH))
                print substr(rest, RSTART + 2, RLENGTH - 3)
        }' "$1" | grep -v '^[a-z]*:' | while read -r link; do
        case $link in
        '#'*) echo "$1$link" ;;
        *) echo "$(dirname "$1")/$link" ;;
        esac
    done | sed -E 's|^\./||; :up; s|[^/.]+/\.\./||; t up'
}

# headings_of PAGE: prints the headings in the form of links.
headings_of()
{
    awk '/^```/ { code = !code } !code && sub(/^#+ /, "")' "$1" | tr '[:upper:]' '[:lower:]' |
        sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# clicks: prints the pages to which the pages on standard input link.
clicks()
{
    while read -r page; do
        case $page in
        *.md) links_of "$page" ;;
        esac
    done | sed 's/#.*//' | sort -u
}

echo README.md >"$work/none"
clicks <"$work/none" >"$work/one"
clicks <"$work/one" >"$work/two"
sort -u "$work/none" "$work/one" "$work/two" >"$work/near"
find docs -name '*.md' -o -name '*.[15]' | sort >"$work/pages"
[ "$(wc -l <"$work/pages")" -gt 20 ] || wrong 'the manual has lost its pages'
for page in $(comm -23 "$work/pages" "$work/near"); do
    wrong "$page: not within two clicks of README.md"
done

for page in README.md CONTRIBUTING.md $(find docs bench -name '*.md'); do
    for link in $(links_of "$page" | grep '#' || :); do
        aim=${link%%#*}
        headings_of "$aim" 2>/dev/null | grep -qxF "${link#*#}" || wrong "$page: $aim has no heading #${link#*#}"
    done
done
exit $status
