#!/bin/sh
# Tests the GitHub action and the GitLab component: harmless changes pass, harmful ones fail, hostile ones do no harm.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The test runs the commands of action.yml and templates/growth.yml with the inputs of docs/ci/, the event files and the
# variables that the services document, in a shallow clone. Stand-ins replace apt-get and curl, which record requests.
. "${0%/*}/../lib.sh"
need git
need jq
need make
need gcc
require amd64

asked=$scratch/asked
mkdir bin share
ln -s "$build/tools/aprof" bin/aprof
ln -s "$source/scripts" share/aprof
cat >bin/curl <<'SH'
#!/bin/sh
printf '%s\n' "curl $*" >>"$ASKED"
for word; do
    case $word in @/*) sed 's/^/data: /' "${word#@}" >>"$ASKED" ;; esac
done
case "$*" in *'-H @-'*) sed 's/^/header: /' >>"$ASKED" ;; esac
case "$*" in *' GET '*'&page=1') cat "$ASKED.list" ;; *' GET '*) echo '[]' ;; esac
test ! -f "$ASKED.refuse" || exit 22
SH
printf '#!/bin/sh\necho "apt-get $*" >>"$ASKED"\n' >bin/apt-get
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
chmod +x bin/*
ASKED=$asked HOME=$scratch TMPDIR=$scratch PATH=$scratch/bin:$PATH
GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
export ASKED HOME TMPDIR PATH GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
echo '[]' >"$asked.list"

# The project: sorts longer and longer parts of its numbers, by merging.
git init -q origin
cd origin
cat >sort.h <<'C'
__attribute__((noinline)) static void sort(int *v, int n)
{
    int half = n / 2, left = 0, right = half, merged[1000];
    if (n < 2)
        return;
    sort(v, half);
    sort(v + half, n - half);
    for (int i = 0; i < n; i++)
        merged[i] = right == n || left < half && v[left] < v[right] ? v[left++] : v[right++];
    for (int i = 0; i < n; i++)
        v[i] = merged[i];
}
C
cat >app.c <<'C'
#include <stdio.h>
#include "sort.h"

int main(int argc, char **argv)
{
    static int numbers[1000];
    FILE *input = argc > 1 ? fopen(argv[1], "r") : NULL;
    int count = 0;
    while (input && count < 1000 && fscanf(input, "%d", &numbers[count]) == 1)
        count++;
    for (int n = 20; n <= count; n += 20) {
        int copy[1000];
        for (int i = 0; i < n; i++)
            copy[i] = numbers[i];
        sort(copy, n);
    }
    return !input;
}
C
printf 'app: app.c sort.h\n\ttest -z "$$APROF_TOKEN$$GROWTH_TOKEN"\n\t$(CC) $(CFLAGS) -w -o app app.c\n' >Makefile
awk 'BEGIN { for (i = 0; i < 400; i++) print i * 7919 % 1009 }' >input.txt
echo 'sort  n log n' >bounds.txt
git add .
git commit -qm base
base=$(git rev-parse HEAD)
sed -i '1s/^/\/* Sorts by merging. *\/\n/' sort.h
git commit -qam harmless
harmless=$(git rev-parse HEAD)
cat >sort.h <<'C'
__attribute__((noinline)) static void sort(int *v, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (v[j] < v[i]) {
                int x = v[i];
                v[i] = v[j];
                v[j] = x;
            }
        }
    }
}
C
git commit -qam harmful
harmful=$(git rev-parse HEAD)
project="$scratch/a project"
git -C "$scratch" clone -q --depth=1 "file://$scratch/origin" "$project"
cd "$project"

# inputs SERVICE: sets the variables that the action or the component passes on, from the inputs of its example.
inputs()
{
    unset APROF_BUILD APROF_RUN APROF_RUN_OPTIONS APROF_BOUNDS APROF_THRESHOLD APROF_STRICT
    case $1 in
    github) definition=$source/action.yml ;;
    gitlab) definition=$source/templates/growth.yml ;;
    esac
    for input in build run bounds threshold package; do
        variable=$(sed -n "s/^ *\(APROF_[A-Z_]*\):.*[[{] inputs\.$input []}].*/\1/p" "$definition")
        value=$(sed -n "s/^ *$input: //p" "$source/docs/ci/$1.yml" | sed 's/ *# <--.*//; s/^"\(.*\)"$/\1/')
        test "$variable" && test "$value" || fail "$1: no input $input"
        export "$variable=$value"
    done
}

# steps SERVICE FIRST...: runs the commands that contain one of the words. Sets status to the first that is not 0.
steps()
{
    service=$1 status=0
    shift
    for step; do
        case $service in
        github) sed -n "s/^      run: '\(.* $step\)'\$/\1/p" "$source/action.yml" ;;
        gitlab) sed -n "s/^    - \(.* $step\)\$/\1/p" "$source/templates/growth.yml" ;;
        esac >"$scratch/step"
        test -s "$scratch/step" || fail "$service has no step $step"
        one=0
        sh -e "$scratch/step" >>out 2>>err </dev/null || one=$?
        test $status != 0 || status=$one
    done
    last="$service $*"
}

