#!/bin/sh
# Tests that the build names each source, with or without its suffix; otherwise a release would lack it.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

cd "${srcdir:-.}"
modules=$(find ./*/local.mk | sed 's|^\./||; s|/local\.mk$||')
named=$(mktemp)
trap 'rm -f "$named"' EXIT
# shellcheck disable=SC2086
find Makefile.am $modules \( -name local.mk -o -name Makefile.am \) -exec cat {} + | tr -s ' \t' '\n' >"$named"
status=0
count=0
# shellcheck disable=SC2086
for file in $(find $modules -name '*.[chsS]' -o -name '*.cpp' | grep -v '/npm/\|page_template\.c$'); do
    count=$((count + 1))
    grep -qxF -e "$file" -e "${file%.*}" -e "\$(srcdir)/$file" "$named" || { echo "$file: in no local.mk"; status=1; }
done
[ "$count" -gt 300 ] || { echo 'no sources found'; exit 1; }
exit $status
