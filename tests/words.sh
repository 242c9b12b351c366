#!/bin/sh
# Plain language: words that must not come back where they have been replaced.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# docs/glossary.md has the terms. `words` lists each private word, as an extended regular expression, with what
# to write instead. `clean` lists files, also by patterns, that no longer have any; a file that was rewritten is
# added there. `names` lists words that no name of the code has either, not even as a part; they are searched in all
# sources.
# Exit status: 1 if a clean file has one of the words, or a source one of the names.
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
tells? apart|told apart         distinguish
stands? for itself              name the state
that of whom                    split the sentence
in vain                         needlessly
goes on as                      continues as
has come to be                  has become
looks? itself                   checks inline
'

names='
strands?                        execution context: exec_context, in variables ctx
tally|tallies                   accumulator
sights?                         last seen version: seen_version
toss(es)?                       sampling decision
(trms|has|without)_windows?|windows?_(kind|places?|cluster|space|bytes|mask|leave|none)  direct-mapped shadow: direct_shadow
(trms|build|in)_looks|looks_(build|place|is|number|whole|short|calls)  inline check: trms_checks.c, checks_, checked
mend(s|ed)?                     update, repair
stretch(es)?                    region without calls, range
'

# Everything that people read is clean, except
#   tests/, and the scripts of bench/: texts for developers alone
clean='
CONTRIBUTING.md
LICENSES/README.md
NEWS.md
README.md
analyses/*.[ch]
aprof/*.[ch]
bench/*.md
bench/*/*.md
bench/evaluate/*.md.in
bench/tenfold/judge.awk
cab/*.[ch]
compile/contexts/*.[ch]
compile/driver/*.[ch]
compile/events/*.[ch]
compile/ir/*.[ch]
compile/paths/*.[ch]
compile/trms/*.[ch]
contexts/*.[ch]
docs/*.1
docs/*.5
docs/*.md
docs/measurements/*.md
ground/*.[ch]
lib/*/*.[ch]
native/base/*.[ch]
native/contexts/*.[ch]
native/events/*.[ch]
native/trms/*.[ch]
native/trms/*/*.[ch]
paths/*.[ch]
points/*.[ch]
scripts/*
tests/tools/test_growth_truths.c
tools/*.[ch]
web/[abd-z]*.js
web/c*.js
'

status=0
pattern_of() {
    printf '%s\n' "$1" | sed -e '/^$/d' -e 's/  .*//' | paste -sd '|' -
}
pattern=$(pattern_of "$words")
for file in $clean; do
    [ ! -d "$file" ] || continue
    [ -f "$file" ] || {
        echo "$file: listed here, but missing"
        status=1
        continue
    }
    if grep -nwiE "$pattern" "$file" /dev/null; then
        status=1
    fi
done

modules=$(find ./*/local.mk | sed 's|/local\.mk$||')
# shellcheck disable=SC2086
sources=$(find $modules docs -type f \( -name '*.[chsS15]' -o -name '*.cpp' -o -name '*.sh' -o -name '*.mk' -o -name '*.awk' \
    -o -name '*.js' -o -name '*.mjs' -o -name '*.pml' -o -name '*.md' \) ! -path '*/npm/*' ! -path '*.d/*' ! -path '*/work/*' \
    ! -path './bench/evaluate/results/*' ! -name page_template.c ! -path ./tests/words.sh)
# shellcheck disable=SC2086
if grep -niE "(^|[^[:alpha:]])($(pattern_of "$names"))([^[:alpha:]]|\$)" $sources; then
    status=1
fi
[ "$status" = 0 ] || echo "write instead:$words$names"
exit "$status"
