#!/bin/sh
# Draws random sentences of the manual, or of comments, for readers to judge.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: sample_text.sh [-s SEED] [-n COUNT] manual|comments
#
# `make sample-text` prints 100 of each with the seed 1. A line is FILE, a tab and the sentence. The same seed draws
# the same sentences of the same text. Example:
#
#     $ scripts/sample_text.sh -s 7 -n 1 manual
#     docs/aprof-report.1 The line ‘reads’ shows how many cells the threads read as new input
#
# manual: pages without code, tables and headings, man pages as mandoc formats them (without names, synopses, examples
# and references), and messages of the command.
# comments: comments of C sources and headers. A sentence has at least five words. Exit status: 0; 2 usage.
set -eu

seed=1
count=100

usage() {
    echo 'usage: sample_text.sh [-s SEED] [-n COUNT] manual|comments' >&2
    exit 2
}

while getopts s:n: option; do
    case $option in
    s) seed=$OPTARG ;;
    n) count=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || usage
cd "$(dirname "$0")/.."

# Paragraphs, one in a line, as FILE<tab>TEXT.
pages() {
    find README.md NEWS.md CONTRIBUTING.md docs -name '*.md' | sort | while read -r file; do
        awk -v file="$file" '
            function flush() {
                if (text != "")
                    print file "\t" text
                text = ""
            }
            /^```/ { flush(); code = !code; next }
            code || (/^    / && text == "") || /^\|/ || /^#/ || /^!\[/ || /^<!--/ { flush(); next }
            /^ *$/ { flush(); next }
            /^ *- / || /^[0-9]+\. / { flush(); sub(/^ *(-|[0-9]+\.) /, "") }
            # A run-in heading, as in "**Early commits.** If ...", is left out.
            text == "" { sub(/^ +/, ""); sub(/^\*\*?[^*]*\.\*\*? +/, "") }
            { sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0 }
            END { flush() }' "$file"
    done
    # Code and examples are left out, and the tag of a list item is joined to its text.
    find docs -name '*.[15]' | sort | while read -r file; do
        awk '
            /^\.(Bd -literal|Bl -column|Dl)/ { print ".Pp"; code = !/^\.Dl/; example = !code }
            !code && !example
            example { example = /\\$/ }
            /^\.E[dl]/ { code = 0 }' "$file" | mandoc -Tutf8 -Owidth=1000 | col -bx | awk -v file="$file" '
            function flush() {
                if (split(text, word, / +/) > 4)
                    print file "\t" text
                text = ""
            }
            /^[A-Z]/ { flush(); skip = /^(NAME|SYNOPSIS|EXAMPLES|SEE ALSO)$/ }
            # Sections and subsections begin in the columns 1 and 4.
            skip || /^[^ ]/ || /^   [^ ]/ || NF == 0 { flush(); next }
            {
                match($0, /^ */)
                # A line of nearly the full width continues in the next line.
                if (text != "" && RLENGTH <= indent && width < 900)
                    flush()
                indent = RLENGTH
                width = length($0)
                sub(/^ +(• +)?/, "")
                gsub(/ +/, " ")
                text = text (text == "" ? "" : " ") $0
            }
            END { flush() }'
    done
    # A message may have several adjacent string literals. NAME stands for what is inserted.
    awk '
        /message_error\("/ {
            text = substr($0, index($0, "message_error(\"") + 14)
            while (text ~ /" *$/ && (getline line) > 0)
                text = text line
            for (message = ""; match(text, /^ *"([^"\\]|\\.)*"/); text = substr(text, RLENGTH + 1))
                message = message substr(text, index(text, "\"") + 1, RLENGTH - index(text, "\"") - 1)
            gsub(/%[a-z.*]*[sdu]/, "NAME", message)
            print FILENAME "\t" message
        }' tools/*.c lib/*/*.c
}

comments() {
    find aprof analyses cab compile contexts ground lib native paths points tools -name '*.[ch]' ! -name '*template*' |
        sort | while read -r file; do
        awk -v file="$file" '
            function flush() {
                if (text != "" && text !~ /SPDX/)
                    print file "\t" text
                text = ""
            }
            {
                line = $0
                if (!inside) {
                    at = index(line, "/*")
                    if (!at)
                        next
                    line = substr(line, at + 2)
                    inside = 1
                }
                end = index(line, "*/")
                if (end)
                    line = substr(line, 1, end - 1)
                sub(/^ *\* ?/, "", line)
                if (line ~ /^    / || line ~ /^ *$/ || line ~ /---|SPDX/)
                    flush()
                else
                    text = text (text == "" ? "" : " ") line
                if (end) {
                    flush()
                    inside = 0
                }
            }' "$file"
    done
}

case $1 in
manual) paragraphs=pages ;;
comments) paragraphs=comments ;;
*) usage ;;
esac

$paragraphs | awk -F '\t' -v seed="$seed" -v count="$count" '
    BEGIN { srand(seed) }
    {
        # Not behind an initial, as in "by S. M. Blackburn", or in a range, as in "n ... n^2".
        gsub(/\.\.\. /, "...~", $2)
        gsub(/ \. /, " .~", $2)
        while (match($2, /(^|[ (~])[A-Z]\. /))
            $2 = substr($2, 1, RSTART + RLENGTH - 2) "~" substr($2, RSTART + RLENGTH)
        n = split($2, part, /[.!?]([)"]|\*\*)* +/)
        for (i = 1; i <= n; i++) {
            sub(/^ +/, "", part[i])
            gsub(/\.~/, ". ", part[i])
            if (split(part[i], word, / +/) < 5)
                continue
            # Reservoir sampling: each sentence is kept with the same probability.
            if (++seen <= count)
                kept[seen] = $1 "\t" part[i]
            else if ((at = int(rand() * seen) + 1) <= count)
                kept[at] = $1 "\t" part[i]
        }
    }
    END {
        for (i = 1; i <= count && i <= seen; i++)
            print kept[i]
    }'
