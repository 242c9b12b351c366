#!/bin/sh
# Help texts, man pages and completion know the same commands and options; the pages are clean.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${srcdir:-.}/tests/setup.sh"

run 0 aprof help
commands=$(sed -n 's/^  \([a-z]*\)  *.*/\1/p' out | grep -v '^help$')
test -n "$commands" || fail 'no commands in the help text'
for command in $commands; do
    page=$source/docs/aprof-$command.1
    run 0 aprof help "$command"
    cp out help
    run 0 aprof "$command" --help
    cmp out help || fail "$command: --help and help differ"
    test -s "$page" || fail "$command: no man page"
    grep -q "Xr aprof-$command 1" "$source/docs/aprof.1" || fail "aprof(1) does not name $command"
    grep -qw "$command" "$source/scripts/aprof.bash-completion" || fail "$command is not completed"
    sed -n 's/^  .*--\([a-z][a-z-]*\).*/\1/p' help >options
    while read -r option; do
        grep -q "^\.It .*Fl -$option" "$page" || fail "aprof-$command(1): --$option is missing"
        grep -q -e "--$option" "$source/scripts/aprof.bash-completion" ||
            fail "--$option of $command is not completed"
    done <options
done
if command -v mandoc >/dev/null; then
    for page in "$source"/docs/*.[1-8]; do
        status=0
        mandoc -T lint -W warning "$page" >complaints || status=$?
        test "$status" = 0 || fail "a page is not clean: $(head -n 1 complaints)"
    done
fi

finish