# commit ID: checks it out, as the services do.
commit()
{
    git fetch -q --depth=1 origin "$1"
    git checkout -qf "$1"
    git clean -qfdx -e aprof-growth
    : >"$asked"
    rm -f out err
}

# event BASE HEAD-REPOSITORY: writes the file of a pull_request event, with hostile names.
event()
{
    jq -n --arg base "$1" --arg head "$2" '{
        action: "synchronize", number: 7,
        pull_request: {number: 7, title: "$(touch pwned)`touch pwned`\n::set-output name=a::b",
            head: {ref: "a$(touch pwned)`touch pwned`;touch pwned\nrm", sha: $base, repo: (if $head == "null" then null else {full_name: $head} end)},
            base: {ref: "main", sha: $base, repo: {full_name: "owner/project"}}},
        repository: {full_name: "owner/project"}}' >"$scratch/event.json"
}

GITHUB_ACTION_PATH=$source GITHUB_EVENT_NAME=pull_request GITHUB_EVENT_PATH=$scratch/event.json
GITHUB_STEP_SUMMARY=$scratch/summary.md GITHUB_API_URL=https://api.example.org GITHUB_SERVER_URL=https://example.org
GITHUB_REPOSITORY=owner/project GITHUB_RUN_ID=55 GITHUB_HEAD_REF='a$(touch pwned)`touch pwned`'
export GITHUB_ACTION_PATH GITHUB_EVENT_NAME GITHUB_EVENT_PATH GITHUB_STEP_SUMMARY GITHUB_API_URL GITHUB_SERVER_URL
export GITHUB_REPOSITORY GITHUB_RUN_ID GITHUB_HEAD_REF

begin 'actions are pinned by commit, and no script contains an expression'
! grep 'uses: ' "$source/action.yml" | grep -v '@[0-9a-f]\{40\} # v[0-9.]*$' || fail 'an action is not pinned'
! grep 'run: .*\${{' "$source/action.yml" || fail 'an expression is part of a script'
same "$(sed -n '/script:$/,/^  [a-z]*:$/p' "$source/templates/growth.yml" | grep -c 'inputs\.')" 0 'inputs in scripts'
if python3 -c 'import yaml' 2>/dev/null; then
    run 0 python3 - "$source" <<'PY'
import yaml, sys
for name in "action.yml", "templates/growth.yml", "docs/ci/github.yml", "docs/ci/gitlab.yml":
    for part in yaml.safe_load_all(open(sys.argv[1] + "/" + name)):
        assert isinstance(part, dict), name
PY
fi

begin 'GitHub: the package is installed'
inputs github
: >"$asked"
touch "$scratch/aprof.deb"
steps github install
expect_status 0
grep -q "^curl .*-- https://example.org/aprof_1.0.0-1_amd64.deb" "$asked" || fail "not fetched: $(cat "$asked")"
grep -q "^apt-get install .* $scratch/aprof.deb" "$asked" || fail "not installed: $(cat "$asked")"

begin 'GitHub: a change that keeps growth passes'
commit "$harmless"
event "$base" owner/project
APROF_TOKEN=secret
export APROF_TOKEN
steps github profile gate comment
expect_status 0
grep -q '^### aprof gate: passed' "$scratch/summary.md" || fail "not in the summary: $(cat "$scratch/summary.md")"
grep -q '^curl .*POST .*https://api.example.org/repos/owner/project/issues/7/comments$' "$asked" ||
    fail "no comment: $(cat "$asked")"
grep -q '^header: Authorization: Bearer secret' "$asked" || fail 'no token'
! grep '^curl.*secret' "$asked" || fail 'the token is an argument'

begin 'GitHub: a worse routine and a broken bound fail, in the summary, the comment and the marks'
: >"$scratch/summary.md"
commit "$harmful"
jq -n '[{id: 1, body: "<!-- aprof gate -->", user: {type: "User"}}, {id: 2, body: "x", user: {type: "Bot"}},
    {id: 3, body: "<!-- aprof gate -->\nold", user: {type: "Bot"}}]' >"$asked.list"
steps github profile gate comment
expect_status 1
grep -q 'the base report of an earlier run is used' err || fail "profiled the base twice: $(cat err)"
grep -q '^| FAILED | sort | bound n log n broken' "$scratch/summary.md" || fail "no bound: $(cat "$scratch/summary.md")"
grep -q '^| FAILED | sort | worse: ' "$scratch/summary.md" || fail "no worse routine: $(cat "$scratch/summary.md")"
grep -q '^- sort: sort.h:[0-9]*: self cost' "$scratch/summary.md" || fail 'no cause with a line'
grep -qF '](https://example.org/owner/project/actions/runs/55#artifacts)' "$scratch/summary.md" || fail 'no link'
grep -q '^curl .*PATCH .*/repos/owner/project/issues/comments/3$' "$asked" || fail "not edited: $(cat "$asked")"
grep -q '^data: {"body":"<!-- aprof gate -->.*n- sort: sort.h:[0-9]*: self cost' "$asked" || fail "no cause: $(cat "$asked")"
! grep ' POST ' "$asked" || fail 'a second comment'
same "$(jq -r '[.runs[0].results[] | select(.level == "error").locations[0].physicalLocation.artifactLocation.uri] | join(" ")' \
    aprof-growth/gate.sarif)" 'app.c sort.h sort.h' 'files in SARIF'
