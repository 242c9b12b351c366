#!/bin/sh
# Runs the stress test of the ring under ThreadSanitizer, with any options of configure.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

echo 'int main(void) { return 0; }' >probe.c
$CC -fsanitize=thread probe.c -o probe 2>/dev/null || skip "$CC cannot link with -fsanitize=thread"
./probe 2>/dev/null || skip 'ThreadSanitizer does not run on this kernel'

# stress_of FOLDER: with the ring that is in it.
stress_of()
{
    $CC -std=gnu11 -O1 -g -fsanitize=thread -pthread -I"$1" "$here/stress.c" "$1"/cab/cab*.c \
        -o stress -I"$source"
}

TSAN_OPTIONS='halt_on_error=1 exitcode=66'
export TSAN_OPTIONS
begin 'the ring has no races'
stress_of "$source"
run 0 ./stress 400000

begin "a ring whose consumer's release stores are relaxed is found to race with the next round's events"
mkdir broken
cp -r "$source/cab" broken
sed -i 's/CAB_CLEAR, memory_order_release/CAB_CLEAR, memory_order_relaxed/;
        s/memory_order_seq_cst/memory_order_relaxed/' broken/cab/cab_consumer.c
stress_of broken
run 66 ./stress 400000
expect_message 'data race'
finish
