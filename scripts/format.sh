#!/bin/sh
# Formats the C sources as tests/format.sh requires, and wraps long comments.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     scripts/format.sh                  all modules
#     scripts/format.sh FILE...          these files
#
# clang-format does not change comments (ReflowComments: false), because many comments are tables and examples. This
# script wraps comments with too long lines. Check the result, and fix tables by hand.
set -eu
cd "$(dirname "$0")/.."
style=$(mktemp -d)
trap 'rm -rf "$style"' EXIT
sed 's/^ReflowComments: .*/ReflowComments: true/' .clang-format >"$style/wrap"
limit=$(sed -n 's/^ColumnLimit: //p' .clang-format)

# shellcheck disable=SC2046
test $# -gt 0 || set -- $(find $(sed -n "s/^modules='\(.*\)'/\1/p" tests/format.sh) -name '*.[ch]' ! -name page_template.c)
for file; do
    lines=$(awk -v limit="$limit" 'length($0) > limit { printf " --lines=%d:%d", FNR, FNR }' "$file")
    # shellcheck disable=SC2086
    test -z "$lines" || clang-format -i --style="file:$style/wrap" $lines "$file"
    clang-format -i "$file"
done
