#!/bin/sh
# Adds up the tests that ran in a build folder: prints the reasons of skipped and failed tests, then `N passed, N failed`.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: count_cases.sh [BUILD-FOLDER]
#
# A test file reports its number of cases in a last line `[NAME: ]N passed, N failed`, or in cmocka's output; any other
# file is a single case. A file that fails without a failed case, for example by a crash, counts as one failed
# case. Skipped tests are listed with their reasons, and count as neither. Of each failed test, the errors are
# printed, or the last lines of the output if no error is found. Exit status: 0 if nothing failed and something passed.
set -eu
cd "${1:-.}"

# Prints `PASSED FAILED` for one test: automake leaves NAME.trs (the verdict) next to NAME.log (the output).
count_cases_of() {
    awk '
        /^:global-test-result: / { verdict = $2 }
        /^([^ ]+: )?[0-9]+ passed, [0-9]+ failed$/ { passed = $(NF - 3); failed = $(NF - 1) }
        /^\[ +PASSED +\] [0-9]+ test/ { passed += $4 }
        /^\[ +FAILED +\] [0-9]+ test/ { failed += $4 }
        END {
            if (verdict == "SKIP")
                passed = failed = 0
            else if (verdict == "PASS" && passed + failed == 0)
                passed = 1
            else if (verdict != "PASS" && failed == 0)
                failed = 1
            print passed + 0, failed + 0
        }' "$1" "$2"
}

verdicts() {
    find . -name '*.trs' | sort
}

verdicts | while read -r verdict; do
    grep -q '^:global-test-result: SKIP' "$verdict" || continue
    echo "skipped: ${verdict%.trs}: $(grep -v '^SKIP ' "${verdict%.trs}.log" | grep . | tail -n 1)"
done
verdicts | while read -r verdict; do
    grep -q '^:global-test-result: \(FAIL\|ERROR\|XPASS\)' "$verdict" || continue
    echo "failed: ${verdict%.trs}"
    { grep -a -A 4 '^not ok: ' "${verdict%.trs}.log" || tail -n 20 "${verdict%.trs}.log"; } | head -n 40 | sed 's/^/    /'
done
verdicts | while read -r verdict; do
    count_cases_of "$verdict" "${verdict%.trs}.log"
done | awk '
    { passed += $1; failed += $2 }
    END {
        printf "%d passed, %d failed\n", passed, failed
        exit failed > 0 || passed == 0
    }'
