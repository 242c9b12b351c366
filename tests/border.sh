#!/bin/sh
# Tests that the engine, the ring and the analyses are freestanding, and need only the functions of host.h.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The test reads their libraries in the build directory. The undefined symbols of a library, except symbols
# that its other objects define, must be host_*, memcpy, memset or memmove. Compiler flags exclude all system
# headers.
set -eu

# Sanitizers and gcov add symbols to the native library; a symbol for 64-bit division on a 32-bit machine is
# the compiler's.
allowed='^(host_[a-z_]+|memcpy|memset|memmove|_GLOBAL_OFFSET_TABLE_|__u?divdi3|__u?moddi3|__udivmoddi4|__(asan|ubsan|tsan|gcov|sanitizer)_.*)$'
status=0
found=0

for library in ./libaprof_engine*.a ./libaprof_cab*.a ./libaprof_analyses*.a; do
    [ -f "$library" ] || continue
    found=1
    defined=$(nm --defined-only --format=posix "$library" | awk 'NF >= 2 { print $1 }' | sort -u)
    foreign=$(nm --undefined-only --format=posix "$library" | awk 'NF >= 2 { print $1 }' |
        sort -u | grep -vxF "$defined" | grep -vE "$allowed" || true)
    if [ -n "$foreign" ]; then
        echo "$library: not freestanding, needs:" $foreign
        status=1
    fi
done

if [ "$found" = 0 ]; then
    echo "no libaprof_engine*.a here: run this from the build directory"
    exit 1
fi
exit $status
