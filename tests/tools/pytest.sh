#!/bin/sh
# The plugin of pytest: installed by pip, test functions are regions, with sizes and bounds.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pairs(n) has n * n steps, total(n) has n. pytest takes a quarter of a minute under the tool: `make check-listeners`.
. "${0%/*}/../lib.sh"
require amd64
export APROF_VALGRIND_LIB="$build/.in_place"
python=${APROF_PYTHON:-/usr/bin/python3}
$python -c 'import pytest' 2>/dev/null || skip 'pytest is not installed'
$python -c 'import sys; sys.exit(sys.version_info >= (3, 12))' || skip 'the hook is for Python before 3.12'

begin 'an installed package'
cp -r "$source/aprof/python/pytest-aprof" plugin
chmod -R u+w plugin
if $python -c 'import pip' && $python -c 'import setuptools' && $python -c 'import wheel' 2>/dev/null; then
    run 0 $python -m pip install -q --no-index --no-deps --no-build-isolation --target installed ./plugin
    PYTHONPATH=$PWD/installed
    plugin=
else
    PYTHONPATH=$PWD/plugin
    plugin='-p pytest_aprof'
fi
export PYTHONPATH

cat >test_lists.py <<'END'
import pytest


def pairs(items):
    count = 0
    for a in items:
        for b in items:
            count += a is b
    return count


def total(items):
    at = 0
    for x in items:
        at |= x
    return at


@pytest.mark.growth("n log n", sizes=[9, 13, 19, 28, 42, 55, 80, 120, 180, 270])
def test_pairs(size):
    assert pairs([None] * size) <= size * size


@pytest.mark.growth("n")
def test_total(size):
    assert total([1] * size) == 1


def test_fails():
    assert total([1]) == 2
END
pytest="-m pytest -q -p no:cacheprovider $plugin test_lists.py"

begin 'without aprof the tests run as usual'
# shellcheck disable=SC2086
run 1 $python $pytest
expect '1 failed, 21 passed'

begin 'growth, bounds and the failure of a test'
# shellcheck disable=SC2086
run 3 timeout 500 aprof test --run='--python --concurrent=no' --keep=. -- $python $pytest
expect '3 test cases; bounds: 1 failed, 1 passed, 0 unknown'
grep -qE '^test_lists.py::test_pairs +n\^2 .* 270 +n log n +FAILED$' out || fail "no row of test_pairs: $(cat out)"
grep -qE '^test_lists.py::test_total +n .* 454 +n +passed$' out || fail "no row of test_total: $(cat out)"
grep -qE '^pairs: 9[0-9.]*% of the cost, called 10 times by test_pairs' out || fail "no cause: $(cat out)"
expect_not 'python_hook.c'
expect_not 'test.h'
finish
