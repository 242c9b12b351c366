#!/bin/sh
# Tests projects of CMake, Meson, autotools and cargo, built with aprof's compilers and with tests of growth.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
root=$scratch/root
prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")
run 0 make -s -C "$build" install DESTDIR="$root"
PATH=$build/tools:$root$prefix/bin:$PATH

# A routine whose cost is the square of its input, with sizes that are sufficient for a claim.
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

# The routine in a project of autotools.
if command -v automake >/dev/null && command -v autoconf >/dev/null; then
    begin 'a project of autotools is compiled with the profiler'
    cat >project/configure.ac <<'END'
AC_INIT([app], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
    printf 'bin_PROGRAMS = app\napp_SOURCES = app.c\n' >project/Makefile.am
    run 0 autoreconf -i project
    mkdir autotools
    run 0 sh -c "cd autotools && ../project/configure CC=aprof-cc && make"
    run 0 env APROF=out=autotools.aprof autotools/app
    run 0 aprof check --strict --bounds=project/kept.txt autotools.aprof
fi

# The C code of a crate, compiled as by the crate `cc`, without this crate.
if command -v cargo >/dev/null && rustc --version >/dev/null 2>&1; then
    begin 'C in a crate of cargo is compiled with the profiler'
    mkdir -p crate/src
    printf '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n' >crate/Cargo.toml
    sed 's/^int main/int c_main/' project/app.c >crate/app.c
    cat >crate/build.rs <<'END'
use std::{env, process::Command};

fn main() {
    let out = env::var("OUT_DIR").unwrap();
    let compiler = env::var("CC").unwrap();
    let object = format!("{}/app.o", out);
    assert!(Command::new(compiler).args(["-g", "-O1", "-fPIC", "-c", "app.c", "-o", &object]).status().unwrap().success());
    assert!(Command::new("ar").args(["cr", &format!("{}/libapp.a", out), &object]).status().unwrap().success());
    println!("cargo:rustc-link-search={}", out);
    println!("cargo:rustc-link-lib=static=app");
}
END
    cat >crate/src/main.rs <<'END'
extern "C" {
    fn c_main() -> i32;
}

fn main() {
    std::process::exit(unsafe { c_main() });
}
END
    run 0 env CC=aprof-cc CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER=aprof-cc \
        cargo build --release --offline --quiet --manifest-path crate/Cargo.toml
    run 0 env APROF=out=crate.aprof crate/target/release/app
    run 0 aprof check --strict --bounds=project/kept.txt crate.aprof
fi
finish
