#!/bin/sh
# Projects of CMake and Meson find aprof, test growth with it, and are built with its compilers.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

command -v cmake >/dev/null || command -v meson >/dev/null || skip 'neither cmake nor meson is installed'
root=$scratch/root
prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")
run 0 make -s -C "$build" install DESTDIR="$root"
PATH=$build/tools:$root$prefix/bin:$PATH

# A routine whose cost is the square of its input, by small sizes up to one that decides.
mkdir project
cat >project/app.c <<'END'
#include <stdlib.h>

__attribute__((noinline)) int pairs(const int *cell, int n)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            found += cell[i] == cell[j];
    return found;
}

int main(void)
{
    int found = 0;
    for (int n = 10; n <= 400; n += n / 5 + 1) {
        int *cell = malloc(n * sizeof *cell);
        for (int i = 0; i < n; i++)
            cell[i] = i;
        found += pairs(cell, n);
        free(cell);
    }
    return found == 0;
}
END
echo 'pairs n^2' >project/kept.txt
echo 'pairs n' >project/broken.txt

if command -v cmake >/dev/null; then
    cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(app C)
enable_testing()
find_package(aprof REQUIRED)
add_executable(app app.c)
aprof_add_growth_test(NAME kept COMMAND app BOUNDS ${CMAKE_SOURCE_DIR}/kept.txt ${GROWTH_OPTIONS})
aprof_add_growth_test(NAME broken COMMAND app BOUNDS ${CMAKE_SOURCE_DIR}/broken.txt ${GROWTH_OPTIONS})
set_tests_properties(broken PROPERTIES WILL_FAIL TRUE)
END
    export aprof_DIR="$root$prefix/lib/cmake/aprof"
    begin 'a test of CMake profiles under Valgrind and fails when a bound is broken'
    run 0 cmake -S project -B with_valgrind -DAPROF_EXECUTABLE="$build/tools/aprof"
    run 0 cmake --build with_valgrind
    run 0 cmake -E chdir with_valgrind ctest
    begin 'a project of CMake is compiled with the profiler, and every bound is decided'
    run 0 cmake -S project -B compiled_in -DAPROF_EXECUTABLE="$build/tools/aprof" \
        -DCMAKE_TOOLCHAIN_FILE="$aprof_DIR/aprof-toolchain.cmake" '-DGROWTH_OPTIONS=COMPILED_IN;STRICT'
    run 0 cmake --build compiled_in
    run 0 cmake -E chdir compiled_in ctest
    grep -q '100% tests passed' out || fail 'compiled in: bounds are not decided'
fi

if command -v meson >/dev/null; then
    cat >project/meson.build <<'END'
project('app', 'c')
app = executable('app', 'app.c')
aprof = find_program('aprof')
env = environment()
env.set('APROF', 'out=aprof.out.meson')
test('run', app, env: env, workdir: meson.current_build_dir(), priority: 1, is_parallel: false)
test('growth', aprof, workdir: meson.current_build_dir(), is_parallel: false,
     args: ['check', '--bounds=' + meson.current_source_dir() / 'kept.txt', 'aprof.out.meson'])
END
    begin 'a project of Meson is compiled with the profiler and checked'
    run 0 meson setup --native-file="$source/scripts/aprof-native.ini" meson project
    run 0 meson test -C meson
fi
finish
