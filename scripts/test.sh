#!/bin/sh
# Installs, builds and runs the whole test suite; the last line is `N passed, N failed`.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: test.sh [CONFIGURE-OPTION...]
#
# count_cases.sh defines a case. Exit status: 0 if nothing failed.
set -eu

# shellcheck source=scripts/build.sh
. "$(dirname "$0")/build.sh"

build_all test "$@"
cd "$build"
find . -name '*.trs' -exec rm -f {} +
status=0
make -k -j "$(nproc)" check || status=1
"$top/scripts/count_cases.sh" || status=1
exit "$status"
