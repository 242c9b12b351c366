"""Starts the hook that reports functions of Python scripts; `aprof run --python` puts it on the path.

SPDX-License-Identifier: BSD-2-Clause
"""
import sys


def _aprof_start():
    here = __file__.rpartition("/")[0]
    while here in sys.path:
        sys.path.remove(here)
    if sys.version_info < (3, 12):  # later releases write a perf map
        sys.path.insert(0, here)
        try:
            import _aprof
            if not _aprof.start(lambda: None):
                sys.stderr.write("aprof: run: this Python cannot report functions of scripts\n")
        except ImportError as problem:
            sys.stderr.write("aprof: run: %s\n" % problem)
        finally:
            sys.path.remove(here)
    # The system's or the user's own file of this name, which this one has hidden.
    own = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401
    except ImportError:
        sys.modules["sitecustomize"] = own


_aprof_start()
