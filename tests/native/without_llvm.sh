#!/bin/sh
# Tests aprof-cc of a build without LLVM: hooks work, and inline code and path profiles give a message.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers

unset APROF_CC_COMPILER APROF_CC_PROFILE
cc=$build/tests/native/cc_without_llvm
echo 'int main(void) { return 0; }' >main.c

begin 'what needs LLVM is refused with one line'
for profile in trms,inline trms,inline,sample contexts,inline events,inline paths; do
    run 2 "$cc" --aprof=$profile -c main.c
    expect_error "aprof-cc: $profile: aprof was built without LLVM; install llvm-dev"
done

begin 'the default has hooks of gcc'
for profile in trms contexts events; do
    run 0 "$cc" --aprof=$profile -c main.c
    run 0 "$cc" --aprof=$profile --version
    expect "aprof=$profile,hooks, compiled by gcc"
done
finish
