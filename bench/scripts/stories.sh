#!/bin/sh
# Profiles third-party scripts with three input sizes, and shows what `aprof scale` reports about larger inputs.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: stories.sh -b BUILD [markdown] [acorn] [jsoup]
#
#   markdown  Python-Markdown (Debian: python3-markdown) converts N opening brackets
#   acorn     the JavaScript parser of webpack and rollup (npm: acorn) parses N declarations in one block
#   jsoup     the HTML parser of Java (Debian: libjsoup-java) selects every other item of a list with N items
#
# A script that is not installed is omitted; acorn is fetched by npm. docs/languages.md has the results.
set -eu

# shellcheck source=bench/scripts/setup.sh
. "${0%/*}/setup.sh"
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- markdown acorn jsoup
cd "$work"

# story NAME "OPTIONS" SIZE SIZE SIZE -- COMMAND...: the size is the last argument.
story() {
    name=$1 options=$2 sizes="$3 $4 $5"
    shift 6
    reports=
    for size in $sizes; do
        # shellcheck disable=SC2086
        aprof run -q --vgdb=no $options --size="$size" -o "$name$size" -- "$@" "$size" >output
        rm -f "/tmp/perf-$(awk '$1 == "process" { print $2 }' "$name$size").map"
        reports="$reports $name$size"
    done
    echo "== $name"
    aprof report --top=3 "$name$size" | sed -n '/most expensive routine/,/^$/p; /^routine/,/^(/p'
    # shellcheck disable=SC2086
    aprof scale --top=5 $reports | sed '/^self %: share/,$d'
}

cat >markdown_brackets.py <<'SCRIPT'
import sys

import markdown

print(len(markdown.markdown("[" * int(sys.argv[1]))))
SCRIPT
cat >acorn_names.js <<'SCRIPT'
const acorn = require("acorn");
const n = Number(process.argv[2]);
let text = "";
for (let i = 0; i < n; i++)
    text += `let name${i} = ${i};\n`;
console.log(acorn.parse(text, {ecmaVersion: 2022}).body.length);
SCRIPT

cat >Items.java <<'SCRIPT'
import org.jsoup.Jsoup;

public class Items {
    public static void main(String[] arguments) {
        StringBuilder text = new StringBuilder("<ul>");
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++)
            text.append("<li>").append(i).append("</li>");
        System.out.println(Jsoup.parse(text + "</ul>").select("li:nth-child(odd)").size());
    }
}
SCRIPT

for name; do
    case $name in
    markdown)
        if /usr/bin/python3 -c 'import markdown, sys; sys.exit(sys.version_info >= (3, 12))' 2>/dev/null; then
            story markdown --python 100 200 400 -- /usr/bin/python3 markdown_brackets.py
        else
            echo 'left out: no python3-markdown for CPython 3.8 to 3.11'
        fi
        ;;
    acorn)
        if command -v npm >/dev/null && npm install --silent acorn@8.19.0 >npm.log 2>&1; then
            story acorn '' 250 500 1000 -- node acorn_names.js
        else
            echo 'left out: npm cannot install acorn'
        fi
        ;;
    jsoup)
        library=/usr/share/java/jsoup.jar
        if [ -e "$library" ] && command -v javac >/dev/null && javac -cp "$library" Items.java; then
            story jsoup '' 2000 4000 8000 -- java -cp "$library:." Items
        else
            echo 'left out: no libjsoup-java, or no Java 17'
        fi
        ;;
    *)
        echo "stories.sh: no story $name" >&2
        exit 2
        ;;
    esac
done
