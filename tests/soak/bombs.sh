#!/bin/sh
# Tests that small files that expand to large files are refused with one message, in bounded memory.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# SOAK_BOMB_MB=N megabytes of contents [20 in `make check`, 3000 in `make soak-untrusted`].
. "${0%/*}/../lib.sh"

bytes=$((${SOAK_BOMB_MB:-20} * 1000000))
basic=$data/basic.aprof
page=
! has_page || page=html
head -n 13 "$basic" >head

# refused NAME MEGABYTES MESSAGE: expects that every command refuses the file, in the given address space.
refused()
{
    for command in report export ${page-} merge; do
        status=0
        (
            ulimit -v $(($2 * 1024))
            exec timeout 600 aprof $command "$1" -o other
        ) >out 2>err </dev/null || status=$?
        last="$command $1"
        expect_status 1
        expect_error "$3"
        test ! -e other || fail "$last: an output"
    done
}

for packer in gzip zstd; do
    command -v $packer >/dev/null || continue
    begin "$packer: zeros, one endless line, one record for ever"
    head -c $bytes /dev/zero | $packer -1c >zeros
    refused zeros 300 'zeros: not a report of aprof'
    { head -n 6 head && printf 'options\t' && head -c $bytes /dev/zero | tr '\0' a; } | $packer -1c >line
    test $bytes -lt 100000000 || refused line 300 'line:7: line is too long'
    { cat head && yes 'object	0	/x' | head -c $bytes; } | $packer -1c >record
    refused record 300 'record: truncated'

    begin "$packer: more objects than there is room for"
    { cat head && seq 0 1000000000 | sed 's|.*|object	&	/x|' | head -c $bytes; } | $packer -1c >objects
    case $bytes in
    ????????) refused objects 3000 'objects: truncated' ;;
    *) refused objects 300 'out of memory' ;;
    esac
done

begin 'a billion where there is little: of what a file says that it has'
altered "$data/contexts.aprof" 's/^tree	0	[0-9]*	[0-9]*/tree	0	1000000000	1000000000/' >counts
refused counts 300 'the last tree lacks contexts'

begin 'who called whom cannot go in a circle'
altered "$data/contexts.aprof" 's/^context	1	0/context	1	2/' >circle
refused circle 300 'circle:'
finish
