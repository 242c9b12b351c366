"""`python3 -m aprof script.py`: runs the script under aprof, with its functions in the report.

SPDX-License-Identifier: BSD-2-Clause
"""
import os
import sys

if __name__ == "__main__":
    command = ["aprof", "run", "--python", "--", sys.executable] + sys.argv[1:]
    try:
        os.execvp(command[0], command)
    except OSError as problem:
        sys.exit("aprof: run: aprof: %s; install it, or set PATH" % problem.strerror)
