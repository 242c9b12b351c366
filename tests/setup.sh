# Sourced by every shell test of the tools: paths, a scratch folder, and a few checks.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     . "${srcdir:-.}/tests/setup.sh"
#     run 1 aprof report missing          # the command must end with status 1
#     expect_error 'missing: No such file'
#     finish
#
# Tests run in the build folder. A test that cannot run here calls `skip REASON`.
# shellcheck shell=sh disable=SC2034
set -eu

LC_ALL=C
export LC_ALL
unset NO_COLOR APROF_VALGRIND_LIB 2>/dev/null || :

build=$(pwd)
source=$(cd "${srcdir:-.}" && pwd)
data=$source/tests/tools/data
APROF_SCRIPTS=${APROF_SCRIPTS:-$source/scripts}
export APROF_SCRIPTS
PATH=$build/tools:$build/tests/tools:$PATH
export PATH
scratch=$(mktemp -d "${TMPDIR:-/tmp}/aprof-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cd "$scratch"
failures=0

skip()
{
    echo "skipped: $*"
    exit 77
}

# need PROGRAM: without it the test is skipped.
need()
{
    command -v "$1" >/dev/null 2>&1 || skip "$1 is not installed"
}

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# run STATUS COMMAND...: output goes to the files `out` and `err`.
run()
{
    wanted=$1
    shift
    last="$*"
    status=0
    "$@" >out 2>err </dev/null || status=$?
    if test "$status" != "$wanted"; then
        fail "$last: status $status instead of $wanted"
        sed 's/^/    /' out err | head -20
    fi
}

# Does the output, or the message, contain the text?
expect()
{
    grep -qF -e "$1" out || {
        fail "$last: no '$1' in:"
        sed 's/^/    /' out | head -40
    }
}

expect_not()
{
    ! grep -qF -e "$1" out || fail "$last: should not print '$1'"
}

# A failure says one line, which begins like every message of ours.
expect_error()
{
    grep -qF -e "$1" err || {
        fail "$last: no '$1' in:"
        sed 's/^/    /' err | head
    }
    test "$(wc -l <err)" = 1 || fail "$last: $(wc -l <err) lines of message"
    grep -q '^aprof: ' err || fail "$last: the message does not start with 'aprof: '"
}

# same TEXT1 TEXT2 WHAT
same()
{
    test "$1" = "$2" || fail "$3: '$1' instead of '$2'"
}

finish()
{
    test "$failures" = 0 || exit 1
    exit 0
}
