#!/bin/sh
# Tests that configure refuses a Valgrind whose core has functions with other parameters than aprof expects.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each case configures with a copy of Valgrind's archive in which one function has an additional first parameter. In
# the copy, the core calls caller_NAME, caller_NAME calls the changed function, and the changed function calls the
# original one, original_NAME.
. "${0%/*}/lib.sh"

need pkg-config
need objcopy
platform=$(pkg-config --variable=platform valgrind)
test "$platform" = amd64-linux || skip "the changed functions are for amd64, not for $platform"
pkg-config --path valgrind >path 2>/dev/null || skip 'this pkg-config does not show the path of valgrind.pc'
libraries=$(pkg-config --variable=libdir valgrind)/valgrind
archive=libcoregrind-$platform.a
mkdir -p changed/valgrind changed/members
ln -s "$libraries"/*"-$platform.a" changed/valgrind
sed -e "s|^libdir=.*|libdir=$scratch/changed|" "$(cat path)" >valgrind.pc
PKG_CONFIG_PATH=$scratch${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH

# Configures with the changed Valgrind; configure must stop with the message $1.
refused()
{
    mkdir -p configured
    run 1 env -C configured "$source/configure" --cache-file=cache --disable-x86
    expect_message "$1"
}

# On amd64, registers and the stack hold the arguments of these functions, so a function can pass on more
# arguments than it has. The linker wraps calls only between object files, so CALLER and CHANGED have one each.
cat >changed.h <<'END'
typedef unsigned long W;
typedef struct { W first, second; } result;
#define PARAMETERS W a, W b, W c, W d, W e, W f, W g, W h, W i
result CALLER(PARAMETERS), CHANGED(W added, PARAMETERS), ORIGINAL(PARAMETERS);
END
cat >caller.c <<'END'
#include "changed.h"
result CALLER(PARAMETERS)
{
    return CHANGED(0, a, b, c, d, e, f, g, h, i);
}
END
cat >changed.c <<'END'
#include "changed.h"
result CHANGED(W added, PARAMETERS)
{
    return ORIGINAL(a, b, c, d, e, f, g, h, i);
}
END

# changed NAME: gives the function NAME of the core another first parameter.
changed()
{
    rm -f changed/members/* "changed/valgrind/$archive"
    gcc -O2 -fno-stack-protector -fno-pie "-DCALLER=caller_$1" "-DCHANGED=vgPlain_$1" "-DORIGINAL=original_$1" \
        -c caller.c changed.c
    objcopy --redefine-sym "vgPlain_$1=caller_$1" "$libraries/$archive" "changed/valgrind/$archive"
    member=$(nm -A "changed/valgrind/$archive" 2>/dev/null | sed -n "s/^[^:]*:\([^:]*\):.* T caller_$1\$/\1/p")
    (cd changed/members && ar x "../valgrind/$archive" "$member" && objcopy --redefine-sym "caller_$1=original_$1" "$member")
    ar r "changed/valgrind/$archive" "changed/members/$member" caller.o changed.o
}

for function in mk_SysRes_Error mk_SysRes_Success strerror pread safe_fd check_executable should_we_trace_this_child \
    di_notify_mmap DebugInfo_syms_howmany DebugInfo_syms_getidx gdbserver_report_signal do_syscall \
    am_mmap_anon_float_valgrind; do
    begin "$function with another parameter"
    changed "$function"
    refused "has another function .*$function"
done

begin 'a core without a function'
objcopy --redefine-sym vgPlain_strerror=renamed "$libraries/$archive" "changed/valgrind/$archive"
refused 'cannot link a Valgrind tool'

begin 'a tool header that declares a function with other parameters'
ln -sf "$libraries/$archive" changed/valgrind
cp -R "$(pkg-config --variable=includedir valgrind)" changed/headers
echo 'extern const HChar *VG_(strerror)(Int error, Int language);' >>changed/headers/pub_tool_libcbase.h
sed -i "s|^includedir=.*|includedir=$scratch/changed/headers|" valgrind.pc
refused 'cannot link a Valgrind tool'
finish