grep -q '<title>sort: .*; base ' aprof-growth/flame.svg || fail 'no differential flame graph'
! has_page || grep -q '<html' aprof-growth/page.html || fail 'no page'

begin 'GitHub: a refused comment, a missing token and a fork leave the result in the summary'
touch "$asked.refuse"
steps github comment
expect_status 0
grep -q 'the service refused it' err || fail "no message: $(cat err)"
rm "$asked.refuse"
for reason in fork deleted token; do
    : >"$asked"
    case $reason in
    fork) event "$base" other/project ;;
    deleted) event "$base" null ;;
    token)
        event "$base" owner/project
        unset APROF_TOKEN
        ;;
    esac
    steps github comment
    expect_status 0
    same "$(cat "$asked")" '' "requests: $reason"
done

begin 'GitHub: events that are not usable, and changes with a base report, are errors'
for bad in '--upload-pack=touch pwned' '' "$base
x=y"; do
    event "$bad" owner/project
    steps github profile
    expect_status 2
done
event "$base" owner/project
GITHUB_EVENT_NAME=pull_request_target
steps github profile
expect_status 2
GITHUB_EVENT_NAME=pull_request
git add -f aprof-growth/base.key
steps github profile
expect_status 2
git reset -q
same "$(find "$scratch" -name pwned)" '' 'commands from names'

begin 'without a base report only the bounds decide, and without bounds nothing passes'
mv aprof-growth/base.aprof kept.aprof
steps github gate
expect_status 1
grep -q 'only the bounds are verified' aprof-growth/gate.md || fail "not said: $(cat aprof-growth/gate.md)"
unset APROF_BOUNDS
steps github gate
expect_status 2
cp aprof-growth/base.key kept.key
APROF_BUILD='echo "$PWD of $CHANGE" >>"$HOME/built"; false'
steps github profile
expect_status 2
same "$(sed 's/ of .*//' "$HOME/built" | sort -u | wc -l)" 2 'folders of commits'
check 'a base that cannot be built has no report' test ! -f aprof-growth/base.aprof
same "$(git worktree list | wc -l)" 1 'trees'
mv kept.aprof "$HOME/base.aprof"
mv kept.key "$HOME/base.key"

unset GITHUB_EVENT_PATH GITHUB_STEP_SUMMARY
GROWTH_TOKEN=secret CI_MERGE_REQUEST_IID=9 CI_MERGE_REQUEST_DIFF_BASE_SHA=$base CI_MERGE_REQUEST_PROJECT_ID=3
CI_MERGE_REQUEST_SOURCE_PROJECT_ID=3 CI_API_V4_URL=https://example.org/api/v4 CI_PROJECT_URL=https://example.org/g/p CI_JOB_ID=77
CI_MERGE_REQUEST_SOURCE_BRANCH_NAME='a$(touch pwned)`touch pwned`'
export GROWTH_TOKEN CI_MERGE_REQUEST_IID CI_MERGE_REQUEST_DIFF_BASE_SHA CI_MERGE_REQUEST_PROJECT_ID
export CI_MERGE_REQUEST_SOURCE_PROJECT_ID CI_API_V4_URL CI_PROJECT_URL CI_JOB_ID CI_MERGE_REQUEST_SOURCE_BRANCH_NAME

begin 'GitLab: a harmful change fails, in a comment with links, and for JUnit'
inputs gitlab
commit "$harmful"
mv "$HOME/base.aprof" "$HOME/base.key" aprof-growth
echo '[{"id": 4, "body": "<!-- aprof gate -->", "author": {"id": 1}}]' >"$asked.list"
steps gitlab profile gate comment
expect_status 1
grep -q '<failure ' aprof-growth/gate.xml || fail 'no failure for JUnit'
grep -qF '[page](https://example.org/g/p/-/jobs/77/artifacts/file/aprof-growth/page.html)' aprof-growth/gate.md ||
    fail "no link: $(cat aprof-growth/gate.md)"
grep -q '^curl .*PUT .*https://example.org/api/v4/projects/3/merge_requests/9/notes/4$' "$asked" ||
    fail "not edited: $(cat "$asked")"
grep -q '^header: PRIVATE-TOKEN: secret' "$asked" || fail 'no token'
CI_MERGE_REQUEST_SOURCE_PROJECT_ID=4
: >"$asked"
steps gitlab comment
same "$(cat "$asked")" '' 'requests for a fork'
same "$(find "$scratch" -name pwned)" '' 'commands from names'

begin 'the bounds of the page can be read'
sed -n '/^# pattern/,/^```/p' "$source/docs/ci.md" | grep -v '```' >"$scratch/bounds.txt"
run 0 aprof gate --bounds="$scratch/bounds.txt" "$data/growth.aprof"
finish
