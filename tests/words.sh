#!/bin/sh
# Plain language: words that must not come back where they have been replaced.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# docs/glossary.md has the terms. `words` lists each private word, as an extended regular expression, with what
# to write instead. `clean` lists files, also by patterns, that no longer have any; a file that was rewritten is
# added there.
# Exit status: 1 if a clean file has one of the words.
set -eu

cd "${srcdir:-.}"

words='
foret[eo]l[ld]s?|foretelling    predict, predicted
astray                          misaligned
midst                           middle
mend(s|ed|ing)?                 fix
anew                            again
whom|whoever                    name the person or thing
dear(er|est)                    more expensive, most expensive
hears?                          take into account
prophecy                        prediction
programs of others              third-party programs
strangers.? programs            third-party programs
but for                         except for
no fit                          no simple curve
few points                      too few sizes
own cost                        self cost
tell apart|told apart           distinguish
stands? for itself              name the state
that of whom                    split the sentence
'

clean='
NEWS.md
README.md
bench/evaluate/story.md.in
bench/tenfold/judge.awk
docs/*.1
docs/*.5
docs/README.md
docs/analyses.md
docs/builds.md
docs/cab.md
docs/charts.md
docs/ci.md
docs/cluster.md
docs/compiled.md
docs/contexts-algorithms.md
docs/contexts.md
docs/execution-contexts.md
docs/first-report.md
docs/glossary.md
docs/growth.md
docs/howto.md
docs/languages.md
docs/measurements/contexts.md
docs/measurements/growth.md
docs/measurements/paths.md
docs/measurements/soak.md
docs/native.md
docs/papers.md
docs/parallel-trms.md
docs/paths.md
docs/servers.md
docs/story.md
lib/*/*.[ch]
tests/tools/test_growth_truths.c
tools/*.[ch]
web/scale.js
'

status=0
pattern=$(printf '%s\n' "$words" | sed -e '/^$/d' -e 's/  .*//' | paste -sd '|' -)
for file in $clean; do
    [ -f "$file" ] || {
        echo "$file: listed here, but missing"
        status=1
        continue
    }
    if grep -nwiE "$pattern" "$file" /dev/null; then
        status=1
    fi
done
[ "$status" = 0 ] || echo "write instead:$words"
exit "$status"
