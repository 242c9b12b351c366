#!/bin/sh
# Tests the sixth analysis that docs/analyses.md shows, which consists of one file and one word.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Extracts the code from the page, adds it to the table, compiles all analyses with the code and sends it a
# few events.
. "${0%/*}/../lib.sh"
need_papers

mkdir analyses
cp "$source"/analyses/*.[ch] analyses

# shellcheck disable=SC2016
sed -n '/^```c$/,/^```$/p' "$source/docs/analyses.md" | sed '/^```/d' >"$scratch/analyses/sizes.c"
check 'docs/analyses.md has no code' [ -s "$scratch/analyses/sizes.c" ]
sed -i 's/A(cache)/& A(sizes)/' "$scratch/analyses/analysis.c"

cat >run.c <<'END'
#include <stdio.h>
#include "tests/analyses/harness.h"

int main(void)
{
    const struct analysis *sizes = analysis_find("sizes");
    const uint64_t events[] = {event_access(EVENT_STORE, 64, 8), event_access(EVENT_LOAD, 64, 8),
                               event_access(EVENT_LOAD, 65, 4),  event_enter(65),
                               event_access(EVENT_LOAD, 65, 8)};
    void *state = state_new(sizes);

    sizes->consume(state, events, 5);
    sizes->finish(state);
    fputs(report_of(sizes, state), stdout);
    return 0;
}
END
$CC -std=gnu11 -Wall -Wextra -Werror -I. -I"$source" run.c \
    analyses/*.c "$source"/ground/*.c "$source/tests/host_test.c" -o run
./run | grep '^size' >rows
printf 'size\t4\t1\nsize\t8\t3\n' >wanted
same_files rows wanted 'other rows'
finish
