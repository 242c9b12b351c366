"""Plugin of pytest: each test function is a region, for `aprof test --run=--python -- python3 -m pytest`.

SPDX-License-Identifier: BSD-2-Clause

    @pytest.mark.growth("n log n")
    def test_sort(size):
        sort(make(size))

The mark declares a bound, which `aprof test` verifies. The fixture `size` runs the test once for each size, and all
runs are one region with these declared sizes. `sizes=[...]` in the mark replaces the default sizes. Without aprof the
tests run as usual.
"""
import os
import sys

import pytest

# Each size is one and a half times the one before: enough sizes for growth to be validated.
SIZES = (8, 12, 18, 27, 40, 60, 90, 135, 202, 303, 454)


def _find_hook():
    """The extension module that `aprof run --python` provides; None: the tests are not profiled."""
    for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        if "_aprof" in sys.modules or os.path.exists(os.path.join(folder, "_aprof.abi3.so")):
            sys.path.insert(0, folder)
            try:
                import _aprof
                return _aprof
            except ImportError:
                pass
            finally:
                sys.path.remove(folder)
    return None


_hook = _find_hook()


def pytest_configure(config):
    config.addinivalue_line("markers", "growth(bound, sizes=...): the bound of the test's cost over the fixture `size`")


def pytest_generate_tests(metafunc):
    mark = metafunc.definition.get_closest_marker("growth")
    if mark and "size" in metafunc.fixturenames:
        metafunc.parametrize("size", mark.kwargs.get("sizes", SIZES))


def _region(item):
    return item.nodeid.split("[")[0]


def _measured(item):
    """The test function, within its region."""
    name, size, test = _region(item), item.funcargs.get("size"), item.obj
    region = "%s n=%d" % (name, size) if isinstance(size, int) else name

    def run(**arguments):
        _hook.begin(region)
        try:
            return test(**arguments)
        finally:
            _hook.end(None)

    return run


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    if not _hook:
        yield
        return
    mark = pyfuncitem.get_closest_marker("growth")
    if mark:
        _hook.begin("expect %s  %s" % (_region(pyfuncitem), mark.args[0]))
        _hook.end(None)
    test = pyfuncitem.obj
    pyfuncitem.obj = _measured(pyfuncitem)
    yield
    pyfuncitem.obj = test
