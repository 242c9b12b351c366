#!/bin/sh
# The stress test of the ring under ThreadSanitizer, whatever configure was asked for.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

source=$(cd "${srcdir:-.}" && pwd)
compiler=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo 'int main(void) { return 0; }' >"$work/probe.c"
if ! $compiler -fsanitize=thread "$work/probe.c" -o "$work/probe" 2>/dev/null; then
    echo "skipped: $compiler cannot link with -fsanitize=thread"
    exit 77
fi
if ! "$work/probe" 2>/dev/null; then
    echo 'skipped: ThreadSanitizer does not run on this kernel'
    exit 77
fi

# The checks must be able to fail: with the consumer's release stores made relaxed, the sanitizer
# must see the race of the analysis with the next round's events.
build() {
    $compiler -std=gnu11 -O1 -g -fsanitize=thread -pthread -I"$1" "$source/tests/cab/stress.c" \
        "$1"/cab/cab*.c -o "$work/stress" -I"$source"
}

export TSAN_OPTIONS='halt_on_error=1 exitcode=66'
build "$source"
"$work/stress" "${1:-400000}"

mkdir -p "$work/broken"
cp -r "$source/cab" "$work/broken/"
sed -i 's/CAB_CLEAR, memory_order_release/CAB_CLEAR, memory_order_relaxed/;
        s/memory_order_seq_cst/memory_order_relaxed/' \
    "$work/broken/cab/cab_consumer.c"
build "$work/broken"
if "$work/stress" "${1:-400000}" >"$work/log" 2>&1; then
    echo 'failed: ThreadSanitizer did not see that the broken ring races'
    exit 1
fi
grep -q 'data race' "$work/log" || { cat "$work/log"; exit 1; }
