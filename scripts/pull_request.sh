#!/bin/sh
# Profiles the two commits of a pull request or merge request, compares the profiles, and comments on the result.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: pull_request.sh install|profile|gate|comment
#
#   install  installs the Debian package APROF_PACKAGE (a file or an address), or builds and installs these sources
#   profile  builds and runs the base commit and the current folder: base.aprof, new.aprof
#   gate     runs `aprof gate`: gate.md, gate.sarif, gate.xml, flame.svg, page.html. Exit status: that of the gate
#   comment  writes gate.md as a comment, or edits the comment of an earlier run
#
# action.yml and templates/growth.yml run these steps in the checked-out change, and upload the folder APROF_FOLDER
# [aprof-growth]. Settings are variables: APROF_BUILD and APROF_RUN are shell commands, which run in the folder of each
# commit; CHANGE is the folder of the change. APROF_RUN_OPTIONS are options of `aprof run`. APROF_BOUNDS,
# APROF_THRESHOLD and APROF_STRICT=true are options of `aprof gate`. APROF_TOKEN may comment.
#
# The pull request is described by the file GITHUB_EVENT_PATH on GitHub, and by the variables CI_MERGE_REQUEST_* on
# GitLab. Names of branches and titles are not used. Everything that is used is checked first.
#
# Invariant: code of the change never runs with APROF_TOKEN in its environment. A change from a fork gets no comment.
# Exit status: 0; 1 if the gate fails; 2 on errors.
set -eu

token=${APROF_TOKEN-}
unset APROF_TOKEN
folder=$PWD/${APROF_FOLDER:-aprof-growth}
marker='<!-- aprof gate -->'

die() {
    echo "aprof: pull_request: $1" >&2
    exit 2
}

note() {
    echo "aprof: pull_request: $1" >&2
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Sets base, number, fork and links. For comments, sets the addresses to list and to edit them, a method, and a header.
read_request() {
    if [ -n "${GITHUB_EVENT_PATH-}" ]; then
        read_github
    elif [ -n "${CI_MERGE_REQUEST_IID-}" ]; then
        read_gitlab
    else
        die 'neither a pull request of GitHub nor a merge request of GitLab'
    fi
    case $base in '' | *[!0-9a-f]*) die "the event has no base commit: use it for pull requests only" ;; esac
    case $number in '' | *[!0-9]*) die "the event has no number of a pull request" ;; esac
}

read_github() {
    # The event pull_request_target gives code from forks a token that may write.
    [ "${GITHUB_EVENT_NAME-}" != pull_request_target ] ||
        die 'pull_request_target would run foreign code with write access; use the event pull_request'
    field() { jq -r "$1 // \"\"" "$GITHUB_EVENT_PATH" || die "$GITHUB_EVENT_PATH: not a valid event"; }
    base=$(field .pull_request.base.sha)
    number=$(field .pull_request.number)
    fork=$(field '(.pull_request.head.repo.full_name != .repository.full_name | tostring)')
    links="[All files](${GITHUB_SERVER_URL-}/${GITHUB_REPOSITORY-}/actions/runs/${GITHUB_RUN_ID-}#artifacts) (base.aprof, new.aprof, flame.svg, page.html)"
    list_address=${GITHUB_API_URL-}/repos/${GITHUB_REPOSITORY-}/issues/$number/comments
    edit_address=${GITHUB_API_URL-}/repos/${GITHUB_REPOSITORY-}/issues/comments
    edit_method=PATCH header='Authorization: Bearer'
}

read_gitlab() {
    base=${CI_MERGE_REQUEST_DIFF_BASE_SHA-}
    number=$CI_MERGE_REQUEST_IID
    fork=true
    [ "${CI_MERGE_REQUEST_SOURCE_PROJECT_ID-}" != "${CI_MERGE_REQUEST_PROJECT_ID-}" ] || fork=false
    files=${CI_PROJECT_URL-}/-/jobs/${CI_JOB_ID-}/artifacts
    links="[Differential flame graph]($files/file/${folder##*/}/flame.svg), [page]($files/file/${folder##*/}/page.html), [all files]($files/browse)"
    list_address=${CI_API_V4_URL-}/projects/${CI_MERGE_REQUEST_PROJECT_ID-}/merge_requests/$number/notes
    edit_address=$list_address
    edit_method=PUT header='PRIVATE-TOKEN:'
}

# ---------------------------------------------------------------- Steps

install() {
    as_root apt-get update -qq
    as_root apt-get install -y -qq --no-install-recommends ca-certificates curl git jq libc6-dbg
    if [ -z "${APROF_PACKAGE-}" ]; then
        # shellcheck source=scripts/build.sh
        . "${0%/*}/build.sh"
        build_all build
        as_root make -s install
        return
    fi
    case $APROF_PACKAGE in
    https://*)
        curl -fsSLo "${TMPDIR:-/tmp}/aprof.deb" -- "$APROF_PACKAGE"
        APROF_PACKAGE=${TMPDIR:-/tmp}/aprof.deb
        ;;
    esac
    as_root apt-get install -y -qq --no-install-recommends "$(realpath -- "$APROF_PACKAGE")"
}

# profile_commit TREE REPORT. In the name of a report, % begins a pattern of aprof.
profile_commit() (
    cd "$1" || exit
    report=$(printf '%s' "$2" | sed 's/%/%%/g')
    export report
    sh -ec "$APROF_BUILD" && sh -ec "aprof run -q --aprof-out-file=\"\$report\" ${APROF_RUN_OPTIONS-} -- $APROF_RUN"
)

