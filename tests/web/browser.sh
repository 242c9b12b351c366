# Sourced by the tests in a real browser: Chromium, driven by playwright-core.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154

# in_browser SCRIPT ARGUMENT...: runs a script of this folder with the scratch folder as argument. npm
# installs playwright-core in the build folder, once for all tests.
in_browser()
{
    test "$failures" = 0 || finish
    need node
    need npm
    chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
        skip 'chromium is not installed'
    modules=$build/tests/web/npm
    mkdir -p "$modules"
    (
        flock 9
        test ! -d "$modules/node_modules/playwright-core" || exit 0
        rm -f "$modules"/.npmrc "$modules"/*.json
        cp "$source/web/package.json" "$source/web/package-lock.json" "$source/web/.npmrc" "$modules"
        cd "$modules" && npm ci
    ) 9>"$modules/lock" >npm.log 2>&1 || skip 'npm cannot get playwright-core'
    script=$1
    shift
    node "$source/tests/web/$script" "$modules/node_modules" "$chromium" "$scratch" "$@" || fail 'in the browser'
}
