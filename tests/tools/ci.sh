#!/bin/sh
# Tests that the files for continuous integration accept unchanged growth and reject worse growth.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The results must be in the reports that users read.
#
# The test runs the commands like the services, with one shell for each step, in a repository with a base and
# a change. Stand-ins replace features of the services (packages, comments, addresses).
. "${0%/*}/../lib.sh"
need git
need make
need gcc
require amd64

# The requests to the stand-ins.
asked=$scratch/asked
mkdir bin
for name in apt-get curl gh; do
    printf '#!/bin/sh\necho "%s $*" >>"%s"\ncase "$*" in *--edit-last*) exit 1 ;; esac\n' $name "$asked" >bin/$name
done
chmod +x bin/*
PATH=$scratch/bin:$PATH
HOME=$scratch
GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
export HOME GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL

# The project: searches for each number of its input among the previous numbers, up to a limit.
git init -q project
cd project
cat >app.c <<'C'
#include <stdio.h>

static int numbers[1000], count;

__attribute__((noinline)) static int find(int wanted, int limit)
{
    for (int i = 0; i < count && i < limit; i++) {
        if (numbers[i] == wanted)
            return i;
    }
    return -1;
}

int main(int argc, char **argv)
{
    FILE *input = argc > 1 ? fopen(argv[1], "r") : NULL;
    int number, found = 0;
    while (input && fscanf(input, "%d", &number) == 1) {
        found += find(number, LIMIT) >= 0;
        numbers[count++] = number;
    }
    return found;
}
C
printf 'app: app.c\n\t$(CC) $(CFLAGS) -DLIMIT=10 -o app app.c\n' >Makefile
seq 600 >input.txt
printf 'find  input 100\n' >bounds.txt
git add .
git commit -qm base
base=$(git rev-parse HEAD)
sed -i '1s/^/\/* Says how many numbers occurred before. *\/\n/' app.c
git commit -qam harmless
harmless=$(git rev-parse HEAD)
sed -i 's/LIMIT=10/LIMIT=1000/' Makefile
git commit -qam harmful
harmful=$(git rev-parse HEAD)

# Steps of each file as step-1, step-2, ...: the text after `run:`, or in a list of commands.
steps_of()
{
    rm -f "$scratch"/step-*
    awk -v to="$scratch/step-" '
        /^ *(before_script|script):$/ { list = 1; next }
        list && /^  [a-z]/ { list = 0 }
        !/^ *#/ && (/^        run: / || list && /^    - /) { n++; block = 0 }
        /^        run: \|$/ || list && /^    - \|$/ { block = list ? 6 : 10; next }
        /^        run: / { sub(/^        run: /, ""); print > (to n); next }
        list && /^    - / { sub(/^    - /, ""); print > (to n); next }
        block && /^ *$/ { next }
        block && match($0, /^ */) && RLENGTH >= block { print substr($0, block + 1) > (to n); next }
        { block = 0 }' "$source/docs/ci/$1.yml"
}

# pipeline COMMIT: 0, or the status of the first failed step, after which only unconditional steps run.
pipeline()
{
    git -C "$scratch/project" worktree remove --force base 2>/dev/null || :
    git -C "$scratch/project" checkout -qf "$1"
    git -C "$scratch/project" clean -qfdx
    : >"$asked"
    result=0
    for n in $(seq "$(find "$scratch" -name 'step-*' | wc -l)"); do
        test $result = 0 || grep -q GITHUB_STEP_SUMMARY "$scratch/step-$n" || continue
        one=0
        (cd "$scratch/project" && sh -e "$scratch/step-$n") >>"$scratch/log" 2>&1 </dev/null || one=$?
        test $result != 0 || result=$one
    done
}

value()
{
    sed -n "s/^ *$2: \\(.*[^ ]\\) *\\(#.*\\)\\{0,1\\}\$/\\1/p" "$source/docs/ci/$1.yml" | sed 's/ *# <--.*//'
}

cd "$scratch"
begin 'GitHub: a change that keeps growth passes'
GATE=$(value github GATE) APROF_PACKAGE=$(value github APROF_PACKAGE)
BASE=$base NUMBER=7 GITHUB_STEP_SUMMARY=$scratch/summary.md
export GATE APROF_PACKAGE BASE NUMBER GITHUB_STEP_SUMMARY
steps_of github
same "$(find . -name 'step-*' | wc -l)" 5 'steps'
pipeline "$harmless"
same "$result" 0 'status'
grep -q 'passed' summary.md || fail "the summary does not say so: $(cat summary.md)"

begin 'GitHub: a change that does not fails, and is told in the summary, the comment and the marks'
: >summary.md
pipeline "$harmful"
same "$result" 1 'status'
grep -q '| FAILED | .*find' summary.md || fail "not in the summary: $(cat summary.md)"
grep -q '^gh pr comment 7 --body-file gate.md' "$asked" || fail "no comment: $(cat "$asked")"
grep -q '"ruleId"' project/gate.sarif || fail 'no marks'

begin 'GitLab: a change that keeps growth passes'
GATE=$(value gitlab GATE)
CI_MERGE_REQUEST_DIFF_BASE_SHA=$base CI_API_V4_URL=https://example.org/api CI_PROJECT_ID=3 CI_MERGE_REQUEST_IID=9
export CI_MERGE_REQUEST_DIFF_BASE_SHA CI_API_V4_URL CI_PROJECT_ID CI_MERGE_REQUEST_IID
steps_of gitlab
same "$(find . -name 'step-*' | wc -l)" 10 'steps'
pipeline "$harmless"
same "$result" 0 'status'

begin 'GitLab: a change that does not fails, and is told in a comment and for JUnit'
GROWTH_TOKEN=secret
export GROWTH_TOKEN
pipeline "$harmful"
same "$result" 1 'status'
grep -q 'body@gate.md https://example.org/api/projects/3/merge_requests/9/notes' "$asked" || fail "no comment: $(cat "$asked")"
grep -q '<failure ' project/gate.xml || fail 'no failure for JUnit'

begin 'the bounds of the page can be read'
sed -n '/^# pattern/,/^```/p' "$source/docs/ci.md" | grep -v '```' >bounds.txt
run 0 aprof gate --bounds=bounds.txt "$data/growth.aprof"
finish
