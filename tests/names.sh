#!/bin/sh
# Tests that each name has only one function, object or type in the whole project.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions and objects: the external symbols of every object file of the build, by the source it was
# compiled from; an object without a source is from an earlier build. A test or a benchmark may replace a
# function of omitted code, but no two of them define one function. Types: a structure, union, enumeration or
# typedef of a header is declared in no other file, because a second type of the name would be confusing.
set -eu

source=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# Names with several definitions: patterns, each with its reason.
interfaces='
main                        each program has one
LLVMFuzzerTestOneInput      each harness has one
host_[a-z_]*                ground/host.h: the tool, users'"'"' programs and tests each have their own
watch_[a-z_]*               native/base/watch.h: each runtime that watches memory has its own
native_client               native/base/process.h: what a runtime tells of itself
aprof_paths_count           paths/runtime: counts, or makes events
chroot|pthread_create|setgroups    of the C library; runtimes stand before them, each in its way
aprof_contexts_(place|edge|calls)|contexts_places_enter|contexts_idle  of executables, and of libraries without one
(aprof_trms|aprof_events?|aprof_native|__sanitizer_cov)_[a-z0-9_]*  of executables, and of libraries without one
__tsan_[a-z0-9_]*           called by compilers, answered by each runtime
__cyg_profile_func_[a-z]*   called by compilers, answered by each runtime'

# DIR/TARGET-NAME.o is made from DIR/NAME.*, in the source or, if it is generated, in the build.
find . -path ./ci -prune -o -path './*/*' -name '*.o' -exec nm -A --defined-only --format=posix {} + 2>/dev/null | sed 's|^\./||' |
    awk -v source="$source" -v interfaces="$interfaces" '
        function exists(file,    line) {
            if ((getline line < file) < 0)
                return 0
            close(file)
            return 1
        }

        function source_of(object,    folder, name, i) {
            if (object in known)
                return known[object]
            folder = name = object
            sub(/[^\/]*$/, "", folder)
            gsub(/.*[\/-]|\.o$/, "", name)
            for (i = 1; i <= 3; i++)
                if (exists(source "/" folder name suffix[i]) || exists(folder name suffix[i]))
                    return known[object] = folder name suffix[i]
            return known[object] = ""
        }

        BEGIN {
            split(".c .S .s", suffix, " ")
            lines = split(interfaces, line, "\n")
            for (i = 2; i <= lines; i++) {
                sub(/ .*/, "", line[i])
                pattern = pattern (i > 2 ? "|" : "") line[i]
            }
            pattern = "^(" pattern ")$"
        }

        $3 ~ /^[A-Z]$/ && $2 ~ /^[A-Za-z0-9_]+$/ {
            sub(/:$/, "", $1)
            file = source_of($1)
            if (file == "" || ($2, file) in seen)
                next
            seen[$2, file] = 1
            side = file ~ /^(tests|bench)\//
            files[$2, side] = files[$2, side] " " file
            count[$2, side]++
            symbols++
        }

        END {
            for (key in count) {
                split(key, part, SUBSEP)
                if (count[key] > 1 && part[1] !~ pattern)
                    print part[1] ": defined by" files[key]
            }
            if (symbols < 100)
                print "no object files here: run this from the build directory"
        }' | sort >"$work/twice"
cat "$work/twice"
[ ! -s "$work/twice" ] || status=1

if ! ctags --version 2>/dev/null | grep -q Universal; then
    echo 'types are not looked at: universal-ctags is not installed'
    exit $status
fi
cd "$source"
# Each module has a local.mk; other folders are remnants of builds and tests.
find ./*/local.mk | sed 's|^\./||; s|/local\.mk$||' | while read -r room; do
    find "$room" -name '*.[ch]' | sed -E '\:/npm/|\.d/:d'
done |
    ctags -x --languages=C --langmap=C:.c.h --kinds-C=sugt -L - |
    awk '$1 !~ /^__anon/ { print $1, $4 }' | sort -u >"$work/types"
awk '
    { files[$1] = files[$1] " " $2; count[$1]++ }
    $2 ~ /\.h$/ { header[$1] = $2 }
    END {
        for (name in header)
            if (count[name] > 1)
                print "type " name ": declared by" files[name]
    }' "$work/types" | sort >"$work/twice"
cat "$work/twice"
[ ! -s "$work/twice" ] || status=1
exit $status
