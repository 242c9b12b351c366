#!/bin/sh
# Installs what building, testing and benchmarking need on Debian 12 and 13.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: install-deps.sh [--check] [run|demo|build|test|evaluate]
#
#   run       the packages that an installed aprof needs
#   demo      also the packages to build and show the demo
#   build     also the packages for the whole build
#   test      also the packages for all tests, examples and benchmarks [default]
#   evaluate  also the third-party programs that `make evaluate` measures
#   --check   only list the missing packages; the exit status is 1 if there are any
#
# Does nothing if all packages are installed. Needs root, or sudo. A package that this release of Debian lacks for this
# processor (for example gcc-multilib) is omitted with a message, unless aprof requires it. Exit status: 0; 1 if
# something is missing; 2 usage.
#
# Package names have no version, so the compilers are the release's gcc and clang.
set -eu

run_needed="valgrind"
run_useful="libc6-dbg gnuplot-nox"
demo_needed="gcc make autoconf automake pkg-config libc6-dev libiberty-dev libgsl-dev zlib1g-dev binutils"
demo_useful="libzstd-dev libdw-dev ca-certificates"
build_useful="libsqlite3-dev libjson-c-dev libmicrohttpd-dev g++ clang"
test_useful="gcc-multilib g++-multilib gfortran libcmocka-dev sqlite3 clang-format universal-ctags shellcheck
    mandoc libopenmpi-dev openmpi-bin parallel git xz-utils pigz lua5.4 perl chromium pngquant zsh fish cmake meson ninja-build
    dpkg-dev rapidjson-dev spin golang-go rustc redis-server redis-tools time qemu-user binutils-aarch64-linux-gnu
    libbenchmark-dev libgtest-dev catch2 doctest-dev jq neovim tmux
    python3-jsonschema python3-pytest python3-pip python3-setuptools python3-wheel"
evaluate_useful="mariadb-server mariadb-client imagemagick x264 zstd bzip2 libxml2-utils m4 mawk python3 patch
    libglib2.0-dev libexpat1-dev bison libncurses-dev libpcre2-dev libssl-dev
    ripgrep fd-find re2c gperf groff-base liblapack3 tcl bc
    gawk brotli xmlstarlet tidy dc discount graphviz glpk-utils lp-solve qpdf poppler-utils optipng sox libarchive-tools
    indent xsltproc php-cli espeak-ng ruby flex lz4 openssl"
# Node is often installed from another source, together with npm.
command -v node >/dev/null || demo_useful="$demo_useful nodejs"
command -v npm >/dev/null || test_useful="$test_useful npm"

usage() {
    echo "usage: install-deps.sh [--check] [run|demo|build|test|evaluate]" >&2
    exit 2
}

is_installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed$'
}

# Packages whose names contain the version of the installed compilers; none before the compilers are installed.
packages_of_compilers() {
    case $level in
    build | test | evaluate) ;;
    *) return 0 ;;
    esac
    ! command -v gcc >/dev/null || echo "gcc-$(gcc -dumpversion | cut -d. -f1)-plugin-dev"
    command -v clang >/dev/null || return 0
    release=$(clang -dumpversion | cut -d. -f1)
    echo "llvm-$release-dev lld-$release libclang-rt-$release-dev"
}

missing_of() {
    for package; do
        is_installed "$package" || printf '%s ' "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif command -v sudo >/dev/null; then
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
        echo "aprof: install-deps: not root, and there is no sudo; please install: $missing" >&2
        exit 1
    fi
}

install() {
    as_root apt-get install -y -qq --no-install-recommends "$@" >"$log" 2>&1
}

fail() {
    tail -n 20 "$log" >&2
    echo "aprof: install-deps: $1" >&2
    exit 1
}

only_check=no
if [ "${1:-}" = --check ]; then
    only_check=yes
    shift
fi
[ $# -le 1 ] || usage
level=${1:-test}
case $level in
run) needed=$run_needed useful=$run_useful ;;
demo) needed="$run_needed $demo_needed" useful="$run_useful $demo_useful" ;;
build) needed="$run_needed $demo_needed" useful="$run_useful $demo_useful $build_useful" ;;
test) needed="$run_needed $demo_needed" useful="$run_useful $demo_useful $build_useful $test_useful" ;;
evaluate)
    needed="$run_needed $demo_needed"
    useful="$run_useful $demo_useful $build_useful $test_useful $evaluate_useful"
    ;;
*) usage ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "aprof: install-deps: this is no Debian; please install by hand: $needed $useful" >&2
    exit 1
fi

# install_all PACKAGE...: installs all packages at once. If a package does not exist in this release, all
# required packages must install, and the other packages are installed one by one.
install_all() {
    install "$@" && return
    # shellcheck disable=SC2086
    must=$(missing_of $needed)
    # shellcheck disable=SC2086
    [ -z "$must" ] || install $must || fail "cannot install: $must"
    for package in $(missing_of "$@"); do
        install "$package" || echo "not available here, some tests will be skipped: $package"
    done
}

# shellcheck disable=SC2046,SC2086
missing=$(missing_of $needed $useful $(packages_of_compilers))
[ -n "$missing" ] || exit 0
if [ $only_check = yes ]; then
    echo "missing: $missing"
    exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "installing: $missing"
as_root apt-get update -qq >"$log" 2>&1 || fail "apt-get update failed"
# shellcheck disable=SC2086
install_all $missing
# shellcheck disable=SC2046
missing=$(missing_of $(packages_of_compilers))
# shellcheck disable=SC2086
[ -z "$missing" ] || install_all $missing
