# Runs a command on a terminal of N columns, and prints what the terminal received.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: terminal.py N COMMAND...
import fcntl
import os
import pty
import struct
import sys
import termios

parent, child = pty.openpty()
fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(sys.argv[1]), 0, 0))
pid = os.fork()
if pid == 0:
    os.close(parent)
    for number in range(3):
        os.dup2(child, number)
    os.execvp(sys.argv[2], sys.argv[2:])
os.close(child)
while True:
    try:
        data = os.read(parent, 65536)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
os.waitpid(pid, 0)
