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
tells? apart|told apart         distinguish
stands? for itself              name the state
that of whom                    split the sentence
in vain                         needlessly
goes on as                      continues as
has come to be                  has become
looks? itself                   checks inline
'

# Everything that people read is clean, except
#   tests/, bench/     texts for developers alone
clean='
CONTRIBUTING.md
NEWS.md
README.md
analyses/*.[ch]
aprof/*.[ch]
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
pattern=$(printf '%s\n' "$words" | sed -e '/^$/d' -e 's/  .*//' | paste -sd '|' -)
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
[ "$status" = 0 ] || echo "write instead:$words"
exit "$status"