# The inputs of a base report; a report with equal inputs is not measured again.
base_key() {
    printf '%s\n' "$base" "$APROF_BUILD" "$APROF_RUN" "${APROF_RUN_OPTIONS-}"
    aprof --version
    "${CC:-cc}" --version 2>/dev/null || :
}

profile_base() {
    if [ -s "$folder/base.aprof" ] && base_key | cmp -s - "$folder/base.key"; then
        note "the base report of an earlier run is used"
        return
    fi
    rm -f "$folder/base.aprof"
    trees=$(mktemp -d)
    trap 'git worktree remove --force "$trees/base" 2>/dev/null || :; rm -rf "$trees"' EXIT
    git cat-file -e "$base^{commit}" 2>/dev/null || git fetch -q --depth=1 origin "$base" ||
        die "cannot fetch the base commit $base"
    git worktree add -q --detach "$trees/base" "$base"
    if profile_commit "$trees/base" "$folder/base.aprof"; then
        base_key >"$folder/base.key"
    else
        note "the base commit $base cannot be built and profiled"
        rm -f "$folder/base.aprof"
    fi
}

profile() {
    read_request
    : "${APROF_BUILD:=:}"
    [ -n "${APROF_RUN-}" ] || die 'no command to profile: set APROF_RUN'
    # In a container, the checkout often belongs to another user.
    git rev-parse HEAD >/dev/null 2>&1 || git config --global --add safe.directory "$PWD"
    # The checked-out change could contain a base report of its own.
    [ -z "$(git ls-files -- "$folder")" ] || die "$folder: the change contains this folder"
    CHANGE=$PWD
    export CHANGE
    mkdir -p "$folder"
    rm -f "$folder/new.aprof"
    profile_base
    profile_commit . "$folder/new.aprof" || die 'the change cannot be built and profiled'
}

gate() {
    read_request
    cd "${folder%/*}"
    rm -f "$folder"/gate.* "$folder/flame.svg" "$folder/page.html"
    set --
    [ ! -f "$folder/base.aprof" ] || set -- "$@" --base="$folder/base.aprof"
    [ -z "${APROF_BOUNDS-}" ] || set -- "$@" --bounds="$APROF_BOUNDS"
    [ $# -gt 0 ] || die 'no base report and no bounds: there is nothing to compare'
    [ -z "${APROF_THRESHOLD-}" ] || set -- "$@" --threshold="$APROF_THRESHOLD"
    [ "${APROF_STRICT-}" != true ] || set -- "$@" --strict
    set -- "$@" "$folder/new.aprof"

    status=0
    aprof gate --format=markdown -o "$folder/result" "$@" || status=$?
    [ $status -lt 2 ] || exit 2
    aprof gate --format=sarif -o "$folder/gate.sarif" "$@" || :
    aprof gate --format=junit -o "$folder/gate.xml" "$@" || :
    set -- "$folder/new.aprof"
    [ ! -f "$folder/base.aprof" ] || set -- --base="$folder/base.aprof" "$@"
    aprof flamegraph -o "$folder/flame.svg" "$@" || note 'there is no flame graph'
    set -- "$folder/new.aprof"
    [ ! -f "$folder/base.aprof" ] || set -- "$folder/base.aprof" "$@"
    aprof html -o "$folder/page.html" "$@" || note 'there is no page in this build of aprof'

    {
        echo "$marker"
        cat "$folder/result"
        rm "$folder/result"
        [ -f "$folder/base.aprof" ] ||
            printf '\nThe base commit could not be built and profiled: only the bounds are verified.\n'
        printf '\n%s\n' "$links"
    } >"$folder/gate.md"
    cat "$folder/gate.md"
    [ -z "${GITHUB_STEP_SUMMARY-}" ] || cat "$folder/gate.md" >>"$GITHUB_STEP_SUMMARY"
    return $status
}

# request METHOD ADDRESS [OPTION...]: the token is not visible in the list of processes.
request() {
    method=$1 address=$2
    shift 2
    printf '%s %s\n' "$header" "$token" |
        curl -fsS --max-time 60 -X "$method" -H @- -H 'Content-Type: application/json' "$@" "$address"
}

# Prints the number of the comment of an earlier run, if there is one. Comments of people are left alone on GitHub.
# On GitLab a token can only edit its own comments.
earlier_comment() {
    page=1
    while list=$(request GET "$list_address?per_page=100&page=$page") && [ "$(printf '%s' "$list" | jq length)" -gt 0 ]; do
        printf '%s' "$list" | jq -r --arg marker "$marker" \
            '.[] | select(.body | startswith($marker)) | select(.user == null or .user.type == "Bot") | .id'
        page=$((page + 1))
    done | head -n 1
}

comment() {
    read_request
    [ -f "$folder/gate.md" ] || die 'no result of the gate'
    if [ "$fork" = true ] || [ -z "$token" ]; then
        note 'no comment: the change is from a fork, or there is no token; the result is in the summary and in gate.md'
        return
    fi
    # GitHub accepts 65536 characters.
    body=$(mktemp)
    trap 'rm -f "$body"' EXIT
    jq -Rsc '{body: .[:65000]}' "$folder/gate.md" >"$body"
    earlier=$(earlier_comment)
    case $earlier in
    '' | *[!0-9]*) ;;
    *) ! request "$edit_method" "$edit_address/$earlier" --data "@$body" >/dev/null || return 0 ;;
    esac
    request POST "$list_address" --data "@$body" >/dev/null ||
        note 'no comment: the service refused it; the result is in the summary and in gate.md'
}

case ${1-} in
install | profile | gate | comment) "$1" ;;
*) die 'usage: pull_request.sh install|profile|gate|comment' ;;
esac
