#!/bin/sh
# Tests that an installation is complete, has one version, can be used by builds, and can be removed.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/lib.sh"

root=$scratch/root
prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")
run 0 make -s -C "$build" install DESTDIR="$root"
(cd "$root" && find . ! -type d) | sort >installed
for file in bin/aprof bin/aprof-cc include/aprof.h include/aprof/cab/cab.h lib/pkgconfig/aprof.pc \
    share/man/man1/aprof.1 share/bash-completion/completions/aprof share/zsh/site-functions/_aprof \
    share/fish/vendor_completions.d/aprof.fish libexec/aprof/valgrind/aprof-amd64-linux; do
    grep -qx ".$prefix/$file" installed || fail "$file is not installed"
done

version=$(sed -n 's/^AC_INIT(\[aprof\], \[\([^]]*\)\].*/\1/p' "$source/configure.ac")
same "$("$root$prefix/bin/aprof" --version)" "aprof $version" 'version of the command'
same "$(sed -n 's/^## //p' "$source/NEWS.md" | head -n 1)" "$version" 'version of the news'
same "$(sed -n '1s/^aprof (\(.*\)-[0-9]*) .*/\1/p' "$source/debian/changelog")" "$version" 'version of the packages'

if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$root$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
    export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
    same "$(pkg-config --modversion aprof-ring)" "$version" 'version for pkg-config'

    cat >request.c <<'END'
#include <aprof.h>
int main(void)
{
    APROF_START;
    APROF_STOP;
    return 0;
}
END
    # shellcheck disable=SC2046
    PKG_CONFIG_SYSROOT_DIR='' run 0 cc $(pkg-config --cflags aprof | sed "s|-I$prefix|-I$root$prefix|") -o request request.c
    run 0 ./request

    cat >ring.c <<'END'
#include <cab/cab.h>
#include <cab/cab_futex.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    struct cab_config config = {.mode = CAB_RECORDS, .word_bytes = 8, .ring_bytes = CAB_RING_BYTES,
        .chunk_bytes = CAB_CHUNK_BYTES, .wait = cab_futex_wait, .wake = cab_futex_wake};
    size_t bytes = (cab_memory_bytes(&config) + 4095) & ~(size_t)4095;
    void *pages = aligned_alloc(4096, bytes);
    for (size_t i = 0; i < bytes; i++)
        ((char *)pages)[i] = 0;
    printf("%d\n", cab_open(&config, pages) != NULL);
    return 0;
}
END
    # shellcheck disable=SC2046
    run 0 cc -o ring ring.c $(pkg-config --cflags --libs aprof-ring)
    run 0 ./ring
    same "$(cat out)" 1 'a ring of the installed library'
fi

run 0 make -s -C "$build" uninstall DESTDIR="$root"
same "$(cd "$root" && find . ! -type d -o -path ".$prefix/*aprof*")" '' 'what uninstalling leaves'
finish
