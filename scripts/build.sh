# Sourced by demo.sh and test.sh: installs what is missing, then builds in ./build.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: . scripts/build.sh; build_all demo|test [CONFIGURE-OPTION...]
#
# Installs the packages that install-deps.sh lists under the first name, and builds `parts` [all]. Sets `top` (the
# source) and `build` (the build tree, or the value of BUILD). A build tree that was configured before is not configured
# again, unless something had to be installed. If a step fails, its last lines are shown.
# shellcheck shell=sh
top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$top/build}

# Runs a command without output: $1 describes the command, which is the other arguments.
build_step() {
    echo "$1 ..."
    step=$1
    shift
    if ! "$@" >"$build/step.log" 2>&1; then
        tail -n 40 "$build/step.log" >&2
        echo "aprof: $step: failed; all of it is in $build/step.log" >&2
        exit 1
    fi
}

build_all() {
    mkdir -p "$build"
    if ! "$top/scripts/install-deps.sh" --check "$1" >/dev/null; then
        "$top/scripts/install-deps.sh" "$1"
        rm -f "$build/config.status"
    fi
    shift
    [ -x "$top/configure" ] || build_step "preparing configure" "$top/autogen.sh"
    cd "$build" || exit 1
    [ -f config.status ] || build_step "configuring" "$top/configure" "$@"
    # shellcheck disable=SC2086
    build_step "building" make -j "$(nproc)" ${parts:-all}
}
